/* film train --pool: reads the sentences and labelled pairs of pools into memory
 * (film_train_options.sentences and pairs). */
#include "cli.h"
#include "film_pool.h"

#include <stdlib.h>
#include <string.h>

struct pool_reading {
    struct pool_pairs *pairs;
    film_status status;
    film_error *error;
};

/* Makes room for one more item of SIZE bytes; 0: no memory. */
static int grow_list(void **list, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) return 1;
    size_t wanted = *capacity ? 2 * *capacity : 1024;
    void *larger = realloc(*list, wanted * size);
    if (!larger) return 0;
    *list = larger;
    *capacity = wanted;
    return 1;
}

/* Copies both texts into one block: a, then b. Freeing a.bytes frees both. */
static int copy_pair(void *user, const film_pair *pair)
{
    struct pool_reading *reading = user;
    struct pool_pairs *pairs = reading->pairs;
    int room =
        grow_list((void **)&pairs->list, &pairs->capacity, pairs->count, sizeof *pairs->list);
    char *texts = room ? malloc(pair->a.length + pair->b.length + 1) : NULL;
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

static int copy_sentence(void *user, const film_sentence *sentence)
{
    struct pool_reading *reading = user;
    struct pool_pairs *pairs = reading->pairs;
    int room = grow_list((void **)&pairs->sentences, &pairs->sentence_capacity,
                         pairs->sentence_count, sizeof *pairs->sentences);
    char *text = room ? malloc(sentence->text.length + 1) : NULL;
    if (!text) {
        reading->status = no_memory(reading->error);
        return 1;
    }
    memcpy(text, sentence->text.bytes, sentence->text.length);
    pairs->sentences[pairs->sentence_count++] = (film_text){text, sentence->text.length};
    return 0;
}

static film_status read_pool(const char *path, struct pool_pairs *pairs, film_error *error)
{
    struct pool_reading reading = {.pairs = pairs, .error = error};
    film_pool *pool = NULL;
    film_review_estimate estimate = {.size = sizeof estimate};
    size_t before = pairs->sentence_count;
    film_status status = film_pool_open(path, &pool, error);
    if (status == FILM_OK) status = film_pool_review_estimate(pool, &estimate, error);
    pairs->random_share = estimate.share;
    if (status == FILM_OK) status = film_pool_labelled_pairs(pool, copy_pair, &reading, error);
    if (status == FILM_OK) status = reading.status;
    if (status == FILM_OK) status = film_pool_list(pool, NULL, copy_sentence, &reading, error);
    if (status == FILM_OK) status = reading.status;
    if (status == FILM_OK && pairs->sentence_count == before) {
        snprintf(error->message, sizeof error->message,
                 "%s has no sentences to train on; add some with film pool add", path);
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
    for (size_t i = 0; i < pairs->sentence_count; i++) free((char *)pairs->sentences[i].bytes);
    free(pairs->list);
    free(pairs->sentences);
    *pairs = (struct pool_pairs){.list = NULL};
}
