/* The words of a pool: a text of relations (text/relations_read.h), stored as a setting and added
 * to the model whenever it is loaded. Vectors and labels do not depend on them. */
#include "base/checksum.h"
#include "base/mem.h"
#include "pool/pool.h"
#include "text/relations_read.h"

#include <string.h>

enum { MOST_BYTES = 16 << 20, STEP = 1 << 16 };

film_status pool_learn_words(struct db *db, struct pool_learned *learned, const char *path,
                             film_error *error)
{
    film_status status = FILM_OK;
    struct source *source = NULL;
    char *text = NULL;
    TRY(store_get(db, "words_checksum", &learned->words_checksum, error));
    if (!learned->words_checksum) goto done;
    TRY(store_get(db, "words", &text, error));
    if (!text || strcmp(learned->words_checksum,
                        checksum_print(checksum_bytes(text, strlen(text))).digits) != 0)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: the stored words are damaged; store them again",
                       path));
    TRY(source_open_bytes(text, strlen(text), path, 0, &source, error));
    TRY(model_read_words(learned->model, source, error));
done:
    mem_free(text);
    return status;
}

/* Reads a whole file; the caller frees *TEXT, which ends with NUL. */
static film_status read_words_file(const char *path, char **text, size_t *length, film_error *error)
{
    film_status status = FILM_OK;
    struct source *source = NULL;
    size_t capacity = 0, got = 1;
    *text = NULL;
    *length = 0;
    TRY(source_open(path, &source, error));
    while (got) {
        TRY_ALLOC(mem_grow((void **)text, &capacity, *length + STEP + 1, 1), error);
        TRY(source_read(source, *text + *length, STEP, &got, error));
        *length += got;
        if (*length > MOST_BYTES)
            TRY(status_set(error, FILM_BAD_INPUT, "%s: a file of words has at most %d MiB", path,
                           MOST_BYTES >> 20));
    }
    (*text)[*length] = '\0';
    if (strlen(*text) != *length)
        TRY(status_set(error, FILM_BAD_INPUT, "%s is not a text file: it has a NUL byte", path));
done:
    source_close(source);
    return status;
}

/* Refuses a file that a model could not read, and counts its words. */
static film_status check_words(const char *path, const char *text, size_t length, uint64_t *words,
                               film_error *error)
{
    film_status status = FILM_OK;
    struct relations_builder builder = {.pairs = NULL};
    struct source *source;
    TRY(relations_builder_init(&builder, error));
    TRY(source_open_bytes(text, length, path, 0, &source, error));
    TRY(relations_read(&builder, source, error));
    *words = builder.words.count;
done:
    relations_builder_free(&builder);
    return status;
}

/* Stores the text; no words remove it. */
static film_status put_words(struct db *db, const char *text, size_t length, uint64_t words,
                             film_error *error)
{
    film_status status = FILM_OK;
    if (!words)
        return db_run(db, "DELETE FROM setting WHERE name IN ('words', 'words_checksum')", error);
    TRY(store_set(db, "words", (film_text){text, length}, error));
    TRY(store_set(db, "words_checksum",
                  film_string(checksum_print(checksum_bytes(text, length)).digits), error));
done:
    return status;
}

film_status film_pool_store_words(film_pool *pool, const char *path, uint64_t *words,
                                  film_error *error)
{
    film_status status = FILM_OK;
    struct store_write write;
    char *text = NULL;
    size_t length;
    uint64_t found = 0;
    int writing = 0;
    if (!pool || !path) return pool_missing(error, pool ? "path" : "pool");
    if (pool->remote)
        TRY(status_set(error, FILM_USAGE,
                       "%s: a pool in PostgreSQL stores no words; give them to each server",
                       pool->path));
    TRY(read_words_file(path, &text, &length, error));
    if (length) TRY(check_words(path, text, length, &found, error));
    TRY(pool_write(pool, NULL, "words", 0, &write, error));
    writing = 1;
    TRY(put_words(write.db, text, length, found, error));
    write.other = 1;
    write.change++; /* for those who watch the counter */
    TRY(pool_commit(pool, &write, error));
    if (words) *words = found;
done:
    if (writing) pool_write_end(pool);
    mem_free(text);
    return status;
}

film_status film_pool_words(film_pool *pool, char **text, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = NULL;
    if (!pool || !text) return pool_missing(error, pool ? "text" : "pool");
    *text = NULL;
    TRY(pool_read(pool, &db, error));
    TRY(store_get(db, "words", text, error));
    if (!*text) TRY_ALLOC(*text = mem_string("", 0), error);
done:
    pool_read_end(pool, db);
    return status;
}
