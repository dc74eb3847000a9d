/* Compact weights of items: keys to small numbers, weights to bytes. It is built once, from what
 * src/learn learned, and read by evidence.c. */
#include "pair/item_table.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { MOST = 127, PHRASE_BITS = 48 };

/* The kinds whose keys have two word ids, numbered from 1; 0: phrases. */
static const unsigned char number_of[ITEM_KINDS] = {
    [ITEM_RUN_SHARED] = 1, [ITEM_RUN_ALONE] = 2, [ITEM_OPPOSED] = 3, [ITEM_BESIDE] = 4,
    [ITEM_TOGETHER] = 5,   [ITEM_FIRST] = 6,     [ITEM_LAST] = 7};
static const unsigned char kind_of[] = {ITEM_RUN_SHARED, ITEM_RUN_ALONE, ITEM_OPPOSED, ITEM_BESIDE,
                                        ITEM_TOGETHER,   ITEM_FIRST,     ITEM_LAST};
enum { WORD_KINDS = sizeof kind_of };

void item_table_free(struct item_table *table)
{
    for (int s = 0; s < ITEM_SETS; s++) {
        keyset_free(&table->set[s]);
        if (table->slots) keyslots_free(table->slots->set[s]);
    }
    mem_free(table->slots);
    mem_free(table->own);
    memset(table, 0, sizeof *table);
}

unsigned item_table_bits(enum item_keys keys, uint32_t words)
{
    uint64_t ids = (uint64_t)words + 2; /* and the two ends */
    return keys == ITEMS_OF_PHRASES ? PHRASE_BITS : keyset_bits(WORD_KINDS * ids * ids);
}

/* ---- Keys and numbers ---- */

/* A word, or an end of a sentence after the words; otherwise a number that no item has. */
static uint64_t id_number(const struct item_table *table, uint32_t id)
{
    if (id < table->words) return id;
    return id == ITEM_START ? table->words
           : id == ITEM_END ? (uint64_t)table->words + 1
                            : UINT64_MAX;
}

static uint32_t number_id(const struct item_table *table, uint64_t number)
{
    return number < table->words    ? (uint32_t)number
           : number == table->words ? ITEM_START
                                    : ITEM_END;
}

/* Returns the set that a key belongs to and its number there; ITEM_SETS for no possible item. */
static enum item_keys item_number(const struct item_table *table, uint64_t key, uint64_t *number)
{
    uint64_t kind = key >> ITEM_KIND_SHIFT, ids = (uint64_t)table->words + 2;
    if (kind == 0 || kind >= ITEM_KINDS) return ITEM_SETS;
    if (!number_of[kind]) { /* the upper bits of the hash, and the kind */
        *number = (key << 5 ^ kind * 0x9e3779b97f4a7c15u) >> (64 - PHRASE_BITS);
        return ITEMS_OF_PHRASES;
    }
    uint64_t a = key >> ITEM_ID_BITS & ITEM_START, b = key & ITEM_START;
    if (a >= table->words || b >= table->words) {
        a = id_number(table, (uint32_t)a);
        b = id_number(table, (uint32_t)b);
        if (a == UINT64_MAX || b == UINT64_MAX) return ITEM_SETS;
    }
    *number = ((number_of[kind] - 1u) * ids + a) * ids + b;
    return ITEMS_OF_WORDS;
}

uint32_t item_table_count(const struct item_table *table)
{
    return table->set[ITEMS_OF_WORDS].count + table->set[ITEMS_OF_PHRASES].count;
}

float item_table_weight(const struct item_table *table, uint64_t key)
{
    uint64_t number;
    enum item_keys keys = item_number(table, key, &number);
    if (keys == ITEM_SETS) return 0;
    uint32_t at = keyset_find(&table->set[keys], number);
    if (at == KEYSET_NONE) return 0;
    return table->scale[key >> ITEM_KIND_SHIFT] * (float)table->weight[keys][at];
}

film_status item_table_prepare(struct item_table *table, film_error *error)
{
    table->slots = mem_zeroed(1, sizeof *table->slots);
    return table->slots ? FILM_OK : status_no_memory(error);
}

void item_table_quicken(const struct item_table *table)
{
    for (int s = 0; table->slots && s < ITEM_SETS; s++) {
        struct keyslots **place = &table->slots->set[s], *there = NULL;
        if (__atomic_load_n(place, __ATOMIC_ACQUIRE)) continue;
        struct keyslots *made = keyslots_new(&table->set[s], table->weight[s]);
        if (made && !__atomic_compare_exchange_n(place, &there, made, 0, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_ACQUIRE))
            keyslots_free(made); /* another thread was first */
    }
}

/* Fetches the slots that the COUNT items of a kind read. */
static void fetch_kind(const struct item_table *table, const struct item *items, size_t count,
                       uint64_t *mixed)
{
    enum item_keys set = number_of[items->kind] ? ITEMS_OF_WORDS : ITEMS_OF_PHRASES;
    const struct keyslots *slots = table->slots->set[set];
    uint64_t words = table->words, ids = words + 2, base = (number_of[items->kind] - 1u) * ids;
    uint64_t nothing = WORD_KINDS * ids * ids; /* the number of no item */
    for (size_t i = 0; i < count; i++) {
        uint64_t a = items[i].key >> ITEM_ID_BITS & ITEM_START, b = items[i].key & ITEM_START,
                 number = (base + a) * ids + b;
        /* Phrases, and the ends of a sentence. */
        if (set != ITEMS_OF_WORDS || a >= words || b >= words)
            if (item_number(table, items[i].key, &number) == ITEM_SETS) number = nothing;
        mixed[i] = keyslots_fetch(slots, number);
    }
}

/* Two passes over each kind: what all items read is fetched before the first is read. */
static void weigh_quickly(const struct item_table *table, const struct item *items, size_t count,
                          float *weights)
{
    uint64_t mixed[ITEM_BLOCK];
    uint16_t end[ITEM_BLOCK]; /* of each run of items of one kind */
    size_t runs = 0;
    for (size_t first = 0, to = 0; first < count; first = to) {
        enum item_kind kind = items[first].kind;
        while (to < count && items[to].kind == kind) to++;
        fetch_kind(table, items + first, to - first, mixed + first);
        end[runs++] = (uint16_t)to;
    }
    for (size_t r = 0, first = 0; r < runs; first = end[r++]) {
        enum item_kind kind = items[first].kind;
        keyslots_scale(table->slots->set[number_of[kind] ? ITEMS_OF_WORDS : ITEMS_OF_PHRASES],
                       mixed + first, end[r] - first, table->scale[kind], weights + first);
    }
}

void item_table_weights(const struct item_table *table, const struct item *items, size_t count,
                        float *weights)
{
    struct keyslots *slots[ITEM_SETS] = {NULL};
    for (int s = 0; table->slots && s < ITEM_SETS; s++)
        slots[s] = __atomic_load_n(&table->slots->set[s], __ATOMIC_ACQUIRE);
    if (slots[0] && slots[1]) {
        weigh_quickly(table, items, count, weights);
        return;
    }
    for (size_t i = 0; i < count; i++) weights[i] = item_table_weight(table, items[i].key);
}

uint64_t item_table_at(const struct item_table *table, uint32_t position, float *weight)
{
    uint64_t ids = (uint64_t)table->words + 2;
    *weight = 0;
    if (position >= table->set[ITEMS_OF_WORDS].count) return 0;
    uint64_t number = keyset_at(&table->set[ITEMS_OF_WORDS], position);
    uint64_t order = number / ids / ids;
    if (order >= WORD_KINDS) return 0; /* a damaged file */
    uint64_t kind = kind_of[order];
    *weight = table->scale[kind] * (float)table->weight[ITEMS_OF_WORDS][position];
    return kind << ITEM_KIND_SHIFT |
           (uint64_t)number_id(table, number / ids % ids) << ITEM_ID_BITS |
           number_id(table, number % ids);
}

/* ---- Building ---- */

/* Finds the scale of each kind: its largest weight becomes 127. */
static void find_scales(const uint64_t *keys, const float *weights, size_t count, float *scale)
{
    memset(scale, 0, ITEM_KINDS * sizeof *scale);
    for (size_t i = 0; i < count; i++) {
        uint64_t kind = keys[i] >> ITEM_KIND_SHIFT;
        if (kind < ITEM_KINDS) scale[kind] = fmaxf(scale[kind], fabsf(weights[i]));
    }
    for (int kind = 0; kind < ITEM_KINDS; kind++) scale[kind] /= MOST;
}

/* Builds one set from the items that belong to it. ROOM has the space of its weights. */
static film_status build_set(struct item_table *table, enum item_keys which, const uint64_t *keys,
                             const float *weights, size_t count, int8_t *room, film_error *error)
{
    film_status status = FILM_OK;
    uint64_t *numbers = mem_array(count, sizeof *numbers);
    int8_t *codes = mem_array(count, 1);
    uint32_t *position = mem_array(count, sizeof *position);
    size_t found = 0;
    TRY_ALLOC(numbers && codes && position, error);
    for (size_t i = 0; i < count; i++) {
        if (item_number(table, keys[i], &numbers[found]) != which) continue;
        float scale = table->scale[keys[i] >> ITEM_KIND_SHIFT];
        codes[found] = (int8_t)(scale > 0 ? lrintf(weights[i] / scale) : 0);
        found += codes[found] != 0;
    }
    TRY(keyset_build(&table->set[which], numbers, found, item_table_bits(which, table->words),
                     position, error));
    for (size_t i = 0; i < found; i++) room[position[i]] = codes[i];
    table->weight[which] = room;
done:
    mem_free(numbers);
    mem_free(codes);
    mem_free(position);
    return status;
}

film_status item_table_build(struct item_table *table, const uint64_t *keys, const float *weights,
                             size_t count, uint32_t words, film_error *error)
{
    film_status status = FILM_OK;
    *table = (struct item_table){.words = words};
    size_t scales = ITEM_KINDS * sizeof(float);
    float *scale = table->own = mem_array(scales + count + 1, 1);
    TRY_ALLOC(scale, error);
    TRY(item_table_prepare(table, error));
    find_scales(keys, weights, count, scale);
    table->scale = scale;
    int8_t *room = (int8_t *)table->own + scales;
    TRY(build_set(table, ITEMS_OF_WORDS, keys, weights, count, room, error));
    room += table->set[ITEMS_OF_WORDS].count;
    TRY(build_set(table, ITEMS_OF_PHRASES, keys, weights, count, room, error));
done:
    if (status != FILM_OK) item_table_free(table);
    return status;
}
