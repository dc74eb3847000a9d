/* Classifies sentences by the categories of their nearest neighbours and measures the accuracy. */
#include "eval/categories.h"
#include "base/mem.h"

enum { MOST = 10 };
const size_t categories_depth[CATEGORIES_DEPTHS] = {1, 5, MOST};

/* Returns the category with the most votes, or FLAT_NONE; *MOST is their number. */
static uint32_t vote(const uint32_t *neighbours, size_t k, const uint32_t *category, size_t *most)
{
    uint32_t winner = FLAT_NONE;
    *most = 0;
    for (size_t i = 0; i < k && neighbours[i] != FLAT_NONE; i++) {
        uint32_t candidate = category[neighbours[i]];
        size_t votes = 0;
        for (size_t j = 0; j < k && neighbours[j] != FLAT_NONE; j++)
            votes += category[neighbours[j]] == candidate;
        if (votes > *most) {
            *most = votes;
            winner = candidate;
        }
    }
    return winner;
}

film_status categories_vote(const struct flat *sentences, const uint32_t *category, int threads,
                            const film_progress *progress, unsigned char *right[CATEGORIES_DEPTHS],
                            const struct categories_winners *winners, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = sentences->count;
    struct flat_queries all = {.count = count};
    uint32_t *neighbours = mem_array(count, MOST * sizeof *neighbours);
    TRY_ALLOC(neighbours, error);
    TRY(flat_search(sentences, &all, MOST, threads, progress, &(struct nearest){.id = neighbours},
                    error));
    for (size_t i = 0; i < count; i++)
        for (size_t d = 0; d < CATEGORIES_DEPTHS; d++) { /* the last depth is the deepest */
            size_t votes;
            uint32_t winner = vote(neighbours + i * MOST, categories_depth[d], category, &votes);
            right[d][i] = votes > 0 && winner == category[i];
            winners->category[i] = winner;
            winners->votes[i] = (unsigned char)votes;
        }
done:
    mem_free(neighbours);
    return status;
}
