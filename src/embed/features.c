/* Applies a fitted vocabulary: from text to a TF-IDF row. learn/features_fit.c fits it. */
#include "embed/features.h"
#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum group features_group(const struct features *features, uint32_t id)
{
    int group = 0;
    while (group < GROUPS - 1 && id >= features->first[group + 1]) group++;
    return (enum group)group;
}

film_text features_name(const struct features *features, uint32_t id)
{
    enum group group = features_group(features, id);
    return strtab_get(&features->vocabulary[group], id - features->first[group]);
}

void features_free(struct features *features)
{
    tokenizer_free(&features->tokenizer);
    for (int g = 0; g < GROUPS; g++) strtab_free(&features->vocabulary[g]);
    mem_free(features->own_idf);
    lexicon_free(features->lexicon);
    memset(features, 0, sizeof *features);
}

float features_tf(uint32_t count)
{
    static const float small[] = {0.0f, 1.0f, 1.69314718f, 2.09861229f, 2.38629436f};
    return count < 5 ? small[count] : (float)(1.0 + log((double)count));
}

float features_weigh(const struct features *features, const uint32_t *id, float *value,
                     size_t count)
{
    size_t at = 0;
    int groups_present = 0;
    float last = 0;
    for (int g = 0; g < GROUPS; g++) {
        size_t start = at;
        double sum = 0.0;
        for (; at < count && id[at] < features->first[g + 1]; at++) {
            value[at] *= features->idf[id[at]];
            sum += (double)value[at] * (double)value[at];
        }
        if (at == start) continue;
        groups_present++;
        float scale = (float)(1.0 / sqrt(sum));
        for (size_t i = start; i < at; i++) value[i] *= scale;
        last = scale;
    }
    if (groups_present < 2) return last;
    /* Every group has length 1 now, so the length of the row is the root of their number. */
    float scale = (float)(1.0 / sqrt((double)groups_present));
    for (size_t i = 0; i < count; i++) value[i] *= scale;
    return last * scale;
}

film_status feature_row_init(struct feature_row *row, const struct features *features,
                             film_error *error)
{
    memset(row, 0, sizeof *row);
    return grams_init(&row->grams, &features->tokenizer, error);
}

void feature_row_free(struct feature_row *row)
{
    grams_free(&row->grams);
    mem_free(row->id);
    mem_free(row->value);
    mem_free(row->found);
    mem_free(row->scratch);
    mem_free(row->seen);
    mem_free(row->word);
    for (size_t i = 0; i < row->room_capacity; i++) mem_free(row->room[i].lexeme);
    mem_free(row->room);
    memset(row, 0, sizeof *row);
}

void feature_row_swap(struct feature_row *a, struct feature_row *b)
{
    struct feature_row row = *a;
    *a = *b;
    a->scratch = row.scratch;
    a->scratch_capacity = row.scratch_capacity;
    a->seen = row.seen;
    a->seen_capacity = row.seen_capacity;
    row.scratch = b->scratch;
    row.scratch_capacity = b->scratch_capacity;
    row.seen = b->seen;
    row.seen_capacity = b->seen_capacity;
    *b = row;
}

static int reserve_features(struct feature_row *row, size_t count)
{
    return mem_grow((void **)&row->id, &row->id_capacity, count, sizeof *row->id) &&
           mem_grow((void **)&row->value, &row->value_capacity, count, sizeof *row->value) &&
           mem_grow((void **)&row->scratch, &row->scratch_capacity, 2 * count,
                    sizeof *row->scratch);
}

film_status feature_row_list(const struct features *features, struct feature_row *row,
                             film_error *error)
{
    film_status status = FILM_OK;
    size_t grams = 0, at = 0;
    if (row->listed) return FILM_OK;
    TRY(grams_list(&row->grams, features->groups, error));
    for (int g = 0; g < GROUPS; g++) grams += row->grams.group[g].count;
    TRY_ALLOC(mem_grow((void **)&row->found, &row->found_capacity, grams + 1, sizeof *row->found),
              error);
    for (int g = 0; g < GROUPS; g++) {
        const struct gram_list *list = &row->grams.group[g];
        for (size_t i = 0; i < list->count; i++) {
            film_text text = gram_text(list, &list->items[i]);
            uint32_t id = strtab_find(&features->vocabulary[g], text.bytes, text.length);
            row->found[at++] = id == STRTAB_NONE ? id : id + features->first[g];
        }
    }
    row->listed = 1;
done:
    return status;
}

/* Fills SCRATCH with the word id of every token. The tables are larger than the caches: what is
 * read of all words is fetched before the first is read. */
static void find_word_ids(const struct features *features, struct feature_row *row)
{
    const struct tokens *tokens = &row->grams.tokens;
    const struct strtab *words = &features->vocabulary[GROUP_WORD];
    int knows = (features->groups & GROUP_BIT(GROUP_WORD)) != 0;
    for (size_t i = 0; knows && i < tokens->count; i++) {
        film_text text = token_text(tokens, &tokens->items[i]);
        strtab_prefetch(words, text.bytes, text.length);
    }
    for (size_t i = 0; i < tokens->count; i++) {
        film_text text = token_text(tokens, &tokens->items[i]);
        row->scratch[i] = knows ? strtab_find(words, text.bytes, text.length) : STRTAB_NONE;
        lexicon_prefetch(features->lexicon, row->scratch[i], 0);
    }
    for (size_t i = 0; i < tokens->count; i++)
        lexicon_prefetch(features->lexicon, row->scratch[i], 1);
}

/* Finds the word of every token. */
static film_status find_words(const struct features *features, struct feature_row *row,
                              film_error *error)
{
    film_status status = FILM_OK;
    const struct tokens *tokens = &row->grams.tokens;
    size_t count = tokens->count, had = row->room_capacity;
    TRY_ALLOC(mem_grow((void **)&row->word, &row->word_capacity, count + 1, sizeof *row->word),
              error);
    TRY_ALLOC(mem_grow((void **)&row->room, &row->room_capacity, count + 1, sizeof *row->room),
              error);
    memset(row->room + had, 0, (row->room_capacity - had) * sizeof *row->room);
    TRY_ALLOC(
        mem_grow((void **)&row->scratch, &row->scratch_capacity, count + 1, sizeof *row->scratch),
        error);
    find_word_ids(features, row);
    for (size_t i = 0; i < count; i++)
        TRY(lexicon_word(features, token_text(tokens, &tokens->items[i]), row->scratch[i],
                         &row->grams, &row->room[i], &row->word[i], error));
done:
    return status;
}

int feature_row_is_plain(const struct features *features, const struct feature_row *row)
{
    const struct tokens *tokens = &row->grams.tokens;
    if (features->groups & GROUP_BIT(GROUP_BIGRAM)) return 0;
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens->items[i].kind != TOKEN_WORD) return 0;
    return 1;
}

/* Sorts the first KNOWN ids; runs of equal ids become one entry with their tf. */
static void count_ids(struct feature_row *row, size_t known)
{
    sort_ids(row->id, row->scratch, known);
    for (size_t i = 0; i < known;) {
        size_t start = i;
        uint32_t id = row->id[i];
        while (i < known && row->id[i] == id) i++;
        row->id[row->count] = id;
        row->value[row->count++] = features_tf((uint32_t)(i - start));
    }
}

/* Makes room for a bit per character n-gram, and a bit per 64 of these. */
static int reserve_bits(struct feature_row *row, size_t words)
{
    size_t had = row->seen_capacity;
    if (!mem_grow((void **)&row->seen, &row->seen_capacity, words, sizeof *row->seen)) return 0;
    memset(row->seen + had, 0, (row->seen_capacity - had) * sizeof *row->seen);
    return 1;
}

/* Moves the set bits to row->id as ascending ids from FIRST on, each with tf 1. UPPER has a bit for
 * each of SEEN's words that has one. Clears both. */
static void list_bits(struct feature_row *row, uint64_t *seen, uint64_t *upper, size_t uppers,
                      uint32_t first)
{
    size_t count = row->count;
    for (size_t u = 0; u < uppers; u++) {
        for (uint64_t some = upper[u]; some; some &= some - 1) {
            size_t w = 64 * u + (size_t)__builtin_ctzll(some);
            for (uint64_t bits = seen[w]; bits; bits &= bits - 1) {
                row->id[count] = first + (uint32_t)(64 * w + (size_t)__builtin_ctzll(bits));
                row->value[count++] = 1.0f;
            }
            seen[w] = 0;
        }
        upper[u] = 0;
    }
    row->count = count;
}

/* Appends the n-grams of all words to the row, ascending, with their tf: a bit per n-gram sorts
 * them in a few steps each. The row has room for all of them, and SCRATCH for twice as many. */
static int collect_grams(const struct features *features, struct feature_row *row)
{
    uint32_t first = features->first[GROUP_CHAR];
    size_t words = (features->first[GROUP_CHAR + 1] - first) / 64 + 1, uppers = words / 64 + 1;
    size_t repeated = 0, at = row->count;
    uint32_t *again = row->scratch;
    if (!reserve_bits(row, words + uppers)) return 0;
    uint64_t *seen = row->seen, *upper = seen + words;
    for (size_t i = 0; i < row->grams.tokens.count; i++) {
        const struct lexeme *word = row->word[i];
        for (uint32_t g = 0; g < word->gram_count; g++) {
            uint32_t gram = word->gram[g] - first;
            uint64_t bit = UINT64_C(1) << gram % 64;
            again[repeated] = word->gram[g];
            repeated += (seen[gram / 64] & bit) != 0;
            seen[gram / 64] |= bit;
            upper[gram / 4096] |= UINT64_C(1) << gram / 64 % 64;
        }
    }
    list_bits(row, seen, upper, uppers, first);
    sort_ids(again, again + repeated, repeated);
    row->repeated = repeated;
    for (size_t i = 0; i < repeated;) {
        size_t start = i;
        while (i < repeated && again[i] == again[start]) i++;
        while (row->id[at] < again[start]) at++;
        row->value[at] = features_tf((uint32_t)(i - start + 1));
    }
    return 1;
}

/* Collects the features of a sentence that has those of its words. */
static film_status collect_plain(const struct features *features, struct feature_row *row,
                                 film_error *error)
{
    const struct tokens *tokens = &row->grams.tokens;
    size_t words = 0, grams = 0;
    for (size_t i = 0; i < tokens->count; i++) grams += row->word[i]->gram_count;
    if (!reserve_features(row, tokens->count + grams + 1)) return status_no_memory(error);
    for (size_t i = 0; i < tokens->count; i++) {
        row->id[words] = row->word[i]->id;
        words += row->word[i]->id != STRTAB_NONE;
    }
    count_ids(row, words);
    if (features->groups & GROUP_BIT(GROUP_CHAR) && !collect_grams(features, row))
        return status_no_memory(error);
    return FILM_OK;
}

static film_status collect_listed(const struct features *features, struct feature_row *row,
                                  film_error *error)
{
    film_status status = FILM_OK;
    size_t grams = 0, known = 0;
    TRY(feature_row_list(features, row, error));
    for (int g = 0; g < GROUPS; g++) grams += row->grams.group[g].count;
    TRY_ALLOC(reserve_features(row, grams + 1), error);
    for (size_t i = 0; i < grams; i++) {
        row->id[known] = row->found[i];
        known += row->found[i] != STRTAB_NONE;
    }
    count_ids(row, known);
done:
    return status;
}

film_status features_transform(const struct features *features, struct feature_row *row,
                               film_text text, film_error *error)
{
    film_status status = FILM_OK;
    row->count = 0;
    row->listed = 0;
    TRY(grams_split(&row->grams, &features->tokenizer, text, error));
    TRY(find_words(features, row, error));
    row->is_plain = feature_row_is_plain(features, row);
    row->repeated = 0;
    TRY((row->is_plain ? collect_plain : collect_listed)(features, row, error));
    row->id[row->count] = UINT32_MAX; /* above all ids: merging needs no other check of the end */
    row->gram_factor = features_weigh(features, row->id, row->value, row->count);
done:
    return status;
}

size_t feature_row_position(const struct feature_row *row, uint32_t id)
{
    size_t low = 0, high = row->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (row->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void feature_row_places(const struct feature_row *row, double *places)
{
    size_t grams = 0;
    memset(places, 0, row->count * sizeof *places);
    for (int g = 0; g < GROUPS; g++) grams += row->grams.group[g].count;
    for (size_t i = 0; i < grams; i++)
        if (row->found[i] != STRTAB_NONE) places[feature_row_position(row, row->found[i])] += 1;
}
