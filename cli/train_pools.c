/* film train --pool: reads the labelled pairs of pools into memory (film_train_options.pairs). */
#include "cli.h"
#include "film_pool.h"

#include <stdlib.h>
#include <string.h>

struct pool_reading {
    struct pool_pairs *pairs;
    film_status status;
    film_error *error;
};

/* Copies both texts into one block: a, then b. Freeing a.bytes frees both. */
static int copy_pair(void *user, const film_pair *pair)
{
    struct pool_reading *reading = user;
    struct pool_pairs *pairs = reading->pairs;
    if (pairs->count == pairs->capacity) {
        size_t capacity = pairs->capacity ? 2 * pairs->capacity : 1024;
        film_pair *list = realloc(pairs->list, capacity * sizeof *list);
        if (list) {
            pairs->list = list;
            pairs->capacity = capacity;
        }
    }
    char *texts =
        pairs->count < pairs->capacity ? malloc(pair->a.length + pair->b.length + 1) : NULL;
    if (!texts) {
        reading->status = no_memory(reading->error);
        return 1;
    }
    memcpy(texts, pair->a.bytes, pair->a.length);
    memcpy(texts + pair->a.length, pair->b.bytes, pair->b.length);
    pairs->list[pairs->count++] =
        (film_pair){{texts, pair->a.length}, {texts + pair->a.length, pair->b.length}, pair->label};
    return 0;
}

static film_status read_pool(const char *path, struct pool_pairs *pairs, film_error *error)
{
    struct pool_reading reading = {.pairs = pairs, .error = error};
    film_pool *pool = NULL;
    size_t before = pairs->count;
    film_status status = film_pool_open(path, &pool, error);
    if (status == FILM_OK) status = film_pool_labelled_pairs(pool, copy_pair, &reading, error);
    if (status == FILM_OK) status = reading.status;
    if (status == FILM_OK && pairs->count == before) {
        snprintf(error->message, sizeof error->message,
                 "%s has no labels to train on; add some with film dedup --review or film pool "
                 "label",
                 path);
        status = FILM_BAD_INPUT;
    }
    film_pool_close(pool);
    return status;
}

film_status read_pool_pairs(const struct option_texts *pools, struct pool_pairs *out,
                            film_error *error)
{
    film_status status = FILM_OK;
    for (size_t i = 0; i < pools->count && status == FILM_OK; i++)
        status = read_pool(pools->item[i], out, error);
    return status;
}

void pool_pairs_free(struct pool_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) free((char *)pairs->list[i].a.bytes);
    free(pairs->list);
    *pairs = (struct pool_pairs){.list = NULL};
}
