# add_day(NN-name ARCH 75 80 …): builds days/NN-name/*.{cu,cpp} into build/<preset>/dayNN.
#
# PTX and SASS are embedded for every architecture listed; the device, real or emulated, picks the
# highest it can run. -lineinfo lets the emulated device name your line. The run path points at the
# emulated runtime (or NVIDIA's, preset gpu); LD_LIBRARY_PATH wins over it.
include(cuda)

function(tcd_cuda_objects target)
  cmake_parse_arguments(arg "" "" "ARCH" ${ARGN})
  set_target_properties(${target} PROPERTIES
    CUDA_ARCHITECTURES "${arg_ARCH}"
    CUDA_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/common/cmake/keep_ptxas_lines.sh")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo -Xptxas=-v -Xcompiler=-Wno-unused-parameter>)
endfunction()

function(tcd_cuda_program target)
  tcd_cuda_objects(${target} ${ARGN})
  target_link_options(${target} PRIVATE -Wl,--enable-new-dtags)  # RUNPATH, so LD_LIBRARY_PATH wins
  if(TCD_DEVICE STREQUAL "emulated")
    set_target_properties(${target} PROPERTIES BUILD_RPATH "${PROJECT_BINARY_DIR}/emulator")
    if(TARGET cudart)
      add_dependencies(${target} cudart)
    endif()
  else()
    set_target_properties(${target} PROPERTIES BUILD_RPATH "${CUDAToolkit_LIBRARY_DIR}")
  endif()
endfunction()

# Every day writes `namespace day`, so that ./day diff shows the lesson and no renames. The compiler
# is told another name for each: day05. Then one executable, the bench, can hold all of them, and a
# profiler's list says whose gemm_kernel it was.
function(tcd_day_namespace target day)
  target_compile_definitions(${target} PRIVATE day=${day})
endfunction()

# Under sanitizers these days are enough to walk the harness and the emulated device, and each
# costs minutes of compiling.
set(TCD_SANITIZED_DAYS 01-fragment-probe)

# bench/instances/*.cu: many instances of a kernel in which nothing depends on the architecture. One
# PTX, for the lowest, and machine code for all: half of the compile time of one PTX for each.
function(tcd_bench_instances day folder lowest)
  file(GLOB instances CONFIGURE_DEPENDS ${folder}/bench/instances/*.cu)
  if(NOT instances)
    return()
  endif()
  list(TRANSFORM ARGN PREPEND sm_ OUTPUT_VARIABLE code)
  list(JOIN code "," code)
  add_library(${day}_instances OBJECT ${instances})
  tcd_cuda_objects(${day}_instances ARCH OFF)
  target_compile_options(${day}_instances PRIVATE
    "-gencode=arch=compute_${lowest},code=[compute_${lowest},sm_${lowest},${code}]")
  target_include_directories(${day}_instances PRIVATE ${folder})
  target_link_libraries(${day}_instances PRIVATE tcd_harness tcd_gates tcd_ptx tcd_warnings)
  tcd_day_namespace(${day}_instances ${day})
  target_sources(${day}_host PRIVATE $<TARGET_OBJECTS:${day}_instances>)
endfunction()

function(add_day name)
  cmake_parse_arguments(arg "" "" "ARCH" ${ARGN})
  if(TCD_SANITIZE AND NOT name IN_LIST TCD_SANITIZED_DAYS)
    return()
  endif()
  string(SUBSTRING ${name} 0 2 number)
  set(day day${number})
  set(folder ${PROJECT_SOURCE_DIR}/days/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cu ${folder}/*.cpp ${folder}/bench/*.cu
       ${folder}/bench/*.cpp)  # a bench: kernels of its own, Day 09
  if(EXISTS ${folder}/variants.cu)
    list(REMOVE_ITEM sources ${folder}/kernel.cu)  # variants.cu includes and instantiates it
    set_property(GLOBAL APPEND PROPERTY TCD_GEMM_DAYS ${number})  # common/bench lists them
  endif()
  if(NOT sources OR NOT arg_ARCH)
    message(FATAL_ERROR "add_day(${name}): needs days/${name}/*.cu and ARCH, e.g. ARCH 75 80")
  endif()
  # Everything but the kernel is compiled once, for the day and for its changed kernels (tests/); the
  # kernel once, for the day and for the bench.
  set(kernel_sources ${sources})
  list(FILTER kernel_sources INCLUDE REGEX "/(kernel|variants)\\.cu$")
  list(REMOVE_ITEM sources ${kernel_sources})
  add_library(${day}_host STATIC ${sources})
  tcd_cuda_objects(${day}_host ARCH ${arg_ARCH})
  tcd_day_namespace(${day}_host ${day})
  if(TCD_SANITIZE)
    target_compile_options(${day}_host PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  endif()
  target_include_directories(${day}_host PRIVATE ${folder})
  target_link_libraries(${day}_host PUBLIC tcd_harness tcd_gates tcd_ptx PRIVATE tcd_warnings)
  tcd_bench_instances(${day} ${folder} ${arg_ARCH})
  add_library(${day}_kernel OBJECT ${kernel_sources})
  tcd_cuda_objects(${day}_kernel ARCH ${arg_ARCH})
  tcd_day_namespace(${day}_kernel ${day})
  target_link_libraries(${day}_kernel PRIVATE tcd_harness tcd_gates tcd_ptx tcd_warnings)
  target_include_directories(${day}_kernel PRIVATE ${folder})
  add_executable(${day} $<TARGET_OBJECTS:${day}_kernel>)
  set_target_properties(${day} PROPERTIES LINKER_LANGUAGE CUDA)
  tcd_cuda_program(${day} ARCH ${arg_ARCH})
  target_link_libraries(${day} PRIVATE ${day}_host)
  set_target_properties(${day} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  # ptxas's lines of all sources, beside the executable: the harness reads spill bytes from there.
  add_custom_command(TARGET ${day} POST_BUILD VERBATIM
    COMMAND sh -c "find CMakeFiles/${day}.dir CMakeFiles/${day}_*.dir -name '*.ptxas' \
                   -exec cat {} + > ${day}.ptxas"
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  if(BUILD_TESTING AND TCD_DEVICE STREQUAL "emulated" AND EXISTS ${folder}/tests/CMakeLists.txt)
    add_subdirectory(${folder}/tests)
  endif()
endfunction()
