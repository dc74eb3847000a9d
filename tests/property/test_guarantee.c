/* The guarantee over many mutated sentences: a number, a negation, an opposite or an exchange as
 * the only difference is never the same. bench/guarantee_driver.c does the same with any model and
 * ten million pairs. */
#include "faq_model.h"
#include "mutated.h"

enum { PAIRS = 20000, PAIRS_LONG = 200000 };

static void only_differences_are_never_the_same(void **state)
{
    (void)state;
    char path[300], id[40], a[MUTATED_ROOM], b[MUTATED_ROOM];
    size_t violations = 0, pairs = long_tests() ? PAIRS_LONG : PAIRS, lowered[MUTATED_KINDS] = {0};
    strcpy(path, scratch("own.txt"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    mutated_write_words(file);
    fclose(file);
    film_train_options options;
    faq_options(&options);
    options.words = path;
    film_model *model = faq_train(&options);
    film_context *context = NULL;
    assert_ok(film_context_new(model, &context, &error));
    struct rng rng;
    rng_seed(&rng, 17);
    for (size_t i = 0; i < pairs; i++) {
        film_verdict verdict;
        film_answer_options answer = {.size = sizeof answer,
                                      .no_reasons = i % 100 != 0,
                                      /* without it, other terms mostly suffice */
                                      .prior = 0.9999999};
        int kind = (int)(i / 100 % MUTATED_KINDS);
        const char *sentence = faq[rng_below(&rng, faq_count)].a;
        while (kind == 3 && mutated_is_mutual(sentence))
            sentence = faq[rng_below(&rng, faq_count)].a;
        if (i % 100 < 2) assert_ok(film_context_set(context, &answer, &error));
        mutated_pair(&rng, kind, sentence, a, b);
        assert_ok(film_match(context, film_string(a), film_string(b), &verdict, &error));
        violations += verdict.same != 0;
        if (verdict.same && violations < 5) print_message("same: %s / %s\n", a, b);
        snprintf(id, sizeof id, "guarantee_%s", mutated_kinds[kind]);
        for (size_t r = 0; r < verdict.reason_count; r++)
            lowered[kind] += strcmp(verdict.reasons[r].id, id) == 0;
    }
    assert_int_equal(violations, 0);
    for (int kind = 0; kind < MUTATED_KINDS; kind++) assert_true(lowered[kind] > 0);
    film_context_free(context);
    film_close(model);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_differences_are_never_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
