/* A small vocabulary fitted on the test's sentences, and an encoder without a map. */
#ifndef VOCABULARY_H
#define VOCABULARY_H

#include "testing.h"

#include "base/rng.h"
#include "embed/encoder.h"
#include "learn/features_fit.h"

struct vocabulary {
    struct features features;
    struct encoder encoder; /* points to the features: do not move */
};

/* SENTENCES are separated by newlines. */
static inline void vocabulary_fit(struct vocabulary *vocabulary, unsigned groups,
                                  const char *sentences)
{
    film_error error;
    struct tokenizer tokenizer;
    struct strtab table;
    struct features_options options = {groups, 1, 0, 1, {NULL, NULL, NULL}, NULL};
    uint32_t id;
    assert_ok(tokenizer_init(&tokenizer, NULL, NULL, &error));
    assert_ok(strtab_init(&table, &error));
    while (*sentences) {
        size_t length = strcspn(sentences, "\n");
        assert_ok(strtab_add(&table, sentences, length, &id, &error));
        sentences += length + (sentences[length] == '\n');
    }
    memset(vocabulary, 0, sizeof *vocabulary);
    assert_ok(features_fit(&vocabulary->features, &tokenizer, &table, &options, NULL, &error));
    vocabulary->encoder = (struct encoder){.features = &vocabulary->features};
    strtab_free(&table);
}

static inline void vocabulary_free(struct vocabulary *vocabulary)
{
    features_free(&vocabulary->features);
}

/* The feature id of a known word. */
static inline uint32_t vocabulary_id(const struct vocabulary *vocabulary, const char *word)
{
    uint32_t id = strtab_find(&vocabulary->features.vocabulary[GROUP_WORD], word, strlen(word));
    assert_int_not_equal(id, STRTAB_NONE);
    return id;
}

/* Writes a sentence of at most MOST - 1 of the WORDS words, separated by spaces, to OUT. */
static inline void random_sentence(struct rng *rng, const char *const *words, size_t count,
                                   size_t most, char *out, size_t room)
{
    size_t length = (size_t)rng_below(rng, most), used = 0;
    out[0] = 0;
    for (size_t i = 0; i < length; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? " " : "",
                                 words[rng_below(rng, count)]);
    assert_true(used < room);
}

#endif
