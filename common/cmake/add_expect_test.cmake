# add_expect_test(name CODE PATTERN COMMAND …): a ctest entry that runs COMMAND, wants exit code CODE
# and a match of PATTERN in its output. Runs in the build folder.
function(add_expect_test name code pattern)
  add_test(NAME ${name} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
           COMMAND ${PROJECT_SOURCE_DIR}/common/cmake/expect.sh ${code} ${pattern} ${ARGN})
endfunction()
