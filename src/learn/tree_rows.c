/* Gathers the rows of all processes in the first one, which trains the trees. Rows beyond a limit
 * are sampled by their number, the same for every number of processes. */
#include "learn/tree_rows.h"
#include "base/mem.h"
#include "base/rng.h"

#include <string.h>

void tree_rows_free(struct tree_rows *rows)
{
    for (int c = 0; c < TREE_ROWS_COLUMNS; c++) mem_free(rows->own[c]);
    *rows = (struct tree_rows){.own = {NULL}};
}

/* Draws the numbers of the share's pairs. */
static film_status draw_pairs(const struct out_of_fold *held, size_t most, uint64_t seed,
                              uint32_t **drawn, size_t *count, film_error *error)
{
    double chance = (double)most / (double)held->pairs.count;
    struct rng rng;
    *count = 0;
    *drawn = mem_array(held->share.count, sizeof **drawn);
    if (!*drawn) return status_no_memory(error);
    for (size_t i = 0; i < held->share.count; i++) {
        rng_seed_part(&rng, seed, held->share.first + i);
        if (rng_uniform(&rng) < chance) (*drawn)[(*count)++] = (uint32_t)i;
    }
    return FILM_OK;
}

/* *COLUMN, with SIZE bytes per pair of the share, becomes that of the DRAWN pairs (NULL: all) of
 * all processes. *OWN must be freed; it is NULL where the column is unchanged. */
static film_status gather_column(const struct comm *comm, const void **column, size_t size,
                                 const uint32_t *drawn, size_t count, void **own, film_error *error)
{
    film_status status = FILM_OK;
    char *some = NULL;
    if (drawn) {
        TRY_ALLOC(*own = some = mem_array(count, size), error);
        for (size_t i = 0; i < count; i++)
            memcpy(some + i * size, (const char *)*column + drawn[i] * size, size);
        *column = some;
    }
    if (comm->size == 1) goto done;
    TRY(comm_collect(comm, *column, count * size, own, error));
    mem_free(some);
    *column = *own;
done:
    return status;
}

film_status tree_rows_gather(const struct out_of_fold *held, const struct comm *comm, size_t most,
                             uint64_t seed, struct tree_rows *rows, film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_share *share = &held->share;
    size_t count = share->count;
    uint32_t *drawn = NULL;
    unsigned char *fold = mem_array(count, 1);
    *rows = (struct tree_rows){0};
    TRY_ALLOC(fold, error);
    for (size_t i = 0; i < count; i++)
        fold[i] = (unsigned char)folds_of_pair(&held->folds, share->a[i], share->b[i]);
    if (held->pairs.count > most) TRY(draw_pairs(held, most, seed, &drawn, &count, error));
    const void *column[TREE_ROWS_COLUMNS] = {held->x,    share->target, held->weight,
                                             held->base, fold,          held->parent};
    const size_t size[TREE_ROWS_COLUMNS] = {held->traits * sizeof(float),
                                            sizeof(float),
                                            sizeof(float),
                                            sizeof(float),
                                            1,
                                            sizeof(float)};
    for (int c = 0; c < (held->parent ? TREE_ROWS_COLUMNS : TREE_ROWS_COLUMNS - 1); c++)
        TRY(gather_column(comm, &column[c], size[c], drawn, count, &rows->own[c], error));
    rows->x = column[0];
    rows->target = column[1];
    rows->weight = column[2];
    rows->base = column[3];
    rows->fold = column[4];
    rows->parent = column[5];
    rows->count = count;
    rows->traits = held->traits;
    TRY(comm_sum_counts(comm, &rows->count, 1, error));
    if (rows->fold == fold) { /* the only column that HELD does not own */
        rows->own[4] = fold;
        fold = NULL;
    }
done:
    mem_free(drawn);
    mem_free(fold);
    return status;
}
