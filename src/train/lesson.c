#include "train/lesson.h"
#include "base/mem.h"
#include "base/rng.h"

#include <string.h>

void lesson_free(struct lesson *lesson)
{
    for (int c = 0; c < LESSON_COLUMNS; c++) mem_free(lesson->own[c]);
}

/* The numbers of the share's pairs that are drawn. */
static film_status draw_pairs(const struct material *material, size_t most, uint64_t seed,
                              uint32_t **drawn, size_t *count, film_error *error)
{
    double chance = (double)most / (double)material->pairs.count;
    struct rng rng;
    *count = 0;
    *drawn = mem_array(material->share.count, sizeof **drawn);
    if (!*drawn) return status_no_memory(error);
    for (size_t i = 0; i < material->share.count; i++) {
        rng_seed_part(&rng, seed, material->share.first + i);
        if (rng_uniform(&rng) < chance) (*drawn)[(*count)++] = (uint32_t)i;
    }
    return FILM_OK;
}

/* *COLUMN, SIZE bytes of each pair of the share, becomes that of the pairs DRAWN (NULL: all) of all processes; *OWN
 * is to be freed, or NULL where it stays what it is. */
static film_status bring(const struct comm *comm, const void **column, size_t size,
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

film_status lesson_gather(const struct material *material, const struct comm *comm, size_t most,
                          uint64_t seed, struct lesson *lesson, film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_share *share = &material->share;
    size_t count = share->count;
    uint32_t *drawn = NULL;
    unsigned char *fold = mem_array(count, 1);
    *lesson = (struct lesson){0};
    TRY_ALLOC(fold, error);
    for (size_t i = 0; i < count; i++)
        fold[i] = (unsigned char)folds_of_pair(&material->folds, share->a[i]);
    if (material->pairs.count > most) TRY(draw_pairs(material, most, seed, &drawn, &count, error));
    const void *column[LESSON_COLUMNS] = {material->x, share->target, material->weight,
                                          material->base, fold};
    const size_t size[LESSON_COLUMNS] = {traits_count() * sizeof(float), sizeof(float),
                                         sizeof(float), sizeof(float), 1};
    for (int c = 0; c < LESSON_COLUMNS; c++)
        TRY(bring(comm, &column[c], size[c], drawn, count, &lesson->own[c], error));
    lesson->x = column[0];
    lesson->target = column[1];
    lesson->weight = column[2];
    lesson->base = column[3];
    lesson->fold = column[4];
    lesson->count = count;
    TRY(comm_sum_counts(comm, &lesson->count, 1, error));
    if (lesson->fold == fold) { /* the one column that is not the material's */
        lesson->own[4] = fold;
        fold = NULL;
    }
done:
    mem_free(drawn);
    mem_free(fold);
    return status;
}
