/* Tests gradient boosting; XGBoost is the oracle. */
#include "testing.h"

#include "base/rng.h"
#include "pair/tree_terms.h"
#include "learn/boosting.h"

#include <fcntl.h>
#include <xgboost/c_api.h>

enum { ROWS = 3000, FEATURES = 6 };

static film_error error;
static float x[ROWS * FEATURES], target[ROWS], weight[ROWS], base[ROWS];
static struct boosting_data data = {x, ROWS, target, weight, base};
static struct boosting_options options;

/* Log-odds: 3 where features 1 and 3 are both positive, else -1; plus feature 0. */
static double truth(const float *row)
{
    return (double)row[0] + (row[1] > 0 && row[3] > 0 ? 3 : -1);
}

static int make_data(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 7);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < FEATURES; j++) x[i * FEATURES + j] = (float)rng_normal(&rng);
        target[i] = (float)(1 / (1 + exp(-truth(x + i * FEATURES)))); /* soft */
        weight[i] = (float)(1 + rng_below(&rng, 3));
        base[i] = (float)rng_normal(&rng) / 2;
    }
    return 0;
}

static int defaults(void **state)
{
    (void)state;
    boosting_defaults(&options);
    options.rounds = 60;
    options.rate = 0.3;
    options.seed = 5;
    options.threads = 1; /* two tests run at a time */
    return 0;
}

/* The margins of XGBoost with the same settings; ROUNDS trees. */
static void xgboost_margins(const struct boosting_data *rows, int rounds, float *out)
{
    const char *settings[][2] = {{"tree_method", "hist"},
                                 {"max_bin", "64"},
                                 {"objective", "reg:logistic"},
                                 {"base_score", "0.5"},
                                 {"eta", "0.3"},
                                 {"max_depth", "2"},
                                 {"nthread", "1"},
                                 {"seed", "5"},
                                 {"verbosity", "0"},
                                 {"monotone_constraints", "(0,0,1,0,-1,0)"}};
    DMatrixHandle matrix;
    BoosterHandle booster;
    bst_ulong length;
    const float *margin;
    assert_int_equal(XGDMatrixCreateFromMat_omp(rows->x, ROWS, FEATURES, NAN, &matrix, 1), 0);
    assert_int_equal(XGDMatrixSetFloatInfo(matrix, "label", rows->target, ROWS), 0);
    assert_int_equal(XGDMatrixSetFloatInfo(matrix, "weight", rows->weight, ROWS), 0);
    assert_int_equal(XGDMatrixSetFloatInfo(matrix, "base_margin", rows->base, ROWS), 0);
    assert_int_equal(XGBoosterCreate(&matrix, 1, &booster), 0);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(XGBoosterSetParam(booster, settings[i][0], settings[i][1]), 0);
    for (int i = 0; i < rounds; i++)
        assert_int_equal(XGBoosterUpdateOneIter(booster, i, matrix), 0);
    assert_int_equal(XGBoosterPredict(booster, matrix, 1, 0, 0, &length, &margin), 0);
    assert_int_equal(length, ROWS);
    memcpy(out, margin, ROWS * sizeof *out);
    XGBoosterFree(booster);
    XGDMatrixFree(matrix);
}

/* XGBoost is the oracle. Of features with few values both have the same bins: the trees are equal,
 * but for the rounding of gradients. Of others the bins differ a little. */
static void the_trees_are_those_of_xgboost(void **state)
{
    (void)state;
    enum { FEW = 10 };
    static float coarse[ROWS * FEATURES], margin[ROWS];
    const int sign[FEATURES] = {0, 0, 1, 0, -1, 0};
    struct boosting_data few = {coarse, ROWS, target, weight, base};
    struct trees trees;
    struct boosting_history history;
    options.monotone = sign;
    for (int i = 0; i < ROWS * FEATURES; i++) coarse[i] = roundf(4 * x[i]) / 4;
    xgboost_margins(&few, FEW, margin);
    options.rounds = FEW;
    assert_ok(boosting_fit(&few, FEATURES, &options, &trees, NULL, &error));
    assert_int_equal(trees.count, FEW);
    assert_ok(trees_check(&trees, FEATURES, "test", &error));
    for (int i = 0; i < ROWS; i++)
        assert_close(trees_sum(&trees, coarse + i * FEATURES) + (double)base[i], margin[i], 1e-3);
    trees_free(&trees);

    options.rounds = 60;
    xgboost_margins(&data, 60, margin);
    assert_ok(boosting_fit(&data, FEATURES, &options, &trees, &history, &error));
    double loss = 0, all = 0;
    for (int i = 0; i < ROWS; i++) {
        double p = 1 / (1 + exp(-(double)margin[i])), y = (double)target[i];
        loss -= (double)weight[i] * (y * log(p) + (1 - y) * log(1 - p));
        all += (double)weight[i];
    }
    assert_close(history.train[59], loss / all, 2e-3);
    for (size_t i = 1; i < history.rounds; i++)
        assert_true(history.train[i] < history.train[i - 1] + 1e-6);
    boosting_history_free(&history);
    trees_free(&trees);
}

static void a_function_of_two_features_is_found(void **state)
{
    (void)state;
    struct trees trees;
    struct tree_terms_plan plan;
    struct tree_terms terms;
    data.base = NULL;
    options.rounds = 200;
    assert_ok(boosting_fit(&data, FEATURES, &options, &trees, NULL, &error));
    data.base = base;
    double squared = 0, total[FEATURES + 1][FEATURES + 1] = {{0}}, mean = 0, all = 0;
    assert_ok(tree_terms_plan_init(&plan, &trees, &error));
    assert_ok(tree_terms_init(&terms, &plan, &error));
    for (int i = 0; i < ROWS; i++) {
        const float *row = x + i * FEATURES;
        squared += pow(trees_sum(&trees, row) - truth(row), 2);
        trees_terms(&plan, &trees, row, &terms);
        for (size_t j = 0; j < plan.count; j++)
            total[plan.term[j].low][plan.term[j].high + 1] += fabs(terms.weight[j]) / ROWS;
        mean += (double)weight[i] * trees_sum(&trees, row);
        all += (double)weight[i];
    }
    assert_true(sqrt(squared / ROWS) < 0.25); /* of a spread of 2 */
    /* Uninformative features have negligible terms, alone or with others. */
    const int noise[FEATURES + 1] = {0, 0, 0, 1, 0, 1, 1}; /* by number + 1: of 2, 4, 5 */
    for (int low = 0; low < FEATURES; low++)
        for (int high = 0; high <= FEATURES; high++)
            if (noise[low + 1] || noise[high]) assert_true(total[low][high] < 0.05);
    assert_true(total[0][0] > 0.5 && total[1][3 + 1] > 0.5);
    assert_close(plan.bias, mean / all, 1e-5); /* covers count the training rows by weight */
    tree_terms_free(&terms);
    tree_terms_plan_free(&plan);
    trees_free(&trees);
}

/* When the base margin already contains the log-odds, nothing is left to learn. */
static void the_base_is_respected(void **state)
{
    (void)state;
    static float known[ROWS];
    struct trees trees;
    struct boosting_history history;
    for (int i = 0; i < ROWS; i++) known[i] = (float)truth(x + i * FEATURES);
    data.base = known;
    assert_ok(boosting_fit(&data, FEATURES, &options, &trees, &history, &error));
    data.base = base;
    for (int i = 0; i < ROWS; i++) assert_close(trees_sum(&trees, x + i * FEATURES), 0, 1e-3);
    boosting_history_free(&history);
    trees_free(&trees);
}

static void squared_error_fits_the_target_itself(void **state)
{
    (void)state;
    static float value[ROWS];
    for (int i = 0; i < ROWS; i++) value[i] = (float)(10 + truth(x + i * FEATURES));
    struct boosting_data plain = {x, ROWS, value, NULL, NULL};
    struct trees trees;
    struct boosting_history history;
    options.objective = BOOSTING_SQUARED;
    options.rounds = 200;
    assert_ok(boosting_fit(&plain, FEATURES, &options, &trees, &history, &error));
    double squared = 0;
    for (int i = 0; i < ROWS; i++)
        squared += pow(trees_sum(&trees, x + i * FEATURES) - (double)value[i], 2) / ROWS;
    assert_close(squared, history.train[199], 1e-4);
    assert_true(squared < 0.1);
    boosting_history_free(&history);
    trees_free(&trees);
}

static void a_monotone_feature_never_falls(void **state)
{
    (void)state;
    const int sign[FEATURES] = {1, 0, 0, 0, -1, 1};
    struct trees trees;
    options.monotone = sign;
    assert_ok(boosting_fit(&data, FEATURES, &options, &trees, NULL, &error));
    for (int i = 0; i < 300; i++)
        for (int j = 0; j < FEATURES; j++) {
            float row[FEATURES];
            memcpy(row, x + i * FEATURES, sizeof row);
            double last = 0;
            for (int step = -30; sign[j] && step <= 30; step++) {
                row[j] = (float)step / 10;
                double sum = sign[j] * trees_sum(&trees, row);
                if (step > -30) assert_true(sum >= last - 1e-6);
                last = sum;
            }
        }
    trees_free(&trees);
    const int bad[FEATURES] = {2};
    options.monotone = bad;
    assert_int_equal(boosting_fit(&data, FEATURES, &options, &trees, NULL, &error), FILM_USAGE);
}

static void it_stops_when_unseen_rows_get_worse(void **state)
{
    (void)state;
    static float coin[ROWS];
    struct rng rng;
    rng_seed(&rng, 11);
    for (int i = 0; i < ROWS; i++)
        coin[i] = rng_uniform(&rng) < (double)target[i]; /* hard labels, so that it can overfit */
    struct boosting_data some = {x, 500, coin, NULL, NULL};
    struct boosting_data other = {x + 500 * FEATURES, ROWS - 500, coin + 500, NULL, base};
    struct trees trees;
    struct boosting_history history;
    options.validation = &other;
    options.patience = 8;
    options.rounds = 2000;
    assert_ok(boosting_fit(&some, FEATURES, &options, &trees, &history, &error));
    assert_int_equal(trees.count, history.kept);
    assert_int_equal(history.rounds, history.kept + 8);
    assert_true(history.rounds < 2000);
    for (size_t i = 0; i < history.rounds; i++)
        assert_true(history.validation[i] >= history.validation[history.kept - 1]);
    double loss = 0; /* the reported loss is that of the trees in the result, with the base */
    for (size_t i = 0; i < other.rows; i++) {
        double margin = trees_sum(&trees, other.x + i * FEATURES) + (double)base[i];
        loss += log1p(exp(other.target[i] > 0.5f ? -margin : margin)) / (double)other.rows;
    }
    assert_close(loss, history.validation[history.kept - 1], 1e-6);
    boosting_history_free(&history);
    trees_free(&trees);
}

static void the_same_seed_gives_the_same_trees(void **state)
{
    (void)state;
    struct trees one, two, other;
    options.subsample = 0.6;
    options.column_share = 0.7;
    for (options.threads = 1; options.threads <= 2; options.threads++) {
        options.seed = 5;
        assert_ok(boosting_fit(&data, FEATURES, &options, &one, NULL, &error));
        assert_ok(boosting_fit(&data, FEATURES, &options, &two, NULL, &error));
        options.seed = (uint64_t)5 << 40;
        assert_ok(boosting_fit(&data, FEATURES, &options, &other, NULL, &error));
        assert_memory_equal(one.block, two.block, one.count * sizeof(struct tree));
        assert_memory_not_equal(one.block, other.block, one.count * sizeof(struct tree));
        trees_free(&one), trees_free(&two), trees_free(&other);
    }
}

static int stop_after(void *user, const char *phase, double done, double total)
{
    assert_string_equal(phase, "boosting");
    assert_close(total, (double)options.rounds, 0);
    return done >= *(double *)user;
}

static void cancelling_leaves_no_trees(void **state)
{
    (void)state;
    double last = 7;
    film_progress progress = {.call = stop_after, .user = &last};
    struct trees trees;
    struct boosting_history history;
    options.progress = &progress;
    assert_int_equal(boosting_fit(&data, FEATURES, &options, &trees, &history, &error),
                     FILM_CANCELLED);
    assert_int_equal(trees.count, 0);
    assert_int_equal(history.rounds, 0);
}

static void bad_rows_and_options_are_refused(void **state)
{
    (void)state;
    struct trees trees;
    float *places[] = {&x[17], &target[3], &weight[3], &base[3]};
    for (size_t i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            float before = *places[i];
            *places[i] = j ? NAN : INFINITY;
            assert_int_equal(boosting_fit(&data, FEATURES, &options, &trees, NULL, &error),
                             FILM_BAD_INPUT);
            assert_non_null(strstr(error.message, i == 0 ? "training row 2: " : "row 3: "));
            assert_null(trees.block);
            *places[i] = before;
        }
    float before = target[9];
    target[9] = 1.5f;
    assert_int_equal(boosting_fit(&data, FEATURES, &options, &trees, NULL, &error), FILM_BAD_INPUT);
    target[9] = before;
    data.rows = 0;
    assert_int_equal(boosting_fit(&data, FEATURES, &options, &trees, NULL, &error), FILM_BAD_INPUT);
    data.rows = ROWS;
    struct boosting_options bad[] = {options, options, options, options, options};
    bad[0].depth = 3;
    bad[1].rounds = 0;
    bad[2].rate = NAN;
    bad[3].lambda = -1;
    bad[4].subsample = 0;
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(boosting_fit(&data, FEATURES, &bad[i], &trees, NULL, &error), FILM_USAGE);
    assert_int_equal(boosting_fit(&data, 0, &options, &trees, NULL, &error), FILM_USAGE);
}

/* Redirects the process's output to a file while training; nothing may be written there. */
static void nothing_is_printed_and_settings_stay(void **state)
{
    (void)state;
    const char *before, *after;
    char kept[300];
    struct trees trees;
    assert_int_equal(XGBSetGlobalConfig("{\"verbosity\": 2}"), 0);
    assert_int_equal(XGBGetGlobalConfig(&before), 0);
    snprintf(kept, sizeof kept, "%s", before);
    const char *path = scratch("boost-output");
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), out = dup(1), err = dup(2);
    assert_true(file >= 0 && out >= 0 && err >= 0);
    fflush(NULL);
    dup2(file, 1), dup2(file, 2);
    options.min_child_weight = 1e9; /* no split is allowed: constant trees */
    film_status status = boosting_fit(&data, FEATURES, &options, &trees, NULL, &error);
    fflush(NULL);
    dup2(out, 1), dup2(err, 2);
    close(out), close(err);
    off_t size = lseek(file, 0, SEEK_END);
    close(file);
    remove(path);
    assert_ok(status);
    assert_int_equal(size, 0);
    for (size_t i = 0; i < trees.count * 3; i++) assert_int_equal(trees.feature[i], -1);
    trees_free(&trees);
    assert_int_equal(XGBGetGlobalConfig(&after), 0);
    assert_string_equal(after, kept);
    assert_int_equal(XGBSetGlobalConfig("{\"verbosity\": 1}"), 0);
}

static film_status fit_and_free(const struct boosting_data *rows,
                                const struct boosting_options *wanted)
{
    struct trees trees;
    struct boosting_history history;
    film_status status = boosting_fit(rows, FEATURES, wanted, &trees, &history, &error);
    if (status != FILM_OK) {
        assert_null(trees.block);
        assert_null(history.train);
        return status;
    }
    boosting_history_free(&history);
    trees_free(&trees);
    return status;
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    const int sign[FEATURES] = {0};
    struct boosting_data small = {x, 200, target, weight, base};
    options.rounds = 3;
    options.monotone = sign;
    options.validation = &small;
    survives_every_failure(fit_and_free(&small, &options));
    assert_int_equal(failures_survived, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_trees_are_those_of_xgboost, defaults),
        cmocka_unit_test_setup(a_function_of_two_features_is_found, defaults),
        cmocka_unit_test_setup(the_base_is_respected, defaults),
        cmocka_unit_test_setup(squared_error_fits_the_target_itself, defaults),
        cmocka_unit_test_setup(a_monotone_feature_never_falls, defaults),
        cmocka_unit_test_setup(it_stops_when_unseen_rows_get_worse, defaults),
        cmocka_unit_test_setup(the_same_seed_gives_the_same_trees, defaults),
        cmocka_unit_test_setup(cancelling_leaves_no_trees, defaults),
        cmocka_unit_test_setup(bad_rows_and_options_are_refused, defaults),
        cmocka_unit_test_setup(nothing_is_printed_and_settings_stay, defaults),
        cmocka_unit_test_setup(no_memory_is_reported_everywhere, defaults),
    };
    return cmocka_run_group_tests(tests, make_data, NULL);
}
