# The program. film links libfilm alone; the verbs that need more are modules beside it (cli/modules.c), which it loads
# when they are called, so that film match does not wait for OpenBLAS.

add_library(film_server OBJECT ${FILM_SERVER_SOURCES})
target_include_directories(film_server PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(film_server PRIVATE film_strict PUBLIC film_needs PkgConfig::MICROHTTPD)
target_compile_definitions(film_server PRIVATE FILM_ROOT="${PROJECT_SOURCE_DIR}")
# The page is put into the program (web/assets.def): again when a file of it changes.
file(GLOB FILM_ASSETS CONFIGURE_DEPENDS web/* server/openapi.json)
set_source_files_properties(server/assets.c PROPERTIES OBJECT_DEPENDS "${FILM_ASSETS}")

add_executable(film ${FILM_CLI_SOURCES})
target_include_directories(film PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(film PRIVATE film_strict film_shared PkgConfig::JANSSON PkgConfig::ZSTD Threads::Threads
  ${CMAKE_DL_LIBS} m)
set_target_properties(film PROPERTIES ENABLE_EXPORTS ON)
# Where modules are, from where the program is.
file(RELATIVE_PATH FILM_MODULES /x/${CMAKE_INSTALL_BINDIR} /x/${CMAKE_INSTALL_LIBDIR}/film)
file(RELATIVE_PATH FILM_DATA /x/${CMAKE_INSTALL_BINDIR} /x/${CMAKE_INSTALL_DATADIR}/film)
target_compile_definitions(film PRIVATE FILM_MODULES="${FILM_MODULES}" FILM_DATA="${FILM_DATA}")

# film_verbs(NAME LIBRARIES... SOURCES files...): the module film-verbs-NAME.so.
function(film_verbs name)
  cmake_parse_arguments(VERBS "" "" "LIBRARIES;SOURCES" ${ARGN})
  add_library(film_verbs_${name} MODULE ${VERBS_SOURCES})
  target_include_directories(film_verbs_${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(film_verbs_${name} PRIVATE film_strict film ${VERBS_LIBRARIES} film_shared PkgConfig::JANSSON m)
  set_target_properties(film_verbs_${name} PROPERTIES OUTPUT_NAME film-verbs-${name} PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endfunction()
film_verbs(pool LIBRARIES film_pool_shared PkgConfig::MICROHTTPD
  SOURCES ${FILM_CLI_POOL_SOURCES} $<TARGET_OBJECTS:film_server>)
film_verbs(train LIBRARIES film_train_shared film_pool_shared SOURCES ${FILM_CLI_TRAIN_SOURCES})
add_custom_target(film_program ALL DEPENDS film film_verbs_pool film_verbs_train)

# The loadable extension of SQLite: load it with .load ./film_sqlite.
add_library(film_sqlite MODULE sqlite/film_sqlite.c sqlite/film_search.c)
target_include_directories(film_sqlite PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(film_sqlite PRIVATE film_strict film_pool_shared film_shared)
target_compile_options(film_sqlite PRIVATE -fvisibility=hidden)
set_target_properties(film_sqlite PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# What is known about English words, compiled from WordNet (wordnet-base) where it is installed.
set(FILM_WORDNET /usr/share/wordnet CACHE PATH "the folder of WordNet 3.0")
set(FILM_WORDNET_NOTICE /usr/share/doc/wordnet-base/copyright CACHE FILEPATH "the notice of WordNet")
if(EXISTS ${FILM_WORDNET}/data.noun AND EXISTS ${FILM_WORDNET_NOTICE})
  add_executable(wordnet_table tools/wordnet_table.c)
  target_include_directories(wordnet_table PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(wordnet_table PRIVATE film_strict film_archive PkgConfig::ZSTD)
  set(FILM_ENGLISH ${CMAKE_BINARY_DIR}/english.words)
  add_custom_command(OUTPUT ${FILM_ENGLISH}
    COMMAND wordnet_table ${FILM_WORDNET} ${PROJECT_SOURCE_DIR}/tools/english.txt ${FILM_ENGLISH}
    DEPENDS wordnet_table tools/english.txt VERBATIM)
  add_custom_target(film_english ALL DEPENDS ${FILM_ENGLISH})
  add_dependencies(film_program film_english)
endif()

# What reads Excel workbooks is a module too: film does not wait for expat.
if(FILM_WORKBOOKS)
  add_library(film_workbook MODULE ${FILM_WORKBOOK_SOURCES})
  target_include_directories(film_workbook PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(film_workbook PRIVATE film_strict PkgConfig::EXPAT PkgConfig::ZLIB)
  set_target_properties(film_workbook PROPERTIES OUTPUT_NAME film-workbook PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  add_dependencies(film_program film_workbook)
endif()
