# Tests that print TAP, for ctest: tests/one turns their lines into an exit code (77: everything was skipped) and gives
# them the environment they have in scripts/test. Run one by name with "ctest -R NAME", a group with "ctest -L LABEL".

# tap_test(NAME LABEL PROGRAM)
function(tap_test name label program)
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/one ${PROJECT_BINARY_DIR} ${program})
  set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77)
endfunction()

# tap_scripts(KIND): tests/KIND/*.sh, each by the name KIND/SCRIPT.
function(tap_scripts kind)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${kind}/*.sh)
  list(REMOVE_ITEM scripts ${PROJECT_SOURCE_DIR}/tests/cli/tap.sh)
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    tap_test(${kind}/${name} ${kind} ${script})
  endforeach()
endfunction()
