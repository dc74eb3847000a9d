#include "pool/index.h"
#include "base/mem.h"
#include "base/threads.h"
#include "la/vec.h"
#include "near/dense.h"

#include <string.h>

struct index {
    const struct encoder *encoder;
    struct dense *dense; /* NULL without a map */
    size_t count;
};

struct index_asker {
    struct feature_row row;
    struct graph_walker *walker;
    float *vector; /* of a text */
    float *unit;   /* of length 1 */
    uint32_t *id;
    float *score;
    size_t id_capacity, score_capacity;
};

film_status index_new(const struct encoder *encoder, struct index **out, film_error *error)
{
    film_status status = FILM_OK;
    struct index *index = mem_zeroed(1, sizeof *index);
    *out = NULL;
    TRY_ALLOC(index, error);
    index->encoder = encoder;
    if (encoder->map) TRY(dense_new(encoder->dim, 0, &index->dense, error));
    *out = index;
    index = NULL;
done:
    index_free(index);
    return status;
}

void index_free(struct index *index)
{
    if (!index) return;
    dense_free(index->dense);
    mem_free(index);
}

size_t index_count(const struct index *index)
{
    return index->count;
}

film_status index_add(struct index *index, const film_text *texts, size_t count, int threads,
                      const film_progress *progress, film_error *error)
{
    enum { SOME = 65536 }; /* sentences whose floats are there at a time */
    film_status status = FILM_OK;
    size_t dim = index->encoder->dim;
    float *rows = NULL;
    threads = threads_use(threads);
    TRY_ALLOC(rows = mem_array(count < SOME ? count : SOME, dim * sizeof *rows), error);
    for (size_t first = 0; first < count; first += SOME) {
        size_t some = count - first < SOME ? count - first : SOME;
        if (!index->dense) break;
        TRY(encoder_embed_all(index->encoder, texts + first, some, threads, rows, error));
        for (size_t i = 0; i < some; i++) vec_normalise(rows + i * dim, dim);
        TRY(dense_add(index->dense, rows, some, threads, NULL, error));
        TRY(progress_report(progress, "indexing", (double)(first + some), (double)count, error));
    }
    index->count += count;
done:
    mem_free(rows);
    return status;
}

film_status index_remove(struct index *index, const uint32_t *id, size_t count, int threads,
                         film_error *error)
{
    return index->dense ? dense_remove(index->dense, id, count, threads, error) : FILM_OK;
}

film_status index_asker_new(const struct index *index, struct index_asker **out, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = index->encoder->dim;
    struct index_asker *asker = mem_zeroed(1, sizeof *asker);
    *out = NULL;
    TRY_ALLOC(asker, error);
    TRY(feature_row_init(&asker->row, index->encoder->features, error));
    TRY(graph_walker_new(&asker->walker, error));
    TRY_ALLOC((asker->vector = mem_array(dim, sizeof(float))) &&
                  (asker->unit = mem_array(dim, sizeof(float))),
              error);
    *out = asker;
    asker = NULL;
done:
    index_asker_free(asker);
    return status;
}

void index_asker_free(struct index_asker *asker)
{
    if (!asker) return;
    feature_row_free(&asker->row);
    graph_walker_free(asker->walker);
    mem_free(asker->vector);
    mem_free(asker->unit);
    mem_free(asker->id);
    mem_free(asker->score);
    mem_free(asker);
}

film_status index_candidates(const struct index *index, struct index_asker *asker,
                             const float *vector, const struct feature_row *row, size_t k,
                             struct index_candidate *out, size_t *found, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = index->encoder->dim;
    (void)row;
    *found = 0;
    if (!index->dense) goto done;
    TRY_ALLOC(
        mem_grow((void **)&asker->id, &asker->id_capacity, k + 1, sizeof *asker->id) &&
            mem_grow((void **)&asker->score, &asker->score_capacity, k + 1, sizeof *asker->score),
        error);
    memcpy(asker->unit, vector, dim * sizeof *vector);
    vec_normalise(asker->unit, dim);
    TRY(dense_search(index->dense, asker->walker, asker->unit, k, 2 * k, asker->id, asker->score,
                     found, error));
    for (size_t i = 0; i < *found; i++)
        out[i] = (struct index_candidate){asker->id[i], asker->score[i], 0, asker->score[i]};
done:
    return status;
}

film_status index_candidates_text(const struct index *index, struct index_asker *asker,
                                  film_text text, size_t k, struct index_candidate *out,
                                  size_t *found, film_error *error)
{
    film_status status = encoder_embed(index->encoder, &asker->row, text, asker->vector, error);
    *found = 0;
    if (status != FILM_OK) return status;
    return index_candidates(index, asker, asker->vector, &asker->row, k, out, found, error);
}
