/* Tests learn/near_misses: which pairs are marked against a table written by hand, draws against
 * their definition, and figures against sums of the binomial distribution. */
#include "faq_model.h"

#include "learn/near_misses.h"

static film_model *model;
static struct near_judge judge;

static int set_up(void **state)
{
    (void)state;
    film_train_options options;
    faq_options(&options);
    model = faq_train(&options);
    judge = (struct near_judge){.decision = &model->decision,
                                .rule = {.full = 1, .memory = 1, .identity = 1},
                                .seed = 1,
                                .threads = 2,
                                .most = 1000};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    film_close(model);
    return 0;
}

static const struct {
    const char *a, *b;
    int near;
} table[] = {
    {"How do I reset my password?", "How do I change my password?", 1},
    {"How do I reset my password?", "how do I reset my password", 0}, /* the same words */
    {"How do I reset my password?", "How do I reset my old password?", 1},
    {"How do I reset my password?", "Where can I change my password?", 0},
    {"Can I return it after 10 days?", "Can I return it after 30 days?", 1},
    {"Can I return 2 items after 10 days?", "Can I return 3 items after 30 days?", 1},
    {"Is my card safe abroad?", "Is my card not safe abroad?", 1},
    {"a flight from Paris to London", "a flight from London to Paris", 1},
    {"Where is my order?", "My parcel has not arrived yet", 0},
};
enum { ROWS = sizeof table / sizeof *table };

static void pair_of_table(const void *user, size_t i, film_text *a, film_text *b)
{
    (void)user;
    *a = film_string(table[i].a);
    *b = film_string(table[i].b);
}

static void pairs_that_differ_in_little_are_marked(void **state)
{
    (void)state;
    struct score_source pairs = {.pair = pair_of_table};
    unsigned char is_near[ROWS];
    assert_ok(near_misses_mark(&judge, &pairs, ROWS, is_near, &error));
    for (size_t i = 0; i < ROWS; i++) assert_int_equal(is_near[i] != 0, table[i].near);
    /* A guarantee, which the threshold cannot undo; with the rule of film_match it is in the
     * log-odds. */
    assert_true(judge.decision->guarantees & ONLY_NUMBER);
    assert_int_equal(is_near[4], NEAR_GUARANTEED);
    assert_int_equal(is_near[0], NEAR_PAIR);
    judge.rule.guarantee = 1;
    assert_ok(near_misses_mark(&judge, &pairs, ROWS, is_near, &error));
    judge.rule.guarantee = 0;
    assert_int_equal(is_near[4], NEAR_PAIR);
}

/* ---- Draws ---- */

/* The sentences of the sample, in the order of the file or reversed. */
static void sentences_of(struct strtab *out, int reversed, size_t count)
{
    uint32_t id;
    assert_ok(strtab_init(out, &error));
    for (size_t i = 0; i < count; i++) {
        const char *text = faq[reversed ? count - 1 - i : i].a;
        assert_ok(strtab_add(out, text, strlen(text), &id, &error));
    }
}

static int by_odds(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void draws_depend_on_the_texts_alone(void **state)
{
    (void)state;
    struct near_misses near[2] = {{.count = 0}, {.count = 0}};
    for (int r = 0; r < 2; r++) {
        struct strtab sentences;
        sentences_of(&sentences, r, 200);
        assert_ok(near_misses_make_up(&near[r], &judge, &sentences, &error));
        assert_true(near[r].count <= sentences.count && near[r].count > sentences.count / 2);
        strtab_free(&sentences);
    }
    assert_int_equal(near[0].count, near[1].count);
    assert_memory_equal(near[0].log_odds, near[1].log_odds, near[0].count * sizeof(double));
    assert_memory_equal(near[0].kind, near[1].kind, near[0].count);
    int kinds = 0;
    for (size_t i = 0; i < near[0].count; i++) {
        assert_false(edit_keeps_meaning((enum edit_kind)near[0].kind[i]));
        kinds |= 1 << near[0].kind[i];
    }
    assert_true(kinds & 1 << EDIT_NUMBER && kinds & 1 << EDIT_NEGATION);
    qsort(near[0].log_odds, near[0].count, sizeof(double), by_odds);
    /* What is guaranteed is different at every threshold. */
    assert_true(near[0].log_odds[0] == -INFINITY);
    assert_true(near[0].log_odds[near[0].count - 1] > -INFINITY);
    near_misses_free(&near[0]);
    near_misses_free(&near[1]);
}

static void seen_sentences_are_left_out_and_most_is_a_limit(void **state)
{
    (void)state;
    struct near_misses near = {.count = 0};
    struct strtab sentences;
    struct near_judge some = judge;
    sentences_of(&sentences, 0, 50);
    unsigned char *seen = calloc(sentences.count, 1);
    for (size_t i = 0; i < sentences.count; i++) seen[i] = 1;
    some.seen = seen;
    assert_ok(near_misses_make_up(&near, &some, &sentences, &error));
    assert_int_equal(near.count, 0);
    seen[7] = seen[9] = 0;
    assert_ok(near_misses_make_up(&near, &some, &sentences, &error));
    assert_true(near.count <= 2);
    some.seen = NULL;
    some.most = 5;
    size_t before = near.count; /* others are appended */
    assert_ok(near_misses_make_up(&near, &some, &sentences, &error));
    assert_int_equal(near.count, before + 5);
    near_misses_free(&near);
    strtab_free(&sentences);
    free(seen);
}

/* ---- Figures ---- */

/* The probability of at most HITS successes of COUNT, summed term by term. */
static double at_most(int hits, int count, double p)
{
    double sum = 0;
    for (int k = 0; k <= hits; k++)
        sum += exp(lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) + k * log(p) +
                   (count - k) * log1p(-p));
    return sum;
}

enum { MADE = 400, PAIRS = 600 };

static void figures_are_shares_with_exact_bounds(void **state)
{
    (void)state;
    double log_odds[MADE], score[PAIRS];
    unsigned char kind[MADE], is_near[PAIRS];
    float target[PAIRS];
    uint32_t a[PAIRS], b[PAIRS];
    struct rng rng;
    int same = 0, called = 0, hits = 0, labelled = 0, positives = 0;
    rng_seed(&rng, 3);
    for (int i = 0; i < MADE; i++) {
        log_odds[i] = i % 10 ? 4 * rng_uniform(&rng) - 3 : -INFINITY;
        kind[i] = (unsigned char)(i % EDIT_SYNONYM);
        same += log_odds[i] >= 0.5;
    }
    for (int i = 0; i < PAIRS; i++) {
        score[i] = 2 * rng_uniform(&rng) - 0.5;
        target[i] = (float)(rng_uniform(&rng) < 0.3 + 0.3 * score[i]);
        is_near[i] = (unsigned char)rng_below(&rng, 3);
        a[i] = (uint32_t)(2 * i); /* no two pairs share a sentence */
        b[i] = (uint32_t)(2 * i + 1);
        positives += target[i] >= 0.5f;
        labelled += is_near[i] != 0;
        if (is_near[i] != NEAR_PAIR || score[i] < 0.5) continue;
        called++;
        hits += target[i] >= 0.5f;
    }
    struct near_misses near = {log_odds, kind, MADE};
    struct operating_rows rows = {score, target, a, b, PAIRS};
    double own = (double)positives / PAIRS;
    film_operating_point point = {.wanted = {FILM_PRECISION, 0.9}, .threshold = 0.5, .prior = own};
    film_near_misses found;
    assert_ok(near_misses_measure(&near, 0.5, &rows, is_near, &point, &found, &error));
    assert_int_equal(found.pairs, MADE);
    assert_int_equal(found.called_same, same);
    assert_close(1 - at_most(same - 1, MADE, found.low), 0.05, 1e-9);
    assert_close(at_most(same, MADE, found.high), 0.05, 1e-9);
    assert_int_equal(found.kinds[EDIT_NAME].pairs, 44);
    assert_string_equal(found.kinds[EDIT_NAME].name, "name");
    assert_int_equal(found.labelled, labelled);
    assert_int_equal(found.labelled_called_same, called);
    assert_close(found.precision, (double)hits / called, 1e-12);
    assert_close(1 - at_most(hits - 1, called, found.precision_low), 0.05, 1e-9);
    assert_close(at_most(hits, called, found.precision_high), 0.05, 1e-9);
    /* Twice the odds of the file: by Bayes, twice the odds of the precision. */
    double before = found.precision / (1 - found.precision);
    point.prior = 2 * own / (1 - own) / (1 + 2 * own / (1 - own));
    assert_ok(near_misses_measure(&near, 0.5, &rows, is_near, &point, &found, &error));
    assert_close(found.precision / (1 - found.precision), 2 * before, 1e-9);
    /* Every pair twice is no more knowledge. */
    double low = found.precision_low;
    for (int i = 0; i < PAIRS; i++) b[i] = a[i] = (uint32_t)(i / 2);
    assert_ok(near_misses_measure(&near, 0.5, &rows, is_near, &point, &found, &error));
    assert_true(found.precision_low < low);
}

static void nothing_is_undefined(void **state)
{
    (void)state;
    struct near_misses near = {.count = 0};
    struct operating_rows rows = {NULL, NULL, NULL, NULL, 0};
    film_operating_point point = {.wanted = {FILM_PRECISION, 0.9}, .prior = 0.5};
    film_near_misses found;
    assert_ok(near_misses_measure(&near, 0, &rows, NULL, &point, &found, &error));
    assert_true(isnan(found.precision) && found.low == 0 && found.high == 1);
    json_t *json = near_misses_json(&found);
    assert_true(json_is_null(json_object_get(json, "share")));
    json_decref(json);
}

static struct strtab few;

static film_status draw_and_mark(void)
{
    struct near_misses near = {.count = 0};
    struct score_source pairs = {.pair = pair_of_table};
    unsigned char is_near[ROWS];
    struct near_judge alone = judge;
    alone.threads = 1;
    film_status status = near_misses_make_up(&near, &alone, &few, &error);
    if (status == FILM_OK) status = near_misses_mark(&alone, &pairs, ROWS, is_near, &error);
    near_misses_free(&near);
    return status;
}

static void survives_every_failed_allocation(void **state)
{
    (void)state;
    sentences_of(&few, 0, 12);
    survives_every_failure(draw_and_mark());
    assert_true(failures_survived > 10);
    strtab_free(&few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_that_differ_in_little_are_marked),
        cmocka_unit_test(draws_depend_on_the_texts_alone),
        cmocka_unit_test(seen_sentences_are_left_out_and_most_is_a_limit),
        cmocka_unit_test(figures_are_shares_with_exact_bounds),
        cmocka_unit_test(nothing_is_undefined),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
