# Everything comes from Debian 12's packages; scripts/lib/packages.sh lists them. What each library needs is one
# interface target: film_needs, film_pool_needs, film_train_needs.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
find_library(STEMMER_LIBRARY stemmer REQUIRED) # libstemmer has no pkg-config file
add_library(film_needs INTERFACE)
target_link_libraries(film_needs INTERFACE PkgConfig::UTF8PROC PkgConfig::ZLIB PkgConfig::ZSTD PkgConfig::JANSSON
  ${STEMMER_LIBRARY} Threads::Threads m)

pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
# Headers alone: libpq itself is loaded when a pool in PostgreSQL is opened (src/remote/libpq.c).
pkg_check_modules(PQ QUIET libpq)
option(FILM_POSTGRESQL "pools in PostgreSQL (libpq-dev)" ${PQ_FOUND})
if(FILM_POSTGRESQL AND NOT PQ_FOUND)
  message(FATAL_ERROR "FILM_POSTGRESQL needs the headers of libpq: install libpq-dev, or turn it off")
endif()
add_library(film_pool_needs INTERFACE)
target_link_libraries(film_pool_needs INTERFACE film_needs PkgConfig::SQLITE ${CMAKE_DL_LIBS})

pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
add_library(film_train_needs INTERFACE)
target_link_libraries(film_train_needs INTERFACE film_needs PkgConfig::OPENBLAS PkgConfig::LAPACKE)

pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd) # film serve alone
pkg_check_modules(EXPAT QUIET IMPORTED_TARGET expat) # the module that reads Excel workbooks alone
option(FILM_WORKBOOKS "tables in Excel workbooks (libexpat1-dev)" ${EXPAT_FOUND})
if(FILM_WORKBOOKS AND NOT EXPAT_FOUND)
  message(FATAL_ERROR "FILM_WORKBOOKS needs expat: install libexpat1-dev, or turn it off")
endif()
