/* Fuzzes the write-ahead log next to a pool: the scan that decides whether it belongs to the pool
 * ends and says why not. The input is the log. The pool has fixed words, so that a corpus can name
 * them: its last is 00112233445566ff. */
#include "fuzz.h"
#include "store/lineage.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <time.h>

static char folder[100], pool[120], wal[130];

/* The check repeats a problem after a while; here nothing changes meanwhile. */
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)wanted;
    (void)left;
    return 0;
}

static void clean_up(void)
{
    unlink(wal);
    unlink(pool);
    rmdir(folder);
}

static void make_pool(void)
{
    sqlite3 *db = NULL;
    memory_folder(folder);
    snprintf(pool, sizeof pool, "%s/x.pool", folder);
    snprintf(wal, sizeof wal, "%s-wal", pool);
    require(sqlite3_open(pool, &db) == SQLITE_OK);
    require(sqlite3_exec(db,
                         "CREATE TABLE setting (name TEXT PRIMARY KEY, value);"
                         "INSERT INTO setting VALUES ('lineage',"
                         " 'aabbccddeeff001100112233445566ff')",
                         NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(db);
    atexit(clean_up);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error = {0};
    if (!pool[0]) make_pool();
    int fd = open(wal, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
    film_status status = lineage_check(pool, "x.pool", &error);
    require(status == FILM_OK ||
            (status == FILM_IO && strstr(error.message, "x.pool-wal has changes of a different")));
    return 0;
}
