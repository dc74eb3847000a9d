/* Texts by number to probabilities: what dedup and link share.
 *
 * Candidates come from an index (index/index.h), the full pair decision judges them.
 *
 * In a job every process has an index over its share of the sentences (dedup/round_robin.h).
 * Questions go round: each process shows all others some of its texts with their vectors, gets from
 * each the nearest of its share, and chooses among them as one index over everything would. A text
 * and 4 bytes of each dimension go to every process, and up to 32 k bytes come back from each.
 * Exact where the searches are: shares below DENSE_GRAPH_FROM. */
#ifndef DEDUP_CANDIDATES_H
#define DEDUP_CANDIDATES_H

#include "film_pool.h"
#include "base/comm.h"
#include "model/model.h"
#include "pair/score.h"
#include "index/index.h"

#define CANDIDATES_NONE UINT32_MAX
#define CANDIDATES_THRESHOLD 0.9 /* docs/how-to/find-duplicates.md says why */
enum { CANDIDATES_K = 20, CANDIDATES_BATCH = 65536 };

struct candidates {
    const struct comm *comm;
    const film_model *model;
    struct match_rule rule;
    double threshold; /* a probability */
    size_t k;
    int threads;
    const film_progress *progress;
    struct match *match; /* one per thread, for single pairs */
    film_verdict *verdicts;
};

/* What is wanted; threshold and candidates 0: the defaults. */
struct candidates_request {
    const film_answer_options *answer;
    double threshold;
    size_t candidates;
    const film_progress *progress;
};

/* Checks the request. */
film_status candidates_init(struct candidates *search, const struct comm *comm,
                            const film_model *model, const struct candidates_request *request,
                            film_error *error);
void candidates_free(struct candidates *search);

/* LISTS (count x k): of every query the numbers of its best candidates in INDEX, best first, then
 * CANDIDATES_NONE. OWN: the queries are the sentences of the index, and none is its own candidate.
 * In a job all processes call it, each with its own queries; INDEX has the sentences of its
 * turns. */
film_status candidates_find(const struct candidates *search, const struct index *index,
                            const film_text *queries, size_t count, int own, uint32_t *lists,
                            film_error *error);

/* candidates_job.c: the same, for a job. */
film_status candidates_find_in_job(const struct candidates *search, const struct index *index,
                                   const film_text *queries, size_t count, int own, uint32_t *lists,
                                   film_error *error);

/* Fills search->verdicts; at most CANDIDATES_BATCH pairs. */
film_status candidates_judge(struct candidates *search, const struct score_source *pairs,
                             size_t count, film_error *error);

/* One pair, by the thread with this number. */
film_status candidates_judge_one(const struct candidates *search, int thread, film_text a,
                                 film_text b, float *probability, film_error *error);

#endif
