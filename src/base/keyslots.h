/* The values of a set of numbers (base/keyset.h), arranged for speed: a look-up reads one cache
 * line, where a keyset and an array of values read three.
 *
 * Buckets of eight slots; a slot has the lower bits of the mixed number and the value. A number is
 * in the bucket of its upper bits, or in the next ones while these are full. It takes two to four
 * times the memory of the set. */
#ifndef BASE_KEYSLOTS_H
#define BASE_KEYSLOTS_H

#include "base/keyset.h"

enum { KEYSLOTS_BUCKET = 8 };

struct keyslots {
    unsigned bits;    /* of a number */
    unsigned shift;   /* mixed >> shift: the bucket */
    uint32_t *narrow; /* slots of 24 + 8 bits, or NULL: */
    uint64_t *wide;   /* slots of 56 + 8 bits */
};

/* Makes the slots of SET; VALUES are by position, and 0 is the value of all
 * other numbers. Returns NULL without memory, and for a set whose buckets are too uneven. */
struct keyslots *keyslots_new(const struct keyset *set, const int8_t *values);
void keyslots_free(struct keyslots *slots);

/* Mixes a number below 2^bits of the set and fetches its bucket. */
static inline uint64_t keyslots_fetch(const struct keyslots *slots, uint64_t number)
{
    uint64_t mixed = keyset_mix(slots->bits, number);
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
