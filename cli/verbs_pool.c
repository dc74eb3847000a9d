/* The verbs that need libfilm-pool: they store, search and serve sentences. Each has its own
 * file. */
#include "cli.h"

extern const struct verb verb_pool, verb_search, verb_dedup, verb_link, verb_serve, verb_classify;

const struct verb *const pool_verbs[] = {&verb_pool,  &verb_search,   &verb_dedup, &verb_link,
                                         &verb_serve, &verb_classify, NULL};
