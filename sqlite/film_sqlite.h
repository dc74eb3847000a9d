/* film_sqlite.h - what the two files of the extension share. */
#ifndef FILM_SQLITE_H
#define FILM_SQLITE_H

#include <film_pool.h>
#include <sqlite3ext.h>

/* What the extension keeps for one connection. SQLite serialises the calls of a connection, so one
 * context is enough. */
struct connection {
    sqlite3 *db;
    int users; /* registered functions that hold this struct */
    film_model *model;
    film_context *context;
    /* The pool of the last film_search, kept open. */
    film_pool *pool;
    char *pool_path;
};

extern sqlite3_module film_search_module;

#endif
