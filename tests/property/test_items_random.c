/* Tests properties of pair/items on random sentences: symmetric, with keys that match the words
 * they refer to. */
#include "testing.h"
#include "item_text.h"

static int compare_keys(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The sorted distinct keys; the caller frees them. */
static uint64_t *key_set(size_t *count)
{
    uint64_t *keys = malloc(items.count * sizeof *keys + 1);
    for (size_t i = 0; i < items.count; i++) keys[i] = items.list[i].key;
    qsort(keys, items.count, sizeof *keys, compare_keys);
    *count = 0;
    for (size_t i = 0; i < items.count; i++)
        if (i == 0 || keys[i] != keys[*count - 1]) keys[(*count)++] = keys[i];
    return keys;
}

/* Reading sorts the two sentences; when they are swapped by force, the items must stay the same. */
static void turn_round(struct reading *turned)
{
    *turned = reading;
    turned->side[0] = reading.side[1];
    turned->side[1] = reading.side[0];
    turned->first[0] = reading.first[1];
    turned->first[1] = reading.first[0];
}

static void swapping_the_sentences_changes_no_key(void **state)
{
    (void)state;
    struct rng rng;
    char a[200], b[200];
    rng_seed(&rng, 31);
    for (int i = 0; i < 4000; i++) {
        size_t count[3];
        struct reading turned;
        random_sentence(&rng, words, 3 + (size_t)i % 6, 12, a, sizeof a);
        random_sentence(&rng, words, 3 + (size_t)i % 6, 12, b, sizeof b);
        collect(a, b);
        uint64_t *once = key_set(&count[0]);
        turn_round(&turned);
        assert_ok(items_collect(&items, &turned, &error));
        uint64_t *other = key_set(&count[1]);
        collect(b, a);
        uint64_t *again = key_set(&count[2]);
        assert_int_equal(count[0], count[1]);
        assert_int_equal(count[0], count[2]);
        assert_memory_equal(once, other, count[0] * sizeof *once);
        assert_memory_equal(once, again, count[0] * sizeof *once);
        free(once), free(other), free(again);
    }
}

static void check_place(int side, struct item_place place)
{
    assert_true(place.from <= place.to);
    assert_true(place.to <= reading.side[side].count);
}

/* The word at PLACE of a sentence. */
static const struct reading_word *word_at(int side, struct item_place place)
{
    assert_int_equal(place.to, place.from + 1);
    return &reading.side[side].words[place.from];
}

/* For an item of two first words and a word: the side that has the word alone. Those of the first
 * side come first. */
static int opened_side(const struct item *item)
{
    size_t before = 0, alone = 0;
    for (const struct item *at = items.list; at < item; at++) before += at->kind == ITEM_OPENED;
    for (uint32_t number = 0; number < reading.numbers; number++) {
        uint32_t here = reading.first[0][number];
        alone += here != READING_NONE && reading.side[0].words[here].id != READING_NONE &&
                 reading.first[1][number] == READING_NONE;
    }
    return before >= alone;
}

static void check_item(const struct item *item)
{
    uint64_t low = item->key & ((1u << 29) - 1), high = item->key >> 29 & ((1u << 30) - 1);
    check_place(0, item->place[0]);
    check_place(1, item->place[1]);
    if (item->kind == ITEM_OPPOSED || item->kind == ITEM_TOGETHER || item->kind == ITEM_FIRST ||
        item->kind == ITEM_LAST) {
        uint32_t a = word_at(0, item->place[0])->id, b = word_at(1, item->place[1])->id;
        assert_int_equal(a < b ? a : b, high);
        assert_int_equal(a < b ? b : a, low);
    }
    if (item->kind == ITEM_OPPOSED || item->kind == ITEM_TOGETHER)
        for (int s = 0; s < 2; s++)
            assert_int_equal(reading_is_shared(&reading, word_at(s, item->place[s])->number),
                             item->kind == ITEM_TOGETHER);
    assert_true(item->value >= 0 && item->value <= 1.000001f);
    if (item->kind == ITEM_OPENED) { /* a word alone, the first word of the other sentence */
        int s = opened_side(item);
        assert_false(reading_is_shared(&reading, word_at(s, item->place[s])->number));
        assert_int_equal(item->place[!s].from, 0);
        word_at(!s, item->place[!s]);
    }
    if (item->kind == ITEM_BESIDE) { /* the word alone on its side, the shared one on the other */
        int s = word_at(0, item->place[0])->id == low ? 0 : 1;
        assert_int_equal(word_at(s, item->place[s])->id, low);
        assert_int_equal(word_at(!s, item->place[!s])->id, high);
        assert_false(reading_is_shared(&reading, word_at(s, item->place[s])->number));
        assert_true(reading_is_shared(&reading, word_at(!s, item->place[!s])->number));
    }
}

static void places_point_at_the_words_of_the_key(void **state)
{
    (void)state;
    struct rng rng;
    char a[200], b[200];
    rng_seed(&rng, 32);
    for (int i = 0; i < 1500; i++) {
        random_sentence(&rng, words, WORDS, 10, a, sizeof a);
        random_sentence(&rng, words, WORDS, 10, b, sizeof b);
        collect(a, b);
        for (size_t k = 0; k < items.count; k++) check_item(&items.list[k]);
    }
}

/* The values of a kind have length 1 together, or are all 0 when every word is in every
 * sentence. */
static void values_of_a_kind_have_length_one(void **state)
{
    (void)state;
    struct rng rng;
    char a[200], b[200];
    rng_seed(&rng, 36);
    for (int i = 0; i < 1500; i++) {
        double squares[ITEM_KINDS] = {0}, rarity[ITEM_KINDS] = {0};
        random_sentence(&rng, words, WORDS, 12, a, sizeof a);
        random_sentence(&rng, words, WORDS, 12, b, sizeof b);
        collect(a, b);
        for (size_t k = 0; k < items.count; k++) {
            const struct item *item = &items.list[k];
            squares[item->kind] += (double)item->value * (double)item->value;
            int pair = item->kind == ITEM_OPPOSED || item->kind == ITEM_BESIDE ||
                       item->kind == ITEM_TOGETHER;
            rarity[item->kind] += pair ? (double)word_at(0, item->place[0])->rarity *
                                             (double)word_at(1, item->place[1])->rarity
                                       : 1;
        }
        for (int kind = 1; kind < ITEM_KINDS; kind++)
            assert_close(squares[kind], rarity[kind] > 0 ? 1 : 0, 1e-5);
    }
}

static void identical_sentences_have_only_shared_items(void **state)
{
    (void)state;
    struct rng rng;
    char a[200];
    rng_seed(&rng, 33);
    for (int i = 0; i < 300; i++) {
        random_sentence(&rng, words, WORDS, 12, a, sizeof a);
        collect(a, a);
        for (size_t k = 0; k < items.count; k++) {
            enum item_kind kind = items.list[k].kind;
            assert_true(kind == ITEM_RUN_SHARED || kind == ITEM_TOGETHER || kind == ITEM_FIRST ||
                        kind == ITEM_LAST);
        }
    }
}

/* The two first words in alphabetical order, then the word alone. */
static void describe_opened(char *out, const struct item *item)
{
    char first[2][60] = {"", ""};
    int s = opened_side(item);
    for (int side = 0; side < 2; side++) add_words(first[side], side, (struct item_place){0, 1});
    int turn = strcmp(first[0], first[1]) > 0;
    strcat(strcat(out, first[turn]), first[!turn]);
    add_words(out, s, item->place[s]);
}

/* Counts the ranges that differ. A range too long for an item shows in the words that no edit
 * covers: without them both sentences are equal. */
static int edits_of_pair(void)
{
    uint32_t rest[2][64], count[2] = {0, 0};
    int edits = 0;
    for (int s = 0; s < 2; s++)
        for (uint32_t at = 0; at < reading.side[s].count; at++) {
            int covered = 0;
            for (size_t k = 0; k < items.count; k++)
                covered |= items.list[k].kind == ITEM_EDIT && items.list[k].place[s].from <= at &&
                           at < items.list[k].place[s].to;
            if (!covered) rest[s][count[s]++] = reading.side[s].words[at].number;
        }
    for (size_t k = 0; k < items.count; k++) edits += items.list[k].kind == ITEM_EDIT;
    return edits +
           (count[0] != count[1] || memcmp(rest[0], rest[1], count[0] * sizeof **rest) != 0);
}

/* The meaning of a key in words: "after the: [blue][red]", phrases in alphabetical order. */
static void describe(char *out, const struct item *item)
{
    strcpy(out, kinds[item->kind]);
    add_key(out, item);
    if (item->kind == ITEM_OPENED) describe_opened(out, item);
    if (item->kind < ITEM_EDIT || item->kind > ITEM_EDIT_AMONG) return;
    char phrase[2][100] = {"", ""};
    for (int s = 0; s < 2; s++) add_words(phrase[s], s, item->place[s]);
    int turn = strcmp(phrase[0], phrase[1]) > 0;
    strcat(strcat(out, phrase[turn]), phrase[!turn]);
    uint32_t from = item->place[0].from, to = item->place[0].to;
    if (item->kind == ITEM_EDIT_AFTER && from)
        add_words(out, 0, (struct item_place){from - 1, from});
    if (item->kind == ITEM_EDIT_BEFORE && to < reading.side[0].count)
        add_words(out, 0, (struct item_place){to, to + 1});
    if (item->kind == ITEM_EDIT_AMONG) {
        int edits = edits_of_pair();
        strcat(out, edits < 2 ? "1" : edits < 3 ? "2" : edits < 5 ? "3-4" : "5-");
    }
}

struct meaning {
    uint64_t key;
    char text[150];
};

static int by_key(const void *left, const void *right)
{
    const struct meaning *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key ? 1 : strcmp(a->text, b->text);
}

static int by_text(const void *left, const void *right)
{
    const struct meaning *a = left, *b = right;
    int order = strcmp(a->text, b->text);
    return order ? order : a->key < b->key ? -1 : a->key > b->key;
}

static void one_key_has_one_meaning_and_one_meaning_one_key(void **state)
{
    (void)state;
    struct rng rng;
    char a[200], b[200];
    size_t count = 0, room = 120000, distinct = 1;
    struct meaning *list = malloc(room * sizeof *list);
    rng_seed(&rng, 34);
    while (count + 1000 < room) {
        random_sentence(&rng, words, WORDS, 8, a, sizeof a);
        random_sentence(&rng, words, WORDS, 8, b, sizeof b);
        collect(a, b);
        for (size_t k = 0; k < items.count; k++) {
            list[count].key = items.list[k].key;
            describe(list[count++].text, &items.list[k]);
        }
    }
    qsort(list, count, sizeof *list, by_key);
    for (size_t i = 1; i < count; i++)
        if (list[i].key == list[i - 1].key)
            assert_string_equal(list[i].text, list[i - 1].text);
        else
            distinct++;
    qsort(list, count, sizeof *list, by_text);
    for (size_t i = 1; i < count; i++)
        if (strcmp(list[i].text, list[i - 1].text) == 0)
            assert_true(list[i].key == list[i - 1].key);
    assert_true(distinct > 5000); /* enough that a weak hash would show */
    free(list);
}

/* Of ten thousand words the first 64 count: the items are those of the truncated sentences. */
static void very_long_sentences_cost_no_more_than_their_first_words(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 35);
    for (int round = 0; round < 20; round++) {
        char *text[2];
        size_t cut[2], count[2];
        for (int s = 0; s < 2; s++) {
            size_t used = 0;
            text[s] = malloc(60000);
            for (int i = 0; i < 10000; i++) { /* some words occur only after the limit */
                size_t word = i < ITEMS_MOST_WORDS ? rng_below(&rng, 5) + 3 * (size_t)s
                                                   : rng_below(&rng, WORDS);
                used += (size_t)sprintf(text[s] + used, "%s ", words[word]);
                if (i == ITEMS_MOST_WORDS - 1) cut[s] = used;
            }
        }
        if (round % 2) { /* the second starts like the first */
            memcpy(text[1], text[0], cut[0]);
            text[1][cut[1] = cut[0]] = 'x';
        }
        collect(text[0], text[1]);
        size_t most = ITEMS_MOST_WORDS;
        assert_true(items.count <= 3 * most * most + 8 * most + 16);
        uint64_t *whole = key_set(&count[0]);
        text[0][cut[0]] = text[1][cut[1]] = 0;
        collect(text[0], text[1]);
        uint64_t *start = key_set(&count[1]);
        assert_int_equal(count[0], count[1]);
        assert_memory_equal(whole, start, count[0] * sizeof *whole);
        free(whole), free(start), free(text[0]), free(text[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swapping_the_sentences_changes_no_key),
        cmocka_unit_test(places_point_at_the_words_of_the_key),
        cmocka_unit_test(values_of_a_kind_have_length_one),
        cmocka_unit_test(identical_sentences_have_only_shared_items),
        cmocka_unit_test(one_key_has_one_meaning_and_one_meaning_one_key),
        cmocka_unit_test(very_long_sentences_cost_no_more_than_their_first_words),
    };
    return run_item_tests(tests, sizeof tests / sizeof *tests);
}
