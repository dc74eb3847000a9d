/* Random pairs of sentences for the small model of faq_model.h: known words, unknown words, unusual
 * scripts. */
#ifndef RANDOM_PAIRS_H
#define RANDOM_PAIRS_H

#include "faq_model.h"

enum { LONGEST = 40, ROOM = 1600 };

static film_model *model;

static const char *const unknown[] = {"Zebra",
                                      "42",
                                      "xyzzy",
                                      "can't",
                                      "won't",
                                      "I'd",
                                      "gonna",
                                      "USA",
                                      "\xc3\x84rger",
                                      "\xe5\x8d\xa1\xe4\xb8\xa2\xe4\xba\x86",
                                      "\xf0\x9f\x98\x80",
                                      "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
                                      "?",
                                      "don\xe2\x80\x99t",
                                      "e\xcc\x81t\xc3\xa9"};

/* At most LONGEST words, mostly of the vocabulary. */
static inline void random_sentence(struct rng *rng, char *out)
{
    const struct strtab *words = &model->features.vocabulary[GROUP_WORD];
    size_t count = (size_t)rng_below(rng, LONGEST + 1), used = 0;
    if (rng_below(rng, 3)) count = count % 9;
    out[0] = 0;
    for (size_t i = 0; i < count; i++) {
        film_text word = strtab_get(words, (uint32_t)rng_below(rng, words->count));
        if (rng_below(rng, 5) == 0)
            word = film_string(unknown[rng_below(rng, sizeof unknown / sizeof *unknown)]);
        used += (size_t)snprintf(out + used, ROOM - used, "%s%.*s", i ? " " : "", (int)word.length,
                                 word.bytes);
        assert_true(used < ROOM);
    }
}

/* In half of the pairs the second sentence is a slightly changed copy: the two then share much. */
static inline void random_pair(struct rng *rng, char *a, char *b)
{
    random_sentence(rng, a);
    random_sentence(rng, b);
    if (rng_below(rng, 2)) return;
    const struct faq_row *row = &faq[rng_below(rng, faq_count)];
    snprintf(a, ROOM, "%s", row->a);
    snprintf(b, ROOM, "%s%s%s", row->b, rng_below(rng, 2) ? " " : "",
             rng_below(rng, 2) ? unknown[rng_below(rng, sizeof unknown / sizeof *unknown)] : "");
}

#endif
