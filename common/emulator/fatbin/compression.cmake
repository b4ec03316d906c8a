# zstd and lz4, as targets tcd_zstd and tcd_lz4. The static libraries of the distribution come
# first: the emulator's libcudart then runs on machines that have neither. A pinned release is
# fetched only where no package is installed.
include(FetchContent)

function(tcd_compression_library target header library repository tag source_dir fetched_target)
  find_path(${target}_INCLUDE ${header})
  find_library(${target}_LIBRARY NAMES lib${library}.a ${library})
  mark_as_advanced(${target}_INCLUDE ${target}_LIBRARY)
  add_library(${target} INTERFACE)
  if(${target}_INCLUDE AND ${target}_LIBRARY)
    target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
    target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
    return()
  endif()
  message(STATUS "${library}: no installed package, fetching ${tag}")
  FetchContent_Declare(${library} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON
                       SOURCE_SUBDIR ${source_dir})
  FetchContent_MakeAvailable(${library})
  if(NOT TARGET ${fetched_target})
    message(FATAL_ERROR "${library} was fetched but brought no target ${fetched_target}.\n"
      "Install the package instead: sudo apt-get install -y libzstd-dev liblz4-dev")
  endif()
  target_link_libraries(${target} INTERFACE ${fetched_target})
  target_include_directories(${target} SYSTEM INTERFACE ${${library}_SOURCE_DIR}/lib)
endfunction()

set(ZSTD_BUILD_PROGRAMS OFF CACHE INTERNAL "")
set(ZSTD_BUILD_SHARED OFF CACHE INTERNAL "")
set(ZSTD_BUILD_TESTS OFF CACHE INTERNAL "")
tcd_compression_library(tcd_zstd zstd.h zstd https://github.com/facebook/zstd.git v1.5.6
                        build/cmake libzstd_static)
set(LZ4_BUILD_CLI OFF CACHE INTERNAL "")
set(BUILD_STATIC_LIBS ON)
tcd_compression_library(tcd_lz4 lz4.h lz4 https://github.com/lz4/lz4.git v1.9.4
                        build/cmake lz4_static)
