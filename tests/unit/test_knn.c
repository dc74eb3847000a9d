/* Tests eval/knn against the definition. */
#include "testing.h"

#include "base/rng.h"
#include "eval/categories.h"
#include "eval/knn.h"

static film_error error;
static const film_progress silent = {NULL, NULL};

struct sample {
    size_t count, dim, pairs;
    float *rows, *label;
    uint32_t *a, *b;
};

/* Integers, so that the reference has the same ties. */
static struct sample make_sample(size_t count, size_t dim, size_t pairs, uint64_t seed)
{
    struct rng rng;
    struct sample sample = {count,
                            dim,
                            pairs,
                            malloc(count * dim * sizeof(float)),
                            malloc(pairs * sizeof(float)),
                            malloc(pairs * 4),
                            malloc(pairs * 4)};
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count * dim; i++) sample.rows[i] = (float)rng_below(&rng, 7) - 3;
    for (size_t i = 0; i < pairs; i++) {
        sample.a[i] = (uint32_t)rng_below(&rng, count);
        sample.b[i] = i % 10 == 0 ? sample.a[i] : (uint32_t)rng_below(&rng, count);
        sample.label[i] = (float)rng_below(&rng, 2);
    }
    return sample;
}

static void free_sample(struct sample *sample)
{
    free(sample->rows);
    free(sample->label);
    free(sample->a);
    free(sample->b);
}

static double dot(const struct sample *sample, uint32_t i, uint32_t j)
{
    double sum = 0;
    for (size_t d = 0; d < sample->dim; d++)
        sum += (double)sample->rows[i * sample->dim + d] * sample->rows[j * sample->dim + d];
    return sum;
}

/* Returns whether J is among the k nearest of I: fewer than k others are nearer (or equally near
 * with a lower id). */
static int is_near(const struct sample *sample, uint32_t i, uint32_t j, size_t k)
{
    size_t nearer = 0;
    for (uint32_t other = 0; other < sample->count; other++)
        if (other != i && other != j)
            nearer += dot(sample, i, other) > dot(sample, i, j) ||
                      (dot(sample, i, other) == dot(sample, i, j) && other < j);
    return nearer < k;
}

static void check_point(const struct sample *sample, const struct knn_point *point, int mutual)
{
    double tp = 0, fp = 0, tn = 0, fn = 0, entropy = 0;
    for (size_t i = 0; i < sample->pairs; i++) {
        uint32_t a = sample->a[i], b = sample->b[i];
        int forth = a == b || is_near(sample, a, b, point->k);
        int back = a == b || is_near(sample, b, a, point->k);
        int similar = mutual ? forth && back : forth || back;
        if (sample->label[i] == 1)
            similar ? tp++ : fn++;
        else
            similar ? fp++ : tn++;
    }
    double p1 = (tp + 1) / (tp + fp + 2), p0 = (fn + 1) / (fn + tn + 2), n = sample->pairs;
    entropy -= tp * log(p1) + fp * log(1 - p1) + fn * log(p0) + tn * log(1 - p0);
    assert_int_equal(point->tp, tp);
    assert_int_equal(point->fp, fp);
    assert_int_equal(point->tn, tn);
    assert_int_equal(point->fn, fn);
    assert_close(point->cross_entropy, entropy / n, 1e-12);
    assert_close(point->accuracy, (tp + tn) / n, 1e-12);
    assert_close(point->tpr, tp / (tp + fn), 1e-12);
    assert_close(point->tnr, tn / (tn + fp), 1e-12);
    assert_close(point->fpr, fp / (tn + fp), 1e-12);
    assert_close(point->fnr, fn / (tp + fn), 1e-12);
}

static void the_sweep_is_that_of_the_definition(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct sample sample = make_sample(seed == 3 ? 6 : 90, 3, 150, seed);
        struct flat rows = {sample.rows, NULL, sample.count, sample.dim};
        struct knn knn;
        assert_ok(knn_sweep(&knn, &rows,
                            &(struct labelled_ids){sample.a, sample.b, sample.label, sample.pairs},
                            (struct knn_range){1 + seed, 12}, 2, &silent, &error));
        assert_int_equal(knn.points, 12 - seed);
        for (int v = 0; v < FILM_KNN_COUNT; v++) {
            const struct knn_curve *curve = &knn.curve[v];
            for (size_t i = 0; i < knn.points; i++) {
                assert_int_equal(curve->points[i].k, 1 + seed + i);
                check_point(&sample, &curve->points[i], v == FILM_KNN_MUTUAL);
                assert_true(curve->points[curve->best].cross_entropy <=
                            curve->points[i].cross_entropy);
            }
        }
        knn_free(&knn);
        free_sample(&sample);
    }
}

static void the_elbow_is_farthest_from_the_chord(void **state)
{
    (void)state;
    struct knn_point points[10];
    for (size_t i = 0; i < 10; i++)
        points[i] =
            (struct knn_point){.k = i + 1, .cross_entropy = i < 3 ? 1 - 0.3 * i : 0.4 - 0.01 * i};
    assert_int_equal(knn_elbow(points, 10), 2);
    for (size_t i = 0; i < 10; i++) points[i].cross_entropy = 1 - 0.1 * i;
    points[6].cross_entropy += 0.05; /* above the line counts as well */
    assert_int_equal(knn_elbow(points, 10), 6);
    assert_int_equal(knn_elbow(points, 1), 0);
    assert_int_equal(knn_elbow(points, 2), 1);
}

static void thread_counts_agree(void **state)
{
    (void)state;
    struct sample sample = make_sample(300, 5, 500, 11);
    struct flat rows = {sample.rows, NULL, sample.count, sample.dim};
    struct knn knn[3];
    static const int threads[3] = {1, 2, 4};
    for (int t = 0; t < 3; t++) {
        assert_ok(knn_sweep(&knn[t], &rows,
                            &(struct labelled_ids){sample.a, sample.b, sample.label, sample.pairs},
                            (struct knn_range){1, 20}, threads[t], &silent, &error));
        for (int v = 0; v < FILM_KNN_COUNT; v++)
            assert_memory_equal(knn[t].curve[v].points, knn[0].curve[v].points,
                                20 * sizeof(struct knn_point));
    }
    for (int t = 0; t < 3; t++) knn_free(&knn[t]);
    free_sample(&sample);
}

static void a_range_that_does_not_rise_is_refused(void **state)
{
    (void)state;
    struct flat rows = {NULL, NULL, 0, 1};
    struct knn knn;
    assert_int_equal(knn_sweep(&knn, &rows, &(struct labelled_ids){NULL, NULL, NULL, 0},
                               (struct knn_range){0, 5}, 1, &silent, &error),
                     FILM_USAGE);
    assert_int_equal(knn_sweep(&knn, &rows, &(struct labelled_ids){NULL, NULL, NULL, 0},
                               (struct knn_range){6, 5}, 1, &silent, &error),
                     FILM_USAGE);
}

static film_status sweep_and_free(const struct sample *sample, const struct flat *rows)
{
    struct knn knn;
    film_status status = knn_sweep(
        &knn, rows, &(struct labelled_ids){sample->a, sample->b, sample->label, sample->pairs},
        (struct knn_range){1, 5}, 1, &silent, &error);
    if (status == FILM_OK) knn_free(&knn);
    return status;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    struct sample sample = make_sample(40, 3, 50, 2);
    struct flat rows = {sample.rows, NULL, sample.count, sample.dim};
    survives_every_failure(sweep_and_free(&sample, &rows));
    assert_true(failures_survived > 7);
    free_sample(&sample);
}

/* Two distant clusters and an outlier: neighbours vote for their own category. */
static void categories_are_named_by_their_neighbours(void **state)
{
    (void)state;
    enum { COUNT = 25 };
    float rows[COUNT][2];
    uint32_t category[COUNT];
    unsigned char votes[CATEGORIES_DEPTHS][COUNT], *right[CATEGORIES_DEPTHS], most[COUNT];
    uint32_t winner[COUNT];
    struct categories_winners winners = {winner, most};
    for (int i = 0; i < COUNT; i++) {
        double angle = (i < 12 ? 0.0 : 1.5) + 0.001 * i;
        rows[i][0] = (float)cos(angle);
        rows[i][1] = (float)sin(angle);
        category[i] = i < 12 ? 4 : 7;
    }
    category[3] = 7; /* inside the other cluster */
    for (int d = 0; d < CATEGORIES_DEPTHS; d++) right[d] = votes[d];
    struct flat base = {rows[0], NULL, COUNT, 2};
    assert_ok(categories_vote(&base, category, 2, &silent, right, &winners, &error));
    for (int d = 1; d < CATEGORIES_DEPTHS; d++)
        for (int i = 0; i < COUNT; i++) assert_int_equal(votes[d][i], i != 3);
    for (int i = 0; i < COUNT; i++) assert_int_equal(winner[i], i < 12 ? 4 : 7);
    assert_int_equal(most[3], 10);  /* its neighbours are the other eleven, less one */
    assert_int_equal(most[0], 9);   /* sentence 3 votes for another category */
    assert_int_equal(most[20], 10); /* the second cluster agrees */
    struct flat alone = {rows[0], NULL, 1, 2};
    assert_ok(categories_vote(&alone, category, 1, &silent, right, &winners, &error));
    assert_int_equal(votes[0][0], 0); /* no neighbours */
    assert_int_equal(winner[0], FLAT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sweep_is_that_of_the_definition),
        cmocka_unit_test(the_elbow_is_farthest_from_the_chord),
        cmocka_unit_test(thread_counts_agree),
        cmocka_unit_test(a_range_that_does_not_rise_is_refused),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(categories_are_named_by_their_neighbours),
    };
    return cmocka_run_group_tests_name("knn", tests, NULL, NULL);
}
