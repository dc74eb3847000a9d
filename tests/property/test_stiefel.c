/* Tests the optimiser on problems with a known solution: a quadratic form (eigenvectors), a moving
 * target, and one that never ends. */
#include "testing.h"
#include "base/rng.h"
#include "la/dense.h"
#include "la/stiefel.h"

#include <lapacke.h>

static film_error error;

/* f(P) = -1/2 tr(P' A P W), A symmetric, W = diag(1, 2, ..): minimal at the top eigenvectors. */
struct quadratic {
    size_t r, d;
    double *a, *ap;
    size_t calls;
    double shift; /* added to f; changed by refresh when `moving` */
    int moving;
    int weighted;
};

static film_status quadratic_value(void *self, const double *p, double *f, double *g, film_error *e)
{
    (void)e;
    struct quadratic *q = self;
    size_t r = q->r, d = q->d;
    q->calls++;
    dense_times((struct dense_shape){r, d, r}, 1.0, q->a, p, 0.0, q->ap, 1);
    *f = q->shift;
    for (size_t i = 0; i < r * d; i++) {
        double weight = q->weighted ? 1.0 + (double)(i % d) : 1.0;
        *f -= 0.5 * weight * p[i] * q->ap[i];
        if (g) g[i] = -weight * q->ap[i];
    }
    return FILM_OK;
}

static film_status quadratic_refresh(void *self, const double *p, int *changed, film_error *e)
{
    (void)p, (void)e;
    struct quadratic *q = self;
    *changed = 1;
    if (q->moving == 2) { /* a different A every time: never converges */
        size_t i = q->calls % q->r, j = (7 * q->calls + 3) % q->r;
        q->a[i * q->r + j] = q->a[j * q->r + i] = 3.0 * sin((double)q->calls);
        return FILM_OK;
    }
    q->shift += q->calls % 2 ? 100.0 : -100.0; /* simulates changed data */
    return FILM_OK;
}

static void quadratic_init(struct quadratic *q, size_t r, size_t d, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    *q = (struct quadratic){.r = r, .d = d, .weighted = 1};
    q->a = malloc(r * r * sizeof(double));
    q->ap = malloc(r * d * sizeof(double));
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j <= i; j++) q->a[i * r + j] = q->a[j * r + i] = rng_normal(&rng);
}

static void quadratic_free(struct quadratic *q)
{
    free(q->a), free(q->ap);
}

static struct stiefel_problem view(struct quadratic *q)
{
    return (struct stiefel_problem){.self = q,
                                    .rows = q->r,
                                    .cols = q->d,
                                    .evaluate = quadratic_value,
                                    .refresh = q->moving ? quadratic_refresh : NULL};
}

static double *random_point(size_t r, size_t d, uint64_t seed)
{
    double *p = malloc(r * d * sizeof *p), *scales = malloc(d * sizeof *scales);
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < r * d; i++) p[i] = rng_normal(&rng);
    assert_int_equal(LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, (int)r, (int)d, p, (int)d, scales), 0);
    assert_int_equal(LAPACKE_dorgqr(LAPACK_ROW_MAJOR, (int)r, (int)d, (int)d, p, (int)d, scales),
                     0);
    free(scales);
    return p;
}

/* The minimum: largest weight with largest eigenvalue. */
static double quadratic_best(const struct quadratic *q)
{
    size_t r = q->r;
    double best = 0.0, *a = malloc(r * r * sizeof *a), *values = malloc(r * sizeof *values);
    memcpy(a, q->a, r * r * sizeof *a);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (int)r, a, (int)r, values), 0);
    for (size_t c = 0; c < q->d; c++) best -= 0.5 * (double)(q->d - c) * values[r - 1 - c];
    free(a), free(values);
    return best;
}

static void both_forms_of_the_step_agree(void **state)
{
    (void)state;
    const size_t shapes[][2] = {{40, 5}, {40, 20}, {30, 30}, {17, 12}, {3, 1}};
    const double taus[] = {1e-6, 0.01, 1.0, 50.0};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 4; j++) {
            size_t r = shapes[i][0], d = shapes[i][1];
            double *p = random_point(r, d, i), *g = malloc(r * d * sizeof *g);
            double *small = malloc(r * d * sizeof *g), *full = malloc(r * d * sizeof *g);
            struct rng rng;
            rng_seed(&rng, 9 + j);
            double scale = j % 2 ? 1e3 : 1e-2;
            for (size_t k = 0; k < r * d; k++) g[k] = scale * rng_normal(&rng);
            double tau = taus[j] / scale;
            assert_ok(stiefel_cayley(r, d, &(struct stiefel_line){p, g, tau}, STIEFEL_SMALL, small,
                                     &error));
            assert_ok(stiefel_cayley(r, d, &(struct stiefel_line){p, g, tau}, STIEFEL_FULL, full,
                                     &error));
            for (size_t k = 0; k < r * d; k++) assert_close(small[k], full[k], 1e-9);
            free(p), free(g), free(small), free(full);
        }
}

static void the_top_eigenvectors_are_found_from_any_start(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct quadratic q;
        struct stiefel_options options;
        struct stiefel_result result;
        quadratic_init(&q, 30, seed % 2 ? 4 : 20, seed);
        q.moving = seed > 4; /* with a constant that jumps by 100 between steps */
        stiefel_defaults(&options);
        options.iterations = 20000;
        options.least_change = 1e-15;
        options.epsilon = 1e-6;
        double *p = random_point(q.r, q.d, seed + 100);
        struct stiefel_problem problem = view(&q);
        assert_ok(stiefel_minimise(&problem, &options, p, &result, &error));
        double best = quadratic_best(&q);
        assert_close(result.f - q.shift, best, 1e-6 * fabs(best));
        assert_true(result.iterations > 5);
        free(p);
        quadratic_free(&q);
    }
}

struct watch {
    size_t steps, cancel_at;
    double worst, over;
    const struct stiefel_options *options;
};

static int watch_step(void *user, const struct stiefel_step *step)
{
    struct watch *w = user;
    w->steps++;
    assert_int_equal(step->iteration, w->steps);
    if (step->defect > w->worst) w->worst = step->defect;
    double allowed =
        step->reference - w->options->rho * step->tau * step->gradient * step->gradient;
    if (step->f - allowed > w->over) w->over = step->f - allowed;
    return w->cancel_at && w->steps >= w->cancel_at;
}

static void columns_stay_orthonormal_for_thousands_of_steps(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++) {
        struct quadratic q;
        struct stiefel_options options;
        struct stiefel_result result;
        struct watch watch = {.options = &options};
        quadratic_init(&q, 24, 6, 3);
        q.moving = 2;
        stiefel_defaults(&options);
        options.form = form ? STIEFEL_FULL : STIEFEL_SMALL;
        options.iterations = 3000;
        options.epsilon = options.least_change = 0.0;
        options.report = watch_step;
        options.user = &watch;
        double *p = random_point(q.r, q.d, 5), gram[36];
        struct stiefel_problem problem = view(&q);
        assert_ok(stiefel_minimise(&problem, &options, p, &result, &error));
        assert_int_equal(watch.steps, 3000);
        assert_true(watch.worst < 1e-10);
        assert_true(stiefel_defect(q.r, q.d, p, gram, 1) < 1e-10);
        free(p);
        quadratic_free(&q);
    }
}

static void no_step_exceeds_the_reference_value(void **state)
{
    (void)state;
    struct quadratic q;
    struct stiefel_options options;
    struct stiefel_result result;
    struct watch watch = {.options = &options};
    quadratic_init(&q, 40, 8, 11);
    q.moving = 1; /* values jump by 100; comparing across a refresh would fail at once */
    stiefel_defaults(&options);
    options.report = watch_step;
    options.user = &watch;
    options.least_change = 0.0;
    double *p = random_point(q.r, q.d, 12);
    struct stiefel_problem problem = view(&q);
    assert_ok(stiefel_minimise(&problem, &options, p, &result, &error));
    assert_true(watch.steps > 20);
    assert_true(watch.over <= 0.0);
    assert_close(result.f - q.shift, quadratic_best(&q), 1e-3);
    free(p);
    quadratic_free(&q);
}

static void the_reason_to_stop_is_reported(void **state)
{
    (void)state;
    struct quadratic q;
    struct stiefel_options options;
    struct stiefel_result result;
    struct watch watch = {.options = &options, .cancel_at = 3};
    quadratic_init(&q, 20, 3, 2);
    double *p = random_point(20, 3, 1);
    struct stiefel_problem problem = view(&q);
    stiefel_defaults(&options);
    options.iterations = 2;
    assert_ok(stiefel_minimise(&problem, &options, p, &result, &error));
    assert_int_equal(result.stop, STIEFEL_ITERATIONS);
    assert_int_equal(result.iterations, 2);
    options.report = watch_step;
    options.user = &watch;
    options.iterations = 2000;
    assert_int_equal(stiefel_minimise(&problem, &options, p, &result, &error), FILM_CANCELLED);
    assert_int_equal(result.stop, STIEFEL_CANCELLED);
    assert_int_equal(result.iterations, 3);
    options.report = NULL;
    options.least_change = 0.0;
    assert_ok(stiefel_minimise(&problem, &options, p, &result, &error));
    assert_int_equal(result.stop, STIEFEL_GRADIENT);
    p[0] += 5.0;
    assert_int_equal(stiefel_minimise(&problem, &options, p, &result, &error), FILM_USAGE);
    problem.cols = 21;
    assert_int_equal(stiefel_minimise(&problem, &options, p, &result, &error), FILM_USAGE);
    assert_string_equal(stiefel_stop_name(STIEFEL_CHANGE), "change");
    free(p);
    quadratic_free(&q);
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++) {
        int failures = 0;
        for (long at = 0;; at++) {
            struct quadratic q;
            struct stiefel_options options;
            struct stiefel_result result;
            quadratic_init(&q, 10, 3, 2);
            double *p = random_point(10, 3, 1);
            struct stiefel_problem problem = view(&q);
            stiefel_defaults(&options);
            options.form = form ? STIEFEL_FULL : STIEFEL_SMALL;
            fail_allocation(at);
            film_status status = stiefel_minimise(&problem, &options, p, &result, &error);
            fail_allocation(-1);
            free(p);
            quadratic_free(&q);
            if (status == FILM_OK) break;
            assert_int_equal(status, FILM_NO_MEMORY);
            failures++;
        }
        assert_true(failures >= 13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_of_the_step_agree),
        cmocka_unit_test(the_top_eigenvectors_are_found_from_any_start),
        cmocka_unit_test(columns_stay_orthonormal_for_thousands_of_steps),
        cmocka_unit_test(no_step_exceeds_the_reference_value),
        cmocka_unit_test(the_reason_to_stop_is_reported),
        cmocka_unit_test(no_memory_is_reported_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
