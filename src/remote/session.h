/* One connection to PostgreSQL: connecting, statements, rows, COPY, errors. Used by one thread at a
 * time.
 *
 * SQL is always a constant text here, and what the user gave is always a parameter or a row of
 * COPY. Statements are prepared when they are first used and known by their address, as in db.h. */
#ifndef REMOTE_SESSION_H
#define REMOTE_SESSION_H

#include "remote/libpq.h"
#include "remote/place.h"
#include "remote/row.h"

enum { SESSION_STATEMENTS = 32, SESSION_MOST = 10 /* parameters of a statement */ };

struct session {
    const struct place *place;
    PGconn *connection; /* NULL: none */
    const char *prepared[SESSION_STATEMENTS];
    size_t prepared_count;
    struct backend {
        char process[16], since[32]; /* the server's process, and when it began */
    } backend, former;               /* of this connection; of the one that was lost */
    size_t queued;                   /* statements sent whose answers are still to be read */
    int listening;                   /* LISTEN was said */
    double
        patience; /* seconds without any word from the server, after which it is taken for gone */
    int writing;  /* messages then say that nothing was written */
    /* Told while waiting, so that Ctrl-C is heard; NULL: no one listens. */
    const film_progress *progress;
    const char *phase;
    double done, total;
    struct copy_buffer {
        char *bytes;
        size_t count, capacity;
    } copy;
};

/* Connects, where there is no connection or the last one was lost. FILM_IO when the database cannot
 * be reached. */
film_status session_connect(struct session *session, film_error *error);
void session_close(struct session *session);
int session_is_lost(const struct session *session);

/* Runs a statement that is prepared for it. RESULT may be NULL; else clear it with libpq.PQclear. */
film_status session_ask(struct session *session, const char *sql, const struct cell *cells,
                        size_t count, PGresult **result, film_error *error);

/* Constant SQL without parameters that cannot be prepared: tables, BEGIN, COMMIT, LISTEN. */
film_status session_run(struct session *session, const char *sql, film_error *error);

/* The same as session_ask, row by row: a result may be larger than memory. */
typedef film_status (*session_row_fn)(void *user, const struct cell *cells, film_error *error);
struct session_rows {
    size_t columns; /* of each */
    session_row_fn call;
    void *user;
};
film_status session_each(struct session *session, const char *sql, const struct cell *cells,
                         size_t count, const struct session_rows *rows, film_error *error);

/* Sends a statement without waiting for its answer; session_settle waits for all, and reports the
 * first failure. */
film_status session_queue(struct session *session, const char *sql, const struct cell *cells,
                          size_t count, film_error *error);
film_status session_settle(struct session *session, film_error *error);

/* COPY ... FROM STDIN (FORMAT binary). */
film_status session_copy_begin(struct session *session, const char *sql, film_error *error);
film_status session_copy_row(struct session *session, const struct cell *cells, size_t count,
                             film_error *error);
film_status session_copy_end(struct session *session, film_error *error);

/* Ends a transaction that failed; after a failure of this the connection is closed, which ends it
 * too. */
void session_rollback(struct session *session);

/* Waits until somebody notified, WAKE (a descriptor; -1: none) can be read, or the time is over. */
film_status session_wait(struct session *session, int milliseconds, int wake, film_error *error);

/* A value of a result as a cell, NULL's where the server sent no such row; one of type boolean; one
 * of type text, NUL behind it. */
struct cell session_cell(const PGresult *result, int row, int column);
int session_flag(const PGresult *result, int row, int column);
const char *session_string(const PGresult *result, int row, int column);

#endif
