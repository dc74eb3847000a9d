/* Tests FILM's objective and training against naive loops, finite differences, eigenvectors and
 * numpy (tests/golden/film_reference.py, which reads what --dump DIR writes). */
#include "testing.h"
#include "base/rng.h"
#include "la/dense.h"
#include "learn/film.h"
#include "../golden/film_reference.h"

#include <lapacke.h>

enum { N = 400, R = 30, D = 6, FEATURES = 70, GROUPS = 80 };

static film_error error;
static float v[N * R]; /* orthonormal columns, rows of a group near each other */
static float sigma[R];
static struct triplets triplets;

static void orthonormal(size_t rows, size_t cols, double *a)
{
    double scales[R];
    int m = (int)rows, n = (int)cols;
    assert_int_equal(LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, m, n, a, n, scales), 0);
    assert_int_equal(LAPACKE_dorgqr(LAPACK_ROW_MAJOR, m, n, n, a, n, scales), 0);
}

static void random_point(double *p, size_t rows, size_t cols, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < rows * cols; i++) p[i] = rng_normal(&rng);
    orthonormal(rows, cols, p);
}

static int make_data(void **state)
{
    (void)state;
    static double rows[N * R], centre[GROUPS * R];
    uint32_t group[N];
    struct triplet_options options;
    struct rng rng;
    rng_seed(&rng, 42);
    for (size_t i = 0; i < GROUPS * R; i++) centre[i] = rng_normal(&rng);
    for (size_t i = 0; i < N; i++) {
        group[i] = (uint32_t)(i % GROUPS);
        /* The later columns are noise: a subspace must be found. */
        for (size_t j = 0; j < R; j++)
            rows[i * R + j] = (j < 12 ? centre[group[i] * R + j] : 0.0) + 0.6 * rng_normal(&rng);
    }
    orthonormal(N, R, rows);
    for (size_t i = 0; i < N * R; i++) v[i] = (float)rows[i];
    for (size_t i = 0; i < R; i++) sigma[i] = 9.0f / (float)(i + 1);
    triplets_defaults(&options);
    options.positives = 3;
    for (size_t i = 0; i < 20; i++) group[i] = TRIPLETS_NONE; /* sentences that are not anchors */
    return triplets_from_categories(N, group, &options, &triplets, &error) != FILM_OK;
}

static int free_data(void **state)
{
    (void)state;
    triplets_free(&triplets);
    return 0;
}

static void refresh(struct film_problem *q, double *p)
{
    film_problem_refresh(q, p);
}

static void open_problem(struct film_problem *q, double power, double margin)
{
    assert_ok(
        film_problem_init(q, &(struct film_space){R, D, sigma, power, 2}, v, R, &triplets, &error));
    q->margin = margin;
}

static void the_smooth_maximum_never_overflows(void **state)
{
    (void)state;
    assert_close(film_mu(0.0), log(2.0), 1e-15);
    assert_close(film_mu(800.0), 800.0, 0.0);
    assert_close(film_mu(-800.0), 0.0, 1e-300);
    assert_close(film_sigma(-800.0), 0.0, 1e-300);
    assert_close(film_sigma(800.0), 1.0, 0.0);
    for (double x = -5.0; x < 5.0; x += 0.37)
        assert_close(film_sigma(x), (film_mu(x + 1e-6) - film_mu(x - 1e-6)) / 2e-6, 1e-8);
}

static void the_gradient_agrees_with_finite_differences(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct film_problem q;
        double p[R * D], g[R * D];
        open_problem(&q, kind ? 0.5 : 1.0, 0.01);
        random_point(p, R, D, 3);
        refresh(&q, p);
        film_problem_value(&q, p, g);
        for (size_t i = 0; i < R * D; i += 7) {
            double keep = p[i], step = 1e-5;
            p[i] = keep + step;
            double above = film_problem_value(&q, p, NULL);
            p[i] = keep - step;
            double below = film_problem_value(&q, p, NULL);
            p[i] = keep;
            assert_close(g[i], (above - below) / (2 * step), 1e-7 * (1.0 + fabs(g[i])));
        }
        film_problem_free(&q);
    }
}

/* z_i of the specification (36) by a loop over triplets; y = sqrt(S) P' D v. */
static double naive_hinge(const struct film_problem *q, const double *p, const double *s, size_t a)
{
    double sum = 0.0;
    size_t first = triplets.start[a], last = triplets.start[a + 1];
    for (size_t t = first; t < last; t++)
        for (size_t c = 0; c < D; c++) {
            double yi = 0.0, yj = 0.0, yk = 0.0;
            for (size_t x = 0; x < R; x++) {
                double weight = p[x * D + c] * (q->scale ? q->scale[x] : 1.0);
                yi += weight * (double)v[triplets.anchor[a] * R + x];
                yj += weight * (double)v[triplets.similar[t] * R + x];
                yk += weight * (double)v[triplets.dissimilar[t] * R + x];
            }
            sum += s[c] * yi * (yj - yk);
        }
    return q->margin - sum / (double)(last - first + 1);
}

static void the_sum_of_hinges_is_the_trace_form(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct film_problem q;
        double p[R * D], k[D], s[D], hinges = 0.0, trace;
        open_problem(&q, kind ? 0.5 : 1.0, kind ? 0.02 : 0.01);
        random_point(p, R, D, 4);
        refresh(&q, p);
        memcpy(s, q.s, sizeof s);
        size_t active = 0;
        for (size_t a = 0; a < q.anchors; a++) {
            double z = naive_hinge(&q, p, s, a);
            if (fabs(z) > 1e-6) assert_int_equal(q.active[a], z > 0.0);
            if (q.active[a]) hinges += z;
            active += q.active[a];
        }
        assert_int_equal(active, q.active_count);
        assert_true(active > 20 && active < q.anchors);
        film_problem_k(&q, p, k);
        trace = q.margin * (double)active;
        double f = trace;
        for (size_t c = 0; c < D; c++) trace -= s[c] * k[c], f -= 0.5 * k[c] * film_mu(k[c]);
        assert_close(hinges, trace, 1e-6);
        assert_close(film_problem_value(&q, p, NULL), f, 1e-12);
        film_problem_free(&q);
    }
}

static void updating_h_equals_computing_it_afresh(void **state)
{
    (void)state;
    struct film_problem q;
    double p[R * D], gradient[R * D];
    open_problem(&q, 1.0, 0.01);
    q.full_every = 1000;
    random_point(p, R, D, 5);
    for (int step = 0; step < 50; step++) {
        refresh(&q, p);
        film_problem_value(&q, p, gradient);
        for (size_t i = 0; i < R * D; i++) p[i] -= 0.3 * gradient[i];
        orthonormal(R, D, p);
    }
    assert_true(q.updates > 10 && q.full_updates < q.updates);
    for (size_t i = 0; i < R; i++)
        for (size_t j = 0; j < R; j++) {
            double sum = 0.0;
            for (size_t a = 0; a < q.anchors; a++)
                if (q.active[a]) {
                    const float *row = v + triplets.anchor[a] * R, *w = q.w + a * R;
                    sum += 0.5 * ((double)w[i] * (double)row[j] + (double)w[j] * (double)row[i]);
                }
            assert_close(q.h[i * R + j], sum, 1e-6);
        }
    film_problem_free(&q);
}

/* f2 where P has H's top eigenvectors. */
static double eigen_value_of(struct film_problem *q, double *least)
{
    double h[R * R], values[R], f = q->margin * (double)q->active_count;
    memcpy(h, q->h, sizeof h);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', R, h, R, values), 0);
    for (size_t c = 0; c < D; c++) f -= 0.5 * values[R - 1 - c] * film_mu(values[R - 1 - c]);
    *least = values[0];
    return f;
}

static void with_fixed_hinges_the_eigenvectors_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (long_tests() ? 5 : 2); seed++) {
        struct film_problem q;
        struct stiefel_options options;
        struct stiefel_result result;
        double p[R * D], least;
        open_problem(&q, 1.0, 0.0);
        double best = eigen_value_of(&q, &least);
        assert_true(least > -1.1);
        struct stiefel_problem view = film_problem_stiefel(&q);
        view.refresh = NULL;
        stiefel_defaults(&options);
        options.iterations = 20000;
        options.least_change = 0.0;
        options.epsilon = 1e-7;
        random_point(p, R, D, seed);
        assert_ok(stiefel_minimise(&view, &options, p, &result, &error));
        assert_close(result.f, best, 1e-6);
        film_problem_free(&q);
    }
}

static void learn_options(struct film_learn_options *options)
{
    film_learn_defaults(options);
    options->power = 1.0;
    options->dim = D;
    options->seed = 3;
    options->threads = 2;
}

static double start_p[R * D];
static const double MARGIN = 0.01;

static void the_reference_is_not_better(void **state)
{
    (void)state;
    struct film_learn_options options;
    struct film_learned learned;
    learn_options(&options);
    options.margin = MARGIN;
    random_point(start_p, R, D, 77);
    options.start_p = start_p;
    options.solver.iterations = 2000;
    assert_ok(film_learn(v, R, sigma, &triplets, &options, &learned, &error));
    struct film_problem q;
    struct stiefel_result result;
    open_problem(&q, 1.0, MARGIN);
    for (int round = 0; round < 10; round++) refresh(&q, learned.p);
    double f = film_problem_value(&q, learned.p, NULL);
    print_message("f %.9f, numpy %.9f\n", f, FILM_REFERENCE_MOVING);
    assert_true(f <= FILM_REFERENCE_MOVING + 1e-6);
    film_learned_free(&learned);
    film_problem_free(&q);
    open_problem(&q, 1.0, MARGIN);
    refresh(&q, start_p);
    options.solver.least_change = 1e-12;
    struct stiefel_problem view = film_problem_stiefel(&q);
    view.refresh = NULL;
    assert_ok(stiefel_minimise(&view, &options.solver, start_p, &result, &error));
    print_message("fixed: f %.9f, numpy %.9f\n", result.f, FILM_REFERENCE_FIXED);
    assert_true(result.f <= FILM_REFERENCE_FIXED + 1e-6);
    film_problem_free(&q);
}

/* Compares y by L from the features with y by P from V. */
static void the_map_reproduces_the_training_rows(void **state)
{
    (void)state;
    static double basis[FEATURES * R];
    static float u[FEATURES * R], map[FEATURES * D];
    random_point(basis, FEATURES, R, 8);
    for (size_t i = 0; i < FEATURES * R; i++) u[i] = (float)basis[i];
    for (int kind = 0; kind < 3; kind++) {
        struct film_learn_options options;
        struct film_learned learned;
        learn_options(&options);
        options.power = kind == 0 ? 1.0 : kind == 1 ? 0.5 : 0.0;
        assert_ok(film_learn(v, R, sigma, &triplets, &options, &learned, &error));
        assert_ok(film_map(&learned, &(struct film_basis){u, FEATURES, R, sigma}, 2, map, &error));
        for (size_t i = 0; i < N; i += 13)
            for (size_t c = 0; c < D; c++) {
                double by_map = 0.0, by_p = 0.0;
                for (size_t f = 0; f < FEATURES; f++) {
                    double x = 0.0; /* X = U Sigma V' */
                    for (size_t j = 0; j < R; j++)
                        x += (double)u[f * R + j] * (double)sigma[j] * (double)v[i * R + j];
                    by_map += x * (double)map[f * D + c];
                }
                for (size_t j = 0; j < R; j++)
                    by_p += learned.p[j * D + c] * pow(sigma[j], 1.0 - options.power) *
                            (double)v[i * R + j];
                assert_close(by_map, by_p * sqrt(learned.s[c]), 1e-5);
            }
        film_learned_free(&learned);
    }
}

static void same_seed_same_bytes_whatever_the_threads(void **state)
{
    (void)state;
    const int threads[] = {1, 1, 2, 4};
    for (int kind = 0; kind < 2; kind++) {
        double p[R * D], f = 0.0;
        for (int i = 0; i < 4; i++) {
            struct film_learn_options options;
            struct film_learned learned;
            learn_options(&options);
            options.threads = threads[i];
            options.power = kind ? 0.5 : 1.0;
            options.start = kind ? FILM_START_EIGEN : FILM_START_RANDOM;
            assert_ok(film_learn(v, R, sigma, &triplets, &options, &learned, &error));
            if (i == 0) memcpy(p, learned.p, sizeof p), f = learned.f;
            assert_memory_equal(p, learned.p, sizeof p);
            assert_close(f, learned.f, 0.0);
            film_learned_free(&learned);
        }
    }
}

static void the_history_matches_the_training(void **state)
{
    (void)state;
    struct film_learn_options options;
    struct film_learned learned;
    learn_options(&options);
    options.solver.iterations = 12;
    options.solver.least_change = 0.0;
    assert_ok(film_learn(v, R, sigma, &triplets, &options, &learned, &error));
    assert_int_equal(learned.solver.iterations, 12);
    for (size_t i = 0; i < 12; i++) {
        assert_true(isfinite(learned.history[i].f) && learned.history[i].tau > 0.0);
        assert_true(learned.history[i].active <= triplets.anchors);
    }
    assert_close(learned.history[11].f, learned.f, 1e-9 * fabs(learned.f));
    assert_true(learned.margin > 0.0 && learned.anchors == triplets.anchors);
    for (size_t c = 0; c < D; c++) assert_close(learned.s[c], film_mu(learned.k[c]), 1e-12);
    film_learned_free(&learned);
}

static int stop_at_four(void *user, size_t iteration, const struct film_iteration *now)
{
    (void)now;
    *(size_t *)user = iteration;
    return iteration == 4;
}

static void learning_can_be_cancelled(void **state)
{
    (void)state;
    struct film_learn_options options;
    struct film_learned learned;
    size_t seen = 0;
    learn_options(&options);
    options.report = stop_at_four;
    options.user = &seen;
    assert_int_equal(film_learn(v, R, sigma, &triplets, &options, &learned, &error),
                     FILM_CANCELLED);
    assert_int_equal(seen, 4);
    assert_null(learned.p);
}

static void what_cannot_be_learned_is_refused(void **state)
{
    (void)state;
    struct film_learn_options options;
    struct film_learned learned;
    struct triplets none = {.sentences = N};
    float flat[R] = {1.0f, 0.5f, 0.2f, 1e-6f}; /* rank 3 */
    learn_options(&options);
    assert_int_equal(film_learn(v, R, flat, &triplets, &options, &learned, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "rank 3"));
    assert_int_equal(film_learn(v, R, sigma, &none, &options, &learned, &error), FILM_USAGE);
    options.power = 0.5;
    assert_int_equal(film_learn(v, R, NULL, &triplets, &options, &learned, &error), FILM_USAGE);
    options.dim = 3;
    assert_ok(film_learn(v, R, flat, &triplets, &options, &learned, &error));
    assert_int_equal(learned.rank, 3);
    film_learned_free(&learned);
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        int failures = 0;
        for (long at = 0;; at++) {
            struct film_learn_options options;
            struct film_learned learned;
            learn_options(&options);
            options.power = kind ? 0.5 : 1.0;
            options.start = kind ? FILM_START_EIGEN : FILM_START_RANDOM;
            options.solver.iterations = 20;
            fail_allocation(at);
            film_status status = film_learn(v, R, sigma, &triplets, &options, &learned, &error);
            fail_allocation(-1);
            if (status == FILM_OK) film_learned_free(&learned);
            if (status == FILM_OK) break;
            assert_int_equal(status, FILM_NO_MEMORY);
            assert_null(learned.p);
            failures++;
        }
        assert_true(failures > 30);
    }
}

/* Writes the problem of the_reference_is_not_better, for the script. */
static void dump(const char *folder)
{
    char path[400];
    const uint64_t shape[] = {N, R, D, triplets.count};
    static uint32_t rows[100000];
    for (size_t a = 0; a < triplets.anchors; a++)
        for (size_t t = triplets.start[a]; t < triplets.start[a + 1]; t++) {
            rows[3 * t] = triplets.anchor[a];
            rows[3 * t + 1] = triplets.similar[t];
            rows[3 * t + 2] = triplets.dissimilar[t];
        }
    random_point(start_p, R, D, 77);
    const struct {
        const char *name;
        const void *bytes;
        size_t size;
    } files[] = {{"shape.u64", shape, sizeof shape},
                 {"v.f32", v, sizeof v},
                 {"p.f64", start_p, sizeof start_p},
                 {"margin.f64", &MARGIN, sizeof MARGIN},
                 {"triplets.u32", rows, triplets.count * 12}};
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        write_file(path, files[i].bytes, files[i].size);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smooth_maximum_never_overflows),
        cmocka_unit_test(the_gradient_agrees_with_finite_differences),
        cmocka_unit_test(the_sum_of_hinges_is_the_trace_form),
        cmocka_unit_test(updating_h_equals_computing_it_afresh),
        cmocka_unit_test(with_fixed_hinges_the_eigenvectors_are_found),
        cmocka_unit_test(the_reference_is_not_better),
        cmocka_unit_test(the_map_reproduces_the_training_rows),
        cmocka_unit_test(same_seed_same_bytes_whatever_the_threads),
        cmocka_unit_test(the_history_matches_the_training),
        cmocka_unit_test(learning_can_be_cancelled),
        cmocka_unit_test(what_cannot_be_learned_is_refused),
        cmocka_unit_test(no_memory_is_reported_everywhere),
    };
    if (count == 3 && strcmp(arguments[1], "--dump") == 0) {
        make_data(NULL);
        dump(arguments[2]);
        return free_data(NULL);
    }
    return cmocka_run_group_tests(tests, make_data, free_data);
}
