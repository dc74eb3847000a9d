/* Sorts arrays of ids: insertion sort for short arrays, byte-wise radix sort for long ones. */
#include "base/sort.h"

#include <string.h>

/* The arrays are the features of a sentence: a dozen words (insertion sort is fastest) or hundreds
 * of character n-grams (radix sort, which skips bytes that are all equal). */
enum { INSERTION_LIMIT = 40 };

static void insertion(uint32_t *ids, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t id = ids[i];
        size_t j = i;
        for (; j > 0 && ids[j - 1] > id; j--) ids[j] = ids[j - 1];
        ids[j] = id;
    }
}

static void radix_pass(const uint32_t *from, uint32_t *to, size_t count, unsigned shift)
{
    size_t start[257] = {0};
    for (size_t i = 0; i < count; i++) start[((from[i] >> shift) & 255) + 1]++;
    for (size_t b = 1; b < 257; b++) start[b] += start[b - 1];
    for (size_t i = 0; i < count; i++) to[start[(from[i] >> shift) & 255]++] = from[i];
}

void sort_ids(uint32_t *ids, uint32_t *scratch, size_t count)
{
    if (count <= INSERTION_LIMIT) {
        insertion(ids, count);
        return;
    }
    uint32_t differs = 0;
    for (size_t i = 1; i < count; i++) differs |= ids[i] ^ ids[0];
    uint32_t *from = ids, *to = scratch;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        if (((differs >> shift) & 255) == 0) continue;
        radix_pass(from, to, count, shift);
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != ids) memcpy(ids, from, count * sizeof *ids);
}
