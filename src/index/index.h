/* Candidate retrieval: one index over N sentences with a dense and a lexical side.
 *
 * Dense: the sentence vectors (index/vector_index.h) find paraphrases in other words. Lexical: an
 * inverted index with learned weights (index/lexical.h) finds the rare words that a vector blurs;
 * it is the only side for a model without a map. Both rankings are merged into one. A candidate is
 * not a result: the caller decides with match_score.
 *
 * Sentences have ids 0, 1, 2, ... in the order of insertion; a removed id is not reused. There is
 * one writer at a time; any number of threads search, each with its own searcher. */
#ifndef INDEX_INDEX_H
#define INDEX_INDEX_H

#include "embed/encoder.h"
#include "index/vector_index.h"
#include "index/lexical.h"

struct index;

/* ENCODER must outlive the index. */
film_status index_new(const struct encoder *encoder, struct index **out, film_error *error);

/* The same for one run of searches: from FROM sentences on (0: as many as usual) it has cells
 * instead of a graph, which are built in less time and find a little less. */
film_status index_new_brief(const struct encoder *encoder, size_t from, struct index **out,
                            film_error *error);

/* Opens an index over arrays of a file with the same number of sentences; DENSE is NULL for an
 * encoder without a map. The arrays must stay valid until the index is freed. Sizes are checked
 * now, everything else before the first change. */
film_status index_open(const struct encoder *encoder, const struct graph_view *dense,
                       const struct lexical_view *lexical, struct index **out, film_error *error);
void index_free(struct index *index);

/* Checks every value of every array. */
film_status index_check(const struct index *index, film_error *error);

/* The arrays to store, valid until the next change; call index_settle before. DENSE has no rows
 * without a map. */
film_status index_settle(struct index *index, film_error *error);
void index_views(const struct index *index, struct graph_view *dense, struct lexical_view *lexical);

/* index_count: ids assigned so far, including removed ones. index_living: without them. */
size_t index_count(const struct index *index);
size_t index_living(const struct index *index);

/* Adds COUNT sentences with the next ids, embedding them in parallel. After a failure or
 * cancellation the index must be freed. */
film_status index_add(struct index *index, const film_text *texts, size_t count, int threads,
                      const film_progress *progress, film_error *error);

/* Ids that were already removed are skipped. */
film_status index_remove(struct index *index, const uint32_t *id, size_t count, int threads,
                         film_error *error);

/* ---- Searching ---- */

struct index_candidate {
    uint32_t id;
    float dense; /* cosine of the vectors, to about 1e-3; 0 without a map */
    float
        /* Cosine of the weighted words; 0 also when the sentence is not among the best of the
         * lexical side. */
        lexical;
    float score; /* combined score: candidates are sorted by it */
};

/* Scratch space of one thread. */
struct index_searcher;
film_status index_searcher_new(const struct index *index, struct index_searcher **out,
                               film_error *error);
void index_searcher_free(struct index_searcher *searcher);

/* From now on, searches look at more cells (index/cells.h): they find more and take longer. */
void index_searcher_widen(struct index_searcher *searcher);

/* Finds the best K candidates for a text, best first, equal scores by ascending id. OUT has room
 * for K; *FOUND is their number. A sentence of the index is among its own candidates. */
film_status index_candidates_text(const struct index *index, struct index_searcher *searcher,
                                  film_text text, size_t k, struct index_candidate *out,
                                  size_t *found, film_error *error);

/* For the last text: the share of its weight that is in the model's vocabulary, 0 to 1. A vector
 * represents a text poorly when its rare words are unknown. */
double index_known(const struct index_searcher *searcher);

/* Finds the K nearest vectors with the settings of a normal search; film_pool_check measures its
 * recall. VECTOR has length 1; OUT has room for K. Needs a map. */
film_status index_nearest(const struct index *index, struct index_searcher *searcher,
                          const float *vector, size_t k, struct nearest *out, film_error *error);

/* Returns all ids in an order in which near sentences are near each other, or NULL: there are too
 * few vectors for cells, and index_near_id is not possible. */
const uint32_t *index_order(const struct index *index);

/* Finds up to K sentences near sentence ID by their vectors, with a cosine of at least LEAST, best
 * first; ID is one of them. OUT has room for K. */
film_status index_near_id(const struct index *index, struct index_searcher *searcher, uint32_t id,
                          float least, size_t k, struct nearest *out, film_error *error);

/* The sentences to search among: their ids, ascending, and a mask with 1 at these ids. */
struct index_filter {
    const uint32_t *id;
    size_t count;
    const uint8_t *mask;
};

/* A query. */
struct index_query {
    film_text text;
    const struct index_filter *filter; /* NULL: all sentences */
    size_t k;
};

/* The same among the sentences of a filter. */
film_status index_candidates_among(const struct index *index, struct index_searcher *searcher,
                                   const struct index_query *query, struct index_candidate *out,
                                   size_t *found, film_error *error);

#endif
