/* The rows that the trees are trained on. Rows beyond a limit are sampled by their number. */
#include "learn/tree_rows.h"
#include "base/mem.h"
#include "base/rng.h"

#include <string.h>

void tree_rows_free(struct tree_rows *rows)
{
    for (int c = 0; c < TREE_ROWS_COLUMNS; c++) mem_free(rows->own[c]);
    *rows = (struct tree_rows){.own = {NULL}};
}

/* Draws the numbers of about MOST pairs. */
static film_status draw_pairs(const struct out_of_fold *held, size_t most, uint64_t seed,
                              uint32_t **drawn, size_t *count, film_error *error)
{
    double chance = (double)most / (double)held->pairs.count;
    struct rng rng;
    *count = 0;
    *drawn = mem_array(held->pairs.count, sizeof **drawn);
    if (!*drawn) return status_no_memory(error);
    for (size_t i = 0; i < held->pairs.count; i++) {
        rng_seed_part(&rng, seed, i);
        if (rng_uniform(&rng) < chance) (*drawn)[(*count)++] = (uint32_t)i;
    }
    return FILM_OK;
}

/* *OWN = the DRAWN items of COLUMN, which has SIZE bytes per pair. */
static film_status take_drawn(const void *column, size_t size, const uint32_t *drawn, size_t count,
                              void **own, film_error *error)
{
    char *some = *own = mem_array(count, size);
    if (!some) return status_no_memory(error);
    for (size_t i = 0; i < count; i++)
        memcpy(some + i * size, (const char *)column + drawn[i] * size, size);
    return FILM_OK;
}

film_status tree_rows_take(const struct out_of_fold *held, size_t most, uint64_t seed,
                           struct tree_rows *rows, film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_pairs *pairs = &held->pairs;
    size_t count = pairs->count;
    uint32_t *drawn = NULL;
    unsigned char *fold = mem_array(count, 1);
    *rows = (struct tree_rows){0};
    TRY_ALLOC(fold, error);
    for (size_t i = 0; i < count; i++)
        fold[i] = (unsigned char)folds_of_pair(&held->folds, pairs->a[i], pairs->b[i]);
    const void *column[TREE_ROWS_COLUMNS] = {held->x,    pairs->target, held->weight,
                                             held->base, fold,          held->parent};
    const size_t size[TREE_ROWS_COLUMNS] = {held->traits * sizeof(float),
                                            sizeof(float),
                                            sizeof(float),
                                            sizeof(float),
                                            1,
                                            sizeof(float)};
    if (count > most) {
        TRY(draw_pairs(held, most, seed, &drawn, &count, error));
        for (int c = 0; c < (held->parent ? TREE_ROWS_COLUMNS : TREE_ROWS_COLUMNS - 1); c++) {
            TRY(take_drawn(column[c], size[c], drawn, count, &rows->own[c], error));
            column[c] = rows->own[c];
        }
    }
    rows->x = column[0];
    rows->target = column[1];
    rows->weight = column[2];
    rows->base = column[3];
    rows->fold = column[4];
    rows->parent = column[5];
    rows->count = count;
    rows->traits = held->traits;
    if (rows->fold == fold) { /* the only column that HELD does not own */
        rows->own[4] = fold;
        fold = NULL;
    }
done:
    mem_free(drawn);
    mem_free(fold);
    return status;
}
