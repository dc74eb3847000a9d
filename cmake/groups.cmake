# film_group(TARGET...): compiles the files of a target in groups of up to eight, with FILM_GROUPS. The headers are then read
# once per group, which takes a third of the compiler's time. Other builds compile each file by itself, and so show what a
# file forgets to include.
# Tests put a function of their own in the place of one in these files (--wrap in tests/CMakeLists.txt), so calls of it must
# come from other objects. CMake leaves files with properties of their own alone too.
set(FILM_ALONE src/base/rng.c server/work_queue.c)

function(film_group)
  if(NOT FILM_GROUPS)
    return()
  endif()
  foreach(target ${ARGN})
    get_target_property(files ${target} SOURCES)
    list(FILTER files EXCLUDE REGEX "^\\$<")
    list(REMOVE_ITEM files ${FILM_ALONE})
    execute_process(COMMAND awk -v most=8 -f ${PROJECT_SOURCE_DIR}/cmake/groups.awk ${files}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" found "${found}")
    foreach(line ${found})
      string(REPLACE " " ";" line ${line})
      list(GET line 0 group)
      list(GET line 1 file)
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
    endforeach()
    # A local name in a header may be a static one of the file before.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
      UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\"")
  endforeach()
endfunction()
