/* A compact immutable set of numbers below 2^bits, each with its position 0, 1, 2, ...
 *
 * A number is mixed by a permutation of all numbers of that many bits, so that it looks random and
 * can be restored. Its upper bits choose a bucket; the lower bits are stored, in ascending order
 * inside the bucket. A bucket is as long as its size says (U8). A set of a million numbers of 34
 * bits takes 2.3 bytes each, where a hash table takes 16 to 32.
 *
 * In a file the set is two arrays, checked when it is opened: `sizes` and `rest`. */
#ifndef BASE_KEYSET_H
#define BASE_KEYSET_H

#include "base/safetensors.h"

#define KEYSET_NONE UINT32_MAX

struct keyset {
    unsigned bits;        /* of a number: at most 64 */
    unsigned bucket_bits; /* 0 .. 28 */
    unsigned width;       /* bytes of an entry of `rest`: 2, 4 or 8 */
    uint32_t count;
    const uint8_t *sizes; /* of the buckets */
    const void *rest;     /* lower bits, by position */
    uint32_t *first;      /* by bucket, and one more: its first position; from `sizes` */
    uint8_t *own_sizes;   /* of a set built here; NULL: mapped */
    void *own_rest;
};

void keyset_free(struct keyset *set);

/* Builds a set of COUNT numbers below 2^BITS; equal ones count once. POSITION (count; may be NULL)
 * receives the position of each. */
film_status keyset_build(struct keyset *set, const uint64_t *numbers, size_t count, unsigned bits,
                         uint32_t *position, film_error *error);

/* Returns the position of a number, or KEYSET_NONE. */
uint32_t keyset_find(const struct keyset *set, uint64_t number);

/* Fetches what keyset_find reads of a set that is not empty: first the bucket (STEP 0), then its
 * entries. */
void keyset_prefetch(const struct keyset *set, uint64_t number, int step);

/* Returns the number at a position. */
uint64_t keyset_at(const struct keyset *set, uint32_t position);
/* The same, mixed; POSITION is in BUCKET. */
uint64_t keyset_mixed_at(const struct keyset *set, uint32_t bucket, uint32_t position);

static inline uint64_t keyset_mask(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* The permutation of the numbers below 2^BITS. Shifts by half of the bits, rounded up, and odd
 * factors can be undone. */
static inline uint64_t keyset_mix(unsigned bits, uint64_t x)
{
    uint64_t mask = keyset_mask(bits);
    unsigned half = (bits + 1) / 2;
    x ^= x >> half;
    x = x * 0xbf58476d1ce4e5b9u & mask;
    x ^= x >> half;
    x = x * 0x94d049bb133111ebu & mask;
    return x ^ x >> half;
}

/* The number of bits that numbers below COUNT need. */
unsigned keyset_bits(uint64_t count);

/* The type of `rest` in a file. */
enum safetensors_type keyset_type(const struct keyset *set);

/* Checks and uses the arrays of a file. NAME is for messages. */
film_status keyset_map(struct keyset *set, const struct safetensors_tensor *sizes,
                       const struct safetensors_tensor *rest, unsigned bits, const char *name,
                       film_error *error);

#endif
