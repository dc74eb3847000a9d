/* The weighted words of a sentence for the inverted index: hashes, idf, and the weight of the
 * learned map. lexical.c stores them. */
#include "index/terms.h"
#include "base/mem.h"
#include "embed/vec.h"
#include "pair/record_codes.h"
#include "pair/record_fields.h"
#include "text/record_text.h"
#include "text/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Number of words of a text that are used: finding repetitions is quadratic. */
enum { MOST_WORDS = 512 };

/* The weight of a word of the vocabulary. */
static float term_weight(const struct encoder *encoder, uint32_t feature)
{
    float idf = encoder->features->idf[feature];
    if (!encoder->weighs || !word_map_exists(&encoder->map)) return idf;
    return idf * (float)sqrt(sqrt(word_map_product(&encoder->map, feature, feature, encoder->dim)));
}

/* The mean weight of the rarest known words: ids are sorted by decreasing frequency. */
static float weight_of_unknown(const struct encoder *encoder)
{
    enum { RAREST = 1000 };
    const struct features *features = encoder->features;
    uint32_t first = features->first[GROUP_WORD], last = features->first[GROUP_WORD + 1];
    double sum = 0;
    if (first == last) return 1;
    if (last - first > RAREST) first = last - RAREST;
    for (uint32_t id = first; id < last; id++) sum += (double)term_weight(encoder, id);
    return (float)(sum / (last - first));
}

film_status terms_init(struct terms *terms, const struct encoder *encoder, film_error *error)
{
    memset(terms, 0, sizeof *terms);
    terms->encoder = encoder;
    terms->unknown = weight_of_unknown(encoder);
    return grams_init(&terms->grams, &encoder->features->tokenizer, error);
}

void terms_free(struct terms *terms)
{
    grams_free(&terms->grams);
    mem_free(terms->key);
    mem_free(terms->weight);
    memset(terms, 0, sizeof *terms);
}

static int reserve_terms(struct terms *terms, size_t words)
{
    return mem_grow((void **)&terms->key, &terms->key_capacity, words + 1, sizeof *terms->key) &&
           mem_grow((void **)&terms->weight, &terms->weight_capacity, words + 1,
                    sizeof *terms->weight);
}

/* Adds a term, or half its weight to an existing one. The first terms of a long text are enough. */
static void put_term(struct terms *terms, film_text word, float weight)
{
    uint64_t key = XXH3_64bits(word.bytes, word.length);
    size_t at = 0;
    if (key == 0) key = 1; /* 0 marks an empty slot of the key table */
    while (at < terms->count && terms->key[at] != key) at++;
    if (at < terms->count) {
        terms->weight[at] += 0.5f * weight;
    } else if (terms->count < MOST_WORDS) {
        terms->key[terms->count] = key;
        terms->weight[terms->count++] = weight;
    }
}

/* ---- Keys of records ---- */

/* The keys of one record: values that are written in many ways, in one. */
struct record_keys {
    struct terms *terms;
    size_t count;
};
enum { MOST_KEYS = 64, SHORTEST_KEY = 4, LONGEST_KEY = 64 };

/* No word begins with the mark. */
static void put_key(struct record_keys *keys, film_text key)
{
    char bytes[1 + LONGEST_KEY] = {FIELD_VALUE_MARK};
    if (key.length < SHORTEST_KEY || key.length > LONGEST_KEY || keys->count == MOST_KEYS) return;
    memcpy(bytes + 1, key.bytes, key.length);
    put_term(keys->terms, (film_text){bytes, key.length + 1}, keys->terms->unknown);
    keys->count++;
}

static size_t key_end(film_text text, size_t at)
{
    while (at < text.length && (value_letter(text.bytes[at]) || value_digit(text.bytes[at]))) at++;
    return at;
}

/* A few letters and a number after one space or sign may be a code in two words: "KV 2217X". */
static void put_joined(struct record_keys *keys, film_text value)
{
    enum { LETTERS = 4 };
    char bytes[LONGEST_KEY + 1];
    for (size_t at = 0; at < value.length;) {
        size_t end = key_end(value, at), letters = at;
        while (letters < end && value_letter(value.bytes[letters])) letters++;
        int joins = end > at && letters == end && end - at <= LETTERS && end + 1 < value.length &&
                    value_digit(value.bytes[end + 1]);
        if (joins) {
            film_text both = {value.bytes + at, key_end(value, end + 1) - at};
            put_key(keys, (film_text){bytes, field_squeeze(both, bytes, sizeof bytes)});
        }
        at = end + 1;
    }
}

/* Day and month in ascending order: they may be exchanged. */
static void put_date(struct record_keys *keys, film_text value)
{
    struct field_day day;
    char bytes[48];
    if (!field_date(value, &day) || !day.day) return;
    int low = day.day < day.month ? day.day : day.month;
    int length =
        snprintf(bytes, sizeof bytes, "date%d/%d/%d", day.year, low, day.day + day.month - low);
    put_key(keys, (film_text){bytes, (size_t)length});
}

static void put_value_keys(struct record_keys *keys, enum field_type type, film_text value)
{
    char bytes[LONGEST_KEY + 1];
    struct record_codes codes = {.count = 0};
    switch (type) {
    case TYPE_CODE:
    case TYPE_EMAIL:
    case TYPE_URL:
        put_key(keys, (film_text){bytes, field_squeeze(value, bytes, sizeof bytes)});
        break;
    case TYPE_DATE:
        put_date(keys, value);
        break;
    case TYPE_TEXT:
    case TYPE_CATEGORY:
    case TYPE_PLACE:
        record_codes_read(&codes, value);
        for (size_t i = 0; i < codes.count; i++)
            put_key(keys, (film_text){codes.code[i].bytes, codes.code[i].length});
        put_joined(keys, value);
        break;
    default:
        break;
    }
}

/* Codes, dates and addresses of a record, each as a term of its own. */
static void put_record_keys(struct terms *terms, film_text text)
{
    const struct record_fields *fields = terms->encoder->fields;
    struct record_keys keys = {terms, 0};
    film_text name, value;
    size_t at = 0;
    if (!fields || !record_text_is(text)) return;
    while (record_text_next(text, &at, &name, &value)) {
        size_t f = 0;
        while (f < fields->count && !value_is(name, fields->list[f].name)) f++;
        if (f < fields->count) put_value_keys(&keys, fields->list[f].type, value);
    }
}

/* Adds the words of TEXT. */
static film_status add_term_words(struct terms *terms, film_text text, double *all, double *unknown,
                                  film_error *error)
{
    film_status status = FILM_OK;
    const struct features *features = terms->encoder->features;
    const struct gram_list *words = &terms->grams.group[GROUP_WORD];
    TRY(grams_collect(&terms->grams, &features->tokenizer, GROUP_BIT(GROUP_WORD), text, error));
    TRY_ALLOC(reserve_terms(terms, terms->count + words->count), error);
    for (size_t i = 0; i < words->count; i++) {
        film_text word = gram_text(words, &words->items[i]);
        uint32_t id = strtab_find(&features->vocabulary[GROUP_WORD], word.bytes, word.length);
        float weight = id == STRTAB_NONE
                           ? terms->unknown
                           : term_weight(terms->encoder, features->first[GROUP_WORD] + id);
        *all += (double)weight * (double)weight;
        if (id == STRTAB_NONE) *unknown += (double)weight * (double)weight;
        put_term(terms, word, weight);
    }
done:
    return status;
}

film_status terms_add_value(struct terms *terms, enum field_type type, film_text value,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct record_keys keys = {terms, 0};
    double all = 0, unknown = 0;
    TRY_ALLOC(reserve_terms(terms, terms->count + MOST_KEYS), error);
    put_value_keys(&keys, type, value);
    TRY(add_term_words(terms, value, &all, &unknown, error));
done:
    return status;
}

film_status terms_make(struct terms *terms, film_text text, struct lexical_terms *out,
                       film_error *error)
{
    film_status status = FILM_OK;
    const struct features *features = terms->encoder->features;
    double all = 0, unknown = 0;
    terms->count = 0;
    TRY_ALLOC(reserve_terms(terms, MOST_KEYS), error);
    put_record_keys(terms, text);
    TRY(add_term_words(terms, text, &all, &unknown, error));
    /* A model of characters alone has no words; then all words count as known. */
    int has_words = features->first[GROUP_WORD] < features->first[GROUP_WORD + 1];
    terms->known = has_words && all > 0 ? 1 - unknown / all : 1;
    vec_normalise(terms->weight, terms->count);
    *out = (struct lexical_terms){terms->key, terms->weight, terms->count};
done:
    return status;
}
