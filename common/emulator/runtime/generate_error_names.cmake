# cmake -DHEADER=driver_types.h -DOUTPUT=error_names.inc -P generate_error_names.cmake
# TCD_ERROR(name) for every enumerator of cudaError in the toolkit's header.
file(STRINGS ${HEADER} lines REGEX "^ *cuda(Success|Error[A-Za-z0-9]+) *= *[0-9]+")
set(text "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "cuda(Success|Error[A-Za-z0-9]+)" name "${line}")
  string(APPEND text "TCD_ERROR(${name})\n")
endforeach()
if(NOT text)
  message(FATAL_ERROR "${HEADER} lists no error codes; is it the CUDA toolkit's driver_types.h?")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)
