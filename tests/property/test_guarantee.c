/* The guarantee over many mutated sentences: a number, a negation, an opposite or an exchange as
 * the only difference is never the same. The pairs are made here, by templates around the sentences
 * of the FAQ example, not by the edits of training. In --long there are ten million. */
#include "faq_model.h"

enum { PAIRS = 20000, PAIRS_LONG = 10000000, ROOM = 1024 };

static const char *const opposites[][2] = {{"before", "after"}, {"with", "without"},
                                           {"open", "close"},   {"frobnicate", "zorkify"},
                                           {"safe", "unsafe"},  {"switch on", "switch off"}};
static const char *const names[] = {"Oslo", "Lisbon", "Zagreb", "Quito", "Xyzzyville", "Anna"};

/* Returns whether SENTENCE is about something mutual, where an exchange may keep the meaning. */
static int is_mutual(const char *sentence)
{
    static const char *const words[] = {"between", "ifference", "ompar", "distance", "far ",
                                        "similar", "relation",  "equal", "vs",       "versus"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(sentence, words[i])) return 1;
    return 0;
}

/* Writes a pair whose only difference is of the kind KIND. */
static void mutate(struct rng *rng, int kind, char *a, char *b)
{
    const char *s = faq[rng_below(rng, faq_count)].a;
    while (kind == 3 && is_mutual(s)) s = faq[rng_below(rng, faq_count)].a;
    unsigned one = (unsigned)rng_below(rng, 1000000) + 2, two = one;
    while (two == one) two = (unsigned)rng_below(rng, 1000000) + 2;
    size_t o = rng_below(rng, sizeof opposites / sizeof *opposites), from = rng_below(rng, 6),
           to = (from + 1 + rng_below(rng, 5)) % 6;
    switch (kind) {
    case 0:
        snprintf(a, ROOM, "%s This is about order %u.", s, one);
        snprintf(b, ROOM, "%s This is about order %u.", s, two);
        break;
    case 1:
        snprintf(a, ROOM, "Tell me when this is true: %s", s);
        snprintf(b, ROOM, "Tell me when this is not true: %s", s);
        break;
    case 2:
        snprintf(a, ROOM, "%s I want to %s it.", s, opposites[o][0]);
        snprintf(b, ROOM, "%s I want to %s it.", s, opposites[o][1]);
        break;
    default:
        snprintf(a, ROOM, "I travel from %s to %s: %s", names[from], names[to], s);
        snprintf(b, ROOM, "I travel from %s to %s: %s", names[to], names[from], s);
    }
}

static void only_differences_are_never_the_same(void **state)
{
    (void)state;
    static const char *const ids[] = {"guarantee_number", "guarantee_negation",
                                      "guarantee_opposite", "guarantee_exchange"};
    char path[300], a[ROOM], b[ROOM];
    size_t violations = 0, pairs = long_tests() ? PAIRS_LONG : PAIRS, lowered[4] = {0};
    strcpy(path, scratch("own.txt"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < sizeof opposites / sizeof *opposites; i++)
        fprintf(file, "%s ! %s\n", opposites[i][0], opposites[i][1]);
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
        int kind = (int)(i / 100 % 4);
        if (i % 100 < 2) assert_ok(film_context_set(context, &answer, &error));
        mutate(&rng, kind, a, b);
        assert_ok(film_match(context, film_string(a), film_string(b), &verdict, &error));
        violations += verdict.same != 0;
        if (verdict.same && violations < 5) print_message("same: %s / %s\n", a, b);
        for (size_t r = 0; r < verdict.reason_count; r++)
            lowered[kind] += strcmp(verdict.reasons[r].id, ids[kind]) == 0;
    }
    assert_int_equal(violations, 0);
    for (int kind = 0; kind < 4; kind++) assert_true(lowered[kind] > 0);
    film_context_free(context);
    film_close(model);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_differences_are_never_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
