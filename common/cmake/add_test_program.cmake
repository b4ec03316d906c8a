# add_test_program(name SOURCES a.cpp … [LIBRARIES lib …] [ARGS …] [OPTIMISE]): one doctest
# executable, one ctest entry. Its working directory is the repository root, so tests name files as
# the reader does. The test's own code is compiled without optimisation, which halves the time;
# OPTIMISE is for tests that compute a lot themselves.
if(BUILD_TESTING)
  add_library(tcd_test_main STATIC ${CMAKE_CURRENT_LIST_DIR}/test_main.cpp)
  target_compile_options(tcd_test_main PRIVATE -O0)
  target_link_libraries(tcd_test_main PUBLIC doctest::doctest PRIVATE tcd_warnings)
  target_compile_definitions(tcd_test_main PUBLIC DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
endif()

function(add_test_program name)
  cmake_parse_arguments(arg "OPTIMISE" "" "SOURCES;LIBRARIES;ARGS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} tcd_test_main tcd_warnings)
  if(TCD_SANITIZE OR NOT arg_OPTIMISE)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  endif()
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()

# tcd_threads_test(name …): these test programs start threads; `./day test --tsan` builds and runs them,
# and nothing else, under ThreadSanitizer.
if(BUILD_TESTING)
  add_custom_target(threads_tests)
endif()
function(tcd_threads_test)
  add_dependencies(threads_tests ${ARGN})
  set_tests_properties(${ARGN} PROPERTIES LABELS threads)
endfunction()
