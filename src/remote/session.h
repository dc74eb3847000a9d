/* One connection to PostgreSQL: connecting, statements, rows, COPY, errors. One thread at a time
 * uses it.
 *
 * SQL is always a constant; values from the user are always parameters or rows of COPY. Statements
 * are prepared on first use and cached by the address of their SQL, as in db.h. */
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
        char process[16], since[32]; /* process of the server, and its start time */
    } backend, former;               /* of this connection; of the one that was lost */
    size_t queued;                   /* statements sent whose results are not yet read */
    int listening;                   /* LISTEN was sent */
    /* Timeout in seconds without any data from the server. */
    double patience;
    int writing; /* messages then add that nothing was written */
    /* Called while waiting, so that Ctrl-C works. NULL: there is no listener. */
    const film_progress *progress;
    const char *phase;
    double done, total;
    struct copy_buffer {
        char *bytes;
        size_t count, capacity;
    } copy;
};

/* Connects if there is no connection or the last one was lost. FILM_IO: the database is
 * unreachable. */
film_status session_connect(struct session *session, film_error *error);
void session_close(struct session *session);
int session_is_lost(const struct session *session);

/* Prepares and runs a statement. RESULT may be NULL; else free it with libpq.PQclear. */
film_status session_query(struct session *session, const char *sql, const struct cell *cells,
                          size_t count, PGresult **result, film_error *error);

/* Runs constant SQL that cannot be prepared: tables, BEGIN, COMMIT, LISTEN. */
film_status session_run(struct session *session, const char *sql, film_error *error);

/* As session_query, row by row: a result may be larger than memory. */
typedef film_status (*session_row_fn)(void *user, const struct cell *cells, film_error *error);
struct session_rows {
    size_t columns; /* of each */
    session_row_fn call;
    void *user;
};
film_status session_each(struct session *session, const char *sql, const struct cell *cells,
                         size_t count, const struct session_rows *rows, film_error *error);

/* session_queue sends a statement without waiting for its result (pipelining). session_settle waits
 * for all results and returns the first failure. */
film_status session_queue(struct session *session, const char *sql, const struct cell *cells,
                          size_t count, film_error *error);
film_status session_settle(struct session *session, film_error *error);

/* COPY ... FROM STDIN (FORMAT binary). */
film_status session_copy_begin(struct session *session, const char *sql, film_error *error);
film_status session_copy_row(struct session *session, const struct cell *cells, size_t count,
                             film_error *error);
film_status session_copy_end(struct session *session, film_error *error);

/* Ends a failed transaction. If that fails too, the connection is closed, which also ends the
 * transaction. */
void session_rollback(struct session *session);

/* Waits for a notification, until WAKE (a descriptor; -1: none) is readable, or for a timeout. */
film_status session_wait(struct session *session, int milliseconds, int wake, film_error *error);

/* A value of a result: as a cell (NULL where the server sent no such row), as a boolean, or as a
 * NUL-terminated text. */
struct cell session_cell(const PGresult *result, int row, int column);
int session_flag(const PGresult *result, int row, int column);
const char *session_string(const PGresult *result, int row, int column);

#endif
