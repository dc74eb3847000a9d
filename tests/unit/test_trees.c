/* Tests sums of small trees against a walk from node to node, and their split into terms. */
#include "testing.h"

#include "base/rng.h"
#include "pair/tree_terms.h"
#include "learn/trees_cover.h"

enum { FEATURES = 9 };

static film_error error;
static struct rng rng;

/* Values on a coarse grid, so that x == cut happens often. */
static float grid(void)
{
    return (float)((double)rng_below(&rng, 17) - 8) / 4;
}

/* A tree with or without children, often with the same feature twice. */
static struct tree random_tree(void)
{
    struct tree tree = {.feature = {-1, -1, -1}};
    int most = rng_below(&rng, 10) == 0 ? 0 : 3;
    for (int i = 0; i < most; i++) {
        if (i && rng_below(&rng, 4) == 0) continue;
        tree.feature[i] =
            i && rng_below(&rng, 3) == 0 ? tree.feature[0] : (int32_t)rng_below(&rng, FEATURES);
        tree.cut[i] = grid();
    }
    for (int i = 0; i < 4; i++) {
        tree.leaf[i] = (float)rng_normal(&rng);
        int reached = (i == 0 || tree.feature[0] >= 0) && (i != 1 || tree.feature[1] >= 0) &&
                      (i != 3 || tree.feature[2] >= 0);
        if (reached && rng_below(&rng, 8)) tree.cover[i] = (float)(100 * rng_uniform(&rng));
    }
    return tree;
}

static struct trees random_trees(size_t count)
{
    struct trees trees;
    assert_ok(trees_init(&trees, count, &error));
    for (size_t i = 0; i < count; i++) {
        struct tree tree = random_tree();
        trees_set(&trees, i, &tree);
    }
    assert_ok(trees_check(&trees, FEATURES, "test", &error));
    return trees;
}

static void random_row(float *x)
{
    for (int i = 0; i < FEATURES; i++) x[i] = rng_below(&rng, 2) ? grid() : (float)rng_normal(&rng);
}

/* The definition: descends from the root, one comparison at a time. */
static float walk(const struct tree *tree, const float *x)
{
    if (tree->feature[0] < 0) return tree->leaf[0];
    if (x[tree->feature[0]] < tree->cut[0]) {
        if (tree->feature[1] < 0) return tree->leaf[0];
        return x[tree->feature[1]] < tree->cut[1] ? tree->leaf[0] : tree->leaf[1];
    }
    if (tree->feature[2] < 0) return tree->leaf[2];
    return x[tree->feature[2]] < tree->cut[2] ? tree->leaf[2] : tree->leaf[3];
}

static double naive_sum(const struct trees *trees, const float *x)
{
    double sum = 0;
    for (size_t t = 0; t < trees->count; t++) {
        struct tree tree;
        trees_get(trees, t, &tree);
        sum += (double)walk(&tree, x);
    }
    return sum;
}

static void a_tree_survives_its_arrays(void **state)
{
    (void)state;
    struct trees trees;
    struct tree made[20], read;
    rng_seed(&rng, 9);
    assert_ok(trees_init(&trees, 20, &error));
    for (int i = 0; i < 20; i++) {
        made[i] = random_tree();
        trees_set(&trees, (size_t)i, &made[i]);
    }
    for (int i = 0; i < 20; i++) {
        trees_get(&trees, (size_t)i, &read);
        assert_memory_equal(&read, &made[i], sizeof read);
    }
    trees_free(&trees);
    trees_free(&trees); /* calling it twice is allowed */
}

static void bad_arrays_are_refused_by_tree(void **state)
{
    (void)state;
    struct trees trees;
    const struct tree good = {{1, 2, 3}, {0.5f, 0, -1}, {1, 2, 3, 4}, {1, 1, 0, 2}};
    struct tree bad[] = {good, good, good, good, good, good, good, good, good, good, good};
    bad[0].feature[1] = FEATURES;
    bad[1].feature[0] = -2;
    bad[2].feature[2] = INT32_MAX;
    bad[3].cut[1] = NAN;
    bad[4].cut[0] = INFINITY;
    bad[5].leaf[3] = -INFINITY;
    bad[6].leaf[0] = NAN;
    bad[7].cover[2] = -1;
    bad[8].cover[0] = INFINITY;
    bad[9].feature[0] = -1;  /* children without a root */
    bad[10].feature[1] = -1; /* leaf 1 has a cover but is unreachable */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_ok(trees_init(&trees, 20, &error));
        trees_set(&trees, 0, &good);
        assert_ok(trees_check(&trees, FEATURES, "a.film", &error));
        assert_int_equal(trees_check(&trees, 3, "a.film", &error), FILM_BAD_INPUT);
        assert_int_equal(trees_check(&trees, 0, "a.film", &error), FILM_BAD_INPUT);
        trees_set(&trees, 17, &bad[i]);
        assert_int_equal(trees_check(&trees, FEATURES, "a.film", &error), FILM_BAD_INPUT);
        assert_non_null(strstr(error.message, "a.film: tree 17: "));
        trees_free(&trees);
    }
}

static void the_sum_is_that_of_walking_every_tree(void **state)
{
    (void)state;
    rng_seed(&rng, 1);
    for (size_t count = 0; count < 70; count++) {
        struct trees trees = random_trees(count);
        for (int i = 0; i < 200; i++) {
            float x[FEATURES];
            random_row(x);
            assert_close(trees_sum(&trees, x), naive_sum(&trees, x), 1e-12 * (1 + (double)count));
            for (size_t t = 0; t < count; t++) {
                struct tree tree;
                trees_get(&trees, t, &tree);
                assert_true(tree.leaf[trees_leaf(&trees, t, x)] == walk(&tree, x));
            }
        }
        trees_free(&trees);
    }
}

static void many_rows_give_the_bits_of_one(void **state)
{
    (void)state;
    enum { MOST = 333 };
    static float x[MOST * FEATURES];
    static double sums[MOST];
    rng_seed(&rng, 2);
    for (size_t count = 0; count < 120; count += 13) {
        struct trees trees = random_trees(count);
        for (size_t rows = 0; rows < MOST; rows += 1 + rows / 3) {
            for (size_t i = 0; i < rows; i++) random_row(x + i * FEATURES);
            for (int threads = 1; threads <= 3; threads++) {
                memset(sums, 0xff, sizeof sums);
                assert_ok(trees_sum_rows(&trees, x, rows, FEATURES, threads, sums, &error));
                for (size_t i = 0; i < rows; i++) {
                    double one = trees_sum(&trees, x + i * FEATURES);
                    assert_memory_equal(&one, &sums[i], sizeof one);
                }
            }
        }
        trees_free(&trees);
    }
}

static void bias_and_terms_add_up_to_the_sum(void **state)
{
    (void)state;
    rng_seed(&rng, 3);
    for (int round = 0; round < 60; round++) {
        struct trees trees = random_trees((size_t)round * 3);
        struct tree_terms_plan plan;
        struct tree_terms terms;
        assert_ok(tree_terms_plan_init(&plan, &trees, &error));
        assert_ok(tree_terms_init(&terms, &plan, &error));
        assert_close(plan.bias, trees_bias(&trees), 0);
        for (size_t i = 0; i < plan.count; i++) {
            assert_true(plan.term[i].low >= 0 && plan.term[i].low < FEATURES);
            assert_true(plan.term[i].high == -1 || plan.term[i].high > plan.term[i].low);
            if (i == 0) continue; /* sorted, none twice */
            struct tree_term a = plan.term[i - 1], b = plan.term[i];
            assert_true(a.low < b.low || (a.low == b.low && a.high < b.high));
        }
        for (int i = 0; i < 500; i++) {
            float x[FEATURES];
            random_row(x);
            trees_terms(&plan, &trees, x, &terms);
            double total = plan.bias, sum = trees_sum(&trees, x);
            for (size_t j = 0; j < plan.count; j++) total += terms.weight[j];
            assert_close(total, sum, 1e-9 * fmax(1, fabs(sum)));
            assert_close(terms.weight[plan.count], 0, 0);
        }
        tree_terms_free(&terms);
        tree_terms_plan_free(&plan);
        trees_free(&trees);
    }
}

/* Covers from rows, then the mean of each term over the same rows. */
static void every_term_is_zero_on_average(void **state)
{
    (void)state;
    enum { ROWS = 2000, COUNT = 60 };
    static float x[ROWS * FEATURES], weight[ROWS];
    rng_seed(&rng, 4);
    for (size_t i = 0; i < ROWS; i++) {
        random_row(x + i * FEATURES);
        weight[i] = (float)rng_below(&rng, 5); /* integers: the covers are exact */
    }
    struct trees trees = random_trees(COUNT), again = random_trees(COUNT);
    for (size_t t = 0; t < COUNT; t++) {
        struct tree tree;
        trees_get(&trees, t, &tree);
        trees_set(&again, t, &tree);
    }
    const float *row[ROWS];
    for (size_t i = 0; i < ROWS; i++) row[i] = x + i * FEATURES;
    struct boosting_data flat = {x, ROWS, .weight = weight};
    struct boosting_data picked = {NULL, ROWS, .weight = weight, .row = row};
    assert_ok(trees_cover(&trees, &flat, FEATURES, 1, &error));
    assert_ok(trees_cover(&again, &picked, FEATURES, 3, &error));
    assert_memory_equal(trees.cover, again.cover, COUNT * 4 * sizeof(float));
    assert_ok(trees_check(&trees, FEATURES, "test", &error));
    struct tree_terms_plan plan;
    struct tree_terms terms;
    assert_ok(tree_terms_plan_init(&plan, &trees, &error));
    assert_ok(tree_terms_init(&terms, &plan, &error));
    assert_true(plan.count > 20);
    double mean[TREE_SPLITS * COUNT] = {0}, all = 0, sum = 0;
    for (size_t i = 0; i < ROWS; i++) {
        trees_terms(&plan, &trees, x + i * FEATURES, &terms);
        for (size_t j = 0; j < plan.count; j++) mean[j] += (double)weight[i] * terms.weight[j];
        sum += (double)weight[i] * trees_sum(&trees, x + i * FEATURES);
        all += (double)weight[i];
    }
    for (size_t j = 0; j < plan.count; j++) assert_close(mean[j] / all, 0, 1e-12);
    assert_close(sum / all, plan.bias, 1e-11); /* so the bias is the average training row */
    tree_terms_free(&terms);
    tree_terms_plan_free(&plan);
    trees_free(&trees);
    trees_free(&again);
}

/* One tree by hand: root on feature 4, left child on 2, right child on 4 again. */
static void the_parts_of_a_small_tree_are_known(void **state)
{
    (void)state;
    struct trees trees;
    struct tree tree = {{4, 2, 4}, {0, 0, 1}, {1, 5, -2, 4}, {30, 10, 30, 30}};
    struct tree_terms_plan plan;
    struct tree_terms terms;
    assert_ok(trees_init(&trees, 1, &error));
    trees_set(&trees, 0, &tree);
    assert_ok(tree_terms_plan_init(&plan, &trees, &error));
    assert_ok(tree_terms_init(&terms, &plan, &error));
    assert_int_equal(plan.count, 2); /* {2, 4} and 4 alone */
    assert_int_equal(plan.term[0].low, 2);
    assert_int_equal(plan.term[0].high, 4);
    assert_int_equal(plan.term[1].low, 4);
    assert_int_equal(plan.term[1].high, -1);
    assert_close(plan.bias, 1.4, 1e-12); /* mean 2 of 40 rows on the left, 1 of 60 on the right */
    float left[FEATURES] = {0, 0, 3, 0, -1}, right[FEATURES] = {0, 0, 3, 0, 0.5f};
    trees_terms(&plan, &trees, left, &terms);
    assert_close(terms.weight[0], 5 - 2, 1e-12);
    assert_close(terms.weight[1], 2 - 1.4, 1e-12);
    trees_terms(&plan, &trees, right, &terms);
    assert_close(terms.weight[0], 0, 0);
    assert_close(terms.weight[1], -2 - 1.4, 1e-12);
    tree_terms_free(&terms);
    tree_terms_plan_free(&plan);
    trees_free(&trees);
}

static film_status use_everything(void)
{
    static float x[40 * FEATURES];
    double sums[40];
    struct trees trees = {0};
    struct tree_terms_plan plan = {0};
    struct tree_terms terms = {0};
    film_status status = trees_init(&trees, 5, &error);
    if (status == FILM_OK) status = trees_sum_rows(&trees, x, 40, FEATURES, 2, sums, &error);
    if (status == FILM_OK)
        status = trees_cover(&trees, &(struct boosting_data){x, 40}, FEATURES, 1, &error);
    if (status == FILM_OK) status = tree_terms_plan_init(&plan, &trees, &error);
    if (status == FILM_OK) status = tree_terms_init(&terms, &plan, &error);
    tree_terms_free(&terms);
    tree_terms_plan_free(&plan);
    trees_free(&trees);
    return status;
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    survives_every_failure(use_everything());
    assert_int_equal(failures_survived, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_survives_its_arrays),
        cmocka_unit_test(bad_arrays_are_refused_by_tree),
        cmocka_unit_test(the_sum_is_that_of_walking_every_tree),
        cmocka_unit_test(many_rows_give_the_bits_of_one),
        cmocka_unit_test(bias_and_terms_add_up_to_the_sum),
        cmocka_unit_test(every_term_is_zero_on_average),
        cmocka_unit_test(the_parts_of_a_small_tree_are_known),
        cmocka_unit_test(no_memory_is_reported_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
