# Three libraries, split by what a program needs. Each is compiled once, as objects; from these come an archive for
# the tests (which call internal functions), the shared library, and one static library of all three.

# What every file of ours is compiled with.
add_library(film_compile INTERFACE)
target_compile_definitions(film_compile INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_compile_options(film_compile INTERFACE -Wall -Wextra -Wshadow -fno-math-errno -fopenmp-simd
  $<$<BOOL:${FILM_WERROR}>:-Werror>)
# A release has no trace of the folder it was built in: built elsewhere, it has the same bytes.
target_compile_options(film_compile INTERFACE $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.>
  $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_BINARY_DIR}=./build>)
add_library(film_strict INTERFACE) # and what is no test
target_link_libraries(film_strict INTERFACE film_compile)
target_compile_options(film_strict INTERFACE -Wconversion)

# film_library(NAME OUTPUT SOURCES...): NAME_objects, NAME_archive and NAME_shared, the library OUTPUT.
function(film_library name output)
  add_library(${name}_objects OBJECT ${ARGN})
  target_include_directories(${name}_objects PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # A call inside a library goes straight to the function, although sister libraries see it too.
  target_compile_options(${name}_objects PRIVATE -fno-semantic-interposition)
  target_link_libraries(${name}_objects PRIVATE film_strict PUBLIC ${name}_needs)
  add_library(${name}_archive STATIC $<TARGET_OBJECTS:${name}_objects>)
  target_link_libraries(${name}_archive PUBLIC ${name}_needs)
  add_library(${name}_shared SHARED $<TARGET_OBJECTS:${name}_objects>)
  target_include_directories(${name}_shared PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(${name}_shared PRIVATE ${name}_needs)
  set_target_properties(${name}_shared PROPERTIES OUTPUT_NAME ${output} VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  # A sanitizer's runtime is in the program alone, so its libraries have undefined symbols.
  target_link_options(${name}_shared PRIVATE -Wl,-Bsymbolic-functions
    $<$<NOT:$<BOOL:${FILM_SANITIZED}>>:-Wl,-z,defs>)
endfunction()
string(FIND "${CMAKE_C_FLAGS}" "-fsanitize" FILM_SANITIZER_AT)
if(FILM_SANITIZER_AT GREATER -1)
  set(FILM_SANITIZED ON)
endif()
film_library(film film ${FILM_SOURCES})
# Products and sums are rounded one by one, so that every machine computes the same bits (src/embed/vec.c).
target_compile_options(film_objects PRIVATE -ffp-contract=off)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_FLAGS MATCHES "-fsanitize=address")
  set_source_files_properties(src/embed/vec.c PROPERTIES COMPILE_DEFINITIONS "FILM_CHECKED_RANGES;FILM_ONE_KERNEL"
    COMPILE_OPTIONS "-O3;-fno-sanitize=all")
endif()
film_library(film_pool film-pool ${FILM_POOL_SOURCES})
film_library(film_train film-train ${FILM_TRAIN_SOURCES})
foreach(name film_pool film_train)
  target_link_libraries(${name}_archive PUBLIC film_archive)
  target_link_libraries(${name}_shared PUBLIC film_shared)
endforeach()

# The page of a report is put into the library (src/report/page.c): again when a file of it changes.
file(GLOB FILM_REPORT_PAGE CONFIGURE_DEPENDS web/*.js web/*.css web/report.html)
set_source_files_properties(src/report/page.c PROPERTIES COMPILE_DEFINITIONS FILM_ROOT="${PROJECT_SOURCE_DIR}"
  OBJECT_DEPENDS "${FILM_REPORT_PAGE}")

# Tests link what they use of all three.
add_library(film_internal INTERFACE)
target_link_libraries(film_internal INTERFACE film_train_archive film_pool_archive film_archive)

# ---- exported symbols: film_* as FILM_1.0; what a sister library calls besides as FILM_PRIVATE, without promise ----
# film_exports(NAME SISTER...): the version script of NAME.
function(film_exports name)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  set(sisters "")
  foreach(sister ${ARGN})
    list(APPEND sisters $<TARGET_FILE:${sister}>)
  endforeach()
  add_custom_command(OUTPUT ${map}
    COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/exports.sh ${CMAKE_NM} $<TARGET_FILE:${name}_archive> ${sisters} > ${map}
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.sh ${name}_archive ${ARGN})
  add_custom_target(${name}_map DEPENDS ${map})
  add_dependencies(${name}_shared ${name}_map)
  set_property(TARGET ${name}_shared APPEND PROPERTY LINK_DEPENDS ${map})
  target_link_options(${name}_shared PRIVATE -Wl,--version-script=${map})
endfunction()
film_exports(film film_pool_archive film_train_archive)
film_exports(film_pool)
film_exports(film_train)

# ---- static: one object of all three in which everything but film_* is local ----
set(FILM_STATIC ${CMAKE_CURRENT_BINARY_DIR}/libfilm.a)
add_custom_command(OUTPUT ${FILM_STATIC}
  COMMAND ${CMAKE_LINKER} -r --whole-archive $<TARGET_FILE:film_train_archive> $<TARGET_FILE:film_pool_archive>
    $<TARGET_FILE:film_archive> --no-whole-archive -o libfilm.o
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=film_* libfilm.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${FILM_STATIC}
  COMMAND ${CMAKE_AR} rcs ${FILM_STATIC} libfilm.o
  COMMAND ${CMAKE_COMMAND} -E rm -f libfilm.o
  DEPENDS film_archive film_pool_archive film_train_archive VERBATIM)
add_custom_target(film_static ALL DEPENDS ${FILM_STATIC})
