/* Hash table from 64-bit keys to dense numbers, with linear probing in two plain arrays that can be
 * mapped from a file. Removal is not supported. */
#include "base/keytab.h"
#include "base/mem.h"

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
    uint64_t *keys = room == slots ? mem_zeroed(room + 1, sizeof *keys) : NULL;
    uint32_t *number = keys ? mem_zeroed(room, sizeof *number) : NULL; /* files store all slots */
    if (!keys || !number) {
        mem_free(keys);
        mem_free(number);
        return status_no_memory(error);
    }
    keys[room] = table->seed; /* files store it behind the keys */
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

film_status keytab_seal(struct keytab *table, film_error *error)
{
    film_status status = FILM_OK;
    struct keytab sealed = {.keys = NULL};
    uint64_t seed = table->count, *key = mem_array(table->count, sizeof *key);
    uint32_t number;
    TRY_ALLOC(key, error);
    for (uint64_t slot = 0; slot <= table->slot_mask; slot++)
        if (table->keys[slot]) key[table->number[slot]] = table->keys[slot];
    for (uint32_t i = 0; i < table->count; i++) seed = keytab_mixed(seed ^ key[i]);
    TRY(keytab_init_seeded(&sealed, seed + (seed == 0), error));
    TRY(resize(&sealed, table->slot_mask + 1, error));
    for (uint32_t i = 0; i < table->count; i++) TRY(keytab_add(&sealed, key[i], &number, error));
    keytab_free(table);
    *table = sealed;
    sealed = (struct keytab){.keys = NULL};
done:
    keytab_free(&sealed);
    mem_free(key);
    return status;
}

uint64_t keytab_stored_keys(const struct keytab *table)
{
    return table->slot_mask + 1 + (table->seed != 0);
}

uint64_t keytab_stored_slots(uint64_t stored)
{
    return stored > 1 ? stored & ~UINT64_C(1) : stored;
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

film_status keytab_map(struct keytab *table, const uint64_t *keys, const uint32_t *number,
                       uint64_t stored, uint64_t count, const char *name, film_error *error)
{
    uint64_t slots = keytab_stored_slots(stored);
    memset(table, 0, sizeof *table);
    if (slots == 0 || (slots & (slots - 1)) || count >= slots || count >= KEYTAB_NONE)
        return status_set(
            error, FILM_BAD_INPUT,
            "%s: key table: %llu slots are too few for %llu keys; the file is damaged", name,
            (unsigned long long)slots, (unsigned long long)count);
    *table = (struct keytab){
        .count = (uint32_t)count, .slot_mask = slots - 1, .keys = keys, .number = number};
    if (stored > slots) table->seed = keys[slots];
    return FILM_OK;
}
