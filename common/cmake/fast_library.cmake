# tcd_fast_library(target): its sources are compiled eight at a time, because reading the standard
# headers costs more than the code. -DTCD_UNITY=OFF compiles each file alone: slower in all, quicker
# after a change in one.
option(TCD_UNITY "Compile the libraries' sources eight at a time" ON)
function(tcd_fast_library target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TCD_UNITY} UNITY_BUILD_BATCH_SIZE 8)
endfunction()
