/* Tests learn/binomial against sums of the binomial distribution, and learn/promise and
 * learn/certain_threshold against brute force and against simulated data with known truth. */
#include "testing.h"

#include "base/rng.h"
#include "learn/binomial.h"
#include "learn/certain_threshold.h"
#include "learn/promise.h"

static film_error error;

/* The probability of at least HITS successes of COUNT, summed term by term. */
static double at_least(int hits, int count, double p)
{
    double sum = 0;
    for (int k = hits; k <= count; k++)
        sum += exp(lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) + k * log(p) +
                   (count - k) * log1p(-p));
    return sum;
}

static void bounds_solve_the_binomial_sum(void **state)
{
    (void)state;
    const int counts[] = {1, 2, 10, 59, 161, 1000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int hits = 0; hits <= counts[c]; hits += 1 + counts[c] / 7) {
            double low = binomial_lower(hits, counts[c], 0.025),
                   high = binomial_upper(hits, counts[c], 0.1);
            if (hits) assert_close(at_least(hits, counts[c], low), 0.025, 1e-9);
            if (hits < counts[c]) assert_close(1 - at_least(hits + 1, counts[c], high), 0.1, 1e-9);
        }
    assert_close(binomial_lower(0, 10, 0.05), 0, 0);
    assert_close(binomial_upper(10, 10, 0.05), 1, 0);
}

/* From the tables of Clopper and Pearson, and by hand: without a miss the bound is a root. */
static void bounds_of_tables(void **state)
{
    (void)state;
    assert_close(binomial_lower(5, 10, 0.025), 0.1871, 5e-5);
    assert_close(binomial_upper(5, 10, 0.025), 0.8129, 5e-5);
    assert_close(binomial_lower(1, 10, 0.025), 0.0025, 5e-5);
    assert_close(binomial_upper(1, 10, 0.025), 0.4450, 5e-5);
    assert_close(binomial_lower(59, 59, 0.05), pow(0.05, 1.0 / 59), 1e-12);
    assert_close(binomial_lower(30.5, 30.5, 0.05), pow(0.05, 1 / 30.5), 1e-12);
}

/* ---- A file with records ---- */

enum { MOST = 4000 };
struct file {
    double score[MOST];
    float target[MOST];
    uint32_t a[MOST], b[MOST];
    size_t count;
};

static struct operating_rows rows_of(const struct file *file)
{
    return (struct operating_rows){file->score, file->target, file->a, file->b, file->count};
}

/* The design effect by its definition: the sum over all pairs of rows with a common record. */
static double design_of(const struct file *file, const int *counts, const int *hit, double target)
{
    double alone = 0, together = 0;
    for (size_t i = 0; i < file->count; i++)
        for (size_t j = 0; j < file->count; j++) {
            if (!counts[i] || !counts[j]) continue;
            int common = (file->a[i] == file->a[j]) + (file->a[i] == file->b[j]) +
                         (file->b[i] == file->a[j]) + (file->b[i] == file->b[j]);
            double product = (hit[i] - target) * (hit[j] - target);
            if (i == j) alone += product;
            together += (i == j ? 1 : common) * product;
        }
    return together > alone ? together / alone : 1;
}

static double brute_bound(const struct file *file, double threshold, int recall, double target,
                          size_t *pairs)
{
    static int counts[MOST], hit[MOST];
    double hits = 0, count = 0;
    for (size_t i = 0; i < file->count; i++) {
        int same = file->target[i] >= 0.5f, passes = file->score[i] >= threshold;
        counts[i] = recall ? same : passes;
        hit[i] = same && passes;
        hits += counts[i] && hit[i];
        count += counts[i];
    }
    double design = design_of(file, counts, hit, target);
    *pairs = (size_t)count;
    return binomial_lower(hits / design, count / design, 0.05);
}

/* The probability of a positive rises with the score. */
static void draw(struct rng *rng, struct file *file, size_t count, uint32_t records)
{
    file->count = count;
    for (size_t i = 0; i < count; i++) {
        file->score[i] = floor(200 * rng_uniform(rng)) / 200;
        file->target[i] = rng_uniform(rng) < pow(file->score[i], 0.3) ? 1.0f : 0.0f;
        file->a[i] = (uint32_t)rng_below(rng, records);
        file->b[i] = records + (uint32_t)rng_below(rng, records);
    }
}

static void bounds_equal_those_of_all_pairs_of_rows(void **state)
{
    (void)state;
    static struct file file;
    struct rng rng;
    rng_seed(&rng, 3);
    int reached = 0;
    for (int round = 0; round < 60; round++) {
        struct operating_point point;
        int recall = round % 2;
        film_operating wanted = {recall ? FILM_RECALL : FILM_PRECISION, 0.5 + 0.01 * (round % 40)};
        draw(&rng, &file, 300, 20 + 200 * (uint32_t)(round % 3));
        struct operating_rows rows = rows_of(&file);
        size_t pairs;
        assert_ok(promise_choose(&wanted, operating_share(&rows), &rows, &point, &error));
        double low = brute_bound(&file, point.threshold, recall, wanted.target, &pairs);
        assert_close(point.low, low, 1e-9);
        assert_int_equal(point.pairs, pairs);
        assert_int_equal(point.reached, low >= wanted.target);
        assert_true(point.low <= (recall ? point.recall : point.precision) &&
                    point.high >= (recall ? point.recall : point.precision));
        reached += point.reached;
    }
    assert_true(reached > 20 && reached < 60);
}

/* Another prior moves the odds of a precision by the same factor for every threshold: by hand. */
static void the_prior_moves_the_odds(void **state)
{
    (void)state;
    static struct file file;
    struct rng rng;
    struct operating_point own, rare;
    film_operating wanted = {FILM_PRECISION, 0.85};
    rng_seed(&rng, 5);
    draw(&rng, &file, 2000, 100000);
    struct operating_rows rows = rows_of(&file);
    double share = operating_share(&rows), prior = 0.3;
    assert_ok(promise_choose(&wanted, share, &rows, &own, &error));
    /* The same test in the rows' own odds. */
    double factor = prior / (1 - prior) * (1 - share) / share, odds = 0.85 / 0.15 * factor;
    wanted.target = odds / (1 + odds);
    assert_ok(promise_choose(&wanted, prior, &rows, &rare, &error));
    assert_true(own.reached && rare.reached && own.threshold == rare.threshold);
    odds = own.low / (1 - own.low) * factor;
    assert_close(rare.low, odds / (1 + odds), 1e-9);
    odds = own.precision / (1 - own.precision) * factor;
    assert_close(rare.precision, odds / (1 + odds), 1e-9);
}

/* ---- Promises on new data ---- */

/* Of SCORE and above, the true share of positives, by the formula of draw(): the mean of x^0.3. */
static double true_precision(double score)
{
    return (1 - pow(score, 1.3)) / 1.3 / (1 - score);
}

/* How many of 400 promises of 90 % are broken; each row appears COPIES times. */
static int broken_promises(size_t copies, int with_records, int *reached)
{
    enum { ROWS = 800 };
    static struct file file;
    struct rng rng;
    int broken = 0;
    rng_seed(&rng, 17);
    *reached = 0;
    for (int round = 0; round < 400; round++) {
        struct operating_point point;
        film_operating wanted = {FILM_PRECISION, 0.9};
        size_t distinct = ROWS / copies;
        draw(&rng, &file, distinct, 1);
        file.count = ROWS;
        for (size_t i = 0; i < ROWS; i++) { /* one record with COPIES others */
            file.score[i] = file.score[i % distinct];
            file.target[i] = file.target[i % distinct];
            file.a[i] = (uint32_t)(i % distinct);
            file.b[i] = ROWS + (uint32_t)i;
        }
        struct operating_rows rows = rows_of(&file);
        if (!with_records) rows.a = rows.b = NULL;
        assert_ok(promise_choose(&wanted, operating_share(&rows), &rows, &point, &error));
        *reached += point.reached;
        broken += point.reached && true_precision(point.threshold) < 0.9;
    }
    return broken;
}

static void promises_hold_on_new_data(void **state)
{
    (void)state;
    int reached;
    /* 5 % of 400 are 20; three standard errors are 13. */
    assert_true(broken_promises(1, 1, &reached) <= 33);
    assert_true(reached >= 300);
    assert_true(broken_promises(4, 1, &reached) <= 33);
    /* Rows of the same record taken as independent: the reason for the design effect. */
    assert_true(broken_promises(4, 0, &reached) > 33);
}

static void what_is_not_sure_is_not_reached(void **state)
{
    (void)state;
    enum { N = 100 };
    double score[N];
    float target[N], none[N] = {0};
    struct operating_point point;
    for (int i = 0; i < N; i++) {
        score[i] = 1 - i / 100.0;
        target[i] = i < 60;
    }
    struct operating_rows rows = {score, target, NULL, NULL, N};
    film_operating wanted = {FILM_PRECISION, 0.95};
    assert_ok(promise_choose(&wanted, 0.6, &rows, &point, &error));
    assert_true(point.reached); /* 60 of 60: 0.05^(1/60) = 0.951 */
    assert_int_equal(point.pairs, 59);
    assert_close(point.low, pow(0.05, 1.0 / 59), 1e-9);
    target[10] = 0; /* one wrong label of 59 */
    assert_ok(promise_choose(&wanted, 0.59, &rows, &point, &error));
    assert_true(!point.reached && point.low < 0.95 && point.precision > 0.95);
    wanted.target = 1; /* nothing proves it */
    assert_ok(promise_choose(&wanted, 0.59, &rows, &point, &error));
    assert_true(!point.reached && point.pairs == 29); /* half of the positives: the strictest */
    rows.target = none;
    assert_ok(promise_choose(&wanted, 0.5, &rows, &point, &error));
    assert_true(!point.reached && point.pairs == 1 && isnan(point.recall));
    wanted.criterion = FILM_RECALL;
    assert_ok(promise_choose(&wanted, 0.5, &rows, &point, &error));
    assert_true(!point.reached && point.pairs == 0 && point.threshold == score[N - 1]);
    rows.target = target;
    assert_ok(promise_choose(&wanted, 0.5, &rows, &point, &error));
    assert_true(!point.reached && point.recall == 1 && point.pairs == 59);
    wanted.target = 0.95; /* 59 of 59, and nothing is missed */
    assert_ok(promise_choose(&wanted, 0.5, &rows, &point, &error));
    assert_true(point.reached && point.recall == 1 && point.threshold > score[60] &&
                point.threshold <= score[59]);
    rows.count = 0;
    assert_ok(promise_choose(&wanted, 0.5, &rows, &point, &error));
    assert_true(!point.reached && isfinite(point.threshold));
    wanted.criterion = FILM_PRECISION;
    assert_ok(promise_choose(&wanted, 0.5, &rows, &point, &error));
    assert_true(!point.reached && isfinite(point.threshold));
}

/* 165 positives: the first 60 are right, two of the next 30 are wrong. 59 of 59 prove 0.95
 * (0.05^(1/59) = 0.9505); 80 of 82, half of the positives, would not (0.925). */
static void few_positives_are_tested_from_a_third_on(void **state)
{
    (void)state;
    enum { N = 1000, POSITIVES = 165 };
    static double score[N];
    static float target[N];
    struct operating_point point;
    for (int i = 0, left = POSITIVES; i < N; i++) {
        score[i] = 1 - i / (double)N;
        target[i] = i != 65 && i != 75 && left > 0;
        left -= target[i] > 0;
    }
    struct operating_rows rows = {score, target, NULL, NULL, N};
    film_operating wanted = {FILM_PRECISION, 0.95};
    assert_ok(promise_choose(&wanted, POSITIVES / (double)N, &rows, &point, &error));
    assert_true(point.reached);
    assert_true(point.pairs >= 59 && point.pairs <= 65);
}

/* A better threshold after a failure is not taken: it would be found by luck too. */
static void the_first_failure_ends_the_test(void **state)
{
    (void)state;
    enum { N = 2000 };
    static double score[N];
    static float target[N];
    struct operating_point point;
    for (int i = 0; i < N; i++) {
        score[i] = 1 - i / (double)N;
        target[i] = i < 1000 && i % 4 != 0; /* 75 % of the first thousand */
    }
    for (int i = 400; i < 1400; i++) target[i] = 1; /* later the share rises to 93 % */
    struct operating_rows rows = {score, target, NULL, NULL, N};
    film_operating wanted = {FILM_PRECISION, 0.9};
    assert_ok(promise_choose(&wanted, operating_share(&rows), &rows, &point, &error));
    assert_int_equal(point.reached, 0);
    assert_true(point.pairs <= 400);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    static struct file file;
    struct rng rng;
    struct operating_point point;
    film_operating wanted = {FILM_PRECISION, 0.5};
    rng_seed(&rng, 1);
    draw(&rng, &file, 50, 100);
    struct operating_rows rows = rows_of(&file);
    for (int i = 0; i < 2; i++) {
        fail_allocation(i);
        film_status status = promise_choose(&wanted, 0.5, &rows, &point, &error);
        fail_allocation(-1);
        assert_int_equal(status, FILM_NO_MEMORY);
    }
}

/* ---- Thresholds moved by few labels ---- */

/* The lower bound of what THRESHOLD gains over FROM, summed row by row. */
static double bound_of(const struct threshold_row *rows, size_t count, double from,
                       double threshold, double errors)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        int now = rows[i].score >= threshold, before = rows[i].score >= from;
        sum += (now - before) * rows[i].gain;
        squares += now != before ? rows[i].gain * rows[i].gain : 0;
    }
    return sum - errors * sqrt(squares);
}

/* The threshold by brute force, for whole scores up to 4: the most certain one, the nearest of
 * equals, and back while what is given up is not certain. */
static double threshold_of(const struct threshold_row *rows, size_t count, double from,
                           double errors)
{
    double best = 0, goal = from;
    for (int step = 1; step >= -1; step -= 2)
        for (double t = from + 0.5 * step; fabs(t) < 6; t += step)
            if (bound_of(rows, count, from, t, errors) > best)
                best = bound_of(rows, count, from, goal = t, errors);
    double end = goal, back = goal > from ? -1 : 1;
    while ((end + back - from) * back < 0 && bound_of(rows, count, end + back, goal, 1.5) <= 0)
        end += back;
    return end;
}

static void no_threshold_is_more_certain(void **state)
{
    (void)state;
    struct rng rng;
    int moved = 0, shortened = 0;
    rng_seed(&rng, 5);
    for (int trial = 0; trial < 300; trial++) {
        struct threshold_row rows[40];
        size_t count = (size_t)rng_below(&rng, 41);
        double from = (double)rng_below(&rng, 9) - 4, best = 0;
        for (size_t i = 0; i < count; i++) /* whole scores: some are equal */
            rows[i] = (struct threshold_row){(double)rng_below(&rng, 9) - 4,
                                             rng_uniform(&rng) < 0.7 ? 1 : -1.5};
        double found = certain_threshold(rows, count, from, 1.6);
        double expected = threshold_of(rows, count, from, 1.6);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(rows[i].score >= found, rows[i].score >= expected);
        for (double t = -5.5; t < 6; t += 1) best = fmax(best, bound_of(rows, count, from, t, 1.6));
        if (best == 0) assert_close(found, from, 0);
        moved += found != from;
        shortened += bound_of(rows, count, from, found, 1.6) < best;
    }
    assert_true(moved > 30 && moved < 270);
    assert_true(shortened > 10);
}

/* Pairs above 1 are the same, with one label in ten wrong, and the threshold stands at -1: it moves
 * up. Labels that say nothing leave it, in most trials. */
static void labels_move_a_threshold_as_far_as_they_support(void **state)
{
    (void)state;
    struct rng rng;
    int nearer = 0, left = 0;
    rng_seed(&rng, 6);
    for (int trial = 0; trial < 200; trial++) {
        struct threshold_row telling[60], idle[60];
        for (size_t i = 0; i < 60; i++) {
            double score = 6 * rng_uniform(&rng) - 3;
            int same = (score > 1) != (rng_uniform(&rng) < 0.1);
            telling[i] = (struct threshold_row){score, same ? 1 : -1};
            idle[i] = (struct threshold_row){score, rng_uniform(&rng) < 0.5 ? 1 : -1};
        }
        double found = certain_threshold(telling, 60, -1, 2);
        nearer += found > 0 && found < 2;
        left += certain_threshold(idle, 60, -1, 2) == -1;
    }
    assert_true(nearer > 190);
    assert_true(left > 140);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_solve_the_binomial_sum),
        cmocka_unit_test(bounds_of_tables),
        cmocka_unit_test(bounds_equal_those_of_all_pairs_of_rows),
        cmocka_unit_test(the_prior_moves_the_odds),
        cmocka_unit_test(promises_hold_on_new_data),
        cmocka_unit_test(what_is_not_sure_is_not_reached),
        cmocka_unit_test(few_positives_are_tested_from_a_third_on),
        cmocka_unit_test(the_first_failure_ends_the_test),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(no_threshold_is_more_certain),
        cmocka_unit_test(labels_move_a_threshold_as_far_as_they_support),
    };
    return cmocka_run_group_tests_name("promise", tests, NULL, NULL);
}
