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

film_status categories_vote(const struct flat_share *sentences, const uint32_t *category,
                            int threads, const film_progress *progress,
                            unsigned char *right[CATEGORIES_DEPTHS],
                            const struct categories_winners *winners, film_error *error)
{
    film_status status = FILM_OK;
    size_t mine = sentences->mine.count, all = mine;
    /* COLUMNS x all, 0 where another process has the sentence. For each depth: 1 where the winner
     * is right. Then the deepest winner + 1 (a float holds it exactly) and its votes. */
    enum { WINNER = CATEGORIES_DEPTHS, VOTES, COLUMNS };
    float *votes = NULL;
    uint32_t *neighbours = mem_array(mine, MOST * sizeof *neighbours);
    TRY_ALLOC(neighbours, error);
    TRY(comm_sum_counts(sentences->comm, &all, 1, error));
    TRY_ALLOC(votes = mem_zeroed(all, COLUMNS * sizeof *votes), error);
    TRY(flat_share_search(sentences, MOST, threads, progress, neighbours, error));
    for (size_t i = 0; i < mine; i++)
        for (size_t d = 0; d < CATEGORIES_DEPTHS; d++) {
            uint32_t number = flat_share_number(sentences, i);
            size_t most;
            uint32_t winner = vote(neighbours + i * MOST, categories_depth[d], category, &most);
            votes[d * all + number] = most > 0 && winner == category[number];
            votes[WINNER * all + number] = most > 0 ? (float)winner + 1 : 0;
            votes[VOTES * all + number] = (float)most;
        }
    TRY(comm_sum_float(sentences->comm, votes, COLUMNS * all, error));
    for (size_t d = 0; d < CATEGORIES_DEPTHS; d++)
        for (size_t i = 0; i < all; i++) right[d][i] = votes[d * all + i] > 0;
    for (size_t i = 0; i < all; i++) {
        float winner = votes[WINNER * all + i];
        winners->category[i] = winner > 0 ? (uint32_t)winner - 1 : FLAT_NONE;
        winners->votes[i] = (unsigned char)votes[VOTES * all + i];
    }
done:
    mem_free(neighbours);
    mem_free(votes);
    return status;
}
