/* Candidate search and scoring, shared by dedup and link.
 *
 * Candidates come from an index (index/index.h); the full pair decision scores them. */
#ifndef DEDUP_CANDIDATES_H
#define DEDUP_CANDIDATES_H

#include "film_pool.h"
#include "model/model.h"
#include "dedup/blocking.h"
#include "pair/score.h"
#include "index/index.h"

#include <math.h>

#define CANDIDATES_NONE UINT32_MAX
#define CANDIDATES_THRESHOLD 0.9 /* docs/how-to/find-duplicates.md says why */
enum { CANDIDATES_K = 20, CANDIDATES_BATCH = 65536, CANDIDATES_NEAR = 128 };

/* What is known of a pair before it is judged to the end. */
enum {
    PAIR_EVIDENCE, /* of words */
    PAIR_SIMILARITY,
    PAIR_WORDS,  /* TF-IDF cosine */
    PAIR_LESS,   /* rarity of the unshared words of the side that has less of it */
    PAIR_MORE,   /* and of the other side */
    PAIR_RAREST, /* the rarest unshared word of the side whose rarest is less rare */
    PAIR_RARER,  /* and of the other side */
    PAIR_SHARED, /* rarity of the shared words */
    PAIR_RAREST_SHARED,
    PAIR_LESS_OF_SHARED, /* quotients of the rarities above */
    PAIR_MORE_OF_SHARED,
    PAIR_SHARED_OF_BOTH,
    PAIR_TERMS
};
struct pair_terms {
    float term[PAIR_TERMS];
};

/* Pairs whose weighted sum is below LEAST are not judged to the end: hardly any of them reaches the
 * threshold. The first filter is used before the evidence is known. */
enum { FILTER_WORDS, FILTER_EVIDENCE, FILTERS };
struct pair_filter {
    double weight[PAIR_TERMS], least;
};

static inline double pair_filter_sum(const struct pair_filter *filter,
                                     const struct pair_terms *pair)
{
    double sum = 0;
    for (int t = 0; t < PAIR_TERMS; t++) sum += filter->weight[t] * (double)pair->term[t];
    return sum;
}

/* The items that the model remembers, by clusters of which it remembers at least two items. */
struct known_items {
    uint32_t *cluster; /* by item; CANDIDATES_NONE: not known. NULL: nothing is remembered */
    uint32_t *items;   /* the known ones, cluster by cluster */
    size_t count;
};

struct candidates {
    const film_model *model;
    struct match_rule rule;
    double threshold; /* a probability */
    size_t k;
    size_t blocking_from; /* sets of records from this size on may use blocking; 0: never */
    int threads;
    const film_progress *progress;
    struct match *match; /* one per thread, for single pairs */
    film_verdict *verdicts;
    uint32_t *order; /* in which a large set is judged; NULL: that of its numbers */
    int filters;     /* `filter` holds */
    struct pair_filter filter[FILTERS];
    struct known_items known; /* of a large set; its pairs are judged besides the lists */
};

/* What is wanted; threshold and candidates 0: the defaults. */
struct candidates_request {
    const film_answer_options *answer;
    double threshold;
    size_t candidates;
    const film_progress *progress;
    int pool; /* judge by the pool rule (pair/decision.h) */
};

/* Checks the request. */
film_status candidates_init(struct candidates *search, const film_model *model,
                            const struct candidates_request *request, film_error *error);
void candidates_free(struct candidates *search);

/* LISTS (count x k): for every query, the numbers of its best candidates in INDEX, best first,
 * filled up with CANDIDATES_NONE. OWN: the queries are the sentences of the index, and no sentence
 * is its own candidate. */
film_status candidates_find(const struct candidates *search, const struct index *index,
                            const film_text *queries, size_t count, int own, uint32_t *lists,
                            film_error *error);

/* A search for candidates. */
struct candidate_query {
    const struct candidates *search;
    const struct index *index;
    const film_text *queries;
    int own;
    const uint32_t *which;     /* queries by number; NULL: all, in their order */
    const uint32_t *order;     /* or in this one; NULL: theirs */
    struct blocking *blocking; /* of records: by its score, not by vector; NULL: none */
    float least; /* above 0: only by vector or blocking, with at least this cosine or score (own) */
    int wide;    /* more cells are searched */
    size_t k;
    uint32_t *lists;                   /* k of each query */
    float *cosine;                     /* theirs; NULL: not wanted */
    size_t first;                      /* the first query of the current block */
    struct index_searcher **searchers; /* by thread */
    struct blocking_searcher **blocking_searchers;
    struct index_candidate *found; /* by thread: k + 1 */
};

/* Fills the lists of COUNT queries. */
film_status candidates_fill(struct candidate_query *request, size_t count, film_error *error);

/* candidates_near.c: for a large set, decides on a sample whether candidates by
 * vector (of records: by blocking) with a lowest cosine or score find nearly all of the pairs that
 * candidates_find would find, and uses them. Sentences need a graph, records do not. *LISTS
 * (count x search->k, which may grow) is allocated; it stays NULL where they do not. */
film_status candidates_find_near(struct candidates *search, const struct index *index,
                                 const film_text *texts, size_t count, uint32_t **lists,
                                 film_error *error);

/* Fills search->verdicts; at most CANDIDATES_BATCH pairs. A pair that the filter excludes has the
 * probability 0 and no odds: candidates_excluded. */
film_status candidates_judge(struct candidates *search, const struct score_source *pairs,
                             size_t count, film_error *error);

static inline int candidates_excluded(const film_verdict *verdict)
{
    return isinf(verdict->log_odds) != 0;
}

/* The same without the filter; TERMS[i] is what is known of pair i, for a full decision without a
 * network. */
film_status candidates_weigh(struct candidates *search, const struct score_source *pairs,
                             size_t count, struct pair_terms *terms, film_error *error);

/* candidates_known.c: finds the items that the model remembers. Labels connect sentences that may
 * have no word in common: no search by vector or words would find them. */
film_status known_items_find(struct candidates *search, const film_text *texts, size_t count,
                             film_error *error);
void known_items_free(struct known_items *known);

static inline int is_known_pair(const struct known_items *known, uint32_t a, uint32_t b)
{
    return known->cluster && known->cluster[a] != CANDIDATES_NONE &&
           known->cluster[a] == known->cluster[b];
}

/* Returns whether a pair with this verdict would be found with the prior FILM_RARE as well. */
int candidates_sure(const struct candidates *search, const film_verdict *verdict);

/* Scores one pair in the thread with this number. */
film_status candidates_judge_one(const struct candidates *search, int thread, film_text a,
                                 film_text b, float *probability, film_error *error);

#endif
