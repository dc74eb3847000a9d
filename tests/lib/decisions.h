/* Matches random pairs with the FAQ example's model. */
#ifndef LIB_DECISIONS_H
#define LIB_DECISIONS_H

#include "random_pairs.h"

#include "pair/match.h"

static film_context *context, *second;

enum { ROUNDS = 1500 };

static inline film_answer_options answer(film_decision decision, int no_memory, double prior)
{
    film_answer_options options = {.size = sizeof options};
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
