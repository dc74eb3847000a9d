/* Hash table from 64-bit keys to dense numbers, with linear probing in two plain arrays that can be
 * mapped from a file. Removal is not supported. */
#include "base/keytab.h"
#include "base/ascending.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/sort.h"

#include <string.h>

/* At a load of 3/4, probe sequences of 1024 slots do not occur by chance. A file with longer ones
 * was made to be slow. */
enum { FIRST_SLOTS = 64, MOST_PROBES = 1024 };

/* Keys are built from small ids, so every bit of the slot must depend on every bit of the key (the
 * finaliser of splitmix64). */
static uint64_t keytab_mixed(uint64_t key)
{
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return key ^ (key >> 31);
}

uint64_t keytab_first_slot(const struct keytab *table, uint64_t key)
{
    return keytab_mixed(key ^ table->seed) & table->slot_mask;
}

/* Returns the slot that holds the key, or an empty one. In a full table without the key, it returns
 * the first slot. */
static uint64_t find_slot(const struct keytab *table, uint64_t key)
{
    uint64_t slot = keytab_first_slot(table, key);
    uint64_t most =
        table->own_keys || table->slot_mask < MOST_PROBES ? table->slot_mask : MOST_PROBES;
    for (uint64_t step = 0; step <= most; step++) {
        if (table->keys[slot] == key || table->keys[slot] == 0) return slot;
        slot = (slot + 1) & table->slot_mask;
    }
    return slot;
}

static film_status resize(struct keytab *table, uint64_t slots, film_error *error)
{
    struct keytab old = *table;
    size_t room = (size_t)slots;
    uint64_t *keys = room == slots ? mem_zeroed(room, sizeof *keys) : NULL;
    uint32_t *number = keys ? mem_zeroed(room, sizeof *number) : NULL; /* files store all slots */
    if (!keys || !number) {
        mem_free(keys);
        mem_free(number);
        return status_no_memory(error);
    }
    table->keys = table->own_keys = keys;
    table->number = table->own_number = number;
    table->slot_mask = slots - 1;
    for (uint64_t i = 0; old.keys && i <= old.slot_mask; i++) {
        if (!old.keys[i]) continue;
        uint64_t slot = find_slot(table, old.keys[i]);
        keys[slot] = old.keys[i];
        number[slot] = old.number[i];
    }
    mem_free(old.own_keys);
    mem_free(old.own_number);
    return FILM_OK;
}

film_status keytab_init_seeded(struct keytab *table, uint64_t seed, film_error *error)
{
    memset(table, 0, sizeof *table);
    table->seed = seed;
    return resize(table, FIRST_SLOTS, error);
}

film_status keytab_init(struct keytab *table, film_error *error)
{
    return keytab_init_seeded(table, 0, error);
}

void keytab_free(struct keytab *table)
{
    mem_free(table->own_keys);
    mem_free(table->own_number);
    memset(table, 0, sizeof *table);
}

film_status keytab_add(struct keytab *table, uint64_t key, uint32_t *number, film_error *error)
{
    if (key == 0) return status_set(error, FILM_USAGE, "key 0 stands for an empty slot");
    uint64_t slot = find_slot(table, key);
    if (table->keys[slot] == key) {
        *number = table->number[slot];
        return FILM_OK;
    }
    if (4 * ((uint64_t)table->count + 1) > 3 * table->slot_mask) {
        film_status status = resize(table, 2 * (table->slot_mask + 1), error);
        if (status != FILM_OK) return status;
        slot = find_slot(table, key);
    }
    table->own_keys[slot] = key;
    table->own_number[slot] = *number = table->count++;
    return FILM_OK;
}

uint32_t keytab_find(const struct keytab *table, uint64_t key)
{
    if (!table->keys || key == 0) return KEYTAB_NONE;
    uint64_t slot = find_slot(table, key);
    return table->keys[slot] == key && table->number[slot] < table->count ? table->number[slot]
                                                                          : KEYTAB_NONE;
}

uint64_t keytab_slot(const struct keytab *table, uint64_t key)
{
    if (!table->keys || key == 0) return KEYTAB_NO_SLOT;
    uint64_t slot = find_slot(table, key);
    return table->keys[slot] == key ? slot : KEYTAB_NO_SLOT;
}

/* ---- Files ---- */

film_status keytab_map(struct keytab *table, const uint64_t *keys, const uint32_t *number,
                       uint64_t slots, uint64_t count, const char *name, film_error *error)
{
    memset(table, 0, sizeof *table);
    if (slots == 0 || (slots & (slots - 1)) || count >= slots || count >= KEYTAB_NONE)
        return status_set(
            error, FILM_BAD_INPUT,
            "%s: key table: %llu slots are too few for %llu keys; the file is damaged", name,
            (unsigned long long)slots, (unsigned long long)count);
    *table = (struct keytab){
        .count = (uint32_t)count, .slot_mask = slots - 1, .keys = keys, .number = number};
    return FILM_OK;
}

struct numbered_key {
    uint64_t key;
    uint32_t number;
};

static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const struct numbered_key *)a)->key, y = ((const struct numbered_key *)b)->key;
    return (x > y) - (x < y);
}

film_status keytab_write(const struct keytab *table, uint8_t **bytes, uint64_t *size,
                         uint32_t *numbers, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0;
    uint64_t before = ASCENDING_START;
    struct numbered_key *keys = mem_array(table->count, sizeof *keys);
    uint8_t *out = *bytes = mem_array(table->count, ASCENDING_MOST);
    TRY_ALLOC(keys && out, error);
    for (uint64_t slot = 0; slot <= table->slot_mask; slot++)
        if (table->keys[slot])
            keys[count++] = (struct numbered_key){table->keys[slot], table->number[slot]};
    sort_array(keys, count, sizeof *keys, by_key);
    for (size_t i = 0; i < count; before = keys[i++].key) {
        out += ascending_put(out, before, keys[i].key);
        if (numbers) numbers[i] = keys[i].number;
    }
    *size = (uint64_t)(out - *bytes);
done:
    mem_free(keys);
    return status;
}

film_status keytab_open(struct keytab *table, film_text bytes, uint64_t count, const char *name,
                        film_error *error)
{
    film_status status = FILM_OK;
    const uint8_t *at = (const uint8_t *)bytes.bytes, *end = at + bytes.length;
    uint64_t key = ASCENDING_START;
    uint32_t number;
    uint64_t slots = FIRST_SLOTS; /* a key takes at least one byte */
    while (count != KEYTAB_ANY && count <= bytes.length && slots * 3 <= count * 4) slots *= 2;
    *table = (struct keytab){.seed = rng_entropy()};
    TRY(resize(table, slots, error));
    while (at < end && ascending_get(&at, end, &key) && key != 0)
        TRY(keytab_add(table, key, &number, error));
    if (at < end || key == 0 || (count != KEYTAB_ANY && table->count != count))
        TRY(status_set(error, FILM_BAD_INPUT, "%s: key %u is invalid; the file is damaged", name,
                       table->count));
done:
    if (status != FILM_OK) keytab_free(table);
    return status;
}
