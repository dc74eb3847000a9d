# Installing: libraries with their headers and pkg-config files, the program with its modules, manual, completions.

# What makes shells complete the program's words, printed by the program itself.
set(FILM_COMPLETIONS completions/film.bash completions/_film completions/film.fish)
add_custom_command(OUTPUT ${FILM_COMPLETIONS}
  COMMAND ${CMAKE_COMMAND} -E make_directory completions
  COMMAND film completions bash > completions/film.bash
  COMMAND film completions zsh > completions/_film
  COMMAND film completions fish > completions/film.fish
  DEPENDS film film_verbs_pool film_verbs_train WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
add_custom_target(completions ALL DEPENDS ${FILM_COMPLETIONS})

# film_pc(NAME REQUIRES PRIVATE PRIVATE_LIBS): NAME.pc, relative to where it lies, so that an installation can be moved.
file(RELATIVE_PATH FILM_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
function(film_pc name description requires requires_private libs_private)
  set(FILM_PC_NAME ${name})
  set(FILM_PC_DESCRIPTION "${description}")
  set(FILM_PC_REQUIRES "${requires}")
  set(FILM_PC_REQUIRES_PRIVATE "${requires_private}")
  set(FILM_PC_LIBS_PRIVATE "${libs_private}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/film.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
film_pc(film "${PROJECT_DESCRIPTION}: open a model, match, explain" ""
  "libutf8proc zlib libzstd jansson" "-lstemmer -pthread -lm")
# Only libfilm is also a static library: a program needs no package of what the others are linked with.
film_pc(film-pool "${PROJECT_DESCRIPTION}: keep, search, deduplicate, link" "film" "" "")
film_pc(film-train "${PROJECT_DESCRIPTION}: learn, measure, report" "film" "" "")

# film_install(TARGET FOLDER RPATH): installs TARGET in FOLDER, where RPATH leads to its libraries; in the build tree they
# are beside it. CMake would change one path into the other, and make room for that with colons: empty entries, by which the
# loader takes libraries from the current folder of whoever starts the program. Slashes make room too and mean nothing.
function(film_install target folder rpath)
  set(padded "$ORIGIN")
  string(LENGTH "${padded}" length)
  string(LENGTH "${rpath}" room)
  if(room GREATER length)
    math(EXPR missing "${room} - ${length}")
    string(REPEAT "/" ${missing} slashes)
    string(APPEND padded "${slashes}")
  endif()
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${padded}")
  install(TARGETS ${target} DESTINATION ${folder})
  if(NOT CMAKE_SKIP_RPATH AND NOT CMAKE_SKIP_INSTALL_RPATH)
    install(CODE "file(RPATH_CHANGE
      FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>\"
      OLD_RPATH [[${padded}]] NEW_RPATH [[${rpath}]])")
  endif()
endfunction()
install(TARGETS film_shared film_pool_shared film_train_shared)
film_install(film ${CMAKE_INSTALL_BINDIR} "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
foreach(module film_verbs_pool film_verbs_train film_sqlite)
  film_install(${module} ${CMAKE_INSTALL_LIBDIR}/film "$ORIGIN/..")
endforeach()
if(FILM_WORKBOOKS)
  install(TARGETS film_workbook DESTINATION ${CMAKE_INSTALL_LIBDIR}/film)
endif()
if(FILM_ENGLISH)
  install(FILES ${FILM_ENGLISH} DESTINATION ${CMAKE_INSTALL_DATADIR}/film)
  install(FILES ${FILM_WORDNET_NOTICE} RENAME english.words.copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/film)
endif()
# The template of film page, where wasm/build has been run.
install(FILES ${PROJECT_SOURCE_DIR}/build/wasm/offline.html DESTINATION ${CMAKE_INSTALL_DATADIR}/film OPTIONAL)
install(FILES ${FILM_STATIC} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ TYPE INCLUDE FILES_MATCHING PATTERN "film*.h")
install(FILES man/film.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/completions/film.bash RENAME film
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/completions/_film DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CMAKE_BINARY_DIR}/completions/film.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
