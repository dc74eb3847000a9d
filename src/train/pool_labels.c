#include "train/pool_labels.h"
#include "pool/pool.h"

struct adding {
    struct corpus *corpus;
    film_status status;
    film_error *error;
};

static int add_pair(void *user, film_text a, film_text b, int same)
{
    struct adding *adding = user;
    film_row row = {.a = a, .b = b, .label = same};
    adding->status = corpus_add(adding->corpus, &row, adding->error);
    return adding->status != FILM_OK;
}

static film_status add_pool(struct corpus *corpus, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct adding adding = {.corpus = corpus, .error = error};
    film_pool *pool = NULL;
    struct db *db = NULL;
    size_t before = corpus->rows;
    TRY(film_pool_open(path, &pool, error));
    TRY(pool_read(pool, &db, error));
    TRY(store_each_pair(db, add_pair, &adding, error));
    TRY(adding.status);
    if (corpus->rows == before)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s has no labels to learn from; label some pairs with film dedup or film "
                       "pool label",
                       path));
done:
    if (pool) pool_read_end(pool, db);
    film_pool_close(pool);
    return status;
}

film_status pool_labels_add(struct corpus *corpus, const char *const *pools, size_t count,
                            film_error *error)
{
    film_status status = FILM_OK;
    if (corpus->labels != FILM_LABELS_PAIRS)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "the labels of a pool are pairs, those of the files are not; train on one "
                       "kind at a time"));
    for (size_t i = 0; i < count; i++) TRY(add_pool(corpus, pools[i], error));
done:
    return status;
}
