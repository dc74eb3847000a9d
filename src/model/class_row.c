/* Collects and weighs the items of a sentence for the classifier. It knows neither categories nor
 * weights. */
#include "model/class_row.h"
#include "base/sort.h"
#include "base/mem.h"
#include "embed/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of words are formed among this number of first words: their number grows with its
 * square. */
enum { MOST_PAIRED = 32 };

film_status class_row_init(struct class_row *row, const struct tokenizer *tokenizer,
                           film_error *error)
{
    *row = (struct class_row){.count = 0};
    return grams_init(&row->grams, tokenizer, error);
}

void class_row_free(struct class_row *row)
{
    grams_free(&row->grams);
    mem_free(row->items);
    *row = (struct class_row){.count = 0};
}

static uint64_t mix_keys(uint64_t a, uint64_t b)
{
    uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ h >> 33;
}

static void add(struct class_row *row, enum class_kind kind, uint64_t hash, uint32_t first,
                uint32_t second)
{
    row->items[row->count++] = (struct class_item){.key = (hash & ~(uint64_t)7) | (uint64_t)kind,
                                                   .number = KEYTAB_NONE,
                                                   .first = first,
                                                   .second = second,
                                                   .value = 1};
}

uint64_t class_word_key(film_text word)
{
    return (strtab_hash(word.bytes, word.length) & ~(uint64_t)7) | CLASS_WORD;
}

static int by_item_key(const void *a, const void *b)
{
    const struct class_item *left = a, *right = b;
    if (left->key != right->key) return left->key < right->key ? -1 : 1;
    return left->first < right->first ? -1 : left->first > right->first;
}

/* Any two different words, in either order. */
static void add_pairs(struct class_row *row)
{
    const struct gram_list *words = &row->grams.group[GROUP_WORD];
    uint64_t hash[MOST_PAIRED];
    uint32_t token[MOST_PAIRED];
    size_t count = 0;
    for (size_t i = 0; i < words->count && count < MOST_PAIRED; i++) {
        film_text word = gram_text(words, &words->items[i]);
        uint64_t own = strtab_hash(word.bytes, word.length);
        size_t seen = 0;
        while (seen < count && hash[seen] != own) seen++;
        if (seen < count) continue;
        for (size_t j = 0; j < count; j++)
            add(row, CLASS_TOGETHER,
                own < hash[j] ? mix_keys(own, hash[j]) : mix_keys(hash[j], own), token[j],
                words->items[i].token);
        hash[count] = own;
        token[count++] = words->items[i].token;
    }
}

/* Merges items with the same key: the first place stays, the value counts. */
static void merge(struct class_row *row)
{
    size_t kept = 0;
    sort_array(row->items, row->count, sizeof *row->items, by_item_key);
    for (size_t i = 0; i < row->count; i++) {
        if (kept && row->items[kept - 1].key == row->items[i].key)
            row->items[kept - 1].value += 1;
        else
            row->items[kept++] = row->items[i];
    }
    row->count = kept;
    for (size_t i = 0; i < kept; i++)
        row->items[i].value = features_tf((uint32_t)row->items[i].value);
}

film_status class_row_collect(struct class_row *row, const struct tokenizer *tokenizer,
                              film_text text, film_error *error)
{
    static const enum class_kind kinds[GROUPS] = {
        [GROUP_WORD] = CLASS_WORD, [GROUP_BIGRAM] = CLASS_NEXT, [GROUP_CHAR] = CLASS_CHAR};
    film_status status = FILM_OK;
    size_t room = (size_t)MOST_PAIRED * MOST_PAIRED / 2;
    row->count = 0;
    TRY(grams_collect(&row->grams, tokenizer, ~0u, text, error));
    for (int g = 0; g < GROUPS; g++) room += row->grams.group[g].count;
    TRY_ALLOC(mem_grow((void **)&row->items, &row->capacity, room, sizeof *row->items), error);
    for (int g = 0; g < GROUPS; g++) {
        const struct gram_list *list = &row->grams.group[g];
        for (size_t i = 0; i < list->count; i++) {
            film_text gram = gram_text(list, &list->items[i]);
            add(row, kinds[g], strtab_hash(gram.bytes, gram.length), list->items[i].token,
                list->items[i].last_token);
        }
    }
    add_pairs(row);
    merge(row);
done:
    return status;
}

void class_row_weigh(struct class_row *row, const struct keytab *table, const float *idf)
{
    double square[CLASS_KINDS] = {0}, length = 0;
    size_t kept = 0;
    row->known = 0;
    row->unknown = 0;
    for (size_t i = 0; i < row->count; i++) {
        struct class_item item = row->items[i];
        unsigned kind = item.key & 7;
        item.number = keytab_find(table, item.key);
        row->unknown += kind == CLASS_WORD && item.number == KEYTAB_NONE;
        if (item.number == KEYTAB_NONE) continue;
        if (kind == CLASS_WORD) row->known += (double)idf[item.number];
        item.value *= idf[item.number];
        square[kind] += (double)item.value * (double)item.value;
        row->items[kept++] = item;
    }
    row->count = kept;
    for (int k = 0; k < CLASS_KINDS; k++) length += square[k] > 0;
    for (size_t i = 0; i < kept; i++)
        row->items[i].value /= (float)sqrt(square[row->items[i].key & 7] * length);
}
