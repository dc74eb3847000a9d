/* Candidates for "which sentences are like this one?": one index over N sentences, from two sides.
 *
 * Dense: the sentence vectors (index/dense.h) find what means the same in other words. Lexical: an
 * inverted index with learned weights (index/lexical.h) finds the rare words that a vector blurs,
 * and is all there is for a model of features alone. Both rankings are merged into one; a candidate
 * is no answer: whoever asks decides with match_score.
 *
 * Sentences are known by id, 0, 1, 2, ... in the order in which they were added; a removed id is
 * not used again. One writer at a time; any number of threads ask, each with an asker of its
 * own. */
#ifndef INDEX_INDEX_H
#define INDEX_INDEX_H

#include "embed/encoder.h"
#include "index/dense.h"
#include "index/lexical.h"

struct index;

/* ENCODER must outlive the index. */
film_status index_new(const struct encoder *encoder, struct index **out, film_error *error);

/* Over arrays of a file, of the same number of sentences; DENSE is NULL for an encoder without a
 * map. They must stay until the index is freed. Sizes are checked now, the rest before the first
 * change. */
film_status index_open(const struct encoder *encoder, const struct graph_view *dense,
                       const struct lexical_view *lexical, struct index **out, film_error *error);
void index_free(struct index *index);

/* Looks at every number of every array. */
film_status index_check(const struct index *index, film_error *error);

/* What there is to store, valid until the next change; call index_settle before. DENSE has no rows
 * without a map. */
film_status index_settle(struct index *index, film_error *error);
void index_views(const struct index *index, struct graph_view *dense, struct lexical_view *lexical);

/* Ids given so far, the removed among them; and without them. */
size_t index_count(const struct index *index);
size_t index_living(const struct index *index);

/* Adds COUNT sentences with the ids that come next, embedding them in parallel. When it fails or is
 * cancelled the index is to be freed. */
film_status index_add(struct index *index, const film_text *texts, size_t count, int threads,
                      const film_progress *progress, film_error *error);

/* Ids that were removed already are passed over. */
film_status index_remove(struct index *index, const uint32_t *id, size_t count, int threads,
                         film_error *error);

/* ---- asking ---- */

struct index_candidate {
    uint32_t id;
    float dense; /* cosine of the vectors, to about 1e-3; 0 without a map */
    float
        /* cosine of the weighted words; 0 also when it was not among the best of that side */
        lexical;
    float score; /* of both: what candidates are sorted by */
};

/* What one thread needs to ask. */
struct index_asker;
film_status index_asker_new(const struct index *index, struct index_asker **out, film_error *error);
void index_asker_free(struct index_asker *asker);

/* The best K for a text, best first, of equal scores the lower id. OUT has room for K; *FOUND says
 * how many there are. A sentence of the index is among its own candidates. */
film_status index_candidates_text(const struct index *index, struct index_asker *asker,
                                  film_text text, size_t k, struct index_candidate *out,
                                  size_t *found, film_error *error);

/* Of the text asked about last: how much of it the model knows, by weight, from 0 to 1. A vector
 * says little about a text whose rare words are unknown. */
double index_known(const struct index_asker *asker);

/* Of the vectors alone, as a search for K candidates looks for them: what film_pool_check measures.
 * VECTOR has length 1; OUT has room for K. Not without a map. */
film_status index_nearest(const struct index *index, struct index_asker *asker, const float *vector,
                          size_t k, struct nearest *out, film_error *error);

/* Sentences that may be answers: their ids, rising, and a byte per id that is 1 for them. */
struct index_filter {
    const uint32_t *id;
    size_t count;
    const uint8_t *mask;
};

/* What is looked for. */
struct index_query {
    film_text text;
    const float *vector;               /* of index_vector; NULL: it is made from the text */
    const struct index_filter *filter; /* NULL: all may be answers */
    size_t k;
};

/* The same among some. */
film_status index_candidates_among(const struct index *index, struct index_asker *asker,
                                   const struct index_query *query, struct index_candidate *out,
                                   size_t *found, film_error *error);

/* ---- an index in several parts ---- */

/* A sentence whose words or vector are among the K nearest of one part of an index. */
struct index_near {
    uint32_t id;
    uint32_t by_vector; /* 1: its vector is among them */
    float dense;
    float lexical; /* 0: its words are not */
};

/* TEXT as a vector of length 1, to be asked about in every part; all 0 when it has none. */
film_status index_vector(const struct index *index, struct index_asker *asker, film_text text,
                         float *vector, film_error *error);

/* The nearest K of either side, each sentence once; OUT has room for 2 K. */
film_status index_near(const struct index *index, struct index_asker *asker,
                       const struct index_query *query, struct index_near *out, size_t *found,
                       film_error *error);

/* From what all parts found (COUNT of NEAR, which is reordered, with ids of the whole) to the best
 * K: what one index over everything would answer. */
film_status index_choose(struct index_asker *asker, const struct index_query *query,
                         struct index_near *near, size_t count, struct index_candidate *out,
                         size_t *found, film_error *error);

#endif
