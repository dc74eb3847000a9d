/* Tests pair/memory: which results chains of labels give, and which they must not. */
#include "testing.h"

#include "base/rng.h"
#include "learn/calibrate_fit.h"
#include "learn/memory_fit.h"

#include <math.h>

static film_error error;

static void build(struct memory *memory, const struct memory_row *rows, size_t count)
{
    assert_ok(memory_build(memory, rows, count, NULL, 0, &error));
}

static void expect_both_ways(const struct memory *memory, uint64_t a, uint64_t b,
                             enum memory_answer answer)
{
    assert_int_equal(memory_find(memory, a, b), answer);
    assert_int_equal(memory_find(memory, b, a), answer);
}

static void chains_of_labels_give_results(void **state)
{
    (void)state;
    static const struct memory_row rows[] = {{11, 12, 1}, {12, 13, 1}, {13, 14, 1}, {21, 22, 1},
                                             {22, 11, 0}, {31, 32, 0}, {32, 33, 1}, {33, 21, 0}};
    struct memory memory;
    build(&memory, rows, 8);
    expect_both_ways(&memory, 11, 14, MEMORY_SAME);
    expect_both_ways(&memory, 12, 12, MEMORY_SAME);      /* a known question is itself */
    expect_both_ways(&memory, 14, 21, MEMORY_DIFFERENT); /* by clusters */
    expect_both_ways(&memory, 31, 33, MEMORY_DIFFERENT);
    expect_both_ways(&memory, 22, 32, MEMORY_DIFFERENT);
    expect_both_ways(&memory, 31, 11, MEMORY_UNKNOWN); /* "different" is not transitive */
    expect_both_ways(&memory, 31, 22, MEMORY_UNKNOWN);
    for (int answer = 0; answer < MEMORY_ANSWERS; answer++) assert_true(memory.weight[answer] == 0);
    memory_free(&memory);
    memory_free(&memory);
}

static void one_known_question_gives_no_result(void **state)
{
    (void)state;
    static const struct memory_row rows[] = {{11, 12, 1}, {13, 14, 0}};
    struct memory memory;
    build(&memory, rows, 2);
    expect_both_ways(&memory, 11, 99, MEMORY_UNKNOWN);
    expect_both_ways(&memory, 14, 99, MEMORY_UNKNOWN);
    expect_both_ways(&memory, 99, 99, MEMORY_UNKNOWN);
    expect_both_ways(&memory, 98, 99, MEMORY_UNKNOWN);
    memory_free(&memory);
    build(&memory, rows, 0); /* nothing is known */
    expect_both_ways(&memory, 11, 12, MEMORY_UNKNOWN);
    memory_free(&memory);
}

static void a_record_with_a_match_is_taken(void **state)
{
    (void)state;
    const uint64_t a = 11ull << 40, b = 12ull << 40, c = 13ull << 40, d = 14ull << 40;
    const struct memory_row rows[] = {{a, b, 1}, {c, d, 0}, {a, d, 0}};
    struct memory memory;
    build(&memory, rows, 3);
    memory_mark_matched(&memory);
    expect_both_ways(&memory, a, b, MEMORY_SAME);
    expect_both_ways(&memory, a, a, MEMORY_SAME);
    expect_both_ways(&memory, b, d, MEMORY_DIFFERENT); /* a label is stronger */
    expect_both_ways(&memory, b, c, MEMORY_TAKEN);
    expect_both_ways(&memory, a, 99ull << 40, MEMORY_TAKEN); /* an unknown record */
    expect_both_ways(&memory, c, 99ull << 40, MEMORY_UNKNOWN);
    expect_both_ways(&memory, a, 0, MEMORY_UNKNOWN); /* a record without words */
    memory_free(&memory);
}

static void joined_and_labelled_different_counts_as_joined(void **state)
{
    (void)state;
    static const struct memory_row rows[] = {{11, 12, 0}, {11, 13, 1}, {13, 12, 1},
                                             {14, 14, 0}, {14, 11, 0}, {14, 11, 0}};
    struct memory memory;
    build(&memory, rows, 6);
    expect_both_ways(&memory, 11, 12, MEMORY_SAME);
    expect_both_ways(&memory, 14, 14, MEMORY_SAME); /* a question is not different from itself */
    expect_both_ways(&memory, 14, 12, MEMORY_DIFFERENT);
    assert_int_equal(memory.different.count, 1);
    memory_free(&memory);
}

static void an_empty_sentence_is_never_known(void **state)
{
    (void)state;
    static const struct memory_row rows[] = {{0, 11, 1}, {12, 0, 1}, {0, 0, 1}, {0, 13, 0}};
    struct memory memory;
    build(&memory, rows, 4);
    expect_both_ways(&memory, 0, 0, MEMORY_UNKNOWN);
    expect_both_ways(&memory, 0, 11, MEMORY_UNKNOWN);
    expect_both_ways(&memory, 11, 12, MEMORY_UNKNOWN); /* no chain through an empty question */
    expect_both_ways(&memory, 0, 13, MEMORY_UNKNOWN);
    assert_int_equal(memory.questions.count, 0);
    memory_free(&memory);
}

static void rows_without_a_label_are_skipped(void **state)
{
    (void)state;
    static const struct memory_row rows[] = {{11, 12, -1}, {12, 13, 2}, {14, 15, 1}, {11, 14, -1}};
    struct memory memory;
    build(&memory, rows, 4);
    expect_both_ways(&memory, 11, 12, MEMORY_UNKNOWN);
    expect_both_ways(&memory, 11, 11, MEMORY_UNKNOWN);
    expect_both_ways(&memory, 14, 15, MEMORY_SAME);
    assert_int_equal(memory.questions.count, 2);
    memory_free(&memory);
}

/* ---- Against a reference implementation ---- */

enum { QUESTIONS = 14, MOST_ROWS = 24 };

/* REACH[a][b]: a chain of positive pairs leads from a to b. */
static void closure(const struct memory_row *rows, const unsigned char *used, size_t count,
                    unsigned char reach[QUESTIONS][QUESTIONS])
{
    memset(reach, 0, QUESTIONS * QUESTIONS);
    for (size_t i = 0; i < count; i++) {
        if (!used[i]) continue;
        uint64_t a = rows[i].a, b = rows[i].b;
        reach[a][a] = reach[b][b] = 1; /* known, at least */
        if (rows[i].same) reach[a][b] = reach[b][a] = 1;
    }
    for (int k = 0; k < QUESTIONS; k++)
        for (int i = 0; i < QUESTIONS; i++)
            for (int j = 0; j < QUESTIONS; j++) reach[i][j] |= reach[i][k] & reach[k][j];
}

static enum memory_answer slow_answer(const struct memory_row *rows, const unsigned char *used,
                                      size_t count, unsigned char reach[QUESTIONS][QUESTIONS],
                                      uint64_t a, uint64_t b)
{
    if (!reach[a][a] || !reach[b][b]) return MEMORY_UNKNOWN;
    if (reach[a][b]) return MEMORY_SAME;
    for (size_t i = 0; i < count; i++)
        if (used[i] && !rows[i].same &&
            ((reach[a][rows[i].a] && reach[b][rows[i].b]) ||
             (reach[a][rows[i].b] && reach[b][rows[i].a])))
            return MEMORY_DIFFERENT;
    return MEMORY_UNKNOWN;
}

static int has_match(unsigned char reach[QUESTIONS][QUESTIONS], uint64_t a)
{
    for (uint64_t b = 0; b < QUESTIONS; b++)
        if (b != a && reach[a][b]) return 1;
    return 0;
}

static void random_graphs_agree_with_following_every_chain(void **state)
{
    (void)state;
    struct rng rng;
    size_t answers[MEMORY_ANSWERS] = {0};
    rng_seed(&rng, 41);
    for (int round = 0; round < 3000; round++) {
        struct memory_row rows[MOST_ROWS];
        unsigned char part[MOST_ROWS], used[MOST_ROWS], reach[QUESTIONS][QUESTIONS];
        size_t count = rng_below(&rng, MOST_ROWS);
        for (size_t i = 0; i < count; i++) { /* question 0 is the empty one */
            rows[i] = (struct memory_row){rng_below(&rng, QUESTIONS), rng_below(&rng, QUESTIONS),
                                          (int)rng_below(&rng, 2)};
            part[i] = (unsigned char)rng_below(&rng, 3);
        }
        for (unsigned char left_out = 0; left_out < 4; left_out++) { /* 3: no row is left out */
            struct memory memory;
            for (size_t i = 0; i < count; i++)
                used[i] = part[i] != left_out && rows[i].a && rows[i].b;
            closure(rows, used, count, reach);
            assert_ok(
                memory_build(&memory, rows, count, left_out < 3 ? part : NULL, left_out, &error));
            for (uint64_t a = 0; a < QUESTIONS; a++)
                for (uint64_t b = 0; b < QUESTIONS; b++) {
                    enum memory_answer expected = slow_answer(rows, used, count, reach, a, b);
                    assert_int_equal(memory_find(&memory, a, b), expected);
                    answers[expected]++;
                }
            memory_mark_matched(&memory);
            for (uint64_t a = 0; a < QUESTIONS; a++)
                for (uint64_t b = 0; b < QUESTIONS; b++) {
                    enum memory_answer expected = slow_answer(rows, used, count, reach, a, b);
                    int taken = a && b && (has_match(reach, a) || has_match(reach, b));
                    if (expected == MEMORY_UNKNOWN && taken) expected = MEMORY_TAKEN;
                    assert_int_equal(memory_find(&memory, a, b), expected);
                    answers[MEMORY_TAKEN] += expected == MEMORY_TAKEN;
                }
            memory_free(&memory);
        }
    }
    for (int i = 0; i < MEMORY_ANSWERS; i++) assert_true(answers[i] > 10000);
}

/* ---- Weights ---- */

static double log_loss(double x, double target)
{
    double positive = x > 0 ? x : 0; /* log(1 + e^x) - target x, without overflow */
    return positive + log1p(exp(-fabs(x))) - target * x;
}

/* The prior (one right, one wrong pair) and the pairs given. */
static double objective(double total, const double *margin, const float *target,
                        const float *weight, size_t count)
{
    double sum = log_loss(total, 1) + log_loss(total, 0);
    for (size_t i = 0; i < count; i++)
        sum += (double)weight[i] * log_loss(margin[i] + total, (double)target[i]);
    return sum;
}

static void the_weight_is_where_the_loss_is_flat(void **state)
{
    (void)state;
    enum { MOST = 300 };
    struct rng rng;
    double margin[MOST];
    float target[MOST], weight[MOST];
    rng_seed(&rng, 43);
    for (int round = 0; round < 500; round++) {
        size_t count = rng_below(&rng, MOST);
        double right = rng_uniform(&rng), spread = 6 * rng_uniform(&rng);
        for (size_t i = 0; i < count; i++) {
            margin[i] = spread * rng_normal(&rng);
            target[i] = round % 3 ? (float)(rng_uniform(&rng) < right) : (float)rng_uniform(&rng);
            weight[i] = (float)(2 * rng_uniform(&rng));
        }
        double best = memory_weigh(margin, target, weight, count), h = 1e-4;
        double above = objective(best + h, margin, target, weight, count);
        double below = objective(best - h, margin, target, weight, count);
        double there = objective(best, margin, target, weight, count);
        assert_true(isfinite(best));
        assert_close((above - below) / (2 * h), 0, 1e-5 * (1 + (double)count));
        assert_true(above > there - 1e-9 && below > there - 1e-9); /* a minimum */
    }
}

/* N pairs, all right, no other information: p = (n + 1) / (n + 2). */
static void few_pairs_move_it_little(void **state)
{
    (void)state;
    double margin[1000] = {0};
    float right[1000], wrong[1000] = {0}, weight[1000], light[1000];
    for (int i = 0; i < 1000; i++) right[i] = weight[i] = 1, light[i] = 0.001f;
    assert_true(memory_weigh(margin, right, weight, 0) == 0);
    for (size_t count = 1; count <= 1000; count = count * 3 + 1) {
        assert_close(memory_weigh(margin, right, weight, count), log((double)count + 1), 1e-8);
        assert_close(memory_weigh(margin, wrong, weight, count), -log((double)count + 1), 1e-8);
    }
    assert_close(memory_weigh(margin, right, light, 1000), log(2), 1e-6);
    /* Information already in the margin is not counted again. */
    for (int i = 0; i < 1000; i++) margin[i] = 9;
    assert_true(memory_weigh(margin, right, weight, 1000) < 0.5);
    for (int i = 0; i < 1000; i++) margin[i] = -9; /* a distant optimum is found too */
    assert_true(memory_weigh(margin, right, weight, 1000) > 12);
}

static film_status build_and_free(const struct memory_row *rows)
{
    struct memory memory;
    film_status status = memory_build(&memory, rows, 200, NULL, 0, &error);
    if (status != FILM_OK) assert_null(memory.own_cluster);
    memory_free(&memory);
    return status;
}

/* The F1 at a threshold, by counting. */
static double f1_at(const double *score, const float *target, size_t count, double threshold)
{
    double hits = 0, called = 0, same = 0;
    for (size_t i = 0; i < count; i++) {
        called += score[i] >= threshold;
        same += (double)target[i];
        hits += score[i] >= threshold && target[i] > 0.5f;
    }
    return called + same > 0 ? 2 * hits / (called + same) : 0;
}

/* Two tables in which a record has one match: one pair of four is it. The threshold must be nearly
 * the best for scores with memory, which lowers the other three. */
static void the_threshold_of_records_includes_memory(void **state)
{
    (void)state;
    enum { RECORDS = 300, PAIRS = 4 * RECORDS };
    static struct memory_row known[PAIRS];
    static float target[PAIRS], weight[PAIRS], tried[PAIRS];
    static double margin[PAIRS], score[PAIRS];
    struct decision decision = {0};
    struct rng rng;
    rng_seed(&rng, 5);
    for (size_t i = 0; i < PAIRS; i++) {
        size_t left = i / 4, right = (left + i % 4 * 7) % RECORDS;
        int same = i % 4 == 0;
        known[i] = (struct memory_row){(left + 1) << 40, (right + 1) << 20, same};
        target[i] = (float)same;
        weight[i] = same ? 4 : 4 / 3.0f;
        tried[i] = (float)((same ? 0.7 : -0.7) + rng_normal(&rng));
    }
    assert_ok(calibrate_fit(tried, target, PAIRS, &decision.margin, &error));
    film_train_options options = {.prior = FILM_PRIOR_AUTO, .operating.criterion = FILM_F1};
    struct corpus corpus = {.records = 1};
    struct learn_input input = {.options = &options, .corpus = &corpus};
    struct out_of_fold held = {.pairs = {.target = target, .count = PAIRS},
                               .corpus = &corpus,
                               .known = known,
                               .weight = weight,
                               .tried = tried};
    assert_ok(memory_fit(&input, &held, margin, &decision, &error));
    /* As a new pair is judged: a record is taken where another pair is its match. */
    const struct calibration *line = &decision.margin;
    double best = 0, threshold = line->scale * line->threshold + line->bias;
    assert_true(decision.memory.weight[MEMORY_TAKEN] < -1);
    for (size_t i = 0; i < PAIRS; i++)
        score[i] = line->scale * (double)tried[i] + line->bias +
                   (i % 4 ? decision.memory.weight[MEMORY_TAKEN] : 0);
    for (size_t i = 0; i < PAIRS; i++) best = fmax(best, f1_at(score, target, PAIRS, score[i]));
    assert_true(f1_at(score, target, PAIRS, threshold) > best - 0.02);
    memory_free(&decision.memory);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    struct memory_row rows[200];
    for (uint64_t i = 0; i < 200; i++) /* enough for the tables to grow */
        rows[i] = (struct memory_row){1 + i, 2 + i * 7 % 200, i % 5 == 0};
    survives_every_failure(build_and_free(rows));
    assert_true(failures_survived > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_labels_give_results),
        cmocka_unit_test(one_known_question_gives_no_result),
        cmocka_unit_test(a_record_with_a_match_is_taken),
        cmocka_unit_test(joined_and_labelled_different_counts_as_joined),
        cmocka_unit_test(an_empty_sentence_is_never_known),
        cmocka_unit_test(rows_without_a_label_are_skipped),
        cmocka_unit_test(random_graphs_agree_with_following_every_chain),
        cmocka_unit_test(the_weight_is_where_the_loss_is_flat),
        cmocka_unit_test(few_pairs_move_it_little),
        cmocka_unit_test(the_threshold_of_records_includes_memory),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
