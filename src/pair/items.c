/* Lists the items of a pair that carry evidence: pairs of words, runs, first and last words, and
 * edits along a longest common subsequence. evidence.c weighs them. */
#include "pair/items.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { MOST = ITEMS_MOST_WORDS, LONGEST_PHRASE = 4 };

#define ID_BITS ITEM_ID_BITS
#define ID_LIMIT (1u << ID_BITS)
#define START ITEM_START
#define END ITEM_END

static const struct {
    const char *id, *name;
} kinds[ITEM_KINDS] = {
    [ITEM_RUN_SHARED] = {"shared_words_in_a_row", "shared words in a row"},
    [ITEM_RUN_ALONE] = {"words_in_a_row", "words in a row"},
    [ITEM_OPPOSED] = {"opposed", "opposed"},
    [ITEM_BESIDE] = {"beside", "beside"},
    [ITEM_TOGETHER] = {"shared_together", "shared together"},
    [ITEM_EDIT] = {"replaced", "replaced"},
    [ITEM_EDIT_AFTER] = {"replaced_after", "replaced after"},
    [ITEM_EDIT_BEFORE] = {"replaced_before", "replaced before"},
    [ITEM_EDIT_AMONG] = {"replaced_among_others", "replaced among others"},
    [ITEM_FIRST] = {"first_words", "first words"},
    [ITEM_LAST] = {"last_words", "last words"},
    [ITEM_OPENED] = {"after_the_first_words", "after the first words"},
};

const char *item_kind_id(enum item_kind kind)
{
    return kinds[kind].id;
}

const char *item_kind_name(enum item_kind kind)
{
    return kinds[kind].name;
}

/* The distinct known words of a sentence, shared ones at first sight, and their positions. */
struct distinct {
    uint32_t id[MOST], place[MOST];
    float rarity[MOST];
    size_t count;
};

struct items_scratch {
    struct distinct shared, alone[2];
    uint32_t shared_place[MOST];  /* positions of the shared words in the second sentence */
    size_t words[2];              /* number of words used */
    uint32_t number[2][MOST + 2]; /* of the words, between START and END */
    size_t edits;                 /* ranges between shared words that differ */
    unsigned char common[MOST + 1][MOST + 1];
};

film_status items_init(struct items *items, film_error *error)
{
    *items = (struct items){.scratch = mem_zeroed(1, sizeof *items->scratch)};
    return items->scratch ? FILM_OK : status_no_memory(error);
}

void items_free(struct items *items)
{
    mem_free(items->list);
    mem_free(items->weight);
    mem_free(items->scratch);
    memset(items, 0, sizeof *items);
}

/* ---- Keys ---- */

static uint64_t key_of_pair(enum item_kind kind, uint32_t first, uint32_t second)
{
    return (uint64_t)kind << 59 | (uint64_t)first << ID_BITS | second;
}

static uint64_t key_of_either(enum item_kind kind, uint32_t a, uint32_t b)
{
    return a < b ? key_of_pair(kind, a, b) : key_of_pair(kind, b, a);
}

uint64_t item_opposed_key(uint32_t a, uint32_t b)
{
    return key_of_either(ITEM_OPPOSED, a, b);
}

static uint64_t key_of_hash(enum item_kind kind, uint64_t hash)
{
    return (uint64_t)kind << 59 | hash >> 5;
}

enum item_kind item_key_words(uint64_t key, uint32_t words[2])
{
    enum item_kind kind = (enum item_kind)(key >> 59);
    if (kind != ITEM_OPPOSED && kind != ITEM_BESIDE && kind != ITEM_TOGETHER)
        return (enum item_kind)0;
    words[0] = (uint32_t)(key >> ID_BITS) & (ID_LIMIT - 1);
    words[1] = (uint32_t)key & (ID_LIMIT - 1);
    return kind;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ (b + 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53u;
    return hash ^ (hash >> 33);
}

/* ---- Gathering ---- */

static struct item_place one(uint32_t at)
{
    return (struct item_place){at, at + 1};
}

#define NOWHERE         \
    (struct item_place) \
    {                   \
        0, 0            \
    }

/* The caller has reserved room. */
static void put_item(struct items *items, enum item_kind kind, uint64_t key, float value,
                     struct item_place a, struct item_place b)
{
    items->list[items->count++] = (struct item){key, kind, value, {a, b}};
}

static void put_sided(struct items *items, enum item_kind kind, uint64_t key, float value, int side,
                      struct item_place here, struct item_place there)
{
    if (side == 0)
        put_item(items, kind, key, value, here, there);
    else
        put_item(items, kind, key, value, there, here);
}

static void add_distinct(struct distinct *list, const struct reading_word *words, uint32_t place)
{
    list->id[list->count] = words[place].id;
    list->rarity[list->count] = words[place].rarity;
    list->place[list->count++] = place;
}

/* Divides the known words of both sentences into shared and unshared. */
static void sort_words(struct items_scratch *scratch, const struct reading *reading)
{
    scratch->shared.count = scratch->alone[0].count = scratch->alone[1].count = 0;
    for (int s = 0; s < 2; s++) {
        size_t count = reading->side[s].count;
        scratch->words[s] = count < MOST ? count : MOST;
    }
    for (uint32_t number = 0; number < reading->numbers; number++) {
        uint32_t place[2] = {reading->first[0][number], reading->first[1][number]};
        int inside[2] = {place[0] < MOST, place[1] < MOST};
        if (!inside[0] && !inside[1]) continue;
        int s = inside[0] ? 0 : 1;
        uint32_t id = reading->side[s].words[place[s]].id;
        if (id == READING_NONE || id >= END) continue;
        if (inside[0] && inside[1]) {
            scratch->shared_place[scratch->shared.count] = place[1];
            add_distinct(&scratch->shared, reading->side[0].words, place[0]);
        } else {
            add_distinct(&scratch->alone[s], reading->side[s].words, place[s]);
        }
    }
}

/* ---- Two words ---- */

static void collect_pairs(struct items *items)
{
    const struct items_scratch *scratch = items->scratch;
    const struct distinct *shared = &scratch->shared, *alone = scratch->alone;
    for (size_t i = 0; i < alone[0].count; i++)
        for (size_t j = 0; j < alone[1].count; j++)
            put_item(items, ITEM_OPPOSED,
                     key_of_either(ITEM_OPPOSED, alone[0].id[i], alone[1].id[j]),
                     alone[0].rarity[i] * alone[1].rarity[j], one(alone[0].place[i]),
                     one(alone[1].place[j]));
    for (size_t i = 0; i < shared->count; i++)
        for (int s = 0; s < 2; s++)
            for (size_t j = 0; j < alone[s].count; j++) {
                uint32_t there = s == 0 ? scratch->shared_place[i] : shared->place[i];
                put_sided(
                    items, ITEM_BESIDE, key_of_pair(ITEM_BESIDE, shared->id[i], alone[s].id[j]),
                    shared->rarity[i] * alone[s].rarity[j], s, one(alone[s].place[j]), one(there));
            }
    for (size_t i = 0; i < shared->count; i++)
        for (size_t j = 0; j < i; j++)
            put_item(items, ITEM_TOGETHER,
                     key_of_either(ITEM_TOGETHER, shared->id[i], shared->id[j]),
                     shared->rarity[i] * shared->rarity[j], one(shared->place[i]),
                     one(scratch->shared_place[j]));
}

/* ---- Adjacent words ---- */

static uint32_t id_at(const struct reading_side *side, size_t count, size_t at)
{
    if (at == 0) return START;
    return at > count ? END : side->words[at - 1].id;
}

/* Finds where the words at AT and AT + 1 (positions from 1, 0 is the start) are adjacent in the
 * other sentence. */
static size_t find_run(const struct items_scratch *scratch, int s, size_t at)
{
    const uint32_t *here = scratch->number[s] + at, *there = scratch->number[!s];
    for (size_t j = 0; j <= scratch->words[!s]; j++)
        if (there[j] == here[0] && there[j + 1] == here[1]) return j;
    return READING_NONE;
}

static void list_word_numbers(struct items_scratch *scratch, const struct reading *reading)
{
    for (int s = 0; s < 2; s++) {
        uint32_t *number = scratch->number[s];
        *number++ = START;
        for (size_t i = 0; i < scratch->words[s]; i++) *number++ = reading->side[s].words[i].number;
        *number = END;
    }
}

/* Converts positions that include the ends back to words. */
static struct item_place run_place(size_t at, size_t words)
{
    uint32_t from = at ? (uint32_t)at - 1 : 0, to = (uint32_t)(at + 1 < words ? at + 1 : words);
    return (struct item_place){from, to};
}

static void collect_runs(struct items *items, const struct reading *reading)
{
    const size_t *words = items->scratch->words;
    list_word_numbers(items->scratch, reading);
    for (int s = 0; s < 2; s++) {
        const struct reading_side *side = &reading->side[s];
        for (size_t at = 0; words[s] && at <= words[s]; at++) {
            uint32_t left = id_at(side, words[s], at), right = id_at(side, words[s], at + 1);
            if (left == READING_NONE || right == READING_NONE) continue;
            size_t there = find_run(items->scratch, s, at);
            if (there == READING_NONE)
                put_sided(items, ITEM_RUN_ALONE, key_of_pair(ITEM_RUN_ALONE, left, right), 1, s,
                          run_place(at, words[s]), NOWHERE);
            else if (s == 0)
                put_item(items, ITEM_RUN_SHARED, key_of_pair(ITEM_RUN_SHARED, left, right), 1,
                         run_place(at, words[0]), run_place(there, words[1]));
        }
    }
}

/* First words, last words, and unshared words with the first ones: "how ... cost", "where ...
 * buy". */
static void collect_ends(struct items *items, const struct reading *reading)
{
    const struct items_scratch *scratch = items->scratch;
    const struct reading_word *a = reading->side[0].words, *b = reading->side[1].words;
    if (!scratch->words[0] || !scratch->words[1]) return;
    uint32_t last[2] = {(uint32_t)scratch->words[0] - 1, (uint32_t)scratch->words[1] - 1};
    if (a[last[0]].id != READING_NONE && b[last[1]].id != READING_NONE)
        put_item(items, ITEM_LAST, key_of_either(ITEM_LAST, a[last[0]].id, b[last[1]].id), 1,
                 one(last[0]), one(last[1]));
    if (a[0].id == READING_NONE || b[0].id == READING_NONE) return;
    uint64_t first = key_of_either(ITEM_FIRST, a[0].id, b[0].id);
    put_item(items, ITEM_FIRST, first, 1, one(0), one(0));
    /* A key of two ids is not a hash: xor with a third id would collide with other words. */
    uint64_t opening = mix(17, first);
    for (int s = 0; s < 2; s++) {
        const struct distinct *alone = &scratch->alone[s];
        for (size_t i = 0; i < alone->count; i++)
            put_sided(items, ITEM_OPENED, key_of_hash(ITEM_OPENED, mix(opening, alone->id[i])), 1,
                      s, one(alone->place[i]), one(0));
    }
}

/* ---- Edits ---- */

/* common[i][j]: length of the longest common subsequence after word i of a and word j of b. */
static void align(struct items_scratch *scratch, const struct reading *reading)
{
    const struct reading_word *a = reading->side[0].words, *b = reading->side[1].words;
    size_t n = scratch->words[0], m = scratch->words[1];
    for (size_t i = 0; i <= n; i++) scratch->common[i][m] = 0;
    for (size_t j = 0; j <= m; j++) scratch->common[n][j] = 0;
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            unsigned char down = scratch->common[i + 1][j], right = scratch->common[i][j + 1];
            scratch->common[i][j] = a[i].number == b[j].number
                                        ? (unsigned char)(1 + scratch->common[i + 1][j + 1])
                                        : (down > right ? down : right);
        }
}

static uint64_t hash_phrase(const struct reading *reading, int s, struct item_place place)
{
    uint64_t hash = 17;
    for (uint32_t i = place.from; i < place.to; i++)
        hash = mix(hash, reading->hashes[reading->side[s].words[i].number]);
    return hash;
}

/* Adds the edit of phrase A to phrase B between two shared words. */
static void put_edit(struct items *items, const struct reading *reading, struct item_place a,
                     struct item_place b)
{
    const struct reading_word *words = reading->side[0].words;
    items->scratch->edits++;
    if (a.to - a.from > LONGEST_PHRASE || b.to - b.from > LONGEST_PHRASE) return;
    uint64_t first = hash_phrase(reading, 0, a), second = hash_phrase(reading, 1, b);
    uint64_t edit = first < second ? mix(first, second) : mix(second, first);
    uint64_t before = a.from ? reading->hashes[words[a.from - 1].number] : START;
    uint64_t behind = a.to < items->scratch->words[0] ? reading->hashes[words[a.to].number] : END;
    put_item(items, ITEM_EDIT, key_of_hash(ITEM_EDIT, edit), 1, a, b);
    put_item(items, ITEM_EDIT_AFTER, key_of_hash(ITEM_EDIT_AFTER, mix(edit, before)), 1, a, b);
    put_item(items, ITEM_EDIT_BEFORE, key_of_hash(ITEM_EDIT_BEFORE, mix(edit, behind)), 1, a, b);
}

/* A single edit is stronger evidence. */
static void put_edits_among(struct items *items, size_t from)
{
    size_t edits = items->scratch->edits, end = items->count;
    uint64_t among = edits < 3 ? edits : edits < 5 ? 3 : 4;
    for (size_t i = from; i < end; i++)
        if (items->list[i].kind == ITEM_EDIT)
            put_item(items, ITEM_EDIT_AMONG,
                     key_of_hash(ITEM_EDIT_AMONG, mix(items->list[i].key, among)), 1,
                     items->list[i].place[0], items->list[i].place[1]);
}

/* Follows a longest common subsequence; the ranges between its words are edits. Ties between
 * subsequences of equal length are broken by word hashes, so that both orders of the sentences give
 * the same result. */
static void collect_edits(struct items *items, const struct reading *reading)
{
    struct items_scratch *scratch = items->scratch;
    const struct reading_word *a = reading->side[0].words, *b = reading->side[1].words;
    uint32_t n = (uint32_t)scratch->words[0], m = (uint32_t)scratch->words[1];
    uint32_t i = 0, j = 0, from_a = 0, from_b = 0;
    size_t before = items->count;
    scratch->edits = 0;
    align(scratch, reading);
    for (;;) {
        int end = i >= n || j >= m;
        if (end) {
            i = n;
            j = m;
        }
        if (end || a[i].number == b[j].number) {
            if (i > from_a || j > from_b)
                put_edit(items, reading, (struct item_place){from_a, i},
                         (struct item_place){from_b, j});
            if (end) break;
            from_a = ++i;
            from_b = ++j;
        } else {
            unsigned char skip_a = scratch->common[i + 1][j], skip_b = scratch->common[i][j + 1];
            int by_hash = reading->hashes[a[i].number] < reading->hashes[b[j].number];
            if (skip_a > skip_b || (skip_a == skip_b && by_hash))
                i++;
            else
                j++;
        }
    }
    put_edits_among(items, before);
}

/* Normalises the values of each kind to length 1. */
static void normalise(struct items *items)
{
    float squares[ITEM_KINDS] = {0};
    for (size_t i = 0; i < items->count;) { /* runs of one kind: their sum stays in a register */
        enum item_kind kind = items->list[i].kind;
        float sum = squares[kind];
        for (; i < items->count && items->list[i].kind == kind; i++)
            sum += items->list[i].value * items->list[i].value;
        squares[kind] = sum;
    }
    for (int kind = 1; kind < ITEM_KINDS; kind++)
        squares[kind] = squares[kind] > 0 ? 1.0f / sqrtf(squares[kind]) : 0.0f;
    for (size_t i = 0; i < items->count; i++) items->list[i].value *= squares[items->list[i].kind];
}

film_status items_collect(struct items *items, const struct reading *reading, film_error *error)
{
    const struct items_scratch *scratch = items->scratch;
    items->count = 0;
    sort_words(items->scratch, reading);
    size_t shared = scratch->shared.count, alone_a = scratch->alone[0].count,
           alone_b = scratch->alone[1].count, words = scratch->words[0] + scratch->words[1];
    size_t room = alone_a * alone_b + shared * (alone_a + alone_b + shared) + 7 * words + 16;
    if (!mem_grow((void **)&items->list, &items->capacity, room, sizeof *items->list) ||
        !mem_grow((void **)&items->weight, &items->weight_capacity, room, sizeof *items->weight))
        return status_no_memory(error);
    collect_pairs(items);
    collect_runs(items, reading);
    collect_ends(items, reading);
    collect_edits(items, reading);
    normalise(items);
    return FILM_OK;
}
