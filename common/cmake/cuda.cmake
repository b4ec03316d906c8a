# CUDA as a language, with the shared runtime: that is what the emulated device stands in for.
include(find_nvcc)
set(CMAKE_CUDA_ARCHITECTURES 75)  # overridden by every target; only the compiler test uses it
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25, Debian 12's, stops at C++17
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
  message(FATAL_ERROR
    "${CMAKE_CUDA_COMPILER} is CUDA ${CMAKE_CUDA_COMPILER_VERSION}; the days need 12.4 or newer.\n"
    "Type `./day run` once: it fetches CUDA 13.0's compiler into .day/ when the machine has none.")
endif()
find_package(CUDAToolkit REQUIRED)
