/* Hash table from numbers to bytes that are not 0, in buckets of one cache line. Removal is not
 * supported. */
#include "base/keyslots.h"
#include "base/mem.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A slot also has four bits of the bucket: numbers are at most FARTHEST buckets away from theirs.
 * At four numbers per bucket, 3 were too few for 2 of a million numbers; with 15 it does not
 * happen. */
enum { BUCKET = KEYSLOTS_BUCKET, NARROW_BITS = 24, FARTHEST = 15, FARTHEST_BITS = 4 };

/* ---- The permutation ---- */

/* The inverses, modulo 2^64 and therefore any 2^bits, of the factors of keyslots_mix. */
static const uint64_t inverse[2] = {0x96de1b173f119089u, 0x319642b2d24d8ec3u};

static uint64_t unmix(unsigned bits, uint64_t x)
{
    uint64_t mask = keyslots_mask(bits);
    unsigned half = (bits + 1) / 2;
    x ^= x >> half;
    x = x * inverse[1] & mask;
    x ^= x >> half;
    x = x * inverse[0] & mask;
    return x ^ x >> half;
}

unsigned keyslots_bits(uint64_t count)
{
    unsigned bits = 1;
    while (bits < 64 && count - 1 > keyslots_mask(bits)) bits++;
    return bits;
}

/* ---- Building ---- */

struct keyslots *keyslots_new(unsigned bits, size_t count)
{
    unsigned bucket_bits = 0;
    while (bucket_bits < 28 && bucket_bits < bits && count >> bucket_bits > BUCKET / 2)
        bucket_bits++;
    struct keyslots *slots = mem_zeroed(1, sizeof *slots);
    if (!slots) return NULL;
    slots->bits = bits;
    slots->shift = bits - bucket_bits;
    slots->places = (((size_t)1 << bucket_bits) + FARTHEST + 1) * BUCKET;
    int narrow = slots->shift + FARTHEST_BITS <= NARROW_BITS;
    size_t bytes = slots->places * (narrow ? sizeof *slots->narrow : sizeof *slots->wide);
    void *room = mem_aligned(bytes, 1);
    if (narrow)
        slots->narrow = room;
    else
        slots->wide = room;
    if (room) {
        mem_large_pages(room, bytes);
        memset(room, 0, bytes);
        return slots;
    }
    keyslots_free(slots);
    return NULL;
}

void keyslots_free(struct keyslots *slots)
{
    if (!slots) return;
    mem_free_aligned(slots->narrow);
    mem_free_aligned(slots->wide);
    mem_free(slots);
}

/* A bucket is filled from its first slot on, so the slots in use say which is free: counting them
 * has no branch that nobody can predict. Returns 0 if there is no room. */
static int place_value(struct keyslots *slots, uint64_t mixed, int8_t value)
{
    uint64_t slot = mixed << 8 | (uint8_t)value;
    size_t at = (size_t)(mixed >> slots->shift) * BUCKET, end = at + (FARTHEST + 1) * BUCKET;
    for (; at < end; at += BUCKET) {
        unsigned used = 0;
        for (int i = 0; slots->narrow && i < BUCKET; i++)
            used += slots->narrow[at + (size_t)i] != 0;
        for (int i = 0; slots->wide && i < BUCKET; i++) used += slots->wide[at + (size_t)i] != 0;
        if (used == BUCKET) continue;
        if (slots->narrow)
            slots->narrow[at + used] = (uint32_t)slot;
        else
            slots->wide[at + used] = slot;
        return 1;
    }
    return 0;
}

/* In blocks: the buckets of all numbers of a block are fetched before the first is read. */
size_t keyslots_put(struct keyslots *slots, const uint64_t *numbers, const int8_t *values,
                    size_t count)
{
    enum { BLOCK = 64 };
    uint64_t mixed[BLOCK];
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t here = count - first < BLOCK ? count - first : BLOCK;
        for (size_t i = 0; i < here; i++) mixed[i] = keyslots_fetch(slots, numbers[first + i]);
        for (size_t i = 0; i < here; i++)
            if (values[first + i] && !place_value(slots, mixed[i], values[first + i]))
                return first + i;
    }
    return count;
}

int keyslots_at(const struct keyslots *slots, size_t place, uint64_t *number)
{
    uint64_t slot = slots->narrow ? slots->narrow[place] : slots->wide[place], tag = slot >> 8;
    /* The lowest bits of the bucket say which of the last ones is meant. */
    uint64_t bucket = place / BUCKET, away = bucket - (tag >> slots->shift);
    bucket -= away & FARTHEST;
    *number = unmix(slots->bits, bucket << slots->shift | (tag & keyslots_mask(slots->shift)));
    return (int8_t)slot;
}

/* ---- Looking up ---- */

/* All slots of a bucket are compared: nobody can predict which of them it is. The next bucket is
 * looked at where the last slot is taken. */
#ifdef __SSE2__
static inline uint32_t match_narrow(const uint32_t *slot, uint32_t wanted)
{
    const __m128i *four = (const __m128i *)slot;
    __m128i tag = _mm_set1_epi32((int)(wanted >> 8)), a = _mm_load_si128(four),
            b = _mm_load_si128(four + 1);
    __m128i found = _mm_or_si128(_mm_and_si128(_mm_cmpeq_epi32(_mm_srli_epi32(a, 8), tag), a),
                                 _mm_and_si128(_mm_cmpeq_epi32(_mm_srli_epi32(b, 8), tag), b));
    found = _mm_or_si128(found, _mm_unpackhi_epi64(found, found));
    return (uint32_t)_mm_cvtsi128_si32(_mm_or_si128(found, _mm_shuffle_epi32(found, 1)));
}
#else
static inline uint32_t match_narrow(const uint32_t *slot, uint32_t wanted)
{
    uint32_t found = 0;
    for (int i = 0; i < BUCKET; i++) found |= (slot[i] ^ wanted) >> 8 ? 0 : slot[i];
    return found;
}
#endif

static inline int value_narrow(const uint32_t *slot, uint32_t wanted)
{
    uint32_t found = match_narrow(slot, wanted);
    for (int buckets = 0; !found && slot[BUCKET - 1] && buckets < FARTHEST; buckets++)
        found = match_narrow(slot += BUCKET, wanted);
    return (int8_t)found;
}

static int value_wide(const uint64_t *slot, uint64_t wanted)
{
    int buckets = 0;
    do {
        uint64_t found = 0;
        for (int i = 0; i < BUCKET; i++) found |= (slot[i] ^ wanted) >> 8 ? 0 : slot[i];
        if (found) return (int8_t)found;
        slot += BUCKET;
    } while (slot[-1] && ++buckets <= FARTHEST);
    return 0;
}

int keyslots_value(const struct keyslots *slots, uint64_t mixed)
{
    size_t at = (size_t)(mixed >> slots->shift) * BUCKET;
    return slots->narrow ? value_narrow(slots->narrow + at, (uint32_t)(mixed << 8))
                         : value_wide(slots->wide + at, mixed << 8);
}

void keyslots_scale(const struct keyslots *slots, const uint64_t *mixed, size_t count, float factor,
                    float *out)
{
    const uint32_t *narrow = slots->narrow;
    unsigned shift = slots->shift;
    for (size_t i = 0; narrow && i < count; i++)
        out[i] = factor * (float)value_narrow(narrow + (size_t)(mixed[i] >> shift) * BUCKET,
                                              (uint32_t)(mixed[i] << 8));
    for (size_t i = 0; !narrow && i < count; i++)
        out[i] = factor * (float)keyslots_value(slots, mixed[i]);
}
