/* Creates the tables of a pool, and checks them and their version. Rows are read and written in
 * store_*.c. */
#include "store/schema.h"

#include <stdio.h>
#include <string.h>

/* The current tables. SQLite stores these very texts, so a file is compared with them.
 *
 * Numbers of sentences are never reused (AUTOINCREMENT): an index that has missed a removal must
 * not find another sentence under the number. Vectors are separate from texts because they are a
 * cache, and so that a scan of one does not read the other. Every sentence has the number of the
 * change that wrote it, and every removal its own, so `change` is enough to catch up. The model in
 * service has the chunks 0, 1, 2, ..., the earlier one -1, -2, -3, ... */
static const char *const tables[] = {
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    "CREATE TABLE model (chunk INTEGER PRIMARY KEY, bytes BLOB NOT NULL)",
    "CREATE TABLE sentence (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " text TEXT NOT NULL, category TEXT, answer TEXT, url TEXT, more TEXT,"
    " change INTEGER NOT NULL, checksum INTEGER NOT NULL)",
    "CREATE UNIQUE INDEX sentence_change ON sentence (change)",
    "CREATE INDEX sentence_category ON sentence (category) WHERE category IS NOT NULL",
    "CREATE TABLE vector (number INTEGER PRIMARY KEY REFERENCES sentence ON DELETE CASCADE,"
    " bytes BLOB NOT NULL)",
    "CREATE TABLE removed (change INTEGER PRIMARY KEY, number INTEGER NOT NULL)",
    "CREATE TABLE label (a INTEGER NOT NULL REFERENCES sentence ON DELETE CASCADE,"
    " b INTEGER NOT NULL REFERENCES sentence ON DELETE CASCADE,"
    " same INTEGER NOT NULL CHECK (same IN (0, 1)), made TEXT NOT NULL, origin TEXT NOT NULL,"
    " change INTEGER NOT NULL, PRIMARY KEY (a, b), CHECK (a < b)) WITHOUT ROWID",
    "CREATE INDEX label_b ON label (b)",
};
enum { TABLES = sizeof tables / sizeof *tables };

film_status schema_create(struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    char version[60];
    TRY(db_begin(db, 1, error));
    for (size_t i = 0; i < TABLES; i++) TRY(db_run(db, tables[i], error));
    TRY(db_run(db,
               "INSERT INTO setting VALUES ('changes', 0);"
               "INSERT INTO setting VALUES ('identity', lower(hex(randomblob(16))));"
               "INSERT INTO setting VALUES ('created', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'));",
               error));
    snprintf(version, sizeof version, "PRAGMA user_version = %d", SCHEMA_VERSION);
    TRY(db_run(db, version, error));
    snprintf(version, sizeof version, "PRAGMA application_id = %d", SCHEMA_APPLICATION);
    TRY(db_run(db, version, error));
    TRY(db_commit(db, error));
done:
    if (status != FILM_OK) db_rollback(db);
    return status;
}

/* ---- Opening ---- */

/* The file must contain our tables and nothing else; SQLite's own objects (sqlite_sequence, the
 * indexes of UNIQUE) have no text, or are named sqlite_. */
static film_status compare_schema(struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    size_t known = 0;
    TRY(db_prepare(db,
                   "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT IN"
                   " ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')",
                   &statement, error));
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        size_t i = 0;
        while (i < TABLES && !(text && strcmp(text, tables[i]) == 0)) i++;
        if (i == TABLES) break;
        known++;
    }
    if (row || known != TABLES)
        TRY(status_set(
            error, FILM_BAD_INPUT,
            "%s is damaged: its tables are not the tables of a pool; restore it from a backup",
            db->path));
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status schema_open(struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    int64_t application, version;
    TRY(db_number(db, "PRAGMA application_id", &application, error));
    if (application != SCHEMA_APPLICATION)
        TRY(status_set(error, FILM_BAD_INPUT, "%s is not a pool; create one first", db->path));
    TRY(db_number(db, "PRAGMA user_version", &version, error));
    if (version != SCHEMA_VERSION)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s is a pool of version %lld; this program reads version %d; export its "
                       "sentences and labels with the program that wrote it, and create a new pool",
                       db->path, (long long)version, SCHEMA_VERSION));
    TRY(compare_schema(db, error));
done:
    return status;
}
