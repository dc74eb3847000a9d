/* Hash table from strings to dense ids, built string by string or from those of a file. Removal is
 * not supported. */
#include "base/strtab.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/varint.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_SLOTS = 64 };

uint64_t strtab_hash(const char *bytes, size_t length)
{
    return XXH3_64bits(bytes, length);
}

static uint64_t hash_of(const struct strtab *table, const char *bytes, size_t length)
{
    return XXH3_64bits_withSeed(bytes, length, table->seed); /* seed 0: strtab_hash */
}

film_status strtab_init(struct strtab *table, film_error *error)
{
    memset(table, 0, sizeof *table);
    table->seed = rng_entropy();
    table->own_slots = mem_zeroed(FIRST_SLOTS, sizeof *table->own_slots);
    table->own_offsets = mem_array(16, sizeof *table->own_offsets);
    table->own_bytes = mem_array(256, 1);
    if (!table->own_slots || !table->own_offsets || !table->own_bytes) {
        strtab_free(table);
        return status_no_memory(error);
    }
    table->own_offsets[0] = 0;
    table->offsets_capacity = 16;
    table->bytes_capacity = 256;
    table->slot_mask = FIRST_SLOTS - 1;
    table->bytes = table->own_bytes;
    table->offsets = table->own_offsets;
    return FILM_OK;
}

static void quick_free(struct strtab_quick *quick);

void strtab_free(struct strtab *table)
{
    mem_free(table->own_bytes);
    mem_free(table->own_offsets);
    mem_free(table->own_slots);
    quick_free(table->quick);
    memset(table, 0, sizeof *table);
}

film_text strtab_get(const struct strtab *table, uint32_t id)
{
    if (id >= table->count) return (film_text){"", 0};
    return (film_text){table->bytes + table->offsets[id],
                       (size_t)(table->offsets[id + 1] - table->offsets[id])};
}

/* Linear probing. Returns the slot that holds the string, or an empty one: at least half are. */
static uint32_t find_slot(const struct strtab *table, const char *bytes, size_t length,
                          uint64_t hash, uint32_t *id)
{
    uint32_t tag = (uint32_t)(hash >> 32), slot = (uint32_t)hash & table->slot_mask;
    *id = STRTAB_NONE;
    for (;; slot = (slot + 1) & table->slot_mask) {
        uint64_t entry = table->own_slots[slot];
        if (entry == 0) return slot;
        if ((uint32_t)(entry >> 32) != tag) continue;
        film_text have = strtab_get(table, (uint32_t)entry - 1);
        if (have.length == length && memcmp(have.bytes, bytes, length) == 0) {
            *id = (uint32_t)entry - 1;
            return slot;
        }
    }
}

/* ---- Short strings ---- */

enum { SHORT_MOST = 7, QUICK_MOST = 15 };

/* Two hash tables whose keys are the strings themselves, of 1 to 7 and of 8 to 15 bytes: linear
 * probing, at most half full, a random seed. */
struct strtab_quick {
    uint64_t seed;
    unsigned shift, long_shift; /* 64 - the bits of a slot's number */
    uint32_t mask, long_mask;
    struct quick_slot {
        uint64_t key; /* 0: empty */
        uint32_t id;
    } * slots;
    struct long_slot {
        uint64_t key[2]; /* the second is 0: empty */
        uint32_t id;
    } * longer;
};

/* The bytes of a string of 1 to 7 bytes, and its length. */
static uint64_t quick_key(const char *bytes, size_t length)
{
    uint64_t key = (uint64_t)length << 56;
    if (length >= 4) { /* two halves that may overlap */
        uint32_t low, high;
        memcpy(&low, bytes, 4);
        memcpy(&high, bytes + length - 4, 4);
        return key | low | (uint64_t)high << 8 * (length - 4);
    }
    return key | (uint64_t)(unsigned char)bytes[0] |
           (uint64_t)(unsigned char)bytes[length / 2] << 8 * (length / 2) |
           (uint64_t)(unsigned char)bytes[length - 1] << 8 * (length - 1);
}

static uint32_t first_quick_slot(const struct strtab_quick *quick, uint64_t key)
{
    return (uint32_t)((key ^ quick->seed) * 0x9e3779b97f4a7c15u >> quick->shift);
}

static struct quick_slot *quick_slot(const struct strtab_quick *quick, uint64_t key)
{
    uint32_t slot = first_quick_slot(quick, key);
    while (quick->slots[slot].key && quick->slots[slot].key != key) slot = (slot + 1) & quick->mask;
    return &quick->slots[slot];
}

/* The bytes of a string of 8 to 15 bytes, and its length. */
static void long_key(const char *bytes, size_t length, uint64_t key[2])
{
    memcpy(&key[0], bytes, 8);
    memcpy(&key[1], bytes + length - 8, 8);
    /* Two shifts: the bytes that are in both, which may be all. */
    key[1] = (key[1] >> 4 * (16 - length) >> 4 * (16 - length)) | (uint64_t)length << 56;
}

static uint32_t first_long_slot(const struct strtab_quick *quick, const uint64_t key[2])
{
    uint64_t mixed = (key[0] ^ quick->seed) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(((mixed ^ mixed >> 32) + key[1]) * 0x9e3779b97f4a7c15u >> quick->long_shift);
}

static struct long_slot *long_slot(const struct strtab_quick *quick, const uint64_t key[2])
{
    uint32_t slot = first_long_slot(quick, key);
    while (quick->longer[slot].key[1] &&
           (quick->longer[slot].key[0] != key[0] || quick->longer[slot].key[1] != key[1]))
        slot = (slot + 1) & quick->long_mask;
    return &quick->longer[slot];
}

static void quick_free(struct strtab_quick *quick)
{
    if (!quick) return;
    mem_free(quick->slots);
    mem_free(quick->longer);
    mem_free(quick);
}

/* Enters a string that is not there yet. */
static void enter_quick(struct strtab_quick *quick, film_text text, uint32_t id)
{
    uint64_t key[2];
    if (!text.length || text.length > QUICK_MOST) return;
    if (text.length <= SHORT_MOST) {
        key[0] = quick_key(text.bytes, text.length);
        struct quick_slot *slot = quick_slot(quick, key[0]);
        if (!slot->key) *slot = (struct quick_slot){key[0], id};
    } else {
        long_key(text.bytes, text.length, key);
        struct long_slot *slot = long_slot(quick, key);
        if (!slot->key[1]) *slot = (struct long_slot){{key[0], key[1]}, id};
    }
}

/* The bits of the number of a slot, for at most half of the slots. */
static unsigned slot_bits(uint32_t count)
{
    unsigned bits = 1;
    while ((uint64_t)1 << bits < 2 * (uint64_t)count) bits++;
    return bits;
}

film_status strtab_quicken(struct strtab *table, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t count[2] = {0};
    for (uint32_t id = 0; id < table->count; id++) {
        size_t length = strtab_get(table, id).length;
        if (length && length <= QUICK_MOST) count[length > SHORT_MOST]++;
    }
    unsigned bits[2] = {slot_bits(count[0]), slot_bits(count[1])};
    struct strtab_quick *quick = mem_zeroed(1, sizeof *quick);
    TRY_ALLOC(quick, error);
    quick->seed = rng_entropy();
    quick->shift = 64 - bits[0];
    quick->long_shift = 64 - bits[1];
    quick->mask = (uint32_t)(((uint64_t)1 << bits[0]) - 1);
    quick->long_mask = (uint32_t)(((uint64_t)1 << bits[1]) - 1);
    TRY_ALLOC(quick->slots = mem_zeroed((size_t)quick->mask + 1, sizeof *quick->slots), error);
    TRY_ALLOC(quick->longer = mem_zeroed((size_t)quick->long_mask + 1, sizeof *quick->longer),
              error);
    for (uint32_t id = 0; id < table->count; id++) enter_quick(quick, strtab_get(table, id), id);
    quick_free(table->quick);
    table->quick = quick;
done:
    if (status != FILM_OK) quick_free(quick);
    return status;
}

void strtab_prefetch(const struct strtab *table, const char *bytes, size_t length)
{
    const struct strtab_quick *quick = table->quick;
    uint64_t key[2];
    if (quick && length - 1 < SHORT_MOST) {
        __builtin_prefetch(quick->slots + first_quick_slot(quick, quick_key(bytes, length)));
    } else if (quick && length - 1 < QUICK_MOST) {
        long_key(bytes, length, key);
        __builtin_prefetch(quick->longer + first_long_slot(quick, key));
    } else if (table->own_slots) {
        __builtin_prefetch(table->own_slots +
                           ((uint32_t)hash_of(table, bytes, length) & table->slot_mask));
    }
}

uint32_t strtab_find(const struct strtab *table, const char *bytes, size_t length)
{
    if (table->quick && length - 1 < SHORT_MOST) {
        const struct quick_slot *slot = quick_slot(table->quick, quick_key(bytes, length));
        return slot->key ? slot->id : STRTAB_NONE;
    }
    if (table->quick && length - 1 < QUICK_MOST) {
        uint64_t key[2];
        long_key(bytes, length, key);
        const struct long_slot *slot = long_slot(table->quick, key);
        return slot->key[1] ? slot->id : STRTAB_NONE;
    }
    uint32_t id;
    if (!table->own_slots) return STRTAB_NONE;
    find_slot(table, bytes, length, hash_of(table, bytes, length), &id);
    return id < table->count ? id : STRTAB_NONE;
}

/* The slots store only half of the hash, so growing hashes the strings again. */
static int refill_slots(struct strtab *table, size_t slots)
{
    uint64_t *larger = mem_zeroed(slots, sizeof *larger);
    if (!larger) return 0;
    uint32_t mask = (uint32_t)(slots - 1);
    for (uint32_t id = 0; id < table->count; id++) {
        film_text text = strtab_get(table, id);
        uint64_t hash = hash_of(table, text.bytes, text.length);
        uint32_t slot = (uint32_t)hash & mask;
        while (larger[slot]) slot = (slot + 1) & mask;
        larger[slot] = (hash >> 32 << 32) | (id + 1);
    }
    mem_free(table->own_slots);
    table->own_slots = larger;
    table->slot_mask = mask;
    return 1;
}

static int grow_slots(struct strtab *table)
{
    if (table->slot_mask >= UINT32_MAX / 2) return 0;
    return refill_slots(table, ((size_t)table->slot_mask + 1) * 2);
}

film_status strtab_add(struct strtab *table, const char *bytes, size_t length, uint32_t *id,
                       film_error *error)
{
    uint64_t hash = hash_of(table, bytes, length);
    uint32_t slot = find_slot(table, bytes, length, hash, id);
    if (*id != STRTAB_NONE) return FILM_OK;
    if (table->count >= UINT32_MAX / 2)
        return status_set(error, FILM_BAD_INPUT, "more than 2 billion different strings");
    size_t used = (size_t)table->offsets[table->count];
    if (!mem_grow((void **)&table->own_bytes, &table->bytes_capacity, used + length, 1))
        return status_no_memory(error);
    table->bytes = table->own_bytes;
    if (!mem_grow((void **)&table->own_offsets, &table->offsets_capacity, table->count + 2u,
                  sizeof *table->own_offsets))
        return status_no_memory(error);
    table->offsets = table->own_offsets;
    if (length) memcpy(table->own_bytes + used, bytes, length);
    table->own_offsets[table->count + 1] = used + length;
    *id = table->count;
    table->own_slots[slot] = (hash >> 32 << 32) | (table->count + 1);
    table->count++;
    /* At most half full: short probe sequences. */
    if (table->count > table->slot_mask / 2 && !grow_slots(table)) {
        table->count--; /* undo the insertion */
        table->own_slots[slot] = 0;
        return status_no_memory(error);
    }
    return FILM_OK;
}

/* ---- Files ---- */

film_status strtab_lengths(const struct strtab *table, uint8_t **lengths, uint64_t *size,
                           film_error *error)
{
    uint8_t *out = *lengths = mem_array(table->count, VARINT_MOST);
    if (!out) return status_no_memory(error);
    for (uint32_t id = 0; id < table->count; id++)
        out += varint_put(out, (uint32_t)strtab_get(table, id).length);
    *size = (uint64_t)(out - *lengths);
    return FILM_OK;
}

/* Decodes the lengths to offsets. Returns 0 if they do not cover the bytes. */
static int read_lengths(struct strtab *table, film_text bytes, film_text lengths)
{
    const uint8_t *at = (const uint8_t *)lengths.bytes, *end = at + lengths.length;
    uint64_t offset = 0;
    table->own_offsets[0] = 0;
    while (at < end) {
        uint32_t length;
        if (!varint_get(&at, end, &length) || length > bytes.length - offset) return 0;
        table->own_offsets[++table->count] = offset += length;
    }
    return offset == bytes.length;
}

/* Enters the strings into the slots. Returns 0 if two are equal. */
static int enter_strings(struct strtab *table)
{
    for (uint32_t id = 0; id < table->count; id++) {
        film_text text = strtab_get(table, id);
        uint64_t hash = hash_of(table, text.bytes, text.length);
        uint32_t known, slot = find_slot(table, text.bytes, text.length, hash, &known);
        if (known != STRTAB_NONE) return 0;
        table->own_slots[slot] = (hash >> 32 << 32) | (id + 1);
    }
    return 1;
}

film_status strtab_open(struct strtab *table, film_text bytes, film_text lengths, const char *name,
                        film_error *error)
{
    film_status status = FILM_OK;
    size_t slots = FIRST_SLOTS, most = lengths.length; /* each takes at least one byte */
    memset(table, 0, sizeof *table);
    if (most > UINT32_MAX / 4)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: string table: too many strings", name));
    table->seed = rng_entropy();
    table->bytes = bytes.bytes;
    TRY_ALLOC(table->own_offsets = mem_array(most + 1, sizeof *table->own_offsets), error);
    table->offsets = table->own_offsets;
    if (!read_lengths(table, bytes, lengths))
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: string table: the lengths do not cover all bytes; the file is damaged",
                       name));
    while (slots / 2 < table->count) slots *= 2;
    TRY_ALLOC(table->own_slots = mem_zeroed(slots, sizeof *table->own_slots), error);
    table->slot_mask = (uint32_t)(slots - 1);
    if (!enter_strings(table))
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: string table: a string occurs twice; the file is damaged", name));
done:
    if (status != FILM_OK) strtab_free(table);
    return status;
}
