/* Finds where two sentences differ: the cheapest alignment of their words by deletions and
 * replacements (Levenshtein), and the ranges between equal words. Records are compared field by
 * field. It explains nothing; reversals.c tries what these ranges change. */
#include "explain/differences.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void differences_free(struct differences *differences)
{
    mem_free(differences->key);
    mem_free(differences->rarity);
    memset(differences, 0, sizeof *differences);
}

/* Gives the words of a sentence their keys: the numbers of their tokens in order. */
static void number_differing_words(struct differences *differences, const struct words *words,
                                   const struct reading *reading, int sentence)
{
    const struct reading_side *side = &reading->side[reading->swapped ? !sentence : sentence];
    const struct tokens *tokens = &side->row.grams.tokens;
    for (size_t i = 0; i < side->count; i++) {
        if (tokens->items[i].kind == TOKEN_PAIR) continue;
        size_t from, to;
        words_at(words, sentence, tokens->items[i].from, tokens->items[i].to, &from, &to);
        for (size_t w = from; w < to; w++) {
            differences->key[w] = differences->key[w] * 0x100000001b3U + side->words[i].number + 1;
            differences->rarity[w] = fmaxf(differences->rarity[w], side->words[i].rarity);
        }
    }
}

/* The cost of deleting a word, and of replacing one: a replacement is cheaper than a deletion and
 * an insertion, so that exchanged words stand opposite to each other. */
#define DELETED 0.7F
#define REPLACED 1.0F

/* The cost of aligning words I of a and J of b: equal words cost less the rarer they are. */
static float cost_of(const struct differences *differences, size_t i, size_t j)
{
    return differences->key[i] == differences->key[j] ? -0.3F * differences->rarity[i] : REPLACED;
}

/* cost[i][j]: the cheapest alignment of words from[0] + i .. and from[1] + j .. of a range. */
static void align_range(struct differences *differences, const struct word_range *all)
{
    size_t a = all->to[0] - all->from[0], b = all->to[1] - all->from[1];
    for (size_t i = a + 1; i-- > 0;)
        for (size_t j = b + 1; j-- > 0;) {
            float cost = i == a && j == b ? 0 : INFINITY;
            if (i < a) cost = differences->cost[i + 1][j] + DELETED;
            if (j < b) cost = fminf(cost, differences->cost[i][j + 1] + DELETED);
            if (i < a && j < b)
                cost = fminf(cost, differences->cost[i + 1][j + 1] +
                                       cost_of(differences, all->from[0] + i, all->from[1] + j));
            differences->cost[i][j] = cost;
        }
}

static void add_difference(struct differences *differences, const struct word_range *range)
{
    if (differences->count < DIFFERENCES_MOST) differences->range[differences->count++] = *range;
}

/* Walks along the alignment and lists the ranges between equal words. */
static void list_ranges(struct differences *differences, const struct word_range *all)
{
    size_t at[2] = {all->from[0], all->from[1]};
    struct word_range range = {{at[0], at[1]}, {at[0], at[1]}, all->value, 0};
    for (;;) {
        size_t i = at[0] - all->from[0], j = at[1] - all->from[1];
        int a = at[0] < all->to[0], b = at[1] < all->to[1];
        float cost = differences->cost[i][j];
        int both =
            a && b && cost == differences->cost[i + 1][j + 1] + cost_of(differences, at[0], at[1]);
        int equal = both && differences->key[at[0]] == differences->key[at[1]];
        if (equal || (!a && !b)) { /* the range ends here */
            range.to[0] = at[0];
            range.to[1] = at[1];
            if (range.to[0] > range.from[0] || range.to[1] > range.from[1])
                add_difference(differences, &range);
            if (!equal) return;
        }
        if (both)
            at[0]++, at[1]++;
        else if (a && cost == differences->cost[i + 1][j] + DELETED)
            at[0]++;
        else
            at[1]++;
        if (equal) range = (struct word_range){{at[0], at[1]}, {at[0], at[1]}, all->value, 0};
    }
}

/* Returns whether two values have the same words, or the same bytes where they have none. */
static int equal_values(const struct differences *differences, const struct value_pair *pair)
{
    size_t count = pair->to[0] - pair->from[0];
    const film_text *value = pair->value;
    if (count != pair->to[1] - pair->from[1]) return 0;
    for (size_t i = 0; i < count; i++)
        if (differences->key[pair->from[0] + i] != differences->key[pair->from[1] + i]) return 0;
    return count ||
           (value[0].length == value[1].length &&
            (!value[0].length || memcmp(value[0].bytes, value[1].bytes, value[0].length) == 0));
}

/* Compares the two values of a field; those of a sentence are the sentences. */
static void compare_values(struct differences *differences, const struct record_values *values,
                           size_t v)
{
    const struct value_pair *pair = &values->list[v];
    const uint64_t *key = differences->key;
    struct word_range all = {
        {pair->from[0], pair->from[1]}, {pair->to[0], pair->to[1]}, v, pair->atom};
    if (pair->name.bytes && value_is_present(pair, 0) != value_is_present(pair, 1)) all.whole = 1;
    if (all.whole) {
        if (!equal_values(differences, pair)) add_difference(differences, &all);
        return;
    }
    while (all.from[0] < all.to[0] && all.from[1] < all.to[1] &&
           key[all.from[0]] == key[all.from[1]])
        all.from[0]++, all.from[1]++;
    while (all.from[0] < all.to[0] && all.from[1] < all.to[1] &&
           key[all.to[0] - 1] == key[all.to[1] - 1])
        all.to[0]--, all.to[1]--;
    for (int sentence = 0; sentence < 2; sentence++)
        if (all.to[sentence] - all.from[sentence] > DIFFERENCE_WORDS)
            all.to[sentence] = all.from[sentence] + DIFFERENCE_WORDS;
    align_range(differences, &all);
    list_ranges(differences, &all);
}

film_status differences_find(struct differences *differences, const struct words *words,
                             const struct record_values *values, const struct reading *reading,
                             film_error *error)
{
    film_status status = FILM_OK;
    const size_t *first = words->first;
    size_t count = first[2];
    TRY_ALLOC(mem_grow((void **)&differences->key, &differences->key_capacity, count + 1,
                       sizeof *differences->key),
              error);
    TRY_ALLOC(mem_grow((void **)&differences->rarity, &differences->rarity_capacity, count + 1,
                       sizeof *differences->rarity),
              error);
    memset(differences->key, 0, count * sizeof *differences->key);
    memset(differences->rarity, 0, count * sizeof *differences->rarity);
    for (int sentence = 0; sentence < 2; sentence++)
        if (first[sentence] < first[sentence + 1])
            number_differing_words(differences, words, reading, sentence);
    differences->count = 0;
    for (size_t v = 0; v < values->count; v++) compare_values(differences, values, v);
done:
    return status;
}

static int heavier_first(const void *left, const void *right)
{
    const film_word_difference *x = left, *y = right;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    if (x->a_start != y->a_start) return x->a_start < y->a_start ? -1 : 1;
    return x->b_start < y->b_start ? -1 : x->b_start > y->b_start;
}

/* The bytes of a range of words. An empty one lies where the words before it end. */
static film_text range_bytes(const struct words *words, const struct record_values *values,
                             const struct word_range *range, int sentence, size_t *start,
                             size_t *end)
{
    size_t from = range->from[sentence], to = range->to[sentence];
    if (range->whole) {
        value_span(values, range->value, sentence, start, end);
    } else if (from < to) {
        *start = words->list[from].start;
        *end = words->list[to - 1].end;
    } else {
        size_t first = values->list[range->value].from[sentence];
        value_span(values, range->value, sentence, start, end);
        if (from > first) *start = words->list[from - 1].end;
        *end = *start;
    }
    return (film_text){values->text[sentence].bytes + *start, *end - *start};
}

void differences_weigh(struct differences *differences, const struct words *words,
                       const struct record_values *values, int same)
{
    double sign = same ? 1 : -1;
    for (size_t d = 0; d < differences->count; d++) {
        const struct word_range *range = &differences->range[d];
        film_word_difference *out = &differences->list[d];
        *out = (film_word_difference){.field = values->list[range->value].name};
        out->a = range_bytes(words, values, range, 0, &out->a_start, &out->a_end);
        out->b = range_bytes(words, values, range, 1, &out->b_start, &out->b_end);
        if (range->whole) out->weight = sign * values->list[range->value].traits;
        for (int sentence = 0; sentence < 2; sentence++)
            for (size_t w = range->from[sentence]; w < range->to[sentence]; w++)
                out->weight += sign * words->list[w].weight;
    }
    if (differences->count)
        qsort(differences->list, differences->count, sizeof *differences->list, heavier_first);
    for (size_t d = 0; d < differences->count; d++) differences->list[d].weight *= sign;
}
