/* A pool in PostgreSQL, and the copy of it on this machine.
 *
 * The copy is an ordinary pool file. Everything that reads, reads the copy; everything that writes
 * does so in a transaction of the copy, whose changes are sent to the database before either is
 * committed. A writer holds the one row of `counter` and has brought the copy up to date before it
 * looks at anything, so what it decides (is the id there? with which text? the next number?) is
 * decided on the database's own state, by the same code as for a pool in a file. The order of locks
 * is: the counter, then the copy. Bringing up to date takes the copy alone, and looks at the
 * database after it has it; so the copy is never ahead of what it is compared with. */
#ifndef REMOTE_REMOTE_H
#define REMOTE_REMOTE_H

#include "remote/place.h"
#include "store/store.h"

struct remote;

/* Makes a pool with the model's bytes inside; all or nothing. */
film_status remote_create(const char *uri, const void *model, size_t size, size_t dim,
                          film_error *error);

/* Connects and makes sure that there is a copy, perhaps an empty one. */
film_status remote_open(const char *uri, struct remote **out, film_error *error);
void remote_close(struct remote *remote);

/* What messages call the database, and where the copy lies. */
const char *remote_name(const struct remote *remote);
const char *remote_file(const struct remote *remote);

/* Brings DB, the copy, up to date. */
film_status remote_refresh(struct remote *remote, struct db *db, film_error *error);

/* Waits until somebody has written (perhaps), WAKE can be read, or the time is over. */
film_status remote_listen(struct remote *remote, int milliseconds, int wake, film_error *error);

/* A writing transaction of both, the copy brought up to date. WAIT: seconds for other writers. */
film_status remote_begin(struct remote *remote, struct db *db, double wait,
                         struct store_write *write, film_error *error);
/* After FILM_OK everything is in the database. */
film_status remote_commit(struct remote *remote, struct store_write *write, film_error *error);
void remote_end(struct remote *remote); /* gives up what was not committed */

/* compare.c, for film_pool_check: every row of the database against DB, the copy. */
struct remote_difference {
    int64_t number; /* 0: not of one sentence */
    film_text id;
    const char *problem;
    int repairable; /* the copy has it whole, and can be written over what is there */
};
typedef film_status (*remote_differs_fn)(void *user, const struct remote_difference *difference,
                                         film_error *error);
film_status remote_compare(struct remote *remote, struct db *db, remote_differs_fn call, void *user,
                           film_error *error);

#endif
