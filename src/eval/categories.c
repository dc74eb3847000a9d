#include "eval/categories.h"
#include "base/mem.h"
#include "base/threads.h"

enum { MOST = 10 };
const size_t categories_depth[CATEGORIES_DEPTHS] = {1, 5, MOST};

static int vote(const uint32_t *neighbours, size_t k, const uint32_t *category, uint32_t own)
{
    size_t most = 0;
    uint32_t winner = FLAT_NONE;
    for (size_t i = 0; i < k && neighbours[i] != FLAT_NONE; i++) {
        uint32_t candidate = category[neighbours[i]];
        size_t votes = 0;
        for (size_t j = 0; j < k && neighbours[j] != FLAT_NONE; j++)
            votes += category[neighbours[j]] == candidate;
        if (votes > most) {
            most = votes;
            winner = candidate;
        }
    }
    return most > 0 && winner == own;
}

film_status categories_vote(const struct flat *sentences, const uint32_t *category, int threads,
                            const film_progress *progress, unsigned char *right[CATEGORIES_DEPTHS],
                            film_error *error)
{
    film_status status = FILM_OK;
    struct flat_queries all = {.count = sentences->count};
    uint32_t *neighbours = mem_array(sentences->count, MOST * sizeof *neighbours);
    TRY_ALLOC(neighbours, error);
    TRY(flat_search(sentences, &all, MOST, threads, progress, neighbours, NULL, error));
    threads = threads_use(threads);
#pragma omp parallel for num_threads(threads)
    for (size_t i = 0; i < sentences->count; i++)
        for (int d = 0; d < CATEGORIES_DEPTHS; d++)
            right[d][i] = (unsigned char)vote(neighbours + i * MOST, categories_depth[d], category,
                                              category[i]);
done:
    mem_free(neighbours);
    return status;
}
