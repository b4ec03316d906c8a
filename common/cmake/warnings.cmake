# Every target of the project links tcd_warnings: a warning is an error, for host and device code.
add_library(tcd_warnings INTERFACE)
set(host_warnings -Wall -Wextra -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND host_warnings -Wno-restrict)  # GCC 12 sees overlaps in std::string's operator+
endif()
string(REPLACE ";" "," nvcc_host_warnings "${host_warnings}")
target_compile_options(tcd_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${host_warnings};-Wpedantic>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${nvcc_host_warnings};--Werror=all-warnings>")

# TCD_SANITIZE=address,undefined (or thread) builds all host code under that sanitizer.
set(TCD_SANITIZE "" CACHE STRING "Sanitizers for host code, as -fsanitize= takes them")
if(TCD_SANITIZE)
  # nvcc splits what follows -Xcompiler= at commas, unless they are escaped.
  string(REPLACE "," "\\," nvcc_sanitize "${TCD_SANITIZE}")
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TCD_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fsanitize=${nvcc_sanitize}>")
  add_link_options("$<$<LINK_LANGUAGE:CXX>:-fsanitize=${TCD_SANITIZE}>"
                   "$<$<LINK_LANGUAGE:CUDA>:-fsanitize=${TCD_SANITIZE}>")
endif()
