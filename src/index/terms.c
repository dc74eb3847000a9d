/* The weighted words of a sentence for the inverted index: hashes, idf, and the weight of the
 * learned map. lexical.c stores them. */
#include "index/terms.h"
#include "base/mem.h"
#include "embed/vec.h"

#include <math.h>
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

film_status terms_make(struct terms *terms, film_text text, struct lexical_terms *out,
                       film_error *error)
{
    film_status status = FILM_OK;
    const struct features *features = terms->encoder->features;
    const struct gram_list *words = &terms->grams.group[GROUP_WORD];
    double all = 0, unknown = 0;
    terms->count = 0;
    TRY(grams_collect(&terms->grams, &features->tokenizer, GROUP_BIT(GROUP_WORD), text, error));
    TRY_ALLOC(reserve_terms(terms, words->count), error);
    for (size_t i = 0; i < words->count; i++) {
        film_text word = gram_text(words, &words->items[i]);
        uint32_t id = strtab_find(&features->vocabulary[GROUP_WORD], word.bytes, word.length);
        float weight = id == STRTAB_NONE
                           ? terms->unknown
                           : term_weight(terms->encoder, features->first[GROUP_WORD] + id);
        all += (double)weight * (double)weight;
        if (id == STRTAB_NONE) unknown += (double)weight * (double)weight;
        put_term(terms, word, weight);
    }
    /* A model of characters alone has no words; then all words count as known. */
    int has_words = features->first[GROUP_WORD] < features->first[GROUP_WORD + 1];
    terms->known = has_words && all > 0 ? 1 - unknown / all : 1;
    vec_normalise(terms->weight, terms->count);
    *out = (struct lexical_terms){terms->key, terms->weight, terms->count};
done:
    return status;
}
