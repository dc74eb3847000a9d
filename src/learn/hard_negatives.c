/* Exact nearest neighbours within random chunks of the sentences. triplets.c, which knows the
 * clusters, decides which of them are negatives. */
#include "learn/hard_negatives.h"
#include "base/mem.h"
#include "base/rng.h"
#include "embed/vec.h"
#include "la/flat.h"

#include <string.h>

static void shuffle(uint32_t *ids, size_t count, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++) ids[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = rng_below(&rng, i);
        uint32_t swap = ids[i - 1];
        ids[i - 1] = ids[j];
        ids[j] = swap;
    }
}

/* A chunk of the sentences. */
struct chunk {
    const uint32_t *ids;
    size_t count;
    float *rows;     /* count x dim: their vectors */
    uint32_t *found; /* count x width */
};

/* Finds the neighbours of the chunk's sentences among themselves, and writes them to their rows of
 * NEIGHBOURS. */
static film_status search_chunk(const struct hard_search *wanted, const struct chunk *chunk,
                                const float *vectors, uint32_t *neighbours, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = wanted->dim, width = wanted->width;
    for (size_t i = 0; i < chunk->count; i++)
        memcpy(chunk->rows + i * dim, vectors + chunk->ids[i] * dim, dim * sizeof *vectors);
    struct flat base = {chunk->rows, NULL, chunk->count, dim};
    struct flat_queries all = {.count = chunk->count};
    TRY(flat_search(&base, &all, width, wanted->threads, NULL,
                    &(struct nearest){chunk->found, NULL, 0}, error));
    for (size_t i = 0; i < chunk->count; i++) {
        uint32_t *to = neighbours + chunk->ids[i] * width;
        for (size_t j = 0; j < width; j++) {
            uint32_t id = chunk->found[i * width + j];
            to[j] = id == FLAT_NONE ? FLAT_NONE : chunk->ids[id];
        }
    }
done:
    return status;
}

film_status hard_negatives_find(const struct hard_search *wanted, float *vectors, size_t count,
                                uint32_t *neighbours, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = wanted->dim, most = wanted->chunk < count ? wanted->chunk : count;
    size_t chunks = most ? (count + most - 1) / most : 0;
    float *rows = mem_aligned(most, dim * sizeof *rows);
    uint32_t *found = mem_array(most * wanted->width, sizeof *found);
    uint32_t *ids = mem_array(count, sizeof *ids);
    TRY_ALLOC(rows && found && ids, error);
    shuffle(ids, count, wanted->seed);
    for (size_t i = 0; i < count; i++) vec_normalise(vectors + i * dim, dim);
    for (size_t c = 0; c < chunks; c++) { /* of about equal size */
        size_t first = c * count / chunks, end = (c + 1) * count / chunks;
        struct chunk chunk = {ids + first, end - first, rows, found};
        TRY(search_chunk(wanted, &chunk, vectors, neighbours, error));
        TRY(progress_report(wanted->progress, "hard negatives", (double)(c + 1), (double)chunks,
                            error));
    }
done:
    mem_free_aligned(rows);
    mem_free(found);
    mem_free(ids);
    return status;
}
