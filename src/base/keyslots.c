/* Slots of the numbers of a keyset with their values, in memory only: built in one pass, because a
 * keyset is sorted by mixed numbers, which are also the order of the buckets. */
#include "base/keyslots.h"
#include "base/mem.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A slot also has two bits of the bucket: numbers are at most FARTHEST buckets away from theirs. */
enum { BUCKET = KEYSLOTS_BUCKET, NARROW_BITS = 24, FARTHEST = 3, FARTHEST_BITS = 2 };

void keyslots_free(struct keyslots *slots)
{
    if (!slots) return;
    mem_free_aligned(slots->narrow);
    mem_free_aligned(slots->wide);
    mem_free(slots);
}

/* Places all numbers. Returns 0 if one is too far from its bucket. */
static int fill_slots(struct keyslots *slots, const struct keyset *set, const int8_t *values)
{
    size_t at = 0;
    for (uint32_t b = 0; set->count && b < (uint32_t)1 << set->bucket_bits; b++)
        for (uint32_t i = set->first[b]; i < set->first[b + 1]; i++) {
            uint64_t mixed = keyset_mixed_at(set, b, i), value = (uint8_t)values[i];
            size_t home = (size_t)(mixed >> slots->shift) * BUCKET;
            if (!value) continue;
            if (at < home) at = home;
            if (at >= home + (FARTHEST + 1) * BUCKET) return 0;
            if (slots->narrow)
                slots->narrow[at++] = (uint32_t)(mixed << 8 | value);
            else
                slots->wide[at++] = mixed << 8 | value;
        }
    return 1;
}

struct keyslots *keyslots_new(const struct keyset *set, const int8_t *values)
{
    unsigned bucket_bits = 0;
    while (bucket_bits < 28 && bucket_bits < set->bits && set->count >> bucket_bits > BUCKET / 2)
        bucket_bits++;
    unsigned rest = set->bits - bucket_bits;
    if (rest > 63 || set->bits > 56) return NULL;
    struct keyslots *slots = mem_zeroed(1, sizeof *slots);
    if (!slots) return NULL;
    slots->bits = set->bits;
    slots->shift = rest;
    size_t count = (((size_t)1 << bucket_bits) + FARTHEST + 1) * BUCKET;
    int narrow = rest + FARTHEST_BITS <= NARROW_BITS;
    size_t bytes = count * (narrow ? sizeof *slots->narrow : sizeof *slots->wide);
    void *room = mem_aligned(bytes, 1);
    if (narrow)
        slots->narrow = room;
    else
        slots->wide = room;
    if (room) {
        mem_large_pages(room, bytes);
        memset(room, 0, bytes);
    }
    if (room && fill_slots(slots, set, values)) return slots;
    keyslots_free(slots);
    return NULL;
}

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
