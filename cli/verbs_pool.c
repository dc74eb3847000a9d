/* The verbs that need libfilm-pool: sentences kept. Each is a file of its own; main.c has their
 * names. */
#include "cli.h"

extern const struct verb verb_pool, verb_search, verb_dedup, verb_link, verb_serve;

const struct verb *const pool_verbs[] = {&verb_pool, &verb_search, &verb_dedup,
                                         &verb_link, &verb_serve,  NULL};
