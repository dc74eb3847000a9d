/* The tables of a pool in PostgreSQL, and their version.
 * docs/how-to/share-a-pool.md shows them to users. */
#ifndef REMOTE_TABLES_H
#define REMOTE_TABLES_H

#include "remote/session.h"

enum { TABLES_VERSION = 1 };

/* Inside a transaction: creates the schema and the tables of a new pool, and locks out concurrent
 * creation. FILM_IO when a pool exists. */
film_status tables_create(struct session *session, film_error *error);

/* Adds the column of vectors with the right type; the setting `dim` must exist. */
film_status tables_add_vectors(struct session *session, film_error *error);

/* Fails when there is no pool, or one of another version. */
film_status tables_open(struct session *session, film_error *error);

#endif
