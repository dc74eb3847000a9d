/* Tests properties of every verdict of a full decision: its reasons add up, swapping changes
 * nothing, every call returns the same. */
#include "decisions.h"
#include "base/utf8.h"

/* ---- Reasons ---- */

static int starts_character(const char *text, size_t at)
{
    return !utf8_continues(text[at]);
}

static void check_span(const char *text, size_t start, size_t end)
{
    size_t length = strlen(text);
    assert_true(start < end && end <= length);
    assert_true(starts_character(text, start) && (end == length || starts_character(text, end)));
}

/* Each reason is at the stated position, and its text is valid. */
static void check_reason(const film_reason *reason, const char *a, const char *b)
{
    assert_true(isfinite(reason->weight) && reason->weight != 0);
    assert_non_null(reason->kind);
    assert_true(reason->text_length > 0 && reason->text_length < 2 * ROOM);
    assert_true(starts_character(reason->text, 0));
    for (size_t i = 0; i < reason->text_length; i++) assert_true(reason->text[i] != 0);
    assert_true(reason->side == 0 || reason->side == 'a' || reason->side == 'b');
    if (reason->side) check_span(reason->side == 'a' ? a : b, reason->start, reason->end);
    if (!reason->other_side) return;
    assert_true(reason->side == 'a' && reason->other_side == 'b');
    assert_true(reason->other_length > 0 && reason->other_length < 2 * ROOM);
    check_span(b, reason->other_start, reason->other_end);
}

static void reasons_add_up_to_the_log_odds(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 31);
    double worst = 0;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        char a[ROOM], b[ROOM];
        film_verdict verdict;
        random_pair(&rng, a, b);
        use(context, round % 3 ? FILM_DECISION_FULL : FILM_DECISION_THRESHOLD, 0,
            round % 4 ? 0.5 : 0.01);
        match(context, a, b, &verdict);
        double sum = verdict.bias;
        for (size_t i = 0; i < verdict.reason_count; i++) {
            check_reason(&verdict.reasons[i], a, b);
            sum += verdict.reasons[i].weight;
            if (i)
                assert_true(fabs(verdict.reasons[i].weight) <= fabs(verdict.reasons[i - 1].weight));
        }
        worst = fmax(worst, fabs(sum - verdict.log_odds));
        assert_close(sum, verdict.log_odds, 1e-5);
        assert_close(verdict.probability, 1 / (1 + exp(-verdict.log_odds)), 1e-12);
        assert_true(verdict.probability > 0 && verdict.probability < 1);
    }
    print_message("# largest difference of a sum: %g\n", worst);
}

/* Contractions and stems are not stored at their position: phrases of them once exceeded the
 * buffer. */
static void phrases_with_contractions_are_whole(void **state)
{
    (void)state;
    static const char *const texts[] = {"I won't pay my card", "won't pay", "can't I pay",
                                        "I do n't pay my card bill", "cannot pay my card"};
    film_verdict verdict;
    use(context, FILM_DECISION_FULL, 0, 0.5);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            match(context, texts[i], texts[j], &verdict);
            for (size_t r = 0; r < verdict.reason_count; r++) {
                const film_reason *reason = &verdict.reasons[r];
                check_reason(reason, texts[i], texts[j]);
                /* A phrase has at most four words, none longer than "cannot". */
                if (reason->side) assert_true(reason->text_length <= 4 * 7);
                for (size_t c = 0; reason->side && c < reason->text_length; c++)
                    assert_true(reason->text[c] == ' ' ||
                                (reason->text[c] >= 'a' && reason->text[c] <= 'z'));
            }
        }
}

static int same_words(const char *a, size_t n, const char *b, size_t m)
{
    return n == m && (n == 0 || memcmp(a, b, n) == 0);
}

/* The reason with sides 'a' and 'b' exchanged. In a reason of two words that of 'a' comes first. */
static int mirrors(const film_reason *one, const film_reason *two)
{
    static const char turned[256] = {['a'] = 'b', ['b'] = 'a'};
    if (one->weight != two->weight || strcmp(one->kind, two->kind) != 0) return 0;
    if (one->other_side)
        return two->other_side &&
               same_words(one->text, one->text_length, two->other, two->other_length) &&
               same_words(one->other, one->other_length, two->text, two->text_length) &&
               one->start == two->other_start && one->end == two->other_end &&
               one->other_start == two->start && one->other_end == two->end;
    return !two->other_side && two->side == turned[(unsigned char)one->side] &&
           same_words(one->text, one->text_length, two->text, two->text_length) &&
           one->start == two->start && one->end == two->end;
}

static void swapping_gives_the_same_bits_and_mirrored_reasons(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 32);
    for (int round = 0; round < ROUNDS / 2; round++) {
        char a[ROOM], b[ROOM];
        film_verdict there, back;
        random_pair(&rng, a, b);
        film_decision decision = round % 3 ? FILM_DECISION_FULL : FILM_DECISION_THRESHOLD;
        use(context, decision, 0, 0.5);
        use(second, decision, 0, 0.5);
        match(context, a, b, &there);
        match(second, b, a, &back);
        assert_true(there.probability == back.probability && there.log_odds == back.log_odds);
        assert_true(there.bias == back.bias && there.similarity == back.similarity);
        assert_int_equal(there.same, back.same);
        assert_int_equal(there.reason_count, back.reason_count);
        if (strcmp(a, b) == 0) continue; /* the sides cannot be distinguished */
        char *taken = calloc(back.reason_count + 1, 1);
        for (size_t i = 0; i < there.reason_count; i++) {
            size_t j = 0;
            while (j < back.reason_count &&
                   (taken[j] || !mirrors(&there.reasons[i], &back.reasons[j])))
                j++;
            if (j == back.reason_count) {
                print_error("\"%s\" / \"%s\": %s %.*s has no mirror\n", a, b, there.reasons[i].kind,
                            (int)there.reasons[i].text_length, there.reasons[i].text);
                fail();
            }
            taken[j] = 1;
        }
        free(taken);
    }
}

/* ---- Every call ---- */

static void one_many_and_scores_say_the_same_for_any_threads(void **state)
{
    (void)state;
    static char a[ROUNDS][ROOM], b[ROUNDS][ROOM];
    static film_text left[ROUNDS], right[ROUNDS];
    static film_verdict one[ROUNDS], many[ROUNDS];
    static float probability[ROUNDS];
    struct rng rng;
    rng_seed(&rng, 33);
    for (int i = 0; i < ROUNDS; i++) {
        random_pair(&rng, a[i], b[i]);
        left[i] = film_string(a[i]);
        right[i] = film_string(b[i]);
    }
    for (int way = 0; way < 3; way++) {
        film_answer_options options =
            answer(way == 1 ? FILM_DECISION_THRESHOLD : FILM_DECISION_AUTO, way == 2, 0.3);
        assert_ok(film_context_set(context, &options, &error));
        for (int i = 0; i < ROUNDS; i++)
            assert_ok(film_match(context, left[i], right[i], &one[i], &error));
        for (options.threads = 1; options.threads <= 4; options.threads *= 2) {
            assert_ok(film_match_batch(model, left, right, ROUNDS, &options, many, &error));
            assert_ok(film_score_batch(model, left, right, ROUNDS, &options, probability, &error));
            for (int i = 0; i < ROUNDS; i++) {
                assert_true(one[i].probability == many[i].probability);
                assert_true(one[i].log_odds == many[i].log_odds);
                assert_true(one[i].similarity == many[i].similarity);
                assert_int_equal(one[i].same, many[i].same);
                assert_true((float)one[i].probability == probability[i]);
                assert_null(many[i].reasons);
            }
        }
    }
}

static void a_saved_model_gives_the_same_bits(void **state)
{
    (void)state;
    const char *path = scratch("decision.film"), *again = scratch("again.film");
    film_model *opened = NULL;
    film_context *other;
    struct rng rng;
    rng_seed(&rng, 34);
    assert_ok(film_save(model, path, &error));
    assert_ok(film_open(path, &opened, &error));
    assert_ok(film_context_new(opened, &other, &error));
    use(context, FILM_DECISION_AUTO, 0, 0.5);
    for (int round = 0; round < ROUNDS / 2; round++) {
        char a[ROOM], b[ROOM];
        film_verdict one, two;
        random_pair(&rng, a, b);
        match(context, a, b, &one);
        match(other, a, b, &two);
        assert_true(one.log_odds == two.log_odds && one.probability == two.probability);
        assert_true(one.bias == two.bias && one.same == two.same);
        assert_int_equal(one.reason_count, two.reason_count);
        for (size_t i = 0; i < one.reason_count; i++)
            assert_true(one.reasons[i].weight == two.reasons[i].weight);
    }
    assert_ok(film_save(opened, again, &error));
    char command[700];
    snprintf(command, sizeof command, "cmp %s %s", path, again);
    assert_int_equal(system(command), 0);
    film_context_free(other);
    film_close(opened);
    unlink(path);
    unlink(again);
}

static void a_prior_shifts_the_log_odds_and_nothing_else(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 35);
    for (int round = 0; round < ROUNDS / 2; round++) {
        char a[ROOM], b[ROOM];
        film_verdict even, shifted;
        random_pair(&rng, a, b);
        double prior = 0.001 + 0.998 * rng_uniform(&rng), shift = log(prior / (1 - prior));
        film_decision decision = round % 2 ? FILM_DECISION_FULL : FILM_DECISION_THRESHOLD;
        use(context, decision, 0, 0.5);
        use(second, decision, 0, prior);
        match(context, a, b, &even);
        match(second, a, b, &shifted);
        assert_close(shifted.log_odds - even.log_odds, shift, 1e-12 * (1 + fabs(even.log_odds)));
        assert_close(shifted.bias - even.bias, shift, 1e-12 * (1 + fabs(even.bias)));
        assert_int_equal(even.reason_count, shifted.reason_count);
        for (size_t i = 0; i < even.reason_count; i++)
            assert_close(even.reasons[i].weight, shifted.reasons[i].weight, 1e-12);
    }
    film_answer_options bad[] = {answer(FILM_DECISION_AUTO, 0, -0.5),
                                 answer(FILM_DECISION_AUTO, 0, 1),
                                 answer(FILM_DECISION_AUTO, 0, NAN),
                                 answer(FILM_DECISION_COUNT, 0, 0.5), answer(-1, 0, 0.5)};
    film_verdict verdict;
    film_text text = film_string("card");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(film_context_set(context, &bad[i], &error), FILM_USAGE);
        assert_int_equal(film_match_batch(model, &text, &text, 1, &bad[i], &verdict, &error),
                         FILM_USAGE);
    }
}

static void without_reasons_the_verdict_is_the_same(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 36);
    for (int round = 0; round < ROUNDS / 10; round++) {
        char a[ROOM], b[ROOM];
        film_verdict with, without;
        random_pair(&rng, a, b);
        film_answer_options options =
            answer(round % 2 ? FILM_DECISION_FULL : FILM_DECISION_THRESHOLD, 0, 0.3);
        assert_ok(film_context_set(context, &options, &error));
        options.no_reasons = 1;
        assert_ok(film_context_set(second, &options, &error));
        match(context, a, b, &with);
        match(second, a, b, &without);
        assert_int_equal(without.reason_count, 0);
        assert_true(with.probability == without.probability && with.same == without.same &&
                    with.similarity == without.similarity && with.log_odds == without.log_odds &&
                    with.bias == without.bias);
    }
}

/* ---- Memory ---- */

static void memory_speaks_of_known_pairs_alone(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 36);
    int changed = 0;
    use(context, FILM_DECISION_FULL, 0, 0.5);
    use(second, FILM_DECISION_FULL, 1, 0.5);
    for (int round = 0; round < ROUNDS; round++) {
        char a[ROOM], b[ROOM];
        film_verdict with, without;
        random_pair(&rng, a, b);
        int known = round % 2;
        if (known) {
            const struct faq_row *row = &faq[rng_below(&rng, faq_count)];
            strcpy(a, row->a);
            strcpy(b, row->b);
        } else {
            strcat(a, " xyzzy"); /* no question of the file contains this word */
        }
        match(context, a, b, &with);
        match(second, a, b, &without);
        double weight = 0;
        for (size_t i = 0; i < with.reason_count; i++)
            if (strcmp(with.reasons[i].kind, "memory") == 0) weight = with.reasons[i].weight;
        for (size_t i = 0; i < without.reason_count; i++)
            assert_string_not_equal(without.reasons[i].kind, "memory");
        if (!known) assert_true(with.log_odds == without.log_odds && weight == 0);
        assert_close(with.log_odds - without.log_odds, weight, 1e-9);
        changed += weight != 0;
    }
    assert_true(changed > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_add_up_to_the_log_odds),
        cmocka_unit_test(phrases_with_contractions_are_whole),
        cmocka_unit_test(swapping_gives_the_same_bits_and_mirrored_reasons),
        cmocka_unit_test(one_many_and_scores_say_the_same_for_any_threads),
        cmocka_unit_test(a_saved_model_gives_the_same_bits),
        cmocka_unit_test(a_prior_shifts_the_log_odds_and_nothing_else),
        cmocka_unit_test(without_reasons_the_verdict_is_the_same),
        cmocka_unit_test(memory_speaks_of_known_pairs_alone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
