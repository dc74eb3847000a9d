/* Texts by number to probabilities: what dedup and link share.
 *
 * Candidates come from an index (pool/index.h), the full pair decision judges them. */
#ifndef POOL_COMPARE_H
#define POOL_COMPARE_H

#include "film_pool.h"
#include "model/model.h"
#include "pair/match.h"
#include "pool/index.h"

#define COMPARE_NONE UINT32_MAX
#define COMPARE_THRESHOLD 0.9 /* docs/pool.md says why */
enum { COMPARE_CANDIDATES = 20, COMPARE_BATCH = 65536 };

struct compare {
    const film_model *model;
    struct match_rule rule;
    double threshold;  /* a probability */
    size_t candidates; /* k */
    int threads;
    const film_progress *progress;
    struct match *match; /* one per thread, for single pairs */
    film_verdict *verdicts;
};

/* Checks what was asked; THRESHOLD and CANDIDATES 0: the defaults. */
film_status compare_init(struct compare *compare, const film_model *model,
                         const film_answer_options *answer, double threshold, size_t candidates,
                         const film_progress *progress, film_error *error);
void compare_free(struct compare *compare);

/* LISTS (count x k): of every query its best candidates in INDEX, best first, then COMPARE_NONE. OWN: the
 * queries are the sentences of the index, and none is its own candidate. */
film_status compare_candidates(const struct compare *compare, const struct index *index,
                               const film_text *queries, size_t count, int own, uint32_t *lists,
                               film_error *error);

/* A pair of numbers in two arrays of texts. */
struct compare_pair {
    uint32_t a, b;
};

/* Fills compare->verdicts; at most COMPARE_BATCH pairs. */
film_status compare_batch(struct compare *compare, const film_text *a, const film_text *b,
                          const struct compare_pair *pairs, size_t count, film_error *error);

/* One pair, by the thread with this number. */
film_status compare_one(const struct compare *compare, int thread, film_text a, film_text b,
                        float *probability, film_error *error);

#endif
