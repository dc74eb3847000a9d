/* A list of ascending numbers in few bytes, as in the postings of an inverted index: each number as
 * its distance to the one before, minus 1, in LEB128 (7 bits per byte, the lowest first; the top
 * bit says that more follow). The number before the first is -1.
 *
 * So whatever the bytes are, they list distinct numbers. Reading trusts nothing. */
#ifndef BASE_ASCENDING_H
#define BASE_ASCENDING_H

#include <stddef.h>
#include <stdint.h>

enum { ASCENDING_MOST = 10 }; /* bytes of a number */
#define ASCENDING_START UINT64_MAX

/* Appends NUMBER, which is above BEFORE (ASCENDING_START: it is the first), to OUT. Returns the
 * number of bytes. */
static inline size_t ascending_put(uint8_t *out, uint64_t before, uint64_t number)
{
    uint64_t distance = number - before - 1;
    size_t length = 0;
    for (; distance >= 128; distance >>= 7) out[length++] = (uint8_t)(distance | 128);
    out[length++] = (uint8_t)distance;
    return length;
}

/* Replaces *NUMBER by the number after it (ASCENDING_START: the first) and moves *AT behind its
 * bytes. Returns 0 if these do not end before END, or the number is not below 2^64 - 1. */
static inline int ascending_get(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    uint64_t distance = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint64_t byte = *(*at)++, bits = byte & 127;
        if (bits << shift >> shift != bits) return 0;
        distance |= bits << shift;
        if (byte >= 128) continue;
        *number += 1 + distance; /* from the start: distance */
        return *number >= distance && *number != ASCENDING_START;
    }
    return 0;
}

#endif
