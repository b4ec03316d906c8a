# Every target of the project links tcd_warnings: a warning is an error, for host and device code.
add_library(tcd_warnings INTERFACE)
set(host_warnings -Wall -Wextra -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND host_warnings -Wno-restrict)  # GCC 12 sees overlaps in std::string's operator+
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # It knows other pragmas, and complains of aliases that a unity build repeats.
  list(APPEND host_warnings -Wno-shadow -Wno-unknown-pragmas -Wno-unused-lambda-capture)
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
  if(TCD_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC warns that TSan does not see fences. Ours (membar, fence) order emulated memory, which
    # emulated programs reach with atomic instructions of the host; nothing else relies on them.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
  endif()
  # HOST_LINK: not for the device link of -rdc=true programs, where nvcc splits at commas. So does
  # HOST_LINK itself, hence one option for each sanitizer.
  string(REPLACE "," ",-fsanitize=" sanitize_each "-fsanitize=${TCD_SANITIZE}")
  add_link_options("$<$<LINK_LANGUAGE:CXX>:-fsanitize=${TCD_SANITIZE}>"
                   "$<$<LINK_LANGUAGE:CUDA>:$<HOST_LINK:${sanitize_each}>>")
endif()

# With clang: the fuzz targets as libFuzzers, and all host code instrumented for them.
option(TCD_LIBFUZZER "Build the fuzz targets with clang's libFuzzer" OFF)
if(TCD_LIBFUZZER)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR
      "TCD_LIBFUZZER needs clang; the C++ compiler is ${CMAKE_CXX_COMPILER}.\n"
      "Without it the same targets replay their corpus (ctest -R fuzz_). For libFuzzer:\n"
      "  sudo apt-get install -y clang libclang-rt-dev && cmake --preset fuzz")
  endif()
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
