/* Compact weights of items: keys to small numbers, weights to bytes. It is built once, from what
 * src/learn learned or from the lists of a file, and read by evidence.c. */
#include "pair/item_table.h"
#include "base/ascending.h"
#include "base/mem.h"
#include "base/sort.h"

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
    for (int s = 0; s < ITEM_SETS; s++) keyslots_free(table->slots[s]);
    mem_free(table->own);
    memset(table, 0, sizeof *table);
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

/* The end of the numbers of a set. */
static uint64_t number_end(const struct item_table *table, enum item_keys keys)
{
    uint64_t ids = (uint64_t)table->words + 2; /* and the two ends */
    return keys == ITEMS_OF_PHRASES ? (uint64_t)1 << PHRASE_BITS : WORD_KINDS * ids * ids;
}

float item_table_weight(const struct item_table *table, uint64_t key)
{
    uint64_t number;
    enum item_keys keys = item_number(table, key, &number);
    if (keys == ITEM_SETS) return 0;
    const struct keyslots *slots = table->slots[keys];
    return table->scale[key >> ITEM_KIND_SHIFT] *
           (float)keyslots_value(slots, keyslots_fetch(slots, number));
}

/* Fetches the slots that the COUNT items of a kind read. */
static void fetch_kind(const struct item_table *table, const struct item *items, size_t count,
                       uint64_t *mixed)
{
    enum item_keys set = number_of[items->kind] ? ITEMS_OF_WORDS : ITEMS_OF_PHRASES;
    const struct keyslots *slots = table->slots[set];
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
void item_table_weights(const struct item_table *table, const struct item *items, size_t count,
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
        keyslots_scale(table->slots[number_of[kind] ? ITEMS_OF_WORDS : ITEMS_OF_PHRASES],
                       mixed + first, end[r] - first, table->scale[kind], weights + first);
    }
}

size_t item_table_places(const struct item_table *table)
{
    return table->slots[ITEMS_OF_WORDS] ? table->slots[ITEMS_OF_WORDS]->places : 0;
}

uint64_t item_table_at(const struct item_table *table, size_t place, float *weight)
{
    uint64_t ids = (uint64_t)table->words + 2, number;
    int value = keyslots_at(table->slots[ITEMS_OF_WORDS], place, &number);
    *weight = 0;
    if (!value) return 0;
    uint64_t kind = kind_of[number / ids / ids];
    *weight = table->scale[kind] * (float)value;
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

/* A set of items under construction. */
struct item_numbers {
    struct numbered_item {
        uint64_t number;
        int8_t weight;
    } * list;
    size_t count;
};

static int by_number(const void *a, const void *b)
{
    uint64_t x = ((const struct numbered_item *)a)->number,
             y = ((const struct numbered_item *)b)->number;
    return (x > y) - (x < y);
}

/* Makes the empty slots of a set. */
static film_status make_slots(struct item_table *table, enum item_keys which, size_t count,
                              film_error *error)
{
    unsigned bits = keyslots_bits(number_end(table, which));
    if (bits > KEYSLOTS_MOST_BITS)
        return status_set(error, FILM_BAD_INPUT, "too many words for their evidence");
    table->slots[which] = keyslots_new(bits, count);
    return table->slots[which] ? FILM_OK : status_no_memory(error);
}

/* Sorts the items of one set and enters them into its slots. Leaves those out that have no room:
 * only whoever chooses the words can make sixteen buckets full. */
static film_status sort_set(struct item_table *table, enum item_keys which, const uint64_t *keys,
                            const float *weights, size_t count, struct item_numbers *out,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct numbered_item *list = out->list = mem_array(count, sizeof *list);
    size_t found = 0;
    TRY_ALLOC(list, error);
    for (size_t i = 0; i < count; i++) {
        if (item_number(table, keys[i], &list[found].number) != which) continue;
        float scale = table->scale[keys[i] >> ITEM_KIND_SHIFT];
        list[found].weight = (int8_t)(scale > 0 ? lrintf(weights[i] / scale) : 0);
        found += list[found].weight != 0;
    }
    sort_array(list, found, sizeof *list, by_number);
    TRY(make_slots(table, which, found, error));
    for (size_t i = 0; i < found; i++)
        if ((i == 0 || list[i].number != list[i - 1].number) &&
            keyslots_put(table->slots[which], &list[i].number, &list[i].weight, 1))
            list[out->count++] = list[i];
done:
    return status;
}

/* Writes the sorted items of a set as a file lists them; returns the end of the bytes. */
static uint8_t *write_set(const struct item_numbers *items, struct item_list *list, uint8_t *room)
{
    int8_t *weight = (int8_t *)room;
    uint8_t *out = room + items->count;
    uint64_t before = ASCENDING_START;
    *list = (struct item_list){.numbers = out, .weight = weight, .count = items->count};
    for (size_t i = 0; i < items->count; before = items->list[i++].number) {
        weight[i] = items->list[i].weight;
        out += ascending_put(out, before, items->list[i].number);
    }
    list->bytes = (size_t)(out - list->numbers);
    return out;
}

film_status item_table_build(struct item_table *table, const uint64_t *keys, const float *weights,
                             size_t count, uint32_t words, film_error *error)
{
    film_status status = FILM_OK;
    struct item_numbers items[ITEM_SETS] = {{NULL, 0}};
    size_t scales = ITEM_KINDS * sizeof(float);
    *table = (struct item_table){.words = words};
    float *scale = table->own = mem_array(count + scales, 1 + ASCENDING_MOST);
    TRY_ALLOC(scale, error);
    find_scales(keys, weights, count, scale);
    table->scale = scale;
    uint8_t *room = (uint8_t *)table->own + scales;
    for (int s = 0; s < ITEM_SETS; s++) {
        TRY(sort_set(table, (enum item_keys)s, keys, weights, count, &items[s], error));
        room = write_set(&items[s], &table->list[s], room);
    }
done:
    for (int s = 0; s < ITEM_SETS; s++) mem_free(items[s].list);
    if (status != FILM_OK) item_table_free(table);
    return status;
}

/* ---- Opening ---- */

/* Enters a list of a file into its slots. Returns the number of items, SIZE_MAX for wrong bytes. */
static size_t read_set(struct item_table *table, enum item_keys which)
{
    enum { BLOCK = 64 };
    const struct item_list *list = &table->list[which];
    const uint8_t *at = list->numbers, *end = at + list->bytes;
    uint64_t number = ASCENDING_START, last = number_end(table, which), block[BLOCK];
    size_t valid = 0;
    for (size_t here = BLOCK; at < end && here == BLOCK; valid += here) {
        for (here = 0; here < BLOCK && valid + here < list->count; here++) {
            if (!ascending_get(&at, end, &number) || number >= last) break;
            block[here] = number;
        }
        here = keyslots_put(table->slots[which], block, list->weight + valid, here);
    }
    return at < end ? SIZE_MAX : valid;
}

film_status item_table_open(struct item_table *table, const char *name, film_error *error)
{
    film_status status = FILM_OK;
    for (int s = 0; s < ITEM_SETS; s++) {
        size_t count = table->list[s].count;
        TRY(make_slots(table, (enum item_keys)s, count, error));
        if (read_set(table, (enum item_keys)s) != count)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: the numbers of evidence.%s do not fit its %zu weights; the file is "
                           "damaged",
                           name, s == ITEMS_OF_WORDS ? "words" : "phrases", count));
    }
done:
    if (status != FILM_OK) item_table_free(table);
    return status;
}
