/* Fuzzes the write-ahead log next to a pool: the scan that decides whether it belongs to the pool
 * ends and says why not. The input is the log. What SQLite would read of the pool is always the
 * same, so that a corpus can name its word, 00112233445566ff: the calls are replaced. */
#include "arena.h"
#include "store/db.h"
#include "store/lineage.h"

#include <fcntl.h>
#include <time.h>

static char folder[100], pool[120], wal[130];
static int log_file;

/* The check repeats a problem after a while; here nothing changes meanwhile. */
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)wanted;
    (void)left;
    return 0;
}

film_status __wrap_db_open_alone(struct db *db, const char *file, const char *path,
                                 film_error *error);
film_status __wrap_db_number(struct db *db, const char *sql, int64_t *number, film_error *error);
film_status __wrap_db_prepare(struct db *db, const char *sql, sqlite3_stmt **out,
                              film_error *error);
film_status __wrap_db_step(struct db *db, sqlite3_stmt *statement, int *row, film_error *error);
film_text __wrap_db_text(sqlite3_stmt *statement, int column);

film_status __wrap_db_open_alone(struct db *db, const char *file, const char *path,
                                 film_error *error)
{
    (void)db, (void)file, (void)path, (void)error;
    return FILM_OK;
}

/* The page of the settings. */
film_status __wrap_db_number(struct db *db, const char *sql, int64_t *number, film_error *error)
{
    (void)db, (void)sql, (void)error;
    *number = 2;
    return FILM_OK;
}

film_status __wrap_db_prepare(struct db *db, const char *sql, sqlite3_stmt **out, film_error *error)
{
    (void)db, (void)sql, (void)error;
    *out = NULL;
    return FILM_OK;
}

film_status __wrap_db_step(struct db *db, sqlite3_stmt *statement, int *row, film_error *error)
{
    (void)db, (void)statement, (void)error;
    *row = 1;
    return FILM_OK;
}

film_text __wrap_db_text(sqlite3_stmt *statement, int column)
{
    (void)statement, (void)column;
    return film_string("00112233445566ff");
}

static void clean_up(void)
{
    unlink(wal);
    rmdir(folder);
}

static void start(void)
{
    memory_folder(folder);
    snprintf(pool, sizeof pool, "%s/x.pool", folder);
    snprintf(wal, sizeof wal, "%s-wal", pool);
    log_file = open(wal, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    require(log_file > 0);
    atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error = {0};
    if (!log_file) start();
    require(ftruncate(log_file, (off_t)size) == 0);
    require(pwrite(log_file, data, size, 0) == (ssize_t)size);
    arena_begin();
    film_status status = lineage_check(pool, "x.pool", &error);
    arena_end();
    require(status == FILM_OK ||
            (status == FILM_IO && strstr(error.message, "x.pool-wal has changes of a different")));
    return 0;
}
