/* Tests pair/linear: the fit against its gradient and against the true model of the labels. */
#include "testing.h"

#include "base/rng.h"
#include "pair/calibrate.h"
#include "learn/linear_fit.h"

#include <cblas.h>

enum { ROWS = 3000, COUNT = 7 };

static film_error error;
static float x[ROWS * COUNT], target[ROWS], weight[ROWS];
static const unsigned char all[COUNT] = {1, 1, 1, 1, 1, 1, 1};

/* Traits of very different scale; some are correlated, one is constant. */
static struct linear_data make_data(uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < ROWS; i++) {
        float *row = x + i * COUNT;
        double u = rng_uniform(&rng), v = rng_uniform(&rng), w = rng_uniform(&rng);
        row[0] = (float)u;
        row[1] = (float)(1000 * v + 500);
        row[2] = (float)(0.001 * w - 0.002);
        row[3] = (float)(u + 0.1 * v);      /* nearly the first */
        row[4] = 3;                         /* nothing to learn from */
        row[5] = w < 0.002 ? 40 : (float)v; /* rare outliers */
        row[6] = (float)rng_below(&rng, 2);
        double p = calibrate_probability(4 * u - 3 * v + 2 * w - 1);
        target[i] = i % 10 ? rng_uniform(&rng) < p : (float)p; /* some labels are soft */
        weight[i] = (float)(0.5 + rng_uniform(&rng));
    }
    return (struct linear_data){x, ROWS, COUNT, target, weight, NULL};
}

/* The standard deviation of a trait. */
static double spread(const struct linear_data *data, size_t t)
{
    double sum = 0, squares = 0, rows = (double)data->rows;
    for (size_t i = 0; i < data->rows; i++) sum += (double)data->x[i * data->count + t];
    for (size_t i = 0; i < data->rows; i++) {
        double off = (double)data->x[i * data->count + t] - sum / rows;
        squares += off * off;
    }
    return sqrt(squares / rows);
}

/* The loss, computed here: weights are those of traits scaled to variance 1 and clipped to four
 * standard deviations. */
static double loss(const struct linear_data *data, const struct linear *line, const double *each,
                   double bias, double ridge)
{
    double total = 0, deviation[COUNT];
    for (size_t t = 0; t < data->count; t++) deviation[t] = spread(data, t);
    for (size_t i = 0; i < data->rows; i++) {
        double sum = bias, y = (double)data->target[i];
        for (size_t t = 0; t < data->count; t++) {
            if (deviation[t] < 1e-9) continue;
            double off = (double)data->x[i * data->count + t] - (double)line->mean[t];
            off /= deviation[t];
            sum += each[t] * fmin(fmax(off, -4), 4);
        }
        double p = calibrate_probability(sum);
        total -= (double)data->weight[i] * (y * log(p) + (1 - y) * log(1 - p));
    }
    for (size_t t = 0; t < data->count; t++) total += 0.5 * ridge * each[t] * each[t];
    return total;
}

static void the_gradient_vanishes_at_the_fit(void **state)
{
    (void)state;
    struct linear_data data = make_data(1);
    data.rows = 1500; /* more than a block, and not two of them */
    for (int round = 0; round < 3; round++) {
        double ridge = round == 0 ? 1 : round == 1 ? 30 : 3000, each[COUNT], h = 1e-4;
        struct linear line;
        assert_ok(linear_fit(&line, &data, all, ridge, 1, &error));
        for (size_t t = 0; t < COUNT; t++) each[t] = (double)line.weight[t] * spread(&data, t);
        for (size_t t = 0; t <= COUNT; t++) {
            if (t == 4) continue; /* a trait that never changes */
            double *moved = t < COUNT ? &each[t] : &line.bias, kept = *moved;
            *moved = kept - h;
            double less = loss(&data, &line, each, line.bias, ridge);
            *moved = kept + h;
            double more = loss(&data, &line, each, line.bias, ridge);
            *moved = kept;
            /* The loss is about a thousand; weights and products are floats. */
            assert_close((more - less) / (2 * h), 0, 0.02);
        }
        linear_free(&line);
    }
}

/* With offsets, two columns beside the traits, and traits clipped as in another line: the loss is
 * computed here from the returned weights, and no small change of any of them lowers it. */
static void a_fit_beside_something_known_is_the_best_one(void **state)
{
    enum { FEW = 60 };
    (void)state;
    static float offset[FEW], columns[2 * FEW], rows[LINEAR_ROWS * COUNT];
    struct linear_data data = make_data(12);
    struct linear clip = {0}, line;
    double fitted[2], h = 1e-3, ridge = 5;
    rows[0] = 1; /* the first trait is clipped to 0.2 .. 0.7, the others are not in this line */
    rows[2 * COUNT] = 0.2f;
    rows[3 * COUNT] = 0.7f;
    linear_map(&clip, rows, COUNT);
    for (size_t i = 0; i < FEW; i++) {
        offset[i] = 3 * x[i * COUNT] - 4;
        columns[2 * i] = offset[i];
        columns[2 * i + 1] = x[i * COUNT + 6] - 0.5f;
    }
    struct linear_beside beside = {offset, columns, 2, 3, 0.1, fitted, &clip};
    data.rows = FEW;
    data.beside = &beside;
    assert_ok(linear_fit(&line, &data, all, ridge, 1, &error));
    double each[COUNT + 3], best = 0;
    for (size_t t = 0; t < COUNT; t++) each[t] = (double)line.weight[t] * spread(&data, t);
    memcpy(each + COUNT, fitted, sizeof fitted);
    each[COUNT + 2] = line.bias;
    for (size_t k = 0; k <= 2 * (COUNT + 3); k++) {
        double total = 0, kept = k ? each[(k - 1) / 2] : 0;
        if (k) each[(k - 1) / 2] += k % 2 ? h : -h;
        for (size_t i = 0; i < FEW; i++) {
            const float *row = x + i * COUNT;
            double sum = (double)offset[i] + each[COUNT] * (double)columns[2 * i] +
                         each[COUNT + 1] * (double)columns[2 * i + 1] + each[COUNT + 2];
            for (size_t t = 0; t < COUNT; t++) {
                double deviation = spread(&data, t), value = (double)row[t];
                if (deviation < 1e-9) continue;
                if (t == 0) value = fmin(fmax(value, (double)0.2f), (double)0.7f);
                value = (value - (double)line.mean[t]) / deviation;
                sum += each[t] * (t == 0 ? value : fmin(fmax(value, -4), 4));
            }
            double p = calibrate_probability(sum), y = (double)target[i];
            total -= (double)weight[i] * (y * log(p) + (1 - y) * log(1 - p));
        }
        for (size_t t = 0; t < COUNT + 3; t++)
            total += 0.5 * (t < COUNT ? ridge : t < COUNT + 2 ? 3 : 0.1) * each[t] * each[t];
        if (k == 0) best = total;
        assert_true(total >= best - 1e-6);
        if (k) each[(k - 1) / 2] = kept;
    }
    linear_free(&line);
}

static void a_ridge_shortens_the_weights_and_leaves_the_bias_free(void **state)
{
    (void)state;
    struct linear_data data = make_data(2);
    double before = INFINITY, positive = 0, total = 0;
    struct linear line;
    for (double ridge = 0.1; ridge < 1e7; ridge *= 10) {
        double length = 0;
        assert_ok(linear_fit(&line, &data, all, ridge, 1, &error));
        for (size_t t = 0; t < COUNT; t++)
            length += pow((double)line.weight[t] * spread(&data, t), 2);
        assert_true(length < before);
        before = length;
        if (ridge < 1e6) linear_free(&line);
    }
    assert_true(before < 1e-4); /* only the class balance is left */
    for (size_t i = 0; i < ROWS; i++) {
        positive += (double)weight[i] * (double)target[i];
        total += (double)weight[i];
    }
    assert_close(line.bias, log(positive / (total - positive)), 1e-3);
    linear_free(&line);
}

static void the_line_the_labels_came_from_is_found(void **state)
{
    (void)state;
    struct linear_data data = make_data(3);
    unsigned char use[COUNT] = {1, 1, 1, 0, 0, 0, 0};
    struct linear line;
    assert_ok(linear_fit(&line, &data, use, 1e-3, 1, &error));
    assert_close(line.weight[0], 4, 0.6);
    assert_close(line.weight[1], -3 / 1000.0, 0.6 / 1000);
    assert_close(line.weight[2], 2 / 0.001, 600);
    linear_free(&line);
}

static void traits_that_are_not_used_or_never_change_weigh_nothing(void **state)
{
    (void)state;
    struct linear_data data = make_data(4);
    unsigned char use[COUNT] = {1, 0, 1, 0, 1, 1, 0};
    struct linear line;
    assert_ok(linear_fit(&line, &data, use, 10, 1, &error));
    for (size_t t = 0; t < COUNT; t++) assert_int_equal(line.weight[t] != 0, use[t] && t != 4);
    /* Excluded traits do not change the result. */
    float row[COUNT], other[COUNT];
    memcpy(row, x, sizeof row);
    memcpy(other, x, sizeof other);
    other[1] = 1e30f, other[3] = -1e30f, other[4] = 77, other[6] = 12;
    assert_true(linear_sum(&line, row) == linear_sum(&line, other));
    linear_free(&line);
    memset(use, 0, sizeof use); /* none at all: the bias alone */
    assert_ok(linear_fit(&line, &data, use, 10, 1, &error));
    for (size_t t = 0; t < COUNT; t++) assert_true(line.weight[t] == 0);
    assert_true(isfinite(line.bias) && linear_sum(&line, row) == line.bias);
    linear_free(&line);
}

static void a_trait_beyond_any_in_training_counts_as_the_bound(void **state)
{
    (void)state;
    struct linear_data data = make_data(5);
    struct linear line;
    assert_ok(linear_fit(&line, &data, all, 10, 1, &error));
    for (size_t t = 0; t < COUNT; t++) {
        float row[COUNT], bound[COUNT];
        double deviation = spread(&data, t);
        assert_close(line.low[t], (double)line.mean[t] - 4 * deviation,
                     1e-5 * (1 + fabs((double)line.low[t])));
        assert_close(line.high[t], (double)line.mean[t] + 4 * deviation,
                     1e-5 * (1 + fabs((double)line.high[t])));
        memcpy(row, x, sizeof row);
        memcpy(bound, x, sizeof bound);
        row[t] = 1e30f;
        bound[t] = line.high[t];
        assert_true(linear_sum(&line, row) == linear_sum(&line, bound));
        row[t] = -INFINITY;
        bound[t] = line.low[t];
        assert_true(linear_sum(&line, row) == linear_sum(&line, bound));
        row[t] = line.mean[t];
        assert_true(linear_term(&line, t, row) == 0);
    }
    linear_free(&line);
}

static void the_sum_is_the_bias_and_the_terms(void **state)
{
    (void)state;
    static const float rows[LINEAR_ROWS * 3] = {2, 0,  -0.5f, /* weight */
                                                1, 7,  4,     /* mean */
                                                0, -9, 2,     /* low */
                                                3, 9,  6};    /* high */
    struct linear line = {.bias = 0.25};
    float row[3] = {2, 5, 100};
    linear_map(&line, rows, 3);
    assert_true(line.bias == 0.25); /* which is not in the rows */
    assert_close(linear_term(&line, 0, row), 2 * (2 - 1), 0);
    assert_close(linear_term(&line, 1, row), 0, 0);
    assert_close(linear_term(&line, 2, row), -0.5 * (6 - 4), 0);
    assert_close(linear_sum(&line, row), 0.25 + 2 - 1, 0);
    row[0] = -100;
    assert_close(linear_sum(&line, row), 0.25 + 2 * (0 - 1) - 1, 0);
    linear_free(&line); /* does not free the caller's rows */
    linear_free(&line);
    assert_int_equal(line.count, 0);
}

static void separable_and_one_sided_labels_have_finite_solutions(void **state)
{
    (void)state;
    struct linear_data data = make_data(6);
    struct linear line;
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < ROWS; i++) {
            target[i] = round == 0 ? x[i * COUNT] > 0.5f : round == 1 ? 1 : 0;
            if (round == 3) weight[i] = i < 2 ? 1 : 0; /* next to no rows */
        }
        for (double ridge = 10; ridge > 1e-4; ridge /= 100) {
            assert_ok(linear_fit(&line, &data, all, ridge, 1, &error));
            assert_true(isfinite(line.bias));
            for (size_t t = 0; t < COUNT; t++) assert_true(isfinite(line.weight[t]));
            if (round == 0) { /* separable data is separated */
                size_t right = 0;
                for (size_t i = 0; i < ROWS; i++)
                    right += (linear_sum(&line, x + i * COUNT) > 0) == (target[i] > 0.5f);
                assert_true(right > 0.95 * ROWS);
            }
            if (round == 1) assert_true(line.bias > 3);
            if (round == 2) assert_true(line.bias < -3);
            linear_free(&line);
        }
    }
}

/* Two identical traits share the weight of one. */
static void equal_traits_share_their_weight(void **state)
{
    (void)state;
    struct linear_data data = make_data(7);
    struct linear line;
    for (size_t i = 0; i < ROWS; i++) x[i * COUNT + 3] = x[i * COUNT];
    assert_ok(linear_fit(&line, &data, all, 10, 1, &error));
    assert_close(line.weight[0], line.weight[3], 1e-3);
    assert_true(line.weight[0] > 1);
    linear_free(&line);
}

/* BLAS must not parallelise a product by itself: the last bits would depend on it. */
static void the_result_does_not_depend_on_the_threads(void **state)
{
    (void)state;
    enum { MANY = 90 };
    struct rng rng;
    struct linear line[2];
    float *wide = malloc((size_t)ROWS * MANY * sizeof *wide);
    unsigned char use[MANY];
    int before = openblas_get_num_threads();
    make_data(8);
    rng_seed(&rng, 8);
    memset(use, 1, sizeof use);
    for (size_t i = 0; i < (size_t)ROWS * MANY; i++) wide[i] = (float)rng_uniform(&rng);
    for (size_t count = 40; count <= MANY; count += 50) {
        struct linear_data data = {wide, ROWS, count, target, weight, NULL};
        for (int turn = 0; turn < 2; turn++) {
            openblas_set_num_threads(turn ? 4 : 1);
            assert_ok(linear_fit(&line[turn], &data, use, 10, turn ? 4 : 1, &error));
            assert_int_equal(openblas_get_num_threads(), turn ? 4 : 1); /* as it was */
        }
        assert_memory_equal(line[0].own, line[1].own, LINEAR_ROWS * count * sizeof(float));
        assert_true(line[0].bias == line[1].bias);
        linear_free(&line[0]);
        linear_free(&line[1]);
    }
    openblas_set_num_threads(before);
    free(wide);
}

static void traits_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    struct linear_data data = make_data(9);
    struct linear line;
    target[5] = NAN;
    assert_int_equal(linear_fit(&line, &data, all, 10, 1, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "linear fit of the traits failed"));
    assert_null(line.own);
}

static film_status fit_and_free(const struct linear_data *data)
{
    struct linear line;
    film_status status = linear_fit(&line, data, all, 10, 1, &error);
    if (status != FILM_OK) assert_true(!line.own && !line.weight);
    linear_free(&line);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    struct linear_data data = make_data(10);
    survives_every_failure(fit_and_free(&data));
    assert_int_equal(failures_survived, 10); /* one for each array */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_vanishes_at_the_fit),
        cmocka_unit_test(a_fit_beside_something_known_is_the_best_one),
        cmocka_unit_test(a_ridge_shortens_the_weights_and_leaves_the_bias_free),
        cmocka_unit_test(the_line_the_labels_came_from_is_found),
        cmocka_unit_test(traits_that_are_not_used_or_never_change_weigh_nothing),
        cmocka_unit_test(a_trait_beyond_any_in_training_counts_as_the_bound),
        cmocka_unit_test(the_sum_is_the_bias_and_the_terms),
        cmocka_unit_test(separable_and_one_sided_labels_have_finite_solutions),
        cmocka_unit_test(equal_traits_share_their_weight),
        cmocka_unit_test(the_result_does_not_depend_on_the_threads),
        cmocka_unit_test(traits_that_are_no_numbers_are_refused),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
