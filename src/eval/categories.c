/* Classifies sentences by the categories of their nearest neighbours and measures the accuracy. */
#include "eval/categories.h"
#include "base/mem.h"
#include "la/openmp.h"

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

film_status categories_vote(const struct flat_share *sentences, const uint32_t *category,
                            int threads, const film_progress *progress,
                            unsigned char *right[CATEGORIES_DEPTHS], film_error *error)
{
    film_status status = FILM_OK;
    size_t mine = sentences->mine.count, all = mine;
    float *votes = NULL; /* CATEGORIES_DEPTHS x all: 1 where the vote was right */
    uint32_t *neighbours = mem_array(mine, MOST * sizeof *neighbours);
    TRY_ALLOC(neighbours, error);
    TRY(comm_sum_counts(sentences->comm, &all, 1, error));
    TRY_ALLOC(votes = mem_zeroed(all, CATEGORIES_DEPTHS * sizeof *votes), error);
    TRY(flat_share_search(sentences, MOST, threads, progress, neighbours, error));
    threads = openmp_use(threads);
#pragma omp parallel for num_threads(threads)
    for (size_t i = 0; i < mine; i++)
        for (size_t d = 0; d < CATEGORIES_DEPTHS; d++) {
            uint32_t number = flat_share_number(sentences, i);
            votes[d * all + number] =
                (float)vote(neighbours + i * MOST, categories_depth[d], category, category[number]);
        }
    TRY(comm_sum_float(sentences->comm, votes, CATEGORIES_DEPTHS * all, error));
    for (size_t d = 0; d < CATEGORIES_DEPTHS; d++)
        for (size_t i = 0; i < all; i++) right[d][i] = votes[d * all + i] > 0;
done:
    mem_free(neighbours);
    mem_free(votes);
    return status;
}
