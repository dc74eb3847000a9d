/* Fuzzes a pool's file: it is refused with a message, or every call on it returns. The input is
 * written to a file, because SQLite needs one; /dev/shm keeps it in memory. A checksum of the input
 * selects the calls: nearly all inputs have the same length. */
#include "arena.h"
#include "base/checksum.h"
#include "film_pool.h"

#include <sqlite3.h>

/* SQLite too allocates in the arena, on one thread. */
static void sqlite_begin(void)
{
#ifndef FUZZ_CORPUS
    require(sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) == SQLITE_OK);
    require(film_pool_set_process_allocator(&arena_allocator, NULL) == FILM_OK);
#endif
}

static int look(void *user, const film_sentence *sentence)
{
    size_t *total = user;
    const film_text texts[] = {sentence->id,     sentence->text, sentence->category,
                               sentence->answer, sentence->url,  sentence->more};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t j = 0; j < texts[i].length; j++) *total += (unsigned char)texts[i].bytes[j];
    return 0;
}

static int look_at_member(void *user, film_text cluster, film_text id)
{
    *(size_t *)user += cluster.length + id.length;
    return 0;
}

static void read_all(film_pool *pool)
{
    film_error error;
    size_t total = 0;
    char *json = NULL;
    film_pool_list(pool, NULL, look, &total, &error);
    film_pool_clusters(pool, look_at_member, &total, &error);
    film_pool_describe_json(pool, &json, &error);
    film_free(json);
}

static void repair(film_pool *pool)
{
    film_error error;
    film_pool_checked checked = {.size = sizeof checked};
    film_pool_check_options options = {
        .size = sizeof options, .full = 1, .repair = 1, .threads = 1};
    film_pool_check(pool, &options, &checked, &error);
}

static void change(film_pool *pool)
{
    film_error error;
    film_sentence one = {.id = film_string("fuzz"), .text = film_string("where is my card")};
    film_text id = film_string("a");
    film_pool_add_options options = {.size = sizeof options, .threads = 1};
    film_pool_add(pool, &one, 1, &options, NULL, &error);
    film_pool_label(pool, one.id, id, 1, NULL, &error);
    film_pool_remove(pool, &id, 1, 1, NULL, &error);
}

static void use(film_pool *pool, uint64_t number)
{
    if (chosen(number, 3, 0)) read_all(pool);
    if (chosen(number, 3, 1)) repair(pool);
    if (chosen(number, 3, 2)) change(pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[100], log[120];
    film_error error = {0};
    film_pool *pool = NULL;
    snprintf(path, sizeof path, "/dev/shm/film-fuzz-%ld.pool", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (!file) return 0;
    if (size) fwrite(data, 1, size, file);
    fclose(file);
    arena_begin();
    sqlite_begin();
    film_status status = film_pool_open(path, &pool, &error);
    if (status == FILM_OK)
        use(pool, checksum_bytes(data, size));
    else
        require(!pool && error.message[0] && !strchr(error.message, '\n'));
    film_pool_close(pool);
    sqlite3_shutdown(); /* frees what it shares between pools */
    arena_end();
    unlink(path);
    snprintf(log, sizeof log, "%s-wal", path);
    unlink(log);
    snprintf(log, sizeof log, "%s-shm", path);
    unlink(log);
    return 0;
}
