/* One SQLite connection: opening, cached statements, transactions, errors as messages. It knows no
 * table; schema.c and store_*.c do. */
#include "store/db.h"
#include "base/mem.h"
#include "base/clock.h"
#include "store/lock_owner.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Errors ---- */

film_status db_fail(struct db *db, int code, film_error *error)
{
    const char *path = db->path, *text = db->handle ? sqlite3_errmsg(db->handle) : "";
    int cause = db->handle ? sqlite3_system_errno(db->handle) : 0;
    char owner[100];
    if (db->cancelled) {
        db->cancelled = 0;
        return status_set(error, FILM_CANCELLED, "stopped during %s", db->phase ? db->phase : "it");
    }
    switch (code & 0xFF) {
    case SQLITE_NOMEM:
        return status_no_memory(error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return status_set(error, FILM_IO, "%s is locked by %s; waited %.0f s, try again later",
                          path, lock_owner(db->file, owner, sizeof owner), db->wait);
    case SQLITE_READONLY:
        return status_set(error, FILM_IO, "cannot write %s: it or its folder is read-only", path);
    case SQLITE_FULL:
        return status_set(error, FILM_IO, "cannot write %s: No space left on device", path);
    case SQLITE_INTERRUPT:
        return status_set(error, FILM_CANCELLED, "stopped");
    case SQLITE_NOTADB:
        return status_set(error, FILM_BAD_INPUT, "%s is not a pool; create one first", path);
    case SQLITE_CORRUPT:
        return status_set(
            error, FILM_BAD_INPUT,
            "%s is damaged (%s); check the pool for details, or restore it from a backup", path,
            text);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return status_set(error, FILM_IO, "cannot read or write %s: %s", path,
                          cause ? strerror(cause) : text);
    case SQLITE_CONSTRAINT:
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
        /* Our statements fit our schema, so the file is not what it claims to be. */
        return status_set(
            error, FILM_BAD_INPUT,
            "%s is damaged (%s); check the pool for details, or restore it from a backup", path,
            text);
    default:
        return status_set(error, FILM_IO, "cannot use %s: %s", path, text);
    }
}

/* ---- Waiting and cancelling ---- */

static int interrupt_requested(struct db *db)
{
    const film_progress *progress = db->progress;
    if (progress && progress->call &&
        progress->call(progress->user, db->phase ? db->phase : "waiting", db->done, db->total))
        db->cancelled = 1;
    return db->cancelled;
}

/* The busy handler: called while another connection holds the lock. Sleeps and retries, or gives up
 * (0). */
static int wait_a_little(void *user, int times)
{
    struct db *db = user;
    if (times == 0) db->waiting_since = clock_seconds();
    if (interrupt_requested(db) || clock_seconds() - db->waiting_since > db->wait) return 0;
    int milliseconds = times < 5 ? 1 << times : 40;
    nanosleep(&(struct timespec){0, 1000000L * milliseconds}, NULL);
    return 1;
}

static int every_some_steps(void *user)
{
    return interrupt_requested(user);
}

/* ---- Opening ---- */

/* Escapes names that SQLite would not take for a file name. */
static char *plain_path(const char *path)
{
    size_t room = strlen(path) + 3;
    char *copy = mem_array(room, 1);
    if (copy) snprintf(copy, room, "%s%s", path[0] == ':' ? "./" : "", path);
    return copy;
}

static film_status connect_to(struct db *db, const char *path, int flags, film_error *error)
{
    int code = sqlite3_open_v2(path, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) return db_fail(db, code, error);
    sqlite3_extended_result_codes(db->handle, 1);
    /* The file is untrusted: its schema must not run code (schema.c also compares it). */
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    sqlite3_busy_handler(db->handle, wait_a_little, db);
    sqlite3_progress_handler(db->handle, 20000, every_some_steps, db);
    return db_run(db, "PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON;", error);
}

/* Opens the file alone, without its log. */
static film_status connect_alone(struct db *db, film_error *error)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strlen(db->file), at = 0;
    char *name = mem_array(3 * length + 40, 1);
    if (!name) return status_no_memory(error);
    at += (size_t)snprintf(name, 8, "file:");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)db->file[i];
        if (strchr("%?#", c)) {
            name[at++] = '%';
            name[at++] = digits[c >> 4];
            name[at++] = digits[c & 15];
        } else {
            name[at++] = (char)c;
        }
    }
    snprintf(name + at, 20, "?immutable=1");
    db->read_only = 1;
    film_status status = connect_to(db, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
    mem_free(name);
    return status;
}

/* Without a writable folder there is no shared memory for the write-ahead log, and SQLite refuses.
 * A file that nobody can be writing may be read as it is. */
static film_status connect_unwritable(struct db *db, film_error *error)
{
    struct stat about;
    size_t room = strlen(db->file) + 5;
    char *name = mem_array(room, 1);
    if (!name) return status_no_memory(error);
    snprintf(name, room, "%s-wal", db->file);
    int has_log = stat(name, &about) == 0 && about.st_size > 0;
    mem_free(name);
    sqlite3_close(db->handle);
    db->handle = NULL;
    if (!has_log) return connect_alone(db, error);
    return status_set(error, FILM_IO,
                      "cannot read %s: its folder is read-only and %s-wal has changes that are not "
                      "in it yet; copy both to a writable folder",
                      db->path, db->path);
}

static film_status name_it(struct db *db, const char *file, const char *path, film_error *error)
{
    *db = (struct db){.wait = 10};
    db->file = plain_path(file);
    db->path = mem_string(path, strlen(path));
    return db->file && db->path ? FILM_OK : status_no_memory(error);
}

film_status db_open(struct db *db, const char *file, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct stat about;
    TRY(name_it(db, file, path, error));
    if (stat(file, &about) != 0) TRY(status_errno(error, "cannot open %s", path));
    if (!S_ISREG(about.st_mode))
        TRY(status_set(error, FILM_IO, "%s is %s, not a file", path,
                       S_ISDIR(about.st_mode) ? "a directory" : "a device or pipe"));
    /* The PRAGMAs are the first access to the file and its log. */
    status = connect_to(db, db->file, SQLITE_OPEN_READWRITE, error);
    int code = db->handle ? sqlite3_errcode(db->handle) & 0xFF : SQLITE_NOMEM;
    if (status == FILM_IO && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY))
        status = connect_unwritable(db, error);
    else if (status == FILM_OK && sqlite3_db_readonly(db->handle, "main") == 1)
        db->read_only = 1;
done:
    if (status != FILM_OK) db_close(db);
    return status;
}

film_status db_open_alone(struct db *db, const char *file, const char *path, film_error *error)
{
    film_status status = name_it(db, file, path, error);
    if (status == FILM_OK) status = connect_alone(db, error);
    if (status != FILM_OK) db_close(db);
    return status;
}

film_status db_create(struct db *db, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    TRY(name_it(db, path, path, error));
    TRY(connect_to(db, db->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error));
    TRY(db_run(db,
               "PRAGMA page_size = 16384; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;",
               error));
done:
    if (status != FILM_OK) db_close(db);
    return status;
}

void db_close(struct db *db)
{
    for (size_t i = 0; i < db->cached_count; i++) sqlite3_finalize(db->cached[i].statement);
    if (db->handle) sqlite3_close(db->handle);
    mem_free(db->path);
    mem_free(db->file);
    *db = (struct db){0};
}

/* ---- Statements ---- */

film_status db_run(struct db *db, const char *sql, film_error *error)
{
    int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? FILM_OK : db_fail(db, code, error);
}

film_status db_prepare(struct db *db, const char *sql, sqlite3_stmt **out, film_error *error)
{
    *out = NULL;
    for (size_t i = 0; i < db->cached_count; i++)
        if (db->cached[i].sql == sql) {
            *out = db->cached[i].statement;
            sqlite3_reset(*out);
            sqlite3_clear_bindings(*out);
            return FILM_OK;
        }
    if (db->cached_count == DB_STATEMENTS)
        return status_set(error, FILM_USAGE, "more kinds of statements than DB_STATEMENTS");
    int code = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
    if (code != SQLITE_OK) return db_fail(db, code, error);
    db->cached[db->cached_count].sql = sql;
    db->cached[db->cached_count++].statement = *out;
    return FILM_OK;
}

film_status db_step(struct db *db, sqlite3_stmt *statement, int *row, film_error *error)
{
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    if (code == SQLITE_ROW) return FILM_OK;
    film_status status = code == SQLITE_DONE ? FILM_OK : db_fail(db, code, error);
    sqlite3_reset(statement);
    return status;
}

film_status db_row_read(struct db *db, film_error *error)
{
    return sqlite3_errcode(db->handle) == SQLITE_NOMEM ? status_no_memory(error) : FILM_OK;
}

film_status db_finish(struct db *db, sqlite3_stmt *statement, film_error *error)
{
    int row;
    film_status status;
    do status = db_step(db, statement, &row, error);
    while (status == FILM_OK && row);
    return status;
}

film_status db_number(struct db *db, const char *sql, int64_t *number, film_error *error)
{
    sqlite3_stmt *statement;
    int row = 0;
    *number = 0;
    film_status status = db_prepare(db, sql, &statement, error);
    if (status == FILM_OK) status = db_step(db, statement, &row, error);
    if (status == FILM_OK && row) *number = sqlite3_column_int64(statement, 0);
    if (statement) sqlite3_reset(statement);
    return status;
}

/* ---- Transactions ---- */

/* A statement that is still at a row (of store_find) keeps its read snapshot open, even after
 * COMMIT. The next transaction would begin with an old snapshot and could not write. */
static void reset_all(struct db *db)
{
    for (size_t i = 0; i < db->cached_count; i++) sqlite3_reset(db->cached[i].statement);
}

film_status db_begin(struct db *db, int writing, film_error *error)
{
    if (writing && db->read_only)
        return status_set(error, FILM_IO, "cannot write %s: it or its folder is read-only",
                          db->path);
    reset_all(db);
    if (writing) return db_run(db, "BEGIN IMMEDIATE", error);
    int64_t ignored;
    film_status status = db_run(db, "BEGIN", error);
    /* A transaction sees the pool as of its first read, not as of BEGIN. */
    if (status == FILM_OK)
        status = db_number(db, "SELECT count(*) FROM sqlite_schema", &ignored, error);
    if (status != FILM_OK) db_rollback(db);
    return status;
}

film_status db_commit(struct db *db, film_error *error)
{
    reset_all(db);
    return db_run(db, "COMMIT", error);
}

void db_rollback(struct db *db)
{
    if (!db->handle || sqlite3_get_autocommit(db->handle)) return;
    /* Not db_run: a cancellation must not keep the transaction open. */
    const film_progress *progress = db->progress;
    db->progress = NULL;
    reset_all(db);
    sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    db->progress = progress;
    db->cancelled = 0;
}

void db_bind_text(sqlite3_stmt *statement, int index, film_text text)
{
    if (text.bytes)
        sqlite3_bind_text64(statement, index, text.bytes, text.length, SQLITE_STATIC, SQLITE_UTF8);
    else
        sqlite3_bind_null(statement, index);
}

film_text db_text(sqlite3_stmt *statement, int column)
{
    const char *bytes = (const char *)sqlite3_column_text(statement, column);
    if (!bytes) return (film_text){NULL, 0};
    return (film_text){bytes, (size_t)sqlite3_column_bytes(statement, column)};
}
