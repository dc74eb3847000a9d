#include "train/hard.h"
#include "base/mem.h"
#include "base/rng.h"
#include "la/vec.h"
#include "near/flat.h"

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

/* The neighbours of IDS[0 .. count) among each other, written to their rows of NEIGHBOURS. */
static film_status search_chunk(const float *vectors, size_t dim, const uint32_t *ids, size_t count,
                                size_t width, int threads, float *rows, uint32_t *found,
                                uint32_t *neighbours, film_error *error)
{
    for (size_t i = 0; i < count; i++)
        memcpy(rows + i * dim, vectors + ids[i] * dim, dim * sizeof *rows);
    struct flat base = {rows, NULL, count, dim};
    struct flat_queries all = {.count = count};
    film_status status = flat_search(&base, &all, width, threads, NULL, found, NULL, error);
    for (size_t i = 0; i < count && status == FILM_OK; i++)
        for (size_t j = 0; j < width; j++) {
            uint32_t id = found[i * width + j];
            neighbours[ids[i] * width + j] = id == FLAT_NONE ? FLAT_NONE : ids[id];
        }
    return status;
}

film_status hard_neighbours(float *vectors, size_t count, size_t dim, size_t chunk, size_t width,
                            uint64_t seed, int threads, const film_progress *progress,
                            uint32_t *neighbours, film_error *error)
{
    film_status status = FILM_OK;
    if (chunk > count) chunk = count;
    size_t chunks = chunk ? (count + chunk - 1) / chunk : 0;
    uint32_t *ids = mem_array(count, sizeof *ids), *found = NULL;
    float *rows = NULL;
    TRY_ALLOC(ids, error);
    TRY_ALLOC(found = mem_array(chunk * width, sizeof *found), error);
    TRY_ALLOC(rows = mem_aligned(chunk * dim, sizeof *rows), error);
    shuffle(ids, count, seed);
    for (size_t i = 0; i < count; i++) vec_normalise(vectors + i * dim, dim);
    for (size_t c = 0; c < chunks; c++) { /* of about equal size */
        size_t first = c * count / chunks, end = (c + 1) * count / chunks;
        TRY(search_chunk(vectors, dim, ids + first, end - first, width, threads, rows, found,
                         neighbours, error));
        TRY(progress_report(progress, "hard negatives", (double)(c + 1), (double)chunks, error));
    }
done:
    mem_free(ids);
    mem_free(found);
    mem_free_aligned(rows);
    return status;
}
