/* Tests M-FILM: one batch equals a full-batch step, many batches find the full-batch solution. */
#include "testing.h"
#include "base/rng.h"
#include "la/dense.h"
#include "learn/mfilm.h"

#include <lapacke.h>

enum { N = 600, R = 24, D = 5, CLUSTERS = 120, FEATURES = 40, PARTS = 6, PART = N / PARTS };

static film_error error;
static float v[N * R], sigma[R];
static struct triplets whole, part[PARTS]; /* of all sentences; of the p-th stretch of PART */
static struct csr sparse[PARTS];           /* random rows that share words inside a cluster */

static void make_triplets(size_t first, size_t count, struct triplets *out)
{
    uint32_t cluster[N];
    struct triplet_options options;
    triplets_defaults(&options);
    options.positives = 3;
    for (size_t i = 0; i < count; i++) cluster[i] = (uint32_t)((first + i) / (N / CLUSTERS));
    assert_ok(triplets_from_categories(count, cluster, &options, out, &error));
}

/* A sentence of words 3c, 3c+1, 3c+2 of its cluster c (mod FEATURES) and two random ones. */
static void make_sparse(size_t first, size_t count, struct rng *rng, struct csr *x)
{
    assert_ok(csr_alloc(x, count, FEATURES, count * 5, &error));
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        float row[FEATURES] = {0};
        size_t cluster = (first + i) / (N / CLUSTERS);
        for (size_t j = 0; j < 3; j++) row[(3 * cluster + 7 * j) % FEATURES] += 1.0f;
        for (size_t j = 0; j < 2; j++) row[rng_below(rng, FEATURES)] += 0.7f;
        for (size_t j = 0; j < FEATURES; j++)
            if (row[j] > 0.0f) x->col[at] = (uint32_t)j, x->val[at++] = row[j] / 2.2f;
        x->start[i + 1] = at;
    }
}

static int make_data(void **state)
{
    (void)state;
    static double rows[N * R], centre[CLUSTERS * R], scales[R];
    struct rng rng;
    rng_seed(&rng, 7);
    for (size_t i = 0; i < CLUSTERS * R; i++) centre[i] = rng_normal(&rng);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < R; j++) /* the first half of the columns is noise */
            rows[i * R + j] =
                (j >= R / 2 ? centre[i / (N / CLUSTERS) * R + j] : 0.0) + 0.5 * rng_normal(&rng);
    assert_int_equal(LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, N, R, rows, R, scales), 0);
    assert_int_equal(LAPACKE_dorgqr(LAPACK_ROW_MAJOR, N, R, R, rows, R, scales), 0);
    for (size_t i = 0; i < N * R; i++) v[i] = (float)rows[i];
    for (size_t i = 0; i < R; i++) sigma[i] = 8.0f / (float)(i + 1);
    make_triplets(0, N, &whole);
    for (size_t p = 0; p < PARTS; p++) {
        make_triplets(p * PART, PART, &part[p]);
        make_sparse(p * PART, PART, &rng, &sparse[p]);
    }
    return 0;
}

static int free_data(void **state)
{
    (void)state;
    triplets_free(&whole);
    for (size_t p = 0; p < PARTS; p++) triplets_free(&part[p]), csr_free(&sparse[p]);
    return 0;
}

/* A source that returns its batches round-robin; a source of one batch returns everything. */
struct turns {
    size_t parts, count, limit;
};

static film_status next(void *self, struct mfilm_batch *batch, film_error *why)
{
    struct turns *t = self;
    (void)why;
    if (t->count == t->limit) return FILM_END;
    size_t p = t->count++ % t->parts;
    *batch = (struct mfilm_batch){.triplets = &whole, .v = v, .weight = 1.0};
    if (t->parts > 1)
        *batch = (struct mfilm_batch){&part[p], v + p * PART * R, &sparse[p], (double)PARTS};
    return FILM_OK;
}

static void learn_options(struct film_learn_options *options)
{
    film_learn_defaults(options);
    options->dim = D;
    options->seed = 5;
    options->threads = 1;
    options->solver.iterations = 1000;
}

static void learn(size_t parts, size_t batches, const struct film_learn_options *options,
                  struct film_learned *learned)
{
    struct turns turns = {.parts = parts, .limit = batches};
    struct mfilm_source source = {&turns, next};
    assert_ok(mfilm_learn(&source, R, sigma, options, learned, &error));
}

static void one_batch_that_holds_everything_moves_as_the_full_batch(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct film_learn_options options;
        struct film_learned full, batch;
        learn_options(&options);
        options.power = kind == 1 ? 1.0 : 0.5;
        options.start = kind == 2 ? FILM_START_EIGEN : FILM_START_RANDOM;
        learn(1, 1, &options, &batch);
        assert_int_equal(batch.solver.iterations, 1);
        assert_int_equal(batch.solver.stop, STIEFEL_DATA);
        options.solver.iterations = 1;
        assert_ok(film_learn(v, R, sigma, &whole, &options, &full, &error));
        assert_int_equal(full.solver.iterations, 1);
        assert_memory_equal(full.p, batch.p, R * D * sizeof *full.p);
        assert_memory_equal(full.s, batch.s, D * sizeof *full.s);
        assert_close(full.f, batch.f, 0.0);
        assert_close(full.margin, batch.margin, 0.0);
        film_learned_free(&full), film_learned_free(&batch);
    }
}

static void refresh(struct film_problem *q, double *p)
{
    film_problem_refresh(q, p);
}

/* The running average by hand: H after three batches. */
static void the_matrix_is_the_average_of_the_batches(void **state)
{
    (void)state;
    struct film_problem q, one;
    double p[R * D] = {0}, expected[R * R] = {0};
    for (size_t c = 0; c < D; c++) p[c * D + c] = 1.0;
    for (size_t j = 0; j < 3; j++) {
        double share = fmax(1.0 / sqrt((double)j + 1.0), 0.05);
        const float *rows = v + j * PART * R;
        if (j == 0) {
            assert_ok(film_problem_init(&q, &(struct film_space){R, D, sigma, 0.5, 2}, rows, R,
                                        &part[j], &error));
            film_problem_weigh(&q, PARTS);
        } else {
            assert_ok(film_problem_load(&q, rows, R, &part[j], PARTS, share, &error));
        }
        q.margin = 1e6; /* every anchor is active: the H of a batch is known */
        refresh(&q, p);
        assert_ok(film_problem_init(&one, &(struct film_space){R, D, sigma, 0.5, 1}, rows, R,
                                    &part[j], &error));
        for (size_t i = 0; i < R * R; i++)
            expected[i] = (1.0 - share) * expected[i] + share * PARTS * one.h[i];
        film_problem_free(&one);
        for (size_t i = 0; i < R * R; i++) assert_close(q.h[i], expected[i], 1e-12);
        if (j == 0) assert_close(q.hinges, (double)PARTS * (double)part[0].anchors, 1e-9);
    }
    film_problem_free(&q);
}

/* f2 of all sentences at the learned point, with every hinge active as in all learners here. */
static double objective(const struct film_learned *l, double margin)
{
    struct film_problem q;
    assert_ok(film_problem_init(&q, &(struct film_space){R, D, sigma, l->power, 1}, v, R, &whole,
                                &error));
    q.margin = margin;
    double f = film_problem_value(&q, l->p, NULL);
    film_problem_free(&q);
    return f;
}

static void many_batches_beat_the_random_start_and_come_near_the_full_batch(void **state)
{
    (void)state;
    struct film_learn_options options;
    struct film_learned random, full, batches;
    learn_options(&options);
    learn(PARTS, 15 * PARTS, &options, &batches);
    assert_int_equal(batches.solver.iterations, 15 * PARTS);
    options.solver.iterations = 100;
    assert_ok(film_learn(v, R, sigma, &whole, &options, &full, &error));
    options.solver.iterations = 0;
    assert_ok(film_learn(v, R, sigma, &whole, &options, &random, &error));
    double best = objective(&full, full.margin), worst = objective(&random, full.margin);
    double got = objective(&batches, full.margin);
    assert_true(worst - got > 0.85 * (worst - best));
    film_learned_free(&random), film_learned_free(&full), film_learned_free(&batches);
}

/* With the same batch repeated, the running average is that batch's matrix: f2 falls. */
static void the_objective_falls(void **state)
{
    (void)state;
    struct film_learn_options options;
    struct film_learned learned;
    learn_options(&options);
    learn(1, 40, &options, &learned);
    assert_int_equal(learned.solver.iterations, 40);
    assert_true(learned.history[39].f < 0.95 * learned.history[0].f);
    for (size_t i = 0; i < 40; i++) assert_true(isfinite(learned.history[i].gradient));
    assert_true(learned.solver.defect < 1e-10);
    film_learned_free(&learned);
}

static void same_seed_same_bytes_whatever_the_threads(void **state)
{
    (void)state;
    const int threads[] = {1, 1, 2, 4};
    double p[R * D];
    for (int i = 0; i < 4; i++) {
        struct film_learn_options options;
        struct film_learned learned;
        learn_options(&options);
        options.threads = threads[i];
        learn(PARTS, 3 * PARTS, &options, &learned);
        if (i == 0) memcpy(p, learned.p, sizeof p);
        assert_memory_equal(p, learned.p, sizeof p);
        film_learned_free(&learned);
    }
    struct film_learn_options options;
    struct film_learned learned;
    learn_options(&options);
    options.seed = 6;
    learn(PARTS, 3 * PARTS, &options, &learned);
    assert_memory_not_equal(p, learned.p, sizeof p);
    film_learned_free(&learned);
}

static film_status average(size_t batches, int threads, float *map, struct film_learned *learned)
{
    struct turns turns = {.parts = PARTS, .limit = batches};
    struct mfilm_source source = {&turns, next};
    struct film_learn_options options;
    learn_options(&options);
    options.threads = threads;
    return mfilm_average(&source, 20, FEATURES, &options, map, learned, &error);
}

static void a_basis_per_batch_averages_maps(void **state)
{
    (void)state;
    static float map[FEATURES * D], again[FEATURES * D];
    struct film_learned learned;
    double length = 0.0;
    assert_ok(average(2 * PARTS, 1, map, &learned));
    assert_int_equal(learned.solver.iterations, 2 * PARTS);
    assert_int_equal(learned.solver.stop, STIEFEL_DATA);
    assert_non_null(learned.history);
    film_learned_free(&learned);
    for (size_t i = 0; i < FEATURES * D; i++) {
        assert_true(isfinite(map[i]));
        length += (double)map[i] * (double)map[i];
    }
    assert_true(length > 0.0);
    for (int threads = 1; threads <= 4; threads *= 2) {
        assert_ok(average(2 * PARTS, threads, again, &learned));
        film_learned_free(&learned);
        for (size_t i = 0; i < FEATURES * D; i++) assert_close(map[i], again[i], 1e-5);
    }
}

static int stop_at_four(void *user, size_t batch, const struct film_iteration *now)
{
    (void)now;
    *(size_t *)user = batch;
    return batch == 4;
}

static void learning_can_be_cancelled_and_keeps_what_it_has(void **state)
{
    (void)state;
    struct turns turns = {.parts = PARTS, .limit = 20};
    struct mfilm_source source = {&turns, next};
    struct film_learn_options options;
    struct film_learned learned;
    static float map[FEATURES * D];
    size_t seen = 0;
    learn_options(&options);
    options.report = stop_at_four;
    options.user = &seen;
    assert_int_equal(mfilm_learn(&source, R, sigma, &options, &learned, &error), FILM_CANCELLED);
    assert_int_equal(seen, 4);
    assert_null(learned.p);
    turns.count = 0;
    assert_int_equal(mfilm_average(&source, 20, FEATURES, &options, map, &learned, &error),
                     FILM_CANCELLED);
    assert_null(learned.p);
}

static void an_empty_stream_is_refused(void **state)
{
    (void)state;
    struct turns turns = {.parts = PARTS, .limit = 0};
    struct mfilm_source source = {&turns, next};
    struct film_learn_options options;
    struct film_learned learned;
    static float map[FEATURES * D];
    learn_options(&options);
    assert_int_equal(mfilm_learn(&source, R, sigma, &options, &learned, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "no triplets"));
    assert_int_equal(mfilm_average(&source, 20, FEATURES, &options, map, &learned, &error),
                     FILM_USAGE);
    options.dim = R + 1;
    turns.limit = 1;
    assert_int_equal(mfilm_learn(&source, R, sigma, &options, &learned, &error), FILM_USAGE);
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    static float map[FEATURES * D];
    for (int kind = 0; kind < 2; kind++) {
        int failures = 0;
        for (long at = 0;; at++) {
            struct turns turns = {.parts = PARTS, .limit = 3};
            struct mfilm_source source = {&turns, next};
            struct film_learn_options options;
            struct film_learned learned;
            learn_options(&options);
            fail_allocation(at);
            film_status status =
                kind ? mfilm_average(&source, 20, FEATURES, &options, map, &learned, &error)
                     : mfilm_learn(&source, R, sigma, &options, &learned, &error);
            fail_allocation(-1);
            if (status == FILM_OK) film_learned_free(&learned);
            if (status == FILM_OK) break;
            assert_int_equal(status, FILM_NO_MEMORY);
            assert_null(learned.p);
            assert_null(learned.history);
            failures++;
        }
        assert_true(failures > 30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_batch_that_holds_everything_moves_as_the_full_batch),
        cmocka_unit_test(the_matrix_is_the_average_of_the_batches),
        cmocka_unit_test(many_batches_beat_the_random_start_and_come_near_the_full_batch),
        cmocka_unit_test(the_objective_falls),
        cmocka_unit_test(same_seed_same_bytes_whatever_the_threads),
        cmocka_unit_test(a_basis_per_batch_averages_maps),
        cmocka_unit_test(learning_can_be_cancelled_and_keeps_what_it_has),
        cmocka_unit_test(an_empty_stream_is_refused),
        cmocka_unit_test(no_memory_is_reported_everywhere),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}
