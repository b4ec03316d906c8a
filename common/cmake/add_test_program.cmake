# add_test_program(name SOURCES a.cpp … [LIBRARIES lib …] [ARGS …]): one doctest executable, one
# ctest entry. Its working directory is the repository root, so tests name files as the reader does.
function(add_test_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;ARGS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} doctest::doctest tcd_warnings)
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
