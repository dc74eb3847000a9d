/* One connection to a pool's SQLite database: opening, statements, transactions, errors.
 *
 * A connection is used by one thread at a time. Nothing here knows what is kept (store.h). The file
 * itself is never opened except through SQLite: closing any descriptor of a file drops the locks
 * this process holds on it, SQLite's too. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include "base/status.h"

#include <sqlite3.h>
#include <stdint.h>

enum { DB_STATEMENTS = 48 };

struct db {
    sqlite3 *handle;
    char *path; /* as messages call it */
    char *file; /* what is open under that name; links may change meanwhile */
    int read_only;
    double wait; /* seconds for which another writer is waited for */
    /* Told while waiting and in long statements, so that Ctrl-C is heard; NULL: no one listens. */
    const film_progress *progress;
    const char *phase;
    double done, total; /* what it is told */
    double waiting_since;
    int cancelled;
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } cached[DB_STATEMENTS];
    size_t cached_count;
};

/* Opens FILE, which is there and which messages call PATH; says nothing about what is in it. */
film_status db_open(struct db *db, const char *file, const char *path, film_error *error);

/* The file alone, without its log and without a lock: what was there at some moment. */
film_status db_open_alone(struct db *db, const char *file, const char *path, film_error *error);

/* Makes a file for a pool in the making: no journal, whoever makes it renames it when complete. */
film_status db_create(struct db *db, const char *path, film_error *error);
void db_close(struct db *db);

/* Runs constant SQL (one or several statements) whose rows do not matter. */
film_status db_run(struct db *db, const char *sql, film_error *error);

/* A statement ready to be bound. SQL is a constant: the statement is kept under its address, and
 * used again for the same one. It lives as long as the connection. */
film_status db_prepare(struct db *db, const char *sql, sqlite3_stmt **out, film_error *error);

/* The next row: *ROW 1, or 0 and the statement is reset. */
film_status db_step(struct db *db, sqlite3_stmt *statement, int *row, film_error *error);

/* After looking at a row's texts and blobs: SQLite says NULL also where it had no memory for
 * one. */
film_status db_row_read(struct db *db, film_error *error);

/* Runs a bound statement to its end. */
film_status db_finish(struct db *db, sqlite3_stmt *statement, film_error *error);

/* The first column of the only row as a whole number; 0 where there is no row. */
film_status db_number(struct db *db, const char *sql, int64_t *number, film_error *error);

/* Transactions. A reading one sees the pool as it is when it begins; a writing one waits for other
 * writers first. Rolling back is fine without
 * a transaction. */
film_status db_begin(struct db *db, int writing, film_error *error);
film_status db_commit(struct db *db, film_error *error);
void db_rollback(struct db *db);

/* Turns SQLite's code (as returned by a call on this connection) into a status and a message. */
film_status db_fail(struct db *db, int code, film_error *error);

void db_bind_text(sqlite3_stmt *statement, int index, film_text text); /* NULL for {NULL, 0} */
film_text db_text(sqlite3_stmt *statement, int column);                /* until the next step */

#endif
