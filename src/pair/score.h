/* Verdicts of many pairs in parallel, without reasons. */
#ifndef PAIR_SCORE_H
#define PAIR_SCORE_H

#include "pair/match.h"
#include "film.h"

/* Access to pair i: texts in arrays of the caller, or in a string table. */
struct score_source {
    void (*pair)(const void *user, size_t i, film_text *a, film_text *b);
    const void *user;
    /* Receives the probability that b answers a at all (pair/answered.h); NULL: not wanted. */
    float *answered;
};

/* VERDICTS (count) are the same bits as those of match_pair, without reasons. THREADS 0: all
 * cores. */
film_status score_pairs(const struct decision *decision, const struct match_rule *rule,
                        const struct score_source *source, size_t count, int threads,
                        film_verdict *verdicts, film_error *error);

#endif
