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

/* Returns the first place from AT on whose id is not below LIMIT; ids ascend. */
static size_t first_not_below(const uint32_t *id, size_t at, size_t count, uint32_t limit)
{
    if (at == count || id[count - 1] < limit) return count;
    while (at < count) {
        size_t middle = (at + count) / 2;
        if (id[middle] < limit)
            at = middle + 1;
        else
            count = middle;
    }
    return at;
}

float features_weigh(const struct features *features, const uint32_t *id, float *value,
                     size_t count)
{
    const float *idf = features->idf;
    int groups_present = 0;
    float last = 0;
    for (size_t g = 0, start = 0, at; g < GROUPS; g++, start = at) {
        double sum = 0.0;
        at = first_not_below(id, start, count, features->first[g + 1]);
        for (size_t i = start; i < at; i++) {
            float here = value[i] *= idf[id[i]];
            sum += (double)here * (double)here;
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
        if (!(row->word[i] = lexicon_kept(features->lexicon, row->scratch[i])))
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

/* Makes room for a bit per feature, and a bit per 64 of these. */
static int reserve_bits(struct feature_row *row, size_t words)
{
    size_t had = row->seen_capacity;
    if (!mem_grow((void **)&row->seen, &row->seen_capacity, words, sizeof *row->seen)) return 0;
    memset(row->seen + had, 0, (row->seen_capacity - had) * sizeof *row->seen);
    return 1;
}

/* Sets the bit of a feature. Returns whether it was set before. */
static inline unsigned mark_feature(uint64_t *seen, uint64_t *upper, uint32_t id)
{
    uint32_t w = id / 64;
    uint64_t bits = seen[w];
    seen[w] = bits | UINT64_C(1) << id % 64;
    upper[w / 64] |= UINT64_C(1) << w % 64;
    return (unsigned)(bits >> id % 64 & 1);
}

/* Moves the set bits to row->id as ascending ids, each with tf 1. UPPER has a bit for each word of
 * SEEN that has one. Clears both. */
static void list_bits(struct feature_row *row, uint64_t *seen, uint64_t *upper, size_t uppers)
{
    uint32_t *id = row->id;
    for (size_t u = 0; u < uppers; u++) {
        for (uint64_t some = upper[u]; some; some &= some - 1) {
            size_t w = 64 * u + (size_t)__builtin_ctzll(some);
            uint64_t bits = seen[w];
            seen[w] = 0;
            do {
                *id++ = (uint32_t)(64 * w + (size_t)__builtin_ctzll(bits));
                bits &= bits - 1;
            } while (bits);
        }
        upper[u] = 0;
    }
    row->count = (size_t)(id - row->id);
    for (size_t i = 0; i < row->count; i++) row->value[i] = 1.0f;
}

/* Sets the tf of features that occur several times: the first COUNT of SCRATCH, each once less than
 * it occurs. Leaves the n-grams among them there, with their positions behind them. */
static void count_repeated(const struct features *features, struct feature_row *row, size_t count)
{
    uint32_t *again = row->scratch, *position = again + count;
    size_t words = 0;
    sort_ids(again, position, count);
    for (size_t i = 0, at = 0; i < count;) {
        size_t start = i;
        while (row->id[at] < again[start]) at++;
        for (; i < count && again[i] == again[start]; i++) position[i] = (uint32_t)at;
        row->value[at] = features_tf((uint32_t)(i - start + 1));
        if (again[start] < features->first[GROUP_CHAR]) words = i;
    }
    row->repeated = count - words;
    memmove(again, again + words, row->repeated * sizeof *again);
    memmove(again + row->repeated, position + words, row->repeated * sizeof *again);
}

/* Collects the features of a sentence that has those of its words, ascending: a bit per feature
 * sorts them in a few steps each. */
static film_status collect_plain(const struct features *features, struct feature_row *row,
                                 film_error *error)
{
    size_t tokens = row->grams.tokens.count, grams = 0, repeated = 0;
    size_t words = features_count(features) / 64 + 1, uppers = words / 64 + 1;
    for (size_t i = 0; i < tokens; i++) grams += row->word[i]->gram_count;
    if (!reserve_features(row, tokens + grams + 1) || !reserve_bits(row, words + uppers))
        return status_no_memory(error);
    uint64_t *seen = row->seen, *upper = seen + words;
    uint32_t *again = row->scratch;
    for (size_t i = 0; i < tokens; i++) {
        const struct lexeme *word = row->word[i];
        const uint32_t *end = word->gram + word->gram_count;
        if (word->id != STRTAB_NONE) {
            again[repeated] = word->id;
            repeated += mark_feature(seen, upper, word->id);
        }
        for (const uint32_t *gram = word->gram; gram < end; gram++) {
            again[repeated] = *gram;
            repeated += mark_feature(seen, upper, *gram);
        }
    }
    list_bits(row, seen, upper, uppers);
    count_repeated(features, row, repeated);
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
