/* Small values of numbers, arranged for speed: a look-up reads one cache line.
 *
 * A number is mixed by a permutation of all numbers of that many bits, so that it looks random and
 * can be restored. Its upper bits choose a bucket of eight slots; a slot has its lower bits and the
 * value. Where a bucket is full, the number is in one of the next fifteen. */
#ifndef BASE_KEYSLOTS_H
#define BASE_KEYSLOTS_H

#include <stddef.h>
#include <stdint.h>

enum { KEYSLOTS_BUCKET = 8, KEYSLOTS_MOST_BITS = 56 };

struct keyslots {
    unsigned bits;    /* of a number: at most KEYSLOTS_MOST_BITS */
    unsigned shift;   /* mixed >> shift: the bucket */
    size_t places;    /* the number of slots */
    uint32_t *narrow; /* slots of 24 + 8 bits, or NULL: */
    uint64_t *wide;   /* slots of 56 + 8 bits */
};

/* Makes room for COUNT numbers below 2^BITS. Returns NULL without memory. */
struct keyslots *keyslots_new(unsigned bits, size_t count);
void keyslots_free(struct keyslots *slots);

/* Stores the values of COUNT numbers that have none yet; 0 is the value of all others. Returns how
 * many it stored: fewer where sixteen buckets are full, which does not happen to numbers that
 * nobody chose. */
size_t keyslots_put(struct keyslots *slots, const uint64_t *numbers, const int8_t *values,
                    size_t count);

/* Returns the value at a place below `places`, and the number; 0: the place is empty. */
int keyslots_at(const struct keyslots *slots, size_t place, uint64_t *number);

/* The number of bits that numbers below COUNT need. */
unsigned keyslots_bits(uint64_t count);

static inline uint64_t keyslots_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* The permutation of the numbers below 2^BITS. Shifts by half of the bits, rounded up, and odd
 * factors can be undone. */
static inline uint64_t keyslots_mix(unsigned bits, uint64_t x)
{
    uint64_t mask = keyslots_mask(bits);
    unsigned half = (bits + 1) / 2;
    x ^= x >> half;
    x = x * 0xbf58476d1ce4e5b9u & mask;
    x ^= x >> half;
    x = x * 0x94d049bb133111ebu & mask;
    return x ^ x >> half;
}

/* Mixes a number below 2^bits and fetches its bucket. */
static inline uint64_t keyslots_fetch(const struct keyslots *slots, uint64_t number)
{
    uint64_t mixed = keyslots_mix(slots->bits, number);
    size_t at = (size_t)(mixed >> slots->shift) * KEYSLOTS_BUCKET;
    if (slots->narrow)
        __builtin_prefetch(slots->narrow + at);
    else
        __builtin_prefetch(slots->wide + at);
    return mixed;
}

/* Returns the value of a number that keyslots_fetch mixed. */
int keyslots_value(const struct keyslots *slots, uint64_t mixed);
/* OUT[i] = FACTOR times the value of each of COUNT numbers that were mixed. */
void keyslots_scale(const struct keyslots *slots, const uint64_t *mixed, size_t count, float factor,
                    float *out);

#endif
