/* Tests dense products against plain sums, whatever the number of threads, and the number of
 * threads that BLAS may use. */
#include "base/rng.h"
#include "base/threads.h"
#include "la/blas.h"
#include "la/dense.h"
#include "testing.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 700 }; /* rows: several chunks of several tiles */

static film_error error;

static double *random_matrix(size_t count, uint64_t seed)
{
    double *values = malloc(count * sizeof *values);
    struct rng rng;
    assert_non_null(values);
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++) values[i] = rng_normal(&rng);
    return values;
}

static float *floats_of(const double *values, size_t count)
{
    float *floats = malloc(count * sizeof *floats);
    assert_non_null(floats);
    for (size_t i = 0; i < count; i++) floats[i] = (float)values[i];
    return floats;
}

static const struct dense_shape shapes[] = {{1, 1, 1},     {64, 3, 5},     {65, 3, 5},
                                            {129, 40, 70}, {MOST, 90, 60}, {MOST, 300, 33}};

/* Checks the four products of one shape. A is m x k, or k x m where TRANSPOSED. */
static void check_product(struct dense_shape shape, int transposed, int threads, double *results)
{
    size_t m = shape.m, n = shape.n, k = shape.k;
    double *a = random_matrix(m * k, 1), *b = random_matrix(k * n, 2), *c = random_matrix(m * n, 3);
    for (size_t i = 0; i < m * n; i++) results[i] = c[i];
    (transposed ? dense_transposed_times : dense_times)(shape, -0.5, a, b, 2, results, threads);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t t = 0; t < k; t++)
                sum += a[transposed ? t * m + i : i * k + t] * b[t * n + j];
            assert_close(results[i * n + j], 2 * c[i * n + j] - 0.5 * sum, 1e-10);
        }
    free(a);
    free(b);
    free(c);
}

/* OUT = A B, or SUM += A' B, in float. */
static void check_float_product(struct dense_shape shape, int threads, float *out, double *sum)
{
    size_t m = shape.m, n = shape.n, k = shape.k, stride = k + 3;
    double *a = random_matrix(m * stride, 4), *b = random_matrix(k * n, 5);
    float *a4 = floats_of(a, m * stride), *b4 = floats_of(b, k * n);
    dense_rows_times(shape, a4, stride, b4, out, threads);
    for (size_t i = 0; i < m * n; i++) sum[i] = 7;
    dense_add_products(m, n, k, a4, b4, sum, threads);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double plain = 0, transposed = 7;
            for (size_t t = 0; t < k; t++) {
                plain += (double)a4[i * stride + t] * (double)b4[t * n + j];
                transposed += (double)a4[t * m + i] * (double)b4[t * n + j];
            }
            assert_close((double)out[i * n + j], plain, 1e-3);
            assert_close(sum[i * n + j], transposed, 1e-3);
        }
    free(a);
    free(b);
    free(a4);
    free(b4);
}

static void products_are_those_of_plain_sums_for_every_number_of_threads(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t count = shapes[s].m * shapes[s].n;
        double *first = malloc(count * sizeof *first), *then = malloc(count * sizeof *then);
        float *out = malloc(count * sizeof *out), *again = malloc(count * sizeof *again);
        for (int transposed = 0; transposed < 2; transposed++) {
            check_product(shapes[s], transposed, 1, first);
            check_product(shapes[s], transposed, 4, then);
            assert_memory_equal(first, then, count * sizeof *first);
        }
        check_float_product(shapes[s], 1, out, first);
        check_float_product(shapes[s], 3, again, then);
        assert_memory_equal(first, then, count * sizeof *first);
        assert_memory_equal(out, again, count * sizeof *out);
        free(first);
        free(then);
        free(out);
        free(again);
    }
}

/* ---- Threads of BLAS ---- */

/* With OpenMP, each of our threads would start several of its own. */
static void openblas_is_not_the_variant_with_openmp(void **state)
{
    (void)state;
    assert_int_not_equal(openblas_get_parallel(), OPENBLAS_OPENMP);
}

static film_status begin_and_end(struct threads_worker *worker, void *user, film_error *own)
{
    size_t i, end;
    (void)own;
    while (threads_next(worker, &i, &end)) {
        blas_begin();
        if (openblas_get_num_threads() != 1) __atomic_store_n((int *)user, 1, __ATOMIC_RELAXED);
        blas_end();
    }
    return FILM_OK;
}

static void blas_runs_on_one_thread_until_the_last_user_ends(void **state)
{
    int before = openblas_get_num_threads(), several = 0;
    (void)state;
    openblas_set_num_threads(3);
    blas_begin();
    assert_int_equal(openblas_get_num_threads(), 1);
    blas_begin();
    blas_end();
    assert_int_equal(openblas_get_num_threads(), 1);
    blas_end();
    assert_int_equal(openblas_get_num_threads(), 3);
    assert_ok(threads_for(4, 2000, 1, begin_and_end, &several, &error));
    assert_int_equal(several, 0);
    assert_int_equal(openblas_get_num_threads(), 3);
    openblas_set_num_threads(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_plain_sums_for_every_number_of_threads),
        cmocka_unit_test(openblas_is_not_the_variant_with_openmp),
        cmocka_unit_test(blas_runs_on_one_thread_until_the_last_user_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
