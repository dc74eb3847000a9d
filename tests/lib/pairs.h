/* Pairs of short sentences for training word evidence. */
#ifndef PAIRS_H
#define PAIRS_H

#include "vocabulary.h"

#include "learn/evidence_fit.h"

static film_error error;
/* Words and characters, so that there are features besides words. */
static struct vocabulary vocabulary;

static const char *const words[] = {"xray",  "ursa",  "vega", "alpha", "beta", "gamma",
                                    "delta", "omega", "rho",  "tau",   "phi",  "zork"};
enum { WORDS = sizeof words / sizeof *words, KNOWN = WORDS - 1, MOST_BYTES = 120 };

struct pairs {
    char (*text)[2][MOST_BYTES];
    float *target, *weight;
    size_t count;
};

static inline void get_pair(const void *user, size_t i, film_text *a, film_text *b)
{
    const struct pairs *pairs = user;
    *a = film_string(pairs->text[i][0]);
    *b = film_string(pairs->text[i][1]);
}

static inline struct evidence_source source_of(const struct pairs *pairs)
{
    return (struct evidence_source){get_pair, pairs, pairs->count, NULL, NULL};
}

/* Row I of A has the entries of row J of B. */
static inline void assert_rows_equal(const struct evidence_rows *a, size_t i,
                                     const struct evidence_rows *b, size_t j)
{
    struct evidence_cursor left = evidence_rows_open(a, i), right = evidence_rows_open(b, j);
    uint32_t column[2];
    float value[2];
    while (evidence_rows_read(&left, 1, &column[0], &value[0])) {
        assert_int_equal(evidence_rows_read(&right, 1, &column[1], &value[1]), 1);
        assert_int_equal(column[0], column[1]);
        assert_true(value[0] == value[1]);
    }
    assert_int_equal(evidence_rows_read(&right, 1, &column[1], &value[1]), 0);
}

/* Trains one fit on the pairs with USE[i] (NULL: all). */
static inline film_status learn(const struct evidence_rows *rows, const struct pairs *pairs,
                                const unsigned char *use, const struct evidence_options *options,
                                float *out)
{
    struct evidence_labels labels = {pairs->target, pairs->weight, NULL, use};
    return evidence_learn(rows, &labels, options, &out, &error);
}

static inline void pairs_init(struct pairs *pairs, size_t count)
{
    pairs->count = count;
    pairs->text = malloc(count * sizeof *pairs->text);
    pairs->target = malloc(count * sizeof(float));
    pairs->weight = malloc(count * sizeof(float));
    for (size_t i = 0; i < count; i++) pairs->target[i] = 0, pairs->weight[i] = 1;
}

static inline void pairs_free(struct pairs *pairs)
{
    free(pairs->text);
    free(pairs->target);
    free(pairs->weight);
}

static inline void random_pairs(struct pairs *pairs, size_t count, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    pairs_init(pairs, count);
    for (size_t i = 0; i < count; i++) {
        for (int s = 0; s < 2; s++)
            random_sentence(&rng, words, WORDS, 9, pairs->text[i][s], MOST_BYTES);
        pairs->target[i] = (float)rng_below(&rng, 2);
        pairs->weight[i] = (float)(0.5 + rng_uniform(&rng));
    }
}

static inline void collect_keys(const char *a, const char *b, struct reading *reading,
                                struct items *items)
{
    assert_ok(reading_read(reading, film_string(a), film_string(b), &error));
    assert_ok(items_collect(items, reading, &error));
}

static inline void fit_words(void)
{
    vocabulary_fit(&vocabulary, FILM_WORD | FILM_CHAR,
                   "xray ursa vega\nalpha beta gamma delta\nomega rho tau phi\nnu1 nu2");
}

#endif
