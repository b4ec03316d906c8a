# Finds nvcc before CUDA is enabled as a language, so that a missing compiler is explained in our
# words. The rule, which common/cli/day/toolkit.py shares: what was set with -DCMAKE_CUDA_COMPILER;
# else the first of $CUDACXX, PATH, /usr/local/cuda, /opt/cuda that is 12.4 or newer; else the wheels
# that ./day put in .day/. TCD_HIDE_TOOLKIT=1 pretends the machine has no toolkit, to test the last.
set(tcd_minimum_cuda 12.4)

# Sets <result> to the version that `<nvcc> --version` states, or to "" when it does not run.
function(tcd_nvcc_version nvcc result)
  set(${result} "" PARENT_SCOPE)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE words ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND words MATCHES "release ([0-9]+\\.[0-9]+)")
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

if(NOT CMAKE_CUDA_COMPILER)
  set(tcd_candidates "")
  set(tcd_remarks "")
  if(NOT "$ENV{TCD_HIDE_TOOLKIT}" MATCHES "^(|0)$")
    string(APPEND tcd_remarks "TCD_HIDE_TOOLKIT is set, so this machine's toolkit was not looked at.\n")
  else()
    foreach(name "$ENV{CUDACXX}" nvcc)
      if(name)
        unset(tcd_nvcc_on_path CACHE)
        find_program(tcd_nvcc_on_path ${name} NO_DEFAULT_PATH PATHS ENV PATH)
        list(APPEND tcd_candidates ${tcd_nvcc_on_path})
        unset(tcd_nvcc_on_path CACHE)
      endif()
    endforeach()
    list(APPEND tcd_candidates /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc)
  endif()
  file(GLOB tcd_wheels
       "${PROJECT_SOURCE_DIR}/.day/venv/lib/python3*/site-packages/nvidia/cu1[23]/bin/nvcc")
  foreach(nvcc ${tcd_candidates} ${tcd_wheels})
    if(NOT CMAKE_CUDA_COMPILER AND EXISTS "${nvcc}")
      tcd_nvcc_version("${nvcc}" tcd_version)
      if(tcd_version VERSION_GREATER_EQUAL tcd_minimum_cuda)
        set(CMAKE_CUDA_COMPILER "${nvcc}" CACHE FILEPATH "nvcc")
        message(STATUS "nvcc: ${nvcc} (CUDA ${tcd_version})")
      elseif(tcd_version)
        string(APPEND tcd_remarks "${nvcc} is CUDA ${tcd_version}, older than ${tcd_minimum_cuda}.\n")
      else()
        string(APPEND tcd_remarks "${nvcc} does not say its version.\n")
      endif()
    endif()
  endforeach()
endif()

if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR
    "No CUDA compiler of version ${tcd_minimum_cuda} or newer: looked at CUDACXX, PATH, /usr/local/cuda, "
    "/opt/cuda and .day/.\n"
    "${tcd_remarks}"
    "The days are CUDA programs, so nvcc is needed even when they run on the emulated device.\n"
    "Type `./day doctor` once: it fetches NVIDIA's compiler into .day/ (no GPU or driver needed).\n"
    "Or, with a toolkit elsewhere: cmake --preset emulated -DCMAKE_CUDA_COMPILER=/path/to/nvcc")
endif()
