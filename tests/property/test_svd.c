/* Tests la/svd on random sparse matrices against LAPACK. */
#include "testing.h"

#include "base/rng.h"
#include "la/svd.h"

#include <lapacke.h>

static film_error error;

/* ---- Matrices and the reference: dense LAPACK in double ---- */

/* Random entries with density SHARE; row i and column j are damped by decay^i, decay^j. */
static void make(struct csr *x, size_t rows, size_t cols, double share, double decay, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    assert_ok(csr_alloc(x, rows, cols, rows * cols, &error));
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++) {
            if (i % 11 == 10 || rng_uniform(&rng) >= share) continue;
            x->col[count] = (uint32_t)j;
            x->val[count++] = (float)(rng_normal(&rng) * pow(decay, (double)(i + j)));
        }
        x->start[i + 1] = count;
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* All singular values, descending. */
static double *exact(const struct csr *x)
{
    size_t rows = x->rows, cols = x->cols, least = smaller(rows, cols);
    double *dense = calloc(rows * cols, sizeof *dense), *sigma = calloc(least, sizeof *sigma);
    double *rest = calloc(least + 1, sizeof *rest);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = x->start[i]; k < x->start[i + 1]; k++)
            dense[i + rows * x->col[k]] = x->val[k];
    assert_int_equal(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', (lapack_int)rows, (lapack_int)cols,
                                    dense, (lapack_int)rows, sigma, NULL, 1, NULL, 1, rest),
                     0);
    free(dense);
    free(rest);
    return sigma;
}

static void check_orthonormal(const float *a, size_t rows, size_t rank)
{
    for (size_t p = 0; p < rank; p++)
        for (size_t q = p; q < rank; q++) {
            double sum = 0;
            for (size_t i = 0; i < rows; i++) sum += (double)a[i * rank + p] * a[i * rank + q];
            assert_close(sum, p == q, 1e-4);
        }
}

/* Checks X u = sigma v and the sign convention. */
static void check_vectors(const struct csr *x, const struct svd *svd)
{
    size_t rank = svd->rank;
    check_orthonormal(svd->u, x->cols, rank);
    check_orthonormal(svd->v, x->rows, rank);
    for (size_t j = 0; j < rank; j++) {
        double square = 0;
        float largest = 0;
        for (size_t i = 0; i < x->rows; i++) {
            double sum = -(double)svd->sigma[j] * svd->v[i * rank + j];
            for (size_t k = x->start[i]; k < x->start[i + 1]; k++)
                sum += (double)x->val[k] * svd->u[x->col[k] * rank + j];
            square += sum * sum;
        }
        assert_close(sqrt(square) / svd->sigma[0], 0, 1e-5);
        for (size_t i = 0; i < x->cols; i++)
            if (fabsf(svd->u[i * rank + j]) > fabsf(largest)) largest = svd->u[i * rank + j];
        assert_true(largest > 0);
        if (j > 0) assert_true(svd->sigma[j] <= svd->sigma[j - 1]);
    }
}

static struct svd_options options_for(size_t rank)
{
    struct svd_options options = {.rank = rank, .seed = 7, .threads = 2};
    return options;
}

/* ---- Tests ---- */

static void it_agrees_with_lapack_on_every_shape(void **state)
{
    (void)state;
    const size_t shapes[][3] = {{1, 1, 1},     {1, 9, 1},    {9, 1, 3},
                                {5, 5, 9},     {40, 17, 17}, {17, 40, 20},
                                {150, 60, 10}, {60, 150, 9}, {300, 200, 6}};
    const double decays[] = {1.0, 0.97, 0.9};
    for (size_t s = 0; s < 9; s++)
        for (size_t d = 0; d < 3; d++) {
            struct csr x;
            struct svd svd;
            make(&x, shapes[s][0], shapes[s][1], s == 0 ? 1.0 : 0.4, decays[d], s);
            struct svd_options options = options_for(shapes[s][2]);
            double *sigma = exact(&x);
            assert_ok(svd_compute(&x, &options, &svd, &error));
            assert_true(svd.rank <= smaller(shapes[s][2], smaller(x.rows, x.cols)));
            for (size_t j = 0; j < svd.rank; j++)
                assert_close(svd.sigma[j] / sigma[0], sigma[j] / sigma[0],
                             svd.basis == smaller(x.rows, x.cols) ? 2e-6 : 2e-4);
            /* The omitted values are noise. */
            for (size_t j = svd.rank; j < smaller(shapes[s][2], smaller(x.rows, x.cols)); j++)
                assert_true(sigma[j] < 2e-5 * sigma[0]);
            check_vectors(&x, &svd);
            free(sigma);
            svd_free(&svd);
            csr_free(&x);
        }
}

static void blocks_and_bases_of_every_size_work(void **state)
{
    (void)state;
    struct csr x;
    make(&x, 120, 70, 0.2, 0.98, 3);
    double *sigma = exact(&x);
    for (size_t block = 1; block <= 64; block += block < 4 ? 1 : 13)
        for (size_t basis = 1; basis <= 90; basis += 23) {
            struct svd svd;
            struct svd_options options = options_for(5);
            options.block = block;
            options.basis = basis;
            assert_ok(svd_compute(&x, &options, &svd, &error));
            assert_true(svd.basis >= 5 && svd.basis <= 70);
            check_vectors(&x, &svd);
            if (basis > 40)
                for (size_t j = 0; j < 5; j++)
                    assert_close(svd.sigma[j] / sigma[j], 1, basis > 65 ? 1e-5 : 3e-2);
            svd_free(&svd);
        }
    free(sigma);
    csr_free(&x);
}

static void wide_and_tall_give_the_same(void **state)
{
    (void)state;
    struct csr x, t;
    struct svd a, b;
    make(&x, 400, 150, 0.05, 1.0, 4);
    assert_ok(csr_transpose(&x, 2, &t, &error));
    struct svd_options options = options_for(12);
    options.basis = 150;
    assert_ok(svd_compute(&x, &options, &a, &error));
    assert_ok(svd_compute(&t, &options, &b, &error));
    for (size_t j = 0; j < 12; j++) assert_close(a.sigma[j] / b.sigma[j], 1, 1e-5);
    check_vectors(&t, &b);
    svd_free(&a);
    svd_free(&b);
    csr_free(&x);
    csr_free(&t);
}

static void bytes_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    struct csr x;
    struct svd first, svd;
    make(&x, 2000, 700, 0.02, 1.0, 5);
    struct svd_options options = options_for(20);
    options.threads = 1;
    assert_ok(svd_compute(&x, &options, &first, &error));
    for (int threads = 1; threads <= 4; threads++) {
        options.threads = threads;
        assert_ok(svd_compute(&x, &options, &svd, &error));
        assert_memory_equal(svd.sigma, first.sigma, 20 * sizeof(float));
        assert_memory_equal(svd.u, first.u, 700 * 20 * sizeof(float));
        assert_memory_equal(svd.v, first.v, 2000 * 20 * sizeof(float));
        svd_free(&svd);
    }
    svd_free(&first);
    csr_free(&x);
}

static void low_rank_is_found_and_zero_is_refused(void **state)
{
    (void)state;
    struct csr x;
    struct svd svd;
    struct svd_options options = options_for(10);
    /* Rows are multiples of three patterns on their own columns: rank 3, two equally strong. */
    assert_ok(csr_alloc(&x, 90, 60, 180, &error));
    for (size_t i = 0; i < 90; i++) {
        x.start[i + 1] = 2 * (i + 1);
        x.col[2 * i] = (uint32_t)(i % 3) * 20;
        x.col[2 * i + 1] = (uint32_t)(i % 3) * 20 + 7;
        x.val[2 * i] = x.val[2 * i + 1] = i % 3 == 0 ? 2.0f : 1.0f;
    }
    assert_ok(svd_compute(&x, &options, &svd, &error));
    assert_int_equal(svd.rank, 3);
    assert_close(svd.sigma[0], 2 * sqrt(60), 1e-4);
    assert_close(svd.sigma[1], sqrt(60), 1e-4);
    assert_close(svd.sigma[2], sqrt(60), 1e-4);
    check_vectors(&x, &svd);
    svd_free(&svd);
    for (size_t k = 0; k < 180; k++) x.val[k] = 0;
    assert_int_equal(svd_compute(&x, &options, &svd, &error), FILM_BAD_INPUT);
    assert_null(svd.u);
    x.val[3] = NAN;
    assert_int_equal(svd_compute(&x, &options, &svd, &error), FILM_BAD_INPUT);
    options.rank = 0;
    assert_int_equal(svd_compute(&x, &options, &svd, &error), FILM_USAGE);
    csr_free(&x);
    options.rank = 3;
    assert_ok(csr_alloc(&x, 0, 4, 0, &error));
    assert_int_equal(svd_compute(&x, &options, &svd, &error), FILM_BAD_INPUT);
    csr_free(&x);
}

static int stop_at_third(void *user, const char *phase, double done, double total)
{
    (void)phase, (void)done, (void)total;
    return ++*(int *)user >= 3;
}

static void cancelling_stops_it(void **state)
{
    (void)state;
    struct csr x;
    struct svd svd;
    make(&x, 300, 200, 0.2, 1.0, 8);
    struct svd_options options = options_for(30);
    int calls = 0;
    options.progress = (film_progress){stop_at_third, &calls, NULL};
    assert_int_equal(svd_compute(&x, &options, &svd, &error), FILM_CANCELLED);
    assert_null(svd.sigma);
    csr_free(&x);
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    for (int tall = 0; tall < 2; tall++) {
        struct csr x;
        struct svd svd;
        make(&x, tall ? 60 : 25, tall ? 25 : 60, 0.4, 0.85, 2); /* steep: polished too */
        struct svd_options options = options_for(8);
        survives_every_failure(svd_compute(&x, &options, &svd, &error));
        assert_true(failures_survived > 19);
        svd_free(&svd);
        csr_free(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_agrees_with_lapack_on_every_shape),
        cmocka_unit_test(blocks_and_bases_of_every_size_work),
        cmocka_unit_test(wide_and_tall_give_the_same),
        cmocka_unit_test(bytes_do_not_depend_on_the_threads),
        cmocka_unit_test(low_rank_is_found_and_zero_is_refused),
        cmocka_unit_test(cancelling_stops_it),
        cmocka_unit_test(no_memory_is_reported_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
