# add_changed_day(TARGET NN-name SED [ARCH]): the day's executable with its kernel changed by a sed script,
# for the controls of its tests: a barrier removed, a pad left out. The day's own files stay free of
# test switches. Only the kernel is compiled again, for one architecture, 80 by default. The change
# is made when the target is built, so that a kernel being edited stands in no other target's way.
function(add_changed_day target name sed_script)
  set(arch 80)
  if(ARGC GREATER 3)
    set(arch ${ARGV3})
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/days/${name})
  set(changed ${CMAKE_CURRENT_BINARY_DIR}/${target}.changed)
  set(script ${changed}/change.sed)
  file(CONFIGURE OUTPUT ${script} CONTENT "${sed_script}\n" @ONLY)
  set(compiled ${changed}/kernel.cu)
  set(outputs ${changed}/kernel.cu)
  set(inputs ${folder}/kernel.cu)
  if(EXISTS ${folder}/variants.cu)  # it includes kernel.cu
    set(compiled ${changed}/variants.cu)
    list(APPEND outputs ${changed}/variants.cu)
    list(APPEND inputs ${folder}/variants.cu)
  endif()
  set(change ${PROJECT_SOURCE_DIR}/common/cmake/change_kernel.sh)
  add_custom_command(OUTPUT ${outputs} VERBATIM
    COMMAND sh ${change} ${script} ${folder} ${changed}
    DEPENDS ${inputs} ${script} ${change}
    COMMENT "Changing days/${name} for ${target}")
  string(SUBSTRING ${name} 0 2 number)
  add_executable(${target} ${compiled})
  set_property(SOURCE ${compiled} APPEND PROPERTY OBJECT_DEPENDS ${changed}/kernel.cu)
  target_include_directories(${target} PRIVATE ${folder})
  tcd_cuda_program(${target} ARCH ${arch})
  tcd_day_namespace(${target} day${number})
  target_link_libraries(${target} PRIVATE day${number}_host tcd_warnings)
endfunction()
