/* Random pairs of sentences, and the FAQ example's model to ask about them. */
#ifndef LIB_DECISIONS_H
#define LIB_DECISIONS_H

#include "faq_model.h"

#include "pair/match.h"

static film_model *model;
static film_context *context, *second;

enum { ROUNDS = 1500, LONGEST = 40, ROOM = 1600 };

/* ---- Sentences ---- */

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

/* LONGEST words at most: of the vocabulary, and now and then others. */
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

/* Half of them are a sentence of the file changed a little: much is shared then. */
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

static inline film_answer_options answer(film_decision decision, int no_memory, double prior)
{
    film_answer_options options;
    film_answer_defaults(&options);
    options.decision = decision;
    options.no_memory = no_memory;
    options.prior = prior;
    return options;
}

static inline void use(film_context *which, film_decision decision, int no_memory, double prior)
{
    film_answer_options options = answer(decision, no_memory, prior);
    assert_ok(film_context_set(which, &options, &error));
}

static inline void match(film_context *which, const char *a, const char *b, film_verdict *verdict)
{
    assert_ok(film_match(which, film_string(a), film_string(b), verdict, &error));
}

static inline int set_up(void **state)
{
    (void)state;
    film_train_options options;
    faq_options(&options);
    model = faq_train(&options);
    assert_true(model->decision.full && model->decision.memory.questions.count > 100);
    assert_ok(film_context_new(model, &context, &error));
    assert_ok(film_context_new(model, &second, &error));
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    film_context_free(context);
    film_context_free(second);
    film_close(model);
    return 0;
}

#endif
