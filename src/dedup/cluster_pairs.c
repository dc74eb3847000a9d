/* Scored pairs as sorted adjacency rows (CSR), so that the mean between two clusters is computed
 * quickly. It does not score. */
#include "base/mem.h"
#include "dedup/cluster.h"

#include <string.h>

/* Rows are short (tens): insertion sort. */
static void sort_row(uint32_t *other, float *probability, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t id = other[i];
        float value = probability[i];
        size_t at = i;
        for (; at > 0 && other[at - 1] > id; at--) {
            other[at] = other[at - 1];
            probability[at] = probability[at - 1];
        }
        other[at] = id;
        probability[at] = value;
    }
}

film_status cluster_pairs_make(struct cluster_pairs *out, const struct cluster_pair *pairs,
                               size_t pair_count, uint32_t items, film_error *error)
{
    film_status status = FILM_OK;
    *out = (struct cluster_pairs){.count = items};
    TRY_ALLOC(out->start = mem_zeroed((size_t)items + 2, sizeof *out->start), error);
    TRY_ALLOC(out->other = mem_array(pair_count, sizeof *out->other), error);
    TRY_ALLOC(out->probability = mem_array(pair_count, sizeof *out->probability), error);
    uint64_t *start = out->start;
    for (size_t i = 0; i < pair_count; i++) start[pairs[i].a + 2]++;
    for (size_t i = 2; i < (size_t)items + 2; i++) start[i] += start[i - 1];
    for (size_t i = 0; i < pair_count; i++) {
        uint64_t at = start[pairs[i].a + 1]++;
        out->other[at] = pairs[i].b;
        out->probability[at] = pairs[i].probability;
    }
    for (uint32_t i = 0; i < items; i++)
        sort_row(out->other + start[i], out->probability + start[i],
                 (size_t)(start[i + 1] - start[i]));
done:
    if (status != FILM_OK) cluster_pairs_free(out);
    return status;
}

void cluster_pairs_free(struct cluster_pairs *pairs)
{
    mem_free(pairs->start);
    mem_free(pairs->other);
    mem_free(pairs->probability);
    memset(pairs, 0, sizeof *pairs);
}

int cluster_pairs_find(const struct cluster_pairs *pairs, uint32_t a, uint32_t b,
                       float *probability)
{
    uint64_t low = pairs->start[a], high = pairs->start[a + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (pairs->other[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == pairs->start[a + 1] || pairs->other[low] != b) return 0;
    *probability = pairs->probability[low];
    return 1;
}
