/* A compact set of numbers: mixed by a permutation, sorted into buckets, the upper bits implied by
 * the bucket. It is built once and cannot change. */
#include "base/keyset.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { MOST_BUCKET_BITS = 28, LONGEST_BUCKET = 255 };

/* ---- The permutation ---- */

/* The inverses, modulo 2^64 and therefore any 2^bits, of the factors of keyset_mix. */
static const uint64_t inverse[2] = {0x96de1b173f119089u, 0x319642b2d24d8ec3u};

static uint64_t unmix(const struct keyset *set, uint64_t x)
{
    uint64_t mask = keyset_mask(set->bits);
    unsigned half = (set->bits + 1) / 2;
    x ^= x >> half;
    x = x * inverse[1] & mask;
    x ^= x >> half;
    x = x * inverse[0] & mask;
    return x ^ x >> half;
}

unsigned keyset_bits(uint64_t count)
{
    unsigned bits = 1;
    while (bits < 64 && count - 1 > keyset_mask(bits)) bits++;
    return bits;
}

/* ---- Looking up ---- */

static unsigned rest_bits(const struct keyset *set)
{
    return set->bits - set->bucket_bits;
}

static uint64_t rest_at(const struct keyset *set, uint32_t position)
{
    if (set->width == 2) return ((const uint16_t *)set->rest)[position];
    if (set->width == 4) return ((const uint32_t *)set->rest)[position];
    return ((const uint64_t *)set->rest)[position];
}

static uint32_t bucket_of(const struct keyset *set, uint64_t mixed)
{
    return set->bucket_bits ? (uint32_t)(mixed >> rest_bits(set)) : 0;
}

/* ---- Inside a bucket ----
 *
 * A bucket has few entries, but nobody can predict how many precede the wanted one: all of them are
 * compared at once. */

enum { TWO_BYTES = 16, FOUR_BYTES = 8 }; /* entries compared at once */

#ifdef __SSE2__
/* A bit for each of the entries from ENTRY on that equals REST. */
static inline unsigned equal_entries(const void *entry, unsigned width, uint64_t rest)
{
    __m128i low = _mm_loadu_si128(entry), high = _mm_loadu_si128((const __m128i *)entry + 1);
    if (width == 2) {
        __m128i wanted = _mm_set1_epi16((short)rest);
        low = _mm_packs_epi16(_mm_cmpeq_epi16(low, wanted), _mm_cmpeq_epi16(high, wanted));
        return (unsigned)_mm_movemask_epi8(low);
    }
    __m128i wanted = _mm_set1_epi32((int)rest);
    low = _mm_packs_epi32(_mm_cmpeq_epi32(low, wanted), _mm_cmpeq_epi32(high, wanted));
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, _mm_setzero_si128()));
}
#else
static inline unsigned equal_entries(const void *entry, unsigned width, uint64_t rest)
{
    unsigned found = 0;
    for (unsigned i = 0; i < (width == 2 ? TWO_BYTES : FOUR_BYTES); i++)
        found |= (unsigned)((width == 2 ? ((const uint16_t *)entry)[i]
                                        : ((const uint32_t *)entry)[i]) == rest)
                 << i;
    return found;
}
#endif

/* Returns the position of REST among entries FROM .. END, or KEYSET_NONE. */
static uint32_t find_slowly(const struct keyset *set, uint32_t from, uint32_t end, uint64_t rest)
{
    for (; from < end; from++)
        if (rest_at(set, from) == rest) return from;
    return KEYSET_NONE;
}

static inline __attribute__((always_inline)) uint32_t find_entry(const struct keyset *set,
                                                                 unsigned width, uint32_t from,
                                                                 uint32_t end, uint64_t rest)
{
    uint32_t step = width == 2 ? TWO_BYTES : FOUR_BYTES, size = end - from;
    if (width > 4 || size > step || set->count - from < step)
        return find_slowly(set, from, end, rest);
    const char *entries = set->rest;
    unsigned found = equal_entries(entries + (size_t)from * width, width, rest) &
                     (unsigned)(((uint64_t)1 << size) - 1);
    return found ? from + (uint32_t)__builtin_ctz(found) : KEYSET_NONE;
}

uint32_t keyset_find(const struct keyset *set, uint64_t number)
{
    if (!set->count || number > keyset_mask(set->bits)) return KEYSET_NONE;
    uint64_t mixed = keyset_mix(set->bits, number), rest = mixed & keyset_mask(rest_bits(set));
    uint32_t bucket = bucket_of(set, mixed);
    uint32_t from = set->first[bucket], end = set->first[bucket + 1];
    return set->width == 2   ? find_entry(set, 2, from, end, rest)
           : set->width == 4 ? find_entry(set, 4, from, end, rest)
                             : find_slowly(set, from, end, rest);
}

void keyset_prefetch(const struct keyset *set, uint64_t number, int step)
{
    const uint32_t *first = set->first + bucket_of(set, keyset_mix(set->bits, number));
    if (step)
        __builtin_prefetch((const char *)set->rest + (size_t)*first * set->width);
    else
        __builtin_prefetch(first);
}

uint64_t keyset_mixed_at(const struct keyset *set, uint32_t bucket, uint32_t position)
{
    uint64_t upper = set->bucket_bits ? (uint64_t)bucket << rest_bits(set) : 0;
    return upper | rest_at(set, position);
}

uint64_t keyset_at(const struct keyset *set, uint32_t position)
{
    uint32_t low = 0, high = (uint32_t)1 << set->bucket_bits;
    while (high - low > 1) { /* the last bucket that begins at or before the position */
        uint32_t middle = low + (high - low) / 2;
        if (set->first[middle] <= position)
            low = middle;
        else
            high = middle;
    }
    return unmix(set, keyset_mixed_at(set, low, position));
}

void keyset_free(struct keyset *set)
{
    mem_free(set->first);
    mem_free(set->own_sizes);
    mem_free(set->own_rest);
    memset(set, 0, sizeof *set);
}

/* ---- Building ---- */

static unsigned width_of(unsigned bits)
{
    return bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/* The number of buckets with the smallest arrays, at 1/2 to 8 numbers in each. */
static unsigned choose_buckets(size_t count, unsigned bits)
{
    unsigned best = 0;
    size_t least = SIZE_MAX;
    for (unsigned b = 0; b <= MOST_BUCKET_BITS && b < bits; b++) {
        size_t buckets = (size_t)1 << b, size = count * width_of(bits - b) + buckets;
        if (buckets / 2 > count || (count / 8 > buckets && b + 1 < bits) || size > least) continue;
        best = b;
        least = size;
    }
    return best;
}

/* A number on its way to its position. */
struct keyset_entry {
    uint64_t mixed;
    uint32_t index;
};

static int by_mixed(const void *a, const void *b)
{
    uint64_t x = ((const struct keyset_entry *)a)->mixed,
             y = ((const struct keyset_entry *)b)->mixed;
    return (x > y) - (x < y);
}

static void store_rest(struct keyset *set, uint32_t position, uint64_t rest)
{
    if (set->width == 2)
        ((uint16_t *)set->own_rest)[position] = (uint16_t)rest;
    else if (set->width == 4)
        ((uint32_t *)set->own_rest)[position] = (uint32_t)rest;
    else
        ((uint64_t *)set->own_rest)[position] = rest;
}

/* Computes where each bucket begins. Returns the number of entries. */
static uint64_t sum_sizes(struct keyset *set)
{
    uint64_t sum = 0;
    for (uint32_t b = 0; b < (uint32_t)1 << set->bucket_bits; b++) {
        set->first[b] = (uint32_t)sum;
        sum += set->sizes[b];
    }
    set->first[(size_t)1 << set->bucket_bits] = (uint32_t)sum;
    return sum;
}

/* Fills the arrays from sorted entries; equal numbers share a position. Returns 0 if a bucket has
 * too many. */
static int fill_buckets(struct keyset *set, const struct keyset_entry *entries, size_t count,
                        uint32_t *position)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || entries[i].mixed != entries[i - 1].mixed) {
            uint32_t bucket = bucket_of(set, entries[i].mixed);
            if (set->own_sizes[bucket] == LONGEST_BUCKET) return 0;
            set->own_sizes[bucket]++;
            store_rest(set, set->count++, entries[i].mixed & keyset_mask(rest_bits(set)));
        }
        if (position) position[entries[i].index] = set->count - 1;
    }
    sum_sizes(set);
    return 1;
}

film_status keyset_build(struct keyset *set, const uint64_t *numbers, size_t count, unsigned bits,
                         uint32_t *position, film_error *error)
{
    film_status status = FILM_OK;
    unsigned b = choose_buckets(count, bits);
    struct keyset_entry *entries = mem_array(count + 1, sizeof *entries);
    *set = (struct keyset){.bits = bits, .bucket_bits = b, .width = width_of(bits - b)};
    TRY_ALLOC(entries, error);
    if (count >= KEYSET_NONE) TRY(status_set(error, FILM_USAGE, "more than 4 billion keys"));
    TRY_ALLOC(set->own_sizes = mem_zeroed((size_t)1 << b, 1), error);
    TRY_ALLOC(set->own_rest = mem_array(count + 1, set->width), error);
    TRY_ALLOC(set->first = mem_array(((size_t)1 << b) + 1, sizeof *set->first), error);
    set->sizes = set->own_sizes;
    set->rest = set->own_rest;
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct keyset_entry){keyset_mix(set->bits, numbers[i]), (uint32_t)i};
    qsort(entries, count, sizeof *entries, by_mixed);
    if (!fill_buckets(set, entries, count, position))
        TRY(status_set(error, FILM_USAGE, "more than %d keys with one hash", LONGEST_BUCKET));
done:
    mem_free(entries);
    if (status != FILM_OK) keyset_free(set);
    return status;
}

/* ---- Files ---- */

enum safetensors_type keyset_type(const struct keyset *set)
{
    return set->width == 2 ? SAFETENSORS_U16 : set->width == 4 ? SAFETENSORS_U32 : SAFETENSORS_U64;
}

/* Returns the first bucket whose entries do not rise, or are too large; the number of buckets if
 * there is none. */
static uint32_t find_unsorted(const struct keyset *set)
{
    uint32_t buckets = (uint32_t)1 << set->bucket_bits;
    uint64_t most = keyset_mask(rest_bits(set));
    for (uint32_t b = 0; b < buckets; b++)
        for (uint32_t i = set->first[b]; i < set->first[b + 1]; i++)
            if (rest_at(set, i) > most ||
                (i > set->first[b] && rest_at(set, i) <= rest_at(set, i - 1)))
                return b;
    return buckets;
}

film_status keyset_map(struct keyset *set, const struct safetensors_tensor *sizes,
                       const struct safetensors_tensor *rest, unsigned bits, const char *name,
                       film_error *error)
{
    film_status status = FILM_OK;
    unsigned b = 0;
    uint64_t buckets = sizes->shape[0], count = rest->shape[0];
    while (b < MOST_BUCKET_BITS && (uint64_t)1 << b < buckets) b++;
    *set = (struct keyset){.bits = bits,
                           .bucket_bits = b,
                           .width = (unsigned)safetensors_type_size(rest->type),
                           .sizes = sizes->data,
                           .rest = rest->data};
    if ((uint64_t)1 << b != buckets || b >= bits || count >= KEYSET_NONE ||
        set->width != width_of(bits - b))
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: key set: %llu buckets do not fit numbers of %u bits; the file is "
                       "damaged",
                       name, (unsigned long long)buckets, bits));
    TRY_ALLOC(set->first = mem_array((size_t)buckets + 1, sizeof *set->first), error);
    if (sum_sizes(set) != count)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: key set: the buckets do not cover %llu keys; the file is damaged", name,
                       (unsigned long long)count));
    set->count = (uint32_t)count;
    uint32_t bad = find_unsorted(set);
    if (bad < buckets)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: key set: bucket %u is not in ascending order; the file is damaged",
                       name, bad));
done:
    if (status != FILM_OK) keyset_free(set);
    return status;
}
