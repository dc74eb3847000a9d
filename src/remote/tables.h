/* The tables of a pool in PostgreSQL, their version, and how an older version becomes this one.
 * docs/how-to/share-a-pool.md shows them to users. */
#ifndef REMOTE_TABLES_H
#define REMOTE_TABLES_H

#include "remote/session.h"

enum { TABLES_VERSION = 1 };

/* Inside a transaction: makes schema and tables for a new pool, and keeps others from doing so
 * meanwhile. FILM_IO when there is one already. */
film_status tables_create(struct session *session, film_error *error);

/* The column of vectors, of the type that fits: the setting `dim` must be there. */
film_status tables_add_vectors(struct session *session, film_error *error);

/* Refuses where there is no pool, or one of a later version; brings an older one up to date. */
film_status tables_open(struct session *session, film_error *error);

#endif
