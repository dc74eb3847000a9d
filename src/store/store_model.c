/* Stores the model of a pool in chunks, and reads it into memory. model/model.c opens it. */
#include "base/mem.h"
#include "base/checksum.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK = STORE_CHUNK };

film_status store_put_chunk(struct db *db, int64_t chunk, const void *bytes, size_t length,
                            film_error *error)
{
    static const char sql[] = "INSERT INTO model VALUES (?1, ?2)";
    sqlite3_stmt *statement;
    film_status status = db_prepare(db, sql, &statement, error);
    if (status != FILM_OK) return status;
    sqlite3_bind_int64(statement, 1, chunk);
    sqlite3_bind_blob64(statement, 2, bytes, length, SQLITE_STATIC);
    return db_finish(db, statement, error);
}

film_status store_retire_model(struct db *db, film_error *error)
{
    return db_run(db,
                  "DELETE FROM main.model WHERE chunk < 0;"
                  "UPDATE main.model SET chunk = -1 - chunk;"
                  "INSERT OR REPLACE INTO main.setting SELECT 'earlier' || substr(name, 6), value"
                  " FROM main.setting WHERE name IN ('model_size', 'model_checksum')",
                  error);
}

film_status store_put_model(struct db *db, const void *bytes, size_t size, film_error *error)
{
    film_status status = FILM_OK;
    const unsigned char *at = bytes;
    for (size_t chunk = 0; chunk * CHUNK < size; chunk++) {
        size_t begin = chunk * CHUNK, length = size - begin < CHUNK ? size - begin : CHUNK;
        TRY(store_put_chunk(db, (int64_t)chunk, at + begin, length, error));
    }
    TRY(store_set_number(db, "model_size", (int64_t)size, error));
    TRY(store_set(db, "model_checksum",
                  film_string(checksum_print(checksum_bytes(bytes, size)).digits), error));
done:
    return status;
}

static film_status damaged_model(const struct db *db, const char *what, film_error *error)
{
    return status_set(error, FILM_BAD_INPUT,
                      "%s: the stored model is damaged (%s); restore the pool from a backup, or "
                      "export it and add it to a new pool",
                      db->path, what);
}

/* Reads directly into place: a column would first be assembled in SQLite's memory. */
static film_status read_chunks(struct db *db, enum store_which which, unsigned char *out,
                               size_t size, film_error *error)
{
    film_status status = FILM_OK;
    sqlite3_blob *blob = NULL;
    for (size_t begin = 0; begin < size; begin += CHUNK) {
        size_t length = size - begin < CHUNK ? size - begin : CHUNK;
        sqlite3_int64 chunk = (sqlite3_int64)(begin / CHUNK);
        if (which == STORE_EARLIER) chunk = -1 - chunk;
        int code = blob ? sqlite3_blob_reopen(blob, chunk)
                        : sqlite3_blob_open(db->handle, "main", "model", "bytes", chunk, 0, &blob);
        if (code == SQLITE_ERROR) TRY(damaged_model(db, "missing chunk", error));
        if (code != SQLITE_OK) TRY(db_fail(db, code, error));
        if ((size_t)sqlite3_blob_bytes(blob) != length)
            TRY(damaged_model(db, "chunk of the wrong length", error));
        code = sqlite3_blob_read(blob, out + begin, (int)length, 0);
        if (code != SQLITE_OK) TRY(db_fail(db, code, error));
    }
done:
    sqlite3_blob_close(blob);
    return status;
}

/* Otherwise loading spends most of its time on 4 KiB page faults. */
static void use_large_pages(void *bytes, size_t size)
{
    uintptr_t page = 1 << 21, begin = ((uintptr_t)bytes + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)bytes + size) & ~(page - 1);
    if (begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

film_status store_get_model(struct db *db, enum store_which which, void **bytes, size_t *size,
                            film_error *error)
{
    static const char *const sizes[][2] = {
        {"SELECT value FROM setting WHERE name = 'model_size'",
         "SELECT sum(length(bytes)) FROM model WHERE chunk >= 0"},
        {"SELECT value FROM setting WHERE name = 'earlier_size'",
         "SELECT sum(length(bytes)) FROM model WHERE chunk < 0"}};
    film_status status = FILM_OK;
    int64_t length, stored;
    char *checksum = NULL;
    *bytes = NULL;
    TRY(db_number(db, sizes[which][0], &length, error));
    TRY(db_number(db, sizes[which][1], &stored, error));
    TRY(store_get(db, which == STORE_EARLIER ? "earlier_checksum" : "model_checksum", &checksum,
                  error));
    /* Compared before memory is asked for: the setting may say anything. */
    if (length <= 0 || length != stored || !checksum) TRY(damaged_model(db, "wrong size", error));
    *size = (size_t)length;
    TRY_ALLOC(*bytes = mem_aligned(*size, 1), error);
    use_large_pages(*bytes, *size);
    /* The file is mapped while it is read, which saves a copy and a system call per page: 141 MB
     * take 45 ms of processor time instead of 130. Not longer: truncating a mapped file raises
     * SIGBUS. */
    TRY(db_run(db, "PRAGMA mmap_size = 2147418112", error));
    status = read_chunks(db, which, *bytes, *size, error);
    film_status unmapped = db_run(db, "PRAGMA mmap_size = 0", status == FILM_OK ? error : NULL);
    TRY(status != FILM_OK ? status : unmapped);
    if (strcmp(checksum, checksum_print(checksum_bytes(*bytes, *size)).digits) != 0)
        TRY(damaged_model(db, "checksum mismatch", error));
done:
    mem_free(checksum);
    if (status != FILM_OK) {
        mem_free_aligned(*bytes);
        *bytes = NULL;
    }
    return status;
}
