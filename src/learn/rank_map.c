/* The map that ranking learns: random signs at the start (Achlioptas 2003). rank_batch.c takes the
 * steps. */
#include "learn/rank_map.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "embed/vec.h"
#include "learn/rank_kernel.h"

#include <math.h>
#include <string.h>

enum {
    ENTRIES_AT_ONCE = 256 /* entries weighted at a time, on the stack */
};

/* ---- Start ---- */

struct rank_signs {
    struct rank_map *map;
    float ground;
    uint64_t seed;
};

/* Signs instead of normal deviates: an equally good random projection that needs one random number
 * per 64 entries. Every row has length exactly 1, so that all features start with equal
 * strength. */
static void fill_signs(const struct rank_map *map, uint64_t seed, uint64_t feature)
{
    struct rng rng;
    uint64_t bits = 0;
    float size = (float)(1.0 / sqrt((double)map->dim)), *row = map->rows + feature * map->dim;
    rng_seed_part(&rng, seed, feature);
    for (size_t i = 0; i < map->dim; i++, bits >>= 1) {
        if (i % 64 == 0) bits = rng_next(&rng);
        row[i] = bits & 1 ? size : -size;
    }
}

static void start_features(size_t f, size_t end, void *user)
{
    const struct rank_signs *job = user;
    for (; f < end; f++) {
        fill_signs(job->map, job->seed, f);
        job->map->gain[f] = 1.0f;
        job->map->squares[f] = job->ground;
    }
}

film_status rank_map_init(struct rank_map *map, const struct rank_start *start, film_error *error)
{
    film_status status = FILM_OK;
    size_t elements, features = start->features, dim = start->dim;
    struct rank_signs job = {map, (float)(start->ground * start->ground), start->seed};
    *map = (struct rank_map){.features = features, .dim = dim};
    if (dim > RANK_MOST_DIM || __builtin_mul_overflow(features, dim, &elements))
        return status_set(error, FILM_USAGE,
                          "a map of %zu features and %zu dimensions is too large; choose fewer "
                          "features or a smaller dim",
                          features, dim);
    TRY_ALLOC((map->rows = mem_array(elements, sizeof *map->rows)) &&
                  (map->log_gain = mem_zeroed(features, sizeof *map->log_gain)) &&
                  (map->gain = mem_array(features, sizeof *map->gain)) &&
                  (map->gain_squares = mem_zeroed(features, sizeof *map->gain_squares)) &&
                  (map->squares = mem_array(features, sizeof *map->squares)),
              error);
    threads_each(start->threads, features, 1024, start_features, &job);
done:
    if (status != FILM_OK) rank_map_free(map);
    return status;
}

void rank_map_free(struct rank_map *map)
{
    mem_free(map->rows);
    mem_free(map->log_gain);
    mem_free(map->gain);
    mem_free(map->gain_squares);
    mem_free(map->squares);
    memset(map, 0, sizeof *map);
}

/* ---- Vectors ---- */

void rank_map_project(const struct rank_map *map, const uint32_t *col, const float *val,
                      size_t count, float *out)
{
    float weighed[ENTRIES_AT_ONCE], part[RANK_MOST_DIM];
    uint32_t used[ENTRIES_AT_ONCE];
    memset(out, 0, map->dim * sizeof *out);
    for (size_t at = 0; at < count; at += ENTRIES_AT_ONCE) {
        size_t end = at + ENTRIES_AT_ONCE < count ? at + ENTRIES_AT_ONCE : count, kept = 0;
        for (size_t k = at; k < end; k++) { /* dropout leaves zeros: their rows are not read */
            used[kept] = col[k];
            weighed[kept] = val[k] * map->gain[col[k]];
            kept += val[k] != 0.0f;
        }
        float *to = at ? part : out;
        rank_gather(map->rows, map->dim, used, weighed, kept, map->dim, to);
        if (at) vec_add_scaled(out, 1.0f, part, map->dim);
    }
}
