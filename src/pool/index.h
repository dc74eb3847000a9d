/* Candidates for "which sentences are like this one?": one index over N sentences, from two sides.
 *
 * Dense: the sentence vectors (near/dense.h) find what means the same in other words. Lexical: an
 * inverted index with learned weights (near/lexical.h) finds the rare words that a vector blurs, and is
 * all there is for a model of features alone. Both rankings are merged into one; a candidate is no
 * answer: whoever asks decides with match_score.
 *
 * Sentences are known by id, 0, 1, 2, ... in the order in which they were added; a removed id is not used
 * again. One writer at a time; any number of threads ask, each with an asker of its own. */
#ifndef POOL_INDEX_H
#define POOL_INDEX_H

#include "embed/encoder.h"

struct index;

/* ENCODER must outlive the index. */
film_status index_new(const struct encoder *encoder, struct index **out, film_error *error);
void index_free(struct index *index);

/* Ids given so far, the removed among them. */
size_t index_count(const struct index *index);

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
    float dense;   /* cosine of the vectors, to about 1e-3; 0 when only the other side found it */
    float lexical; /* cosine of the weighted words, or 0 */
    float score;   /* of both: what candidates are sorted by */
};

/* What one thread needs to ask. */
struct index_asker;
film_status index_asker_new(const struct index *index, struct index_asker **out, film_error *error);
void index_asker_free(struct index_asker *asker);

/* The best K for a sentence given as its vector (any length; not looked at without a map) and its sparse
 * row, best first, of equal scores the lower id. OUT has room for K; *FOUND says how many there are. A
 * sentence of the index is among its own candidates. */
film_status index_candidates(const struct index *index, struct index_asker *asker,
                             const float *vector, const struct feature_row *row, size_t k,
                             struct index_candidate *out, size_t *found, film_error *error);

/* The same for a text. */
film_status index_candidates_text(const struct index *index, struct index_asker *asker,
                                  film_text text, size_t k, struct index_candidate *out,
                                  size_t *found, film_error *error);

#endif
