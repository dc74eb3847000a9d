/* One connection to the SQLite database of a pool: opening, statements, transactions, errors.
 *
 * One thread at a time uses a connection. This file does not know what is stored (store.h). The
 * database file is opened only through SQLite: closing any other descriptor of the file would drop
 * the locks that this process holds on it, including those of SQLite. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include "base/status.h"

#include <sqlite3.h>
#include <stdint.h>

enum { DB_STATEMENTS = 48 };

struct db {
    sqlite3 *handle;
    char *path; /* its name in messages */
    char *file; /* the resolved file; links may change later */
    int read_only;
    double wait; /* timeout in seconds for another writer */
    /* Called while waiting and in long statements, so that Ctrl-C works. NULL: there is no
     * listener. */
    const film_progress *progress;
    const char *phase;
    double done, total; /* reported progress */
    double waiting_since;
    int cancelled;
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } cached[DB_STATEMENTS];
    size_t cached_count;
};

/* Opens the existing FILE, which messages call PATH; does not check its contents. */
film_status db_open(struct db *db, const char *file, const char *path, film_error *error);

/* Opens the file without its log and without a lock: the state at some earlier moment. */
film_status db_open_alone(struct db *db, const char *file, const char *path, film_error *error);

/* Creates the file of a new pool without a journal. The caller renames it when it is complete. */
film_status db_create(struct db *db, const char *path, film_error *error);
void db_close(struct db *db);

/* Runs constant SQL (one or several statements) and ignores the rows. */
film_status db_run(struct db *db, const char *sql, film_error *error);

/* Returns a statement ready to be bound. SQL must be a constant: statements are cached by its
 * address. The statement lives as long as the connection. */
film_status db_prepare(struct db *db, const char *sql, sqlite3_stmt **out, film_error *error);

/* Steps to the next row: *ROW is 1; or 0 after the last, and the statement is reset. */
film_status db_step(struct db *db, sqlite3_stmt *statement, int *row, film_error *error);

/* Call it after reading texts and blobs of a row: SQLite returns NULL also when it is out of
 * memory. */
film_status db_row_read(struct db *db, film_error *error);

/* Runs a bound statement to its end. */
film_status db_finish(struct db *db, sqlite3_stmt *statement, film_error *error);

/* Returns the first column of the only row as an integer; 0 when there is no row. */
film_status db_number(struct db *db, const char *sql, int64_t *number, film_error *error);

/* Transactions. A reading transaction sees the pool as of its begin; a writing one waits for other
 * writers first. db_rollback does nothing outside a transaction. */
film_status db_begin(struct db *db, int writing, film_error *error);
film_status db_commit(struct db *db, film_error *error);
void db_rollback(struct db *db);

/* Turns a code of SQLite, returned on this connection, into a status and a message. */
film_status db_fail(struct db *db, int code, film_error *error);

/* Binds NULL for {NULL, 0}. */
void db_bind_text(sqlite3_stmt *statement, int index, film_text text);
/* Valid until the next step. */
film_text db_text(sqlite3_stmt *statement, int column);

#endif
