/* Tests learning word evidence: steps against AdaGrad's formula, seeds, weights. */
#include "testing.h"
#include "pairs.h"

#include "learn/labelled_edits.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double loss(const struct evidence_rows *rows, const struct pairs *pairs,
                   const float *weights)
{
    double sum = 0;
    for (size_t i = 0; i < rows->pairs; i++) {
        double p = sigmoid(evidence_rows_margin(rows, weights, i)), t = (double)pairs->target[i];
        sum -= (double)pairs->weight[i] * (t * log(p) + (1 - t) * log(1 - p));
    }
    return sum;
}

/* Two epochs over one pair, computed here: every weight has its own sum of squares, the bias is not
 * penalised, and the learning rate falls to half in the second epoch. */
static void steps_are_those_of_adagrad(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    struct evidence_options options;
    evidence_defaults(&options);
    options.rate = 0.3, options.ridge = 0.05, options.ground = 0.25;
    pairs_init(&pairs, 3);
    strcpy(pairs.text[0][0], "alpha beta gamma"), strcpy(pairs.text[0][1], "alpha delta");
    strcpy(pairs.text[1][0], "tau"), strcpy(pairs.text[1][1], "rho");
    strcpy(pairs.text[2][0], "delta alpha"), strcpy(pairs.text[2][1], "alpha beta");
    pairs.target[0] = 0.8f;
    pairs.weight[0] = 1.5f;
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 1, NULL, &error));
    size_t columns = rows.columns + 1, met = 0;
    double *value = calloc(columns, sizeof *value), *expected = calloc(columns, sizeof *expected);
    double *squares = calloc(columns, sizeof *squares);
    unsigned char use[3] = {1, 0, 0};
    float *weights = malloc(columns * sizeof *weights);
    struct evidence_cursor cursor = evidence_rows_open(&rows, 0);
    uint32_t column;
    for (float entry; evidence_rows_read(&cursor, 1, &column, &entry); met++) {
        assert_true(value[column] == 0); /* every column once in this pair */
        value[column] = (double)entry;
    }
    assert_true(met > 12);
    value[rows.columns] = 1; /* the bias */
    for (size_t epochs = 0; epochs <= 2; epochs++) {
        for (size_t c = 0; c < columns; c++) expected[c] = 0, squares[c] = 0.25;
        for (size_t epoch = 0; epoch < epochs; epoch++) {
            double margin = 0, rate = 0.3 * (1 - (double)epoch / (double)epochs);
            for (size_t c = 0; c < columns; c++) margin += expected[c] * value[c];
            for (size_t c = 0; c < columns; c++) {
                double ridge = c < rows.columns && value[c] > 0 ? 0.05 * expected[c] : 0;
                double gradient = 1.5 * (sigmoid(margin) - 0.8) * value[c] + ridge;
                squares[c] += gradient * gradient;
                expected[c] -= rate * gradient / sqrt(squares[c]);
            }
        }
        options.epochs = epochs;
        assert_ok(learn(&rows, &pairs, use, &options, weights));
        for (size_t c = 0; c < columns; c++) assert_close(weights[c], expected[c], 1e-6);
        if (epochs) assert_true(weights[rows.columns] > 0.1f);
    }
    free(weights), free(value), free(expected), free(squares);
    evidence_rows_free(&rows);
    pairs_free(&pairs);
}

/* Two pairs differ in alpha / beta alone: the same with weight 1, different with weight 3. Two
 * others in gamma / delta alone: both the same. One pair has both edits. */
static void labels_of_single_edits_are_counted(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"tau alpha rho", "tau beta rho"},
                                           {"mu beta", "mu alpha"},
                                           {"gamma tau", "delta tau"},
                                           {"rho gamma", "rho delta"},
                                           {"gamma tau alpha", "delta tau beta"}};
    static const float target[] = {1, 0, 1, 1, 0}, weight[] = {1, 3, 1, 1, 9};
    struct pairs pairs;
    struct evidence_rows rows;
    struct labelled_edits edits;
    struct reading reading;
    struct items items;
    pairs_init(&pairs, 5);
    for (size_t i = 0; i < 5; i++)
        for (int s = 0; s < 2; s++) strcpy(pairs.text[i][s], texts[i][s]);
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 1, NULL, &error));
    assert_ok(labelled_edits_count(&edits, &rows, target, weight, &error));
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    assert_ok(items_init(&items, &error));
    static const struct {
        const char *a, *b;
        int different, same; /* whether labels contradict it */
    } cases[] = {{"rho rho alpha", "rho rho beta", 0, 1},
                 {"delta mu", "gamma mu", 1, 0},
                 {"mu alpha", "mu gamma", 0, 0},
                 /* one pair with two edits is not enough */
                 {"gamma mu alpha", "delta mu beta", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(reading_read(&reading, film_string(cases[i].a), film_string(cases[i].b), &error));
        assert_ok(items_collect(&items, &reading, &error));
        assert_int_equal(labelled_edits_contradict(&edits, &items, 0), cases[i].different);
        assert_int_equal(labelled_edits_contradict(&edits, &items, 1), cases[i].same);
    }
    reading_free(&reading);
    items_free(&items);
    labelled_edits_free(&edits);
    evidence_rows_free(&rows);
    pairs_free(&pairs);
}

static void learning_lowers_the_loss_and_follows_the_seed(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    struct evidence_options options;
    random_pairs(&pairs, 800, 9);
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 1, NULL, &error));
    size_t bytes = (rows.columns + 1) * sizeof(float);
    float *weights = malloc(bytes), *again = malloc(bytes);
    evidence_defaults(&options);
    double before = 0;
    for (size_t epochs = 0; epochs <= 8; epochs += 2) {
        options.epochs = epochs;
        assert_ok(learn(&rows, &pairs, NULL, &options, weights));
        double now = loss(&rows, &pairs, weights);
        if (epochs) assert_true(now < before - 0.5);
        before = now;
    }
    assert_ok(learn(&rows, &pairs, NULL, &options, again));
    assert_memory_equal(weights, again, bytes);
    options.seed++;
    assert_ok(learn(&rows, &pairs, NULL, &options, again));
    assert_memory_not_equal(weights, again, bytes);
    free(weights);
    free(again);
    evidence_rows_free(&rows);
    pairs_free(&pairs);
}

static void pairs_that_are_not_used_or_weigh_nothing_leave_no_trace(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    struct evidence_options options;
    unsigned char use[400];
    random_pairs(&pairs, 400, 10);
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 1, NULL, &error));
    size_t bytes = (rows.columns + 1) * sizeof(float);
    float *weights = malloc(bytes), *other = malloc(bytes);
    evidence_defaults(&options);
    for (size_t i = 0; i < 400; i++) use[i] = i % 4 != 1;
    assert_ok(learn(&rows, &pairs, use, &options, weights));
    for (size_t i = 1; i < 400; i += 4) pairs.target[i] = 1 - pairs.target[i];
    assert_ok(learn(&rows, &pairs, use, &options, other));
    assert_memory_equal(weights, other, bytes);
    for (size_t i = 0; i < 400; i++) pairs.weight[i] = 0;
    assert_ok(learn(&rows, &pairs, NULL, &options, other));
    for (size_t c = 0; c <= rows.columns; c++) assert_true(other[c] == 0);
    free(weights);
    free(other);
    evidence_rows_free(&rows);
    pairs_free(&pairs);
}

static void a_soft_target_is_what_the_probability_comes_to(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    struct evidence_options options;
    evidence_defaults(&options);
    options.epochs = 300, options.ground = 0.1;
    pairs_init(&pairs, 40);
    for (size_t i = 0; i < 40; i++) {
        strcpy(pairs.text[i][0], i % 2 ? "alpha beta" : "tau rho");
        strcpy(pairs.text[i][1], i % 2 ? "alpha gamma" : "tau phi");
        pairs.target[i] = i % 2 ? 0.7f : 0.2f;
    }
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 1, NULL, &error));
    float *weights = malloc((rows.columns + 1) * sizeof *weights);
    assert_ok(learn(&rows, &pairs, NULL, &options, weights));
    assert_close(evidence_rows_margin(&rows, weights, 1), log(0.7 / 0.3), 0.02);
    assert_close(evidence_rows_margin(&rows, weights, 0), log(0.2 / 0.8), 0.02);
    free(weights);
    evidence_rows_free(&rows);
    pairs_free(&pairs);
}

/* Inserts WORD at a random place among random other words. */
static void sentence_with(struct rng *rng, char *out, const char *first, const char *second)
{
    const char *list[6];
    size_t count = 0, fillers = 2 + rng_below(rng, 2);
    for (size_t i = 0; i < fillers; i++) list[count++] = words[3 + rng_below(rng, KNOWN - 3)];
    if (first) list[count++] = first;
    if (second) list[count++] = second;
    out[0] = 0;
    while (count) {
        size_t at = rng_below(rng, count);
        strcat(strcat(out, *out ? " " : ""), list[at]);
        list[at] = list[--count];
    }
}

/* Half of the pairs: "xray" in both is positive, in one negative. The other half: "ursa" against
 * "vega" is negative, but both on one side against neither is positive; no sum over single words
 * can separate these. */
static void make_rule(struct pairs *pairs, size_t count, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    pairs_init(pairs, count);
    for (size_t i = 0; i < count; i++) {
        int same = (int)rng_below(&rng, 2), side = (int)rng_below(&rng, 2);
        char *here = pairs->text[i][side], *there = pairs->text[i][!side];
        if (rng_below(&rng, 2)) {
            sentence_with(&rng, here, "xray", NULL);
            sentence_with(&rng, there, same ? "xray" : NULL, NULL);
        } else {
            sentence_with(&rng, here, "ursa", same ? "vega" : NULL);
            sentence_with(&rng, there, same ? NULL : "vega", NULL);
        }
        pairs->target[i] = (float)same;
    }
}

static double accuracy(const struct evidence *evidence, const struct pairs *pairs)
{
    struct reading reading;
    struct items items;
    struct evidence_sums sums;
    size_t right = 0;
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    assert_ok(items_init(&items, &error));
    for (size_t i = 0; i < pairs->count; i++) {
        collect_keys(pairs->text[i][0], pairs->text[i][1], &reading, &items);
        right += (evidence_margin(evidence, &reading, &items, &sums) > 0) == (pairs->target[i] > 0);
    }
    items_free(&items);
    reading_free(&reading);
    return (double)right / (double)pairs->count;
}

static void a_rule_is_learned_and_holds_on_pairs_never_seen(void **state)
{
    (void)state;
    struct pairs train, test;
    struct evidence_rows rows;
    struct evidence evidence;
    struct evidence_options options;
    make_rule(&train, 3000, 11);
    make_rule(&test, 1000, 12);
    struct evidence_source source = source_of(&train);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 2, NULL, &error));
    float *weights = malloc((rows.columns + 1) * sizeof *weights);
    evidence_defaults(&options);
    assert_ok(learn(&rows, &train, NULL, &options, weights));
    assert_ok(evidence_from_weights(&evidence, &rows, weights, &error));
    assert_true(accuracy(&evidence, &test) > 0.95);
    uint32_t u = vocabulary_id(&vocabulary, "ursa"), v = vocabulary_id(&vocabulary, "vega");
    struct item opposed = {.key = (uint64_t)ITEM_OPPOSED << 59 | (uint64_t)(u < v ? u : v) << 29 |
                                  (u < v ? v : u)};
    assert_true(evidence_item(&evidence, opposed.key) < -0.1f);
    assert_true(evidence_feature(&evidence, vocabulary_id(&vocabulary, "xray"), 0) > 0.1f);
    /* Without items the second rule cannot be learned: this shows that the test can fail. */
    keytab_free(&evidence.items);
    assert_ok(keytab_init(&evidence.items, &error));
    assert_true(accuracy(&evidence, &test) < 0.9);
    evidence_free(&evidence);
    evidence_rows_free(&rows);
    free(weights);
    pairs_free(&train);
    pairs_free(&test);
}

/* ---- Out of memory ---- */

/* Single-threaded: the counter of allocations is not thread-safe. */
static film_status collect_and_fit(const struct pairs *pairs, const struct evidence_source *source,
                                   const struct evidence_options *options)
{
    static float weights[20000];
    struct evidence_rows rows = {0};
    struct evidence evidence = {0};
    film_status status = evidence_rows_collect(&rows, &vocabulary.encoder, source, 1, NULL, &error);
    assert_true(rows.columns < 20000);
    if (status == FILM_OK) status = learn(&rows, pairs, NULL, options, weights);
    if (status == FILM_OK) status = evidence_from_weights(&evidence, &rows, weights, &error);
    if (status != FILM_OK) assert_null(evidence.own);
    evidence_free(&evidence);
    evidence_rows_free(&rows);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    struct pairs pairs;
    random_pairs(&pairs, 60, 13);
    struct evidence_source source = source_of(&pairs);
    struct evidence_options options;
    evidence_defaults(&options);
    survives_every_failure(collect_and_fit(&pairs, &source, &options));
    assert_true(failures_survived > 40);
    pairs_free(&pairs);
}

int main(void)
{
    fit_words();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_adagrad),
        cmocka_unit_test(labels_of_single_edits_are_counted),
        cmocka_unit_test(learning_lowers_the_loss_and_follows_the_seed),
        cmocka_unit_test(pairs_that_are_not_used_or_weigh_nothing_leave_no_trace),
        cmocka_unit_test(a_soft_target_is_what_the_probability_comes_to),
        cmocka_unit_test(a_rule_is_learned_and_holds_on_pairs_never_seen),
        cmocka_unit_test(no_memory_is_reported),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vocabulary_free(&vocabulary);
    return failed;
}
