/* Looks up the known matches of a record. learn/known_matches_build.c collects them, and match.c
 * compares them. */
#include "pair/known_matches.h"
#include "base/mem.h"

#include <string.h>

void known_matches_free(struct known_matches *matches)
{
    mem_free(matches->own_keys);
    mem_free(matches->own_offsets);
    mem_free(matches->own_first);
    mem_free(matches->own_list);
    mem_free(matches->own_bytes);
    memset(matches, 0, sizeof *matches);
}

size_t known_matches_find(const struct known_matches *matches, uint64_t hash)
{
    size_t low = 0, high = matches->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (matches->keys[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < matches->count && matches->keys[low] == hash ? low : matches->count;
}

size_t known_matches_cluster(const struct known_matches *matches, size_t record, uint32_t *found)
{
    size_t count = 0;
    for (size_t next = 0; next <= count && count < KNOWN_MATCHES_MOST; next++) {
        size_t from = next ? found[next - 1] : record;
        uint64_t end = matches->first[from + 1];
        for (uint64_t i = matches->first[from]; i < end && count < KNOWN_MATCHES_MOST; i++) {
            uint32_t other = matches->list[i];
            size_t known = 0;
            while (known < count && found[known] != other) known++;
            if (known == count && other != record) found[count++] = other;
        }
    }
    return count;
}

film_text known_matches_text(const struct known_matches *matches, size_t record)
{
    const uint64_t *at = matches->offsets + record;
    return (film_text){matches->bytes + at[0], (size_t)(at[1] - at[0])};
}
