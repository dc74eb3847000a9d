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
    uint64_t grows[MOST + 1];     /* rows of longest common subsequences: see align */
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
    struct item *out = items->list + items->count; /* in a register, unlike items->count */
    for (size_t i = 0; i < alone[0].count; i++) {
        const uint32_t id = alone[0].id[i];
        const float rarity = alone[0].rarity[i];
        const struct item_place place = one(alone[0].place[i]);
        for (size_t j = 0, count = alone[1].count; j < count; j++)
            *out++ = (struct item){key_of_either(ITEM_OPPOSED, id, alone[1].id[j]),
                                   ITEM_OPPOSED,
                                   rarity * alone[1].rarity[j],
                                   {place, one(alone[1].place[j])}};
    }
    for (size_t i = 0; i < shared->count; i++)
        for (int s = 0; s < 2; s++) {
            const uint32_t id = shared->id[i];
            const float rarity = shared->rarity[i];
            const struct item_place there =
                one(s == 0 ? scratch->shared_place[i] : shared->place[i]);
            for (size_t j = 0, count = alone[s].count; j < count; j++, out++) {
                *out = (struct item){key_of_pair(ITEM_BESIDE, id, alone[s].id[j]),
                                     ITEM_BESIDE,
                                     rarity * alone[s].rarity[j],
                                     {there, there}};
                out->place[s] = one(alone[s].place[j]);
            }
        }
    for (size_t i = 0; i < shared->count; i++) {
        const uint32_t id = shared->id[i];
        const float rarity = shared->rarity[i];
        const struct item_place place = one(shared->place[i]);
        for (size_t j = 0; j < i; j++)
            *out++ = (struct item){key_of_either(ITEM_TOGETHER, id, shared->id[j]),
                                   ITEM_TOGETHER,
                                   rarity * shared->rarity[j],
                                   {place, one(scratch->shared_place[j])}};
    }
    items->count = (size_t)(out - items->list);
}

/* ---- Adjacent words ---- */

static uint32_t id_at(const struct reading_side *side, size_t count, size_t at)
{
    if (at == 0) return START;
    return at > count ? END : side->words[at - 1].id;
}

/* Finds where the words at AT and AT + 1 (positions from 1, 0 is the start) are adjacent in the
 * other sentence. */
static size_t find_run(const struct items_scratch *scratch, const struct reading *reading, int s,
                       size_t at)
{
    const uint32_t *here = scratch->number[s] + at, *there = scratch->number[!s];
    if (at == 0) return there[1] == here[1] ? 0 : READING_NONE;
    size_t first = reading->first[!s][here[0]]; /* READING_NONE, or beyond: not there */
    for (size_t j = first + 1; j <= scratch->words[!s]; j++)
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
            size_t there = find_run(items->scratch, reading, s, at);
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

/* Longest common subsequences by bits (Crochemore et al. 2001), from the ends of the sentences. The
 * lowest bit of grows[i] is the last word of b. A bit is set where the longest subsequence after
 * word i of a grows with that word of b. */
static void align(struct items_scratch *scratch, const struct reading *reading)
{
    const uint32_t *a = scratch->number[0] + 1, *b = scratch->number[1] + 1;
    size_t n = scratch->words[0], m = scratch->words[1];
    uint64_t row = ~UINT64_C(0);
    scratch->grows[n] = 0;
    for (size_t i = n; i-- > 0;) {
        uint64_t equal = 0;
        for (size_t j = reading->first[1][a[i]]; j < m; j++)
            equal |= (uint64_t)(a[i] == b[j]) << (m - 1 - j);
        uint64_t both = row & equal;
        row = (row + both) | (row - both);
        scratch->grows[i] = ~row;
    }
}

/* The length of the longest common subsequence after word I of a and word J of b. */
static unsigned common_after(const struct items_scratch *scratch, uint32_t i, uint32_t j)
{
    size_t left = scratch->words[1] - j; /* the words from j on are the lowest bits */
    uint64_t bits = left < 64 ? scratch->grows[i] & ((UINT64_C(1) << left) - 1) : scratch->grows[i];
    return (unsigned)__builtin_popcountll(bits);
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
            unsigned skip_a = common_after(scratch, i + 1, j),
                     skip_b = common_after(scratch, i, j + 1);
            int by_hash = reading->hashes[a[i].number] < reading->hashes[b[j].number];
            if (skip_a > skip_b || (skip_a == skip_b && by_hash))
                i++;
            else
                j++;
        }
    }
    put_edits_among(items, before);
}

/* Normalises the values of each kind to length 1. The PAIRS first items are those of two words,
 * kind by kind; the values of all others are 1. */
static void normalise(struct items *items, size_t pairs)
{
    struct item *list = items->list;
    size_t count = items->count;
    uint32_t others[ITEM_KINDS] = {0};
    float factor[ITEM_KINDS];
    for (size_t from = 0, to; from < pairs; from = to) {
        enum item_kind kind = list[from].kind;
        float squares = 0;
        for (to = from; to < pairs && list[to].kind == kind; to++)
            squares += list[to].value * list[to].value;
        float scale = squares > 0 ? 1.0f / sqrtf(squares) : 0.0f;
        for (size_t i = from; i < to; i++) list[i].value *= scale;
    }
    for (size_t i = pairs; i < count; i++) others[list[i].kind]++;
    for (int kind = 1; kind < ITEM_KINDS; kind++)
        factor[kind] = others[kind] ? 1.0f / sqrtf((float)others[kind]) : 0.0f;
    for (size_t i = pairs; i < count; i++) list[i].value = factor[list[i].kind];
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
    size_t pairs = items->count;
    collect_runs(items, reading);
    collect_ends(items, reading);
    collect_edits(items, reading);
    normalise(items, pairs);
    return FILM_OK;
}
