/* Tests la/csr against naive loops. */
#include "testing.h"

#include "base/rng.h"
#include "la/csr.h"

static film_error error;

/* A random matrix with the given density; every fifth row is empty. */
static void random_matrix(struct csr *matrix, size_t rows, size_t cols, double chance,
                          uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    assert_ok(csr_alloc(matrix, rows, cols, rows * cols, &error));
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++) {
            if (i % 5 == 3 || rng_uniform(&rng) >= chance) continue;
            matrix->col[count] = (uint32_t)j;
            matrix->val[count++] = (float)rng_normal(&rng);
        }
        matrix->start[i + 1] = count;
    }
    assert_true(csr_valid(matrix));
}

static double entry(const struct csr *matrix, size_t i, size_t j)
{
    for (size_t k = matrix->start[i]; k < matrix->start[i + 1]; k++)
        if (matrix->col[k] == j) return matrix->val[k];
    return 0;
}

static void a_transpose_holds_every_entry_in_order(void **state)
{
    (void)state;
    const size_t shapes[][2] = {{1, 1}, {7, 3}, {3, 90}, {200, 17}, {17, 200}};
    for (size_t s = 0; s < 5; s++) {
        struct csr matrix, once, again;
        size_t rows = shapes[s][0], cols = shapes[s][1];
        random_matrix(&matrix, rows, cols, 0.3, s);
        for (int threads = 1; threads <= 4; threads++) {
            assert_ok(csr_transpose(&matrix, threads, &once, &error));
            assert_true(csr_valid(&once));
            assert_int_equal(once.rows, cols);
            assert_int_equal(once.cols, rows);
            assert_int_equal(once.start[cols], matrix.start[rows]);
            for (size_t i = 0; i < rows; i++)
                for (size_t j = 0; j < cols; j++)
                    assert_close(entry(&matrix, i, j), entry(&once, j, i), 0);
            assert_ok(csr_transpose(&once, threads, &again, &error));
            size_t entries = matrix.start[rows];
            assert_memory_equal(again.start, matrix.start, (rows + 1) * sizeof *matrix.start);
            assert_memory_equal(again.col, matrix.col, entries * sizeof *matrix.col);
            assert_memory_equal(again.val, matrix.val, entries * sizeof *matrix.val);
            csr_free(&once);
            csr_free(&again);
        }
        csr_free(&matrix);
    }
}

static void matrices_without_rows_columns_or_entries_work(void **state)
{
    (void)state;
    const size_t shapes[][2] = {{0, 0}, {0, 5}, {5, 0}, {4, 4}};
    for (size_t s = 0; s < 4; s++) {
        struct csr matrix, turned;
        float block[64] = {0}, out[64];
        for (size_t k = 0; k < 64; k++) out[k] = 9;
        assert_ok(csr_alloc(&matrix, shapes[s][0], shapes[s][1], 0, &error));
        assert_true(csr_valid(&matrix));
        assert_ok(csr_transpose(&matrix, 2, &turned, &error));
        assert_true(csr_valid(&turned));
        csr_times(&matrix, block, 3, 2, out);
        for (size_t k = 0; k < 3 * shapes[s][0]; k++) assert_close(out[k], 0, 0);
        assert_close(out[3 * shapes[s][0]], 9, 0);
        csr_free(&turned);
        csr_free(&matrix);
    }
}

static void a_product_equals_the_naive_one_for_every_width(void **state)
{
    (void)state;
    struct csr matrix;
    const size_t rows = 150, cols = 40;
    random_matrix(&matrix, rows, cols, 0.25, 5);
    float *block = malloc(cols * 70 * sizeof *block), *first = malloc((rows * 70 + 1) * 4);
    float *out = malloc((rows * 70 + 1) * sizeof *out);
    struct rng rng;
    rng_seed(&rng, 9);
    for (size_t k = 0; k < cols * 70; k++) block[k] = (float)rng_normal(&rng);
    for (size_t width = 1; width <= 70; width++) {
        for (int threads = 1; threads <= 3; threads++) {
            out[rows * width] = 77;
            csr_times(&matrix, block, width, threads, out);
            assert_close(out[rows * width], 77, 0); /* no write after the result */
            if (threads == 1) memcpy(first, out, rows * width * sizeof *out);
            assert_memory_equal(first, out, rows * width * sizeof *out);
        }
        for (size_t i = 0; i < rows; i++)
            for (size_t c = 0; c < width; c++) {
                double sum = 0;
                for (size_t j = 0; j < cols; j++)
                    sum += entry(&matrix, i, j) * (double)block[j * width + c];
                assert_close(out[i * width + c], sum, 1e-5);
            }
    }
    free(block);
    free(first);
    free(out);
    csr_free(&matrix);
}

static void long_rows_keep_their_precision(void **state)
{
    (void)state;
    const size_t cols = 1000000;
    struct csr matrix;
    float *block = malloc(cols * sizeof *block), out;
    assert_ok(csr_alloc(&matrix, 1, cols, cols, &error));
    for (size_t j = 0; j < cols; j++) {
        matrix.col[j] = (uint32_t)j;
        matrix.val[j] = 1;
        block[j] = 0.1f;
    }
    matrix.start[1] = cols;
    csr_times(&matrix, block, 1, 2, &out);
    assert_close(out / (0.1f * (double)cols), 1, 1e-4); /* one running float sum: off by 1e-2 */
    free(block);
    csr_free(&matrix);
}

static void damage_is_noticed(void **state)
{
    (void)state;
    struct csr matrix;
    random_matrix(&matrix, 6, 8, 0.9, 1);
    float value = matrix.val[2];
    matrix.val[2] = NAN;
    assert_false(csr_valid(&matrix));
    matrix.val[2] = value;
    uint32_t col = matrix.col[1];
    matrix.col[1] = 8;
    assert_false(csr_valid(&matrix));
    matrix.col[1] = matrix.col[0];
    assert_false(csr_valid(&matrix));
    matrix.col[1] = col;
    size_t start = matrix.start[2];
    matrix.start[2] = 0;
    assert_false(csr_valid(&matrix));
    matrix.start[2] = start;
    assert_true(csr_valid(&matrix));
    csr_free(&matrix);
    assert_false(csr_valid(&matrix));
    assert_int_equal(csr_alloc(&matrix, 3, SIZE_MAX, 0, &error), FILM_BAD_INPUT);
    assert_int_equal(csr_alloc(&matrix, 3, 3, SIZE_MAX / 2, &error), FILM_NO_MEMORY);
}

static film_status turn_and_free(const struct csr *matrix)
{
    struct csr turned;
    film_status status = csr_transpose(matrix, 2, &turned, &error);
    csr_free(&turned);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    struct csr matrix;
    random_matrix(&matrix, 20, 10, 0.5, 2);
    survives_every_failure(turn_and_free(&matrix));
    assert_int_equal(failures_survived, 4);
    csr_free(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transpose_holds_every_entry_in_order),
        cmocka_unit_test(matrices_without_rows_columns_or_entries_work),
        cmocka_unit_test(a_product_equals_the_naive_one_for_every_width),
        cmocka_unit_test(long_rows_keep_their_precision),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
