/* The tables of a pool and their version. docs/reference/pool-file.md shows them to users. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "store/db.h"

enum {
    SCHEMA_APPLICATION = 0x46494C4D, /* "FILM": identifies a pool, also for file(1) */
    SCHEMA_VERSION = 2
};

/* Creates the tables in an empty database. */
film_status schema_create(struct db *db, film_error *error);

/* Fails for files that are not pools, and for other versions. Afterwards every table has the
 * expected definition, and there are no triggers or views that could act. */
film_status schema_open(struct db *db, film_error *error);

#endif
