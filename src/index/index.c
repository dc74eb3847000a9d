/* One index over sentences with two sides, vectors (dense) and words (lexical), and the merged
 * candidates of both. It does not score pairs; pair/match.c does. */
#include "index/index.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/threads.h"
#include "embed/vec.h"
#include "index/graph_walk.h"
#include "index/terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The candidate list of a graph search is limited to GRAPH_MAX_WIDTH. */
enum { MOST_CANDIDATES = 32768 };

struct index {
    const struct encoder *encoder;
    struct vector_index *dense; /* NULL without a map */
    struct lexical *lexical;
    size_t living;
};

struct index_searcher {
    struct feature_row row;
    struct terms terms;
    struct graph_walker *walker;
    struct lexical_searcher *words;
    float *vector;
    uint32_t *id; /* of one side at a time */
    float *score;
    struct index_candidate *near; /* of both sides */
    size_t id_capacity, score_capacity, near_capacity;
};

static film_status new_index(const struct encoder *encoder, size_t from, int brief,
                             struct index **out, film_error *error)
{
    film_status status = FILM_OK;
    struct index *index = mem_zeroed(1, sizeof *index);
    *out = NULL;
    TRY_ALLOC(index, error);
    index->encoder = encoder;
    if (encoder_has_vectors(encoder)) {
        TRY(vector_index_new(encoder_dim(encoder), from, &index->dense, error));
        if (brief) vector_index_brief(index->dense);
    }
    TRY(lexical_new(&index->lexical, error));
    *out = index;
    index = NULL;
done:
    index_free(index);
    return status;
}

film_status index_new(const struct encoder *encoder, struct index **out, film_error *error)
{
    return new_index(encoder, 0, 0, out, error);
}

film_status index_new_brief(const struct encoder *encoder, size_t from, struct index **out,
                            film_error *error)
{
    return new_index(encoder, from, 1, out, error);
}

film_status index_open(const struct encoder *encoder, const struct graph_view *dense,
                       const struct lexical_view *lexical, struct index **out, film_error *error)
{
    film_status status = FILM_OK;
    struct index *index = mem_zeroed(1, sizeof *index);
    *out = NULL;
    TRY_ALLOC(index, error);
    index->encoder = encoder;
    if (encoder_has_vectors(encoder)) {
        if (!dense || dense->codes.dim != encoder_dim(encoder) ||
            dense->codes.count != lexical->count)
            TRY(status_set(error, FILM_BAD_INPUT, "the index belongs to a different model"));
        TRY(vector_index_open(dense, 0, &index->dense, error));
    }
    TRY(lexical_open(lexical, &index->lexical, error));
    for (size_t i = 0; i < lexical->count; i++) index->living += lexical->dead[i] == 0;
    *out = index;
    index = NULL;
done:
    index_free(index);
    return status;
}

void index_free(struct index *index)
{
    if (!index) return;
    vector_index_free(index->dense);
    lexical_free(index->lexical);
    mem_free(index);
}

film_status index_check(const struct index *index, film_error *error)
{
    film_status status = FILM_OK;
    struct lexical_view lexical = lexical_view(index->lexical);
    TRY(lexical_check(&lexical, error));
    if (!index->dense) goto done;
    TRY(vector_index_check(index->dense, error));
    struct graph_view dense = vector_index_view(index->dense);
    for (size_t i = 0; i < lexical.count; i++)
        if ((dense.state[i] == GRAPH_DEAD) != (lexical.dead[i] != 0))
            TRY(status_set(error, FILM_BAD_INPUT,
                           "index: sentence %zu: deleted in only one of its two parts", i));
done:
    return status;
}

film_status index_settle(struct index *index, film_error *error)
{
    return lexical_settle(index->lexical, error);
}

void index_views(const struct index *index, struct graph_view *dense, struct lexical_view *lexical)
{
    *dense = index->dense ? vector_index_view(index->dense) : (struct graph_view){0};
    *lexical = lexical_view(index->lexical);
}

size_t index_count(const struct index *index)
{
    return lexical_count(index->lexical);
}

size_t index_living(const struct index *index)
{
    return index->living;
}

/* ---- Changes ---- */

static film_status add_terms(struct index *index, struct terms *terms, const film_text *texts,
                             size_t count, film_error *error)
{
    film_status status = FILM_OK;
    struct lexical_terms made;
    for (size_t i = 0; i < count; i++) {
        TRY(terms_make(terms, texts[i], &made, error));
        TRY(lexical_add(index->lexical, made, error));
    }
done:
    return status;
}

static film_status add_vectors(struct index *index, const film_text *texts, size_t count,
                               float *rows, int threads, film_error *error)
{
    size_t dim = encoder_dim(index->encoder);
    film_status status = encoder_embed_all(index->encoder, texts, count, threads, rows, error);
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < count; i++) vec_normalise(rows + i * dim, dim);
    return vector_index_add(index->dense, rows, count, threads, NULL, error);
}

film_status index_add(struct index *index, const film_text *texts, size_t count, int threads,
                      const film_progress *progress, film_error *error)
{
    enum { SOME = 16384 }; /* sentences whose floats are in memory at a time */
    film_status status = FILM_OK;
    struct terms terms = {0};
    float *rows = NULL;
    threads = threads_count(threads);
    TRY(terms_init(&terms, index->encoder, error));
    TRY_ALLOC(
        rows = mem_array(count < SOME ? count : SOME, encoder_dim(index->encoder) * sizeof *rows),
        error);
    for (size_t first = 0; first < count; first += SOME) {
        size_t some = count - first < SOME ? count - first : SOME;
        if (index->dense) TRY(add_vectors(index, texts + first, some, rows, threads, error));
        TRY(add_terms(index, &terms, texts + first, some, error));
        index->living += some;
        TRY(progress_report(progress, "indexing", (double)(first + some), (double)count, error));
    }
    TRY(lexical_tidy(index->lexical, error));
    if (index->dense) TRY(vector_index_tidy(index->dense, threads, error));
done:
    terms_free(&terms);
    mem_free(rows);
    return status;
}

film_status index_remove(struct index *index, const uint32_t *id, size_t count, int threads,
                         film_error *error)
{
    film_status status = FILM_OK;
    if (index->dense) TRY(vector_index_remove(index->dense, id, count, threads, error));
    size_t before = lexical_removed(index->lexical);
    TRY(lexical_remove(index->lexical, id, count, error));
    index->living -= lexical_removed(index->lexical) - before;
done:
    return status;
}

/* ---- Searching ---- */

film_status index_searcher_new(const struct index *index, struct index_searcher **out,
                               film_error *error)
{
    film_status status = FILM_OK;
    struct index_searcher *searcher = mem_zeroed(1, sizeof *searcher);
    *out = NULL;
    TRY_ALLOC(searcher, error);
    TRY(feature_row_init(&searcher->row, index->encoder->features, error));
    TRY(terms_init(&searcher->terms, index->encoder, error));
    TRY(graph_walker_new(&searcher->walker, error));
    TRY(lexical_searcher_new(&searcher->words, error));
    TRY_ALLOC(searcher->vector = mem_array(encoder_dim(index->encoder), sizeof(float)), error);
    *out = searcher;
    searcher = NULL;
done:
    index_searcher_free(searcher);
    return status;
}

void index_searcher_free(struct index_searcher *searcher)
{
    if (!searcher) return;
    feature_row_free(&searcher->row);
    terms_free(&searcher->terms);
    graph_walker_free(searcher->walker);
    lexical_searcher_free(searcher->words);
    mem_free(searcher->vector);
    mem_free(searcher->id);
    mem_free(searcher->score);
    mem_free(searcher->near);
    mem_free(searcher);
}

void index_searcher_widen(struct index_searcher *searcher)
{
    searcher->walker->wide = 1;
}

static int reserve_candidates(struct index_searcher *searcher, size_t k)
{
    void *id = searcher->id, *score = searcher->score, *near = searcher->near;
    int there = mem_grow(&id, &searcher->id_capacity, k + 1, sizeof *searcher->id) &&
                mem_grow(&score, &searcher->score_capacity, k + 1, sizeof *searcher->score) &&
                mem_grow(&near, &searcher->near_capacity, 2 * k + 1, sizeof *searcher->near);
    searcher->id = id;
    searcher->score = score;
    searcher->near = near;
    return there;
}

static int near_by_id(const void *a, const void *b)
{
    const struct index_candidate *left = a, *right = b;
    return left->id < right->id ? -1 : left->id > right->id;
}

static int candidates_by_score(const void *a, const void *b)
{
    const struct index_candidate *left = a, *right = b;
    if (left->score != right->score) return left->score > right->score ? -1 : 1;
    return left->id < right->id ? -1 : left->id > right->id;
}

/* Combined score: the vector counts for the known words, the words for the rest. A sum of scores
 * was better than a sum of reciprocal ranks (R@1 .442 against .417 on the dev duplicates, MRR .549
 * against .530); shares of the words from 0.1 to 0.3 do not differ. The words of records include
 * keys (index/terms.h), so they count as much as the vector: pair completeness of examples/products
 * 1.000 against .992 with 20 candidates, .981 against .967 with 5. */
static float merged_score(const struct index_searcher *searcher, float dense, float lexical)
{
    float known = (float)searcher->terms.known;
    float words = searcher->terms.encoder->fields ? 2.2f : 1.2f;
    return known * dense + (words - known) * lexical;
}

/* Merges the results of both sides, each sentence once. A sentence found only by words gets its
 * cosine from the codes. One found only by vector keeps 0 for its words: it is below the best K of
 * that side, and the exact value is not worth searching all its lists. */
static film_status merge_candidates(const struct index *index, struct index_searcher *searcher,
                                    size_t both, size_t *count, film_error *error)
{
    film_status status = FILM_OK;
    struct index_candidate *near = searcher->near;
    size_t kept = 0;
    sort_array(near, both, sizeof *near, near_by_id);
    for (size_t i = 0; i < both; i++) {
        if (kept && near[kept - 1].id == near[i].id)
            near[kept - 1].lexical += near[i].lexical; /* one of both is 0 */
        else
            near[kept++] = near[i];
    }
    if (index->dense) {
        uint32_t *id = searcher->id; /* kept may be 2 k: process it in chunks */
        for (size_t first = 0, room = searcher->id_capacity; first < kept; first += room) {
            size_t some = kept - first < room ? kept - first : room;
            for (size_t i = 0; i < some; i++) id[i] = near[first + i].id;
            TRY(vector_index_score(index->dense, searcher->walker, searcher->vector, id, some,
                                   searcher->score, error));
            for (size_t i = 0; i < some; i++) near[first + i].dense = searcher->score[i];
        }
    }
    *count = kept;
done:
    return status;
}

double index_known(const struct index_searcher *searcher)
{
    return searcher->terms.known;
}

film_status index_nearest(const struct index *index, struct index_searcher *searcher,
                          const float *vector, size_t k, struct nearest *out, film_error *error)
{
    return vector_index_search(index->dense, searcher->walker, vector, k, k + 3 * k / 4 + 60, out,
                               error);
}

const uint32_t *index_order(const struct index *index)
{
    return index->dense ? vector_index_order(index->dense) : NULL;
}

film_status index_near_id(const struct index *index, struct index_searcher *searcher, uint32_t id,
                          float least, size_t k, struct nearest *out, film_error *error)
{
    return vector_index_near(index->dense, searcher->walker, id, least, k, out, error);
}

/* Of both sides, each sentence once, in searcher->near. */
static film_status find_near(const struct index *index, struct index_searcher *searcher,
                             const struct index_query *query, size_t *found, film_error *error)
{
    film_status status = FILM_OK;
    struct lexical_terms terms;
    struct nearest side; /* what one side finds */
    size_t k = query->k, both;
    const struct index_filter *filter = query->filter;
    *found = 0;
    if (k > index_count(index)) k = index_count(index);
    if (k > MOST_CANDIDATES) k = MOST_CANDIDATES;
    if (k == 0) goto done;
    TRY_ALLOC(reserve_candidates(searcher, k), error);
    side = (struct nearest){searcher->id, searcher->score, 0};
    TRY(terms_make(&searcher->terms, query->text, &terms, error));
    TRY(lexical_search(index->lexical, searcher->words, terms, filter ? filter->mask : NULL, k,
                       &side, error));
    for (size_t i = 0; i < side.found; i++)
        searcher->near[i] =
            (struct index_candidate){.id = searcher->id[i], .lexical = searcher->score[i]};
    both = side.found;
    if (index->dense) {
        float *vector = searcher->vector;
        size_t dim = encoder_dim(index->encoder);
        TRY(encoder_embed(index->encoder, &searcher->row, query->text, vector, error));
        vec_normalise(vector, dim);
        /* No word is known: all sentences would be equally far. */
        if (!(vec_dot(vector, vector, dim) > 0))
            side.found = 0;
        else if (filter)
            TRY(vector_index_search_among(index->dense, searcher->walker, vector,
                                          &(struct vector_index_among){filter->id, filter->count},
                                          k, &side, error));
        else
            TRY(index_nearest(index, searcher, vector, k, &side, error));
        for (size_t i = 0; i < side.found; i++)
            searcher->near[both++] = (struct index_candidate){.id = searcher->id[i]};
    }
    TRY(merge_candidates(index, searcher, both, found, error));
done:
    return status;
}

film_status index_candidates_among(const struct index *index, struct index_searcher *searcher,
                                   const struct index_query *query, struct index_candidate *out,
                                   size_t *found, film_error *error)
{
    film_status status = FILM_OK;
    struct index_candidate *near;
    size_t count;
    *found = 0;
    TRY(find_near(index, searcher, query, &count, error));
    near = searcher->near;
    for (size_t i = 0; i < count; i++)
        near[i].score = merged_score(searcher, near[i].dense, near[i].lexical);
    if (count) sort_array(near, count, sizeof *near, candidates_by_score);
    *found = count < query->k ? count : query->k;
    if (*found > MOST_CANDIDATES) *found = MOST_CANDIDATES;
    if (*found) memcpy(out, near, *found * sizeof *out);
done:
    return status;
}

film_status index_candidates_text(const struct index *index, struct index_searcher *searcher,
                                  film_text text, size_t k, struct index_candidate *out,
                                  size_t *found, film_error *error)
{
    struct index_query query = {.text = text, .k = k};
    return index_candidates_among(index, searcher, &query, out, found, error);
}
