/* A pool in PostgreSQL, and its copy on this machine.
 *
 * The copy is an ordinary pool file. All reads use the copy. All writes run in a transaction of the
 * copy, whose changes are sent to the database before either is committed. A writer locks the
 * single row of `counter` and updates the copy before it reads anything. So its decisions (does the
 * id exist? with which text? what is the next number?) are based on the state of the database, and
 * use the same code as for a pool in a file. The lock order is: the counter, then the copy.
 * Updating locks only the copy, and reads the database after that; so the copy is never ahead of
 * the state that it is compared with. */
#ifndef REMOTE_REMOTE_H
#define REMOTE_REMOTE_H

#include "remote/place.h"
#include "store/store.h"

struct remote;

/* Creates a pool that contains the bytes of the model; all or nothing. */
film_status remote_create(const char *uri, const void *model, size_t size, size_t dim,
                          film_error *error);

/* Connects, and ensures that a copy exists; it may be empty. */
film_status remote_open(const char *uri, struct remote **out, film_error *error);
void remote_close(struct remote *remote);

/* The name of the database in messages, and the path of the copy. */
const char *remote_name(const struct remote *remote);
const char *remote_file(const struct remote *remote);

/* Updates DB, the copy. */
film_status remote_refresh(struct remote *remote, struct db *db, film_error *error);

/* Waits until somebody may have written, WAKE is readable, or the time is over. */
film_status remote_listen(struct remote *remote, int milliseconds, int wake, film_error *error);

/* Begins a writing transaction of both, with an updated copy. WAIT: timeout for other writers. */
film_status remote_begin(struct remote *remote, struct db *db, double wait,
                         struct store_write *write, film_error *error);
/* After FILM_OK, everything is in the database. */
film_status remote_commit(struct remote *remote, struct store_write *write, film_error *error);
/* Rolls back what was not committed. */
void remote_end(struct remote *remote);

/* compare.c, for film_pool_check: compares every row of the database with DB, the copy. */
struct remote_difference {
    int64_t number; /* 0: not about one sentence */
    film_text id;
    const char *problem;
    int repairable; /* the copy has the whole row and can overwrite the database */
};
typedef film_status (*remote_differs_fn)(void *user, const struct remote_difference *difference,
                                         film_error *error);
film_status remote_compare(struct remote *remote, struct db *db, remote_differs_fn call, void *user,
                           film_error *error);

#endif
