/* The tables of a pool, their version, and how an older version becomes this one.
 * docs/reference/pool-file.md shows them to users. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "store/db.h"

enum {
    SCHEMA_APPLICATION = 0x46494C4D, /* "FILM": what file(1) and we know a pool by */
    SCHEMA_VERSION = 1
};

/* Makes the tables in an empty database. */
film_status schema_create(struct db *db, film_error *error);

/* Refuses what is not a pool, or one of a later version; brings an older one up to date. Then every
 * table is the one we know, and there is nothing else that could act (triggers, views). */
film_status schema_open(struct db *db, film_error *error);

#endif
