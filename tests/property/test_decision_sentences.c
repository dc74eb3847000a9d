/* Tests the full decision on unusual sentences: they get a verdict like any other, identical words
 * are the same, and the log-odds are the sum of the parts. */
#include "decisions.h"
#include "base/clock.h"

static void any_sentences_get_a_probability(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    char *words = malloc(MANY * 12), *letters = malloc(MANY + 1), *chinese = malloc(3 * MANY + 1);
    size_t used = 0;
    for (int i = 0; i < MANY; i++) {
        used += (size_t)sprintf(words + used, "%s%d ", i % 2 ? "card" : "w", i % 700);
        letters[i] = 'x';
        memcpy(chinese + 3 * i, i % 2 ? "\xe5\x8d\xa1" : "\xe4\xb8\xa2", 3);
    }
    letters[MANY] = chinese[3 * MANY] = 0;
    const char *texts[] = {"",
                           " ",
                           "?!",
                           "card",
                           "xyzzy",
                           "\xe5\x8d\xa1\xe4\xb8\xa2\xe4\xba\x86",
                           "\xf0\x9f\x98\x80\xf0\x9f\x91\x8d",
                           "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
                           "I lost my card",
                           words,
                           letters,
                           chinese};
    enum { TEXTS = sizeof texts / sizeof *texts };
    double longest = 0;
    use(context, FILM_DECISION_FULL, 0, 0.5);
    for (int i = 0; i < TEXTS; i++)
        for (int j = 0; j < TEXTS; j++) {
            film_verdict verdict;
            double start = clock_seconds();
            match(context, texts[i], texts[j], &verdict);
            longest = fmax(longest, clock_seconds() - start);
            assert_true(isfinite(verdict.log_odds));
            assert_true(verdict.probability > 0 && verdict.probability < 1);
        }
    print_message("# slowest pair: %.3f s\n", longest); /* information only: no time is asserted */
    free(words);
    free(letters);
    free(chinese);
}

static void identical_sentences_are_the_same(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 37);
    int low = 0, total = 0;
    double lowest = 1;
    use(context, FILM_DECISION_FULL, 1, 0.5);
    for (int round = 0; round < ROUNDS / 2; round++) {
        char a[ROOM], b[ROOM];
        film_verdict verdict;
        random_pair(&rng, a, b);
        if (strspn(a, " ?") == strlen(a)) continue; /* no words */
        match(context, a, a, &verdict);
        lowest = fmin(lowest, verdict.probability);
        low += !(verdict.probability > 0.99);
        total++;
    }
    if (low)
        print_error(
            "%d of %d sentences are not the same as themselves with p > 0.99; lowest %.4f\n", low,
            total, lowest);
    assert_int_equal(low, 0);
}

/* The contribution of identical text, 0 without such a reason; no pair has two. */
static double identity_of(const film_verdict *verdict)
{
    double weight = 0;
    for (size_t i = 0; i < verdict->reason_count; i++)
        if (strcmp(verdict->reasons[i].kind, "identical") == 0) {
            assert_true(weight == 0 && verdict->reasons[i].weight > 0 && !verdict->reasons[i].side);
            weight = verdict->reasons[i].weight;
        }
    return weight;
}

/* Lifted to log-odds of 6 before the prior, never lowered; others are unchanged. */
static void identity_is_a_reason_of_the_same_words_in_the_same_order(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int identical;
    } cases[] = {
        {"I lost my card", "I lost my card", 1},
        {"I lost my card", "i LOST my card?", 1}, /* the same words */
        {"xyzzy zebra", "xyzzy zebra", 1},        /* unknown ones too */
        {"", "", 1},
        {"?!", "?!", 1}, /* no words, the same bytes */
        {"?!", "...", 0},
        {"", "?", 0},
        {"I lost my card", "my card I lost", 0},
        {"I lost my card", "I lost my card card", 0},
        {"xyzzy", "zebra", 0},
    };
    for (int way = 0; way < 2; way++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            film_verdict verdict, prior;
            film_decision decision = way ? FILM_DECISION_FULL : FILM_DECISION_THRESHOLD;
            use(context, decision, 0, 0.5);
            use(second, decision, 0, 0.01);
            match(context, cases[i].a, cases[i].b, &verdict);
            match(second, cases[i].a, cases[i].b, &prior);
            double weight = identity_of(&verdict);
            if (weight > 0) assert_close(verdict.log_odds, 6, 1e-12);
            if (cases[i].identical) assert_true(verdict.log_odds > 6 - 1e-12);
            if (!cases[i].identical) assert_true(weight == 0);
            assert_close(identity_of(&prior), weight, 1e-12);
            assert_close(prior.log_odds, verdict.log_odds + log(0.01 / 0.99), 1e-12);
        }
}

/* The log-odds are as the header defines: linear model, evidence and trees, then memory. A rule
 * without identity has none. */
static void the_log_odds_are_those_of_the_parts(void **state)
{
    (void)state;
    struct rng rng;
    struct match bare, whole;
    const struct decision *decision = &model->decision;
    struct match_rule rule = {.full = 1, .prior_log_odds = 0.5}, both;
    film_answer_options options = answer(FILM_DECISION_FULL, 0, 0.5);
    rng_seed(&rng, 38);
    assert_ok(match_rule(&both, decision, &options, &error));
    assert_true(both.full && both.memory && both.identity);
    assert_ok(match_init(&bare, decision, &rule, &error));
    assert_ok(match_init(&whole, decision, &both, &error));
    assert_true(decision->line.bias != 0 && decision->line.count == traits_count());
    for (int round = 0; round < ROUNDS / 2; round++) {
        char a[ROOM], b[ROOM];
        film_verdict verdict, all;
        random_pair(&rng, a, b);
        if (round % 5 == 0) strcpy(b, a);
        if (round % 5 == 1) {
            const struct faq_row *row = &faq[rng_below(&rng, faq_count)];
            strcpy(a, row->a);
            strcpy(b, row->b);
        }
        assert_ok(match_pair(&bare, film_string(a), film_string(b), 0, &verdict, &error));
        const struct survey *survey = &bare.survey;
        double line = decision->line.bias;
        for (size_t t = 0; t < traits_count(); t++)
            line += linear_term(&decision->line, t, survey->traits);
        double margin = line + decision->evidence.scale * survey->sums.margin +
                        trees_sum(&decision->trees, survey->traits);
        double log_odds = decision->margin.scale * margin + decision->margin.bias;
        assert_close(verdict.log_odds, log_odds + 0.5, 1e-9);
        assert_true(identity_of(&verdict) == 0);
        double memory = decision->memory.weight[decision_memory(decision, survey)];
        assert_ok(match_pair(&whole, film_string(a), film_string(b), 0, &all, &error));
        assert_close(all.log_odds, log_odds + memory + identity_of(&all), 1e-9);
        assert_int_equal(all.same,
                         all.log_odds >= decision->margin.scale * decision->margin.threshold +
                                             decision->margin.bias);
    }
    match_free(&bare);
    match_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_sentences_get_a_probability),
        cmocka_unit_test(identical_sentences_are_the_same),
        cmocka_unit_test(identity_is_a_reason_of_the_same_words_in_the_same_order),
        cmocka_unit_test(the_log_odds_are_those_of_the_parts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
