# Everything comes from Debian 12's packages; scripts/lib/packages.sh lists them.
find_package(PkgConfig REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
# Headers alone: libpq itself is loaded when a pool in PostgreSQL is opened (src/remote/libpq.c).
pkg_check_modules(PQ QUIET libpq)
option(FILM_POSTGRESQL "pools in PostgreSQL (libpq-dev)" ${PQ_FOUND})
if(FILM_POSTGRESQL AND NOT PQ_FOUND)
  message(FATAL_ERROR "FILM_POSTGRESQL needs the headers of libpq: install libpq-dev, or turn it off")
endif()
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd) # of the program alone
pkg_check_modules(XGBOOST REQUIRED IMPORTED_TARGET xgboost)
if(FILM_MPI) # src/mpi alone; -DFILM_MPI=OFF builds without
  pkg_check_modules(MPI REQUIRED IMPORTED_TARGET ompi-c)
endif()
find_library(STEMMER_LIBRARY stemmer REQUIRED) # libstemmer has no pkg-config file

add_library(film_dependencies INTERFACE)
target_link_libraries(film_dependencies INTERFACE
  OpenMP::OpenMP_C PkgConfig::OPENBLAS PkgConfig::LAPACKE PkgConfig::UTF8PROC PkgConfig::ZLIB
  PkgConfig::ZSTD PkgConfig::JANSSON PkgConfig::SQLITE PkgConfig::XGBOOST ${STEMMER_LIBRARY} m ${CMAKE_DL_LIBS}
  $<$<BOOL:${FILM_MPI}>:PkgConfig::MPI>)
