# Finds nvcc before CUDA is enabled as a language, so that a missing compiler is explained in our
# words. Order: what the user set, PATH, the usual places, then the wheels ./day put in .day/.
if(NOT CMAKE_CUDA_COMPILER)
  file(GLOB wheel_bins "${PROJECT_SOURCE_DIR}/.day/venv/lib/python3*/site-packages/nvidia/cu1[23]/bin")
  if(DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER "$ENV{CUDACXX}" CACHE FILEPATH "nvcc")
  else()
    find_program(CMAKE_CUDA_COMPILER nvcc
                 PATHS /usr/local/cuda/bin /opt/cuda/bin ${wheel_bins} DOC "nvcc")
  endif()
endif()
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR
    "No CUDA compiler: nvcc is not on PATH, not in /usr/local/cuda/bin and not in .day/.\n"
    "The days are CUDA programs, so nvcc is needed even when they run on the emulated device.\n"
    "Type `./day run` once: it fetches NVIDIA's compiler into .day/ (no GPU or driver needed).\n"
    "Or, with a toolkit elsewhere: cmake --preset emulated -DCMAKE_CUDA_COMPILER=/path/to/nvcc")
endif()
