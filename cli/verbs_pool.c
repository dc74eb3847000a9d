/* The verbs that need libfilm-pool: they store, search and serve sentences. Each has its own
 * file. */
#include "modules.h"

extern const struct verb verb_pool, verb_search, verb_dedup, verb_link, verb_serve, verb_classify;

const struct verb *const pool_verbs[] = {&verb_pool,  &verb_search,   &verb_dedup, &verb_link,
                                         &verb_serve, &verb_classify, NULL};

/* What verbs of the other libraries need of this one: the model in a pool. */
const struct pool_calls film_pool_calls = {film_pool_open, film_pool_set_arithmetic,
                                           film_pool_model, film_pool_close, film_pool_update};
