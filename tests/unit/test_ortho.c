/* Tests la/ortho: orthonormality, span, dependent columns, values that are not finite. */
#include "testing.h"

#include "base/rng.h"
#include "la/ortho.h"

static film_error error;

/* The largest entry of a' b - (same ? identity : 0), summed in long double. */
static double off(struct ortho_basis a, struct ortho_basis b, size_t rows, int same)
{
    double worst = 0;
    for (size_t p = 0; p < a.count; p++)
        for (size_t q = 0; q < b.count; q++) {
            long double sum = same && p == q ? -1 : 0;
            for (size_t i = 0; i < rows; i++)
                sum += (long double)a.values[i * a.ld + p] * b.values[i * b.ld + q];
            if (!(fabsl(sum) <= worst)) worst = (double)fabsl(sum);
        }
    return worst;
}

static void fill(float *values, size_t count, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t k = 0; k < count; k++) values[k] = (float)rng_normal(&rng);
}

static void open_side(struct ortho *side, size_t rows, size_t most, size_t width)
{
    assert_ok(ortho_init(side, (struct ortho_room){rows, most, width}, 3, 2, &error));
}

static void a_random_block_becomes_orthonormal_in_the_same_span(void **state)
{
    (void)state;
    const size_t rows = 1000;
    for (size_t width = 1; width <= 64; width += width < 4 ? 1 : 20) {
        struct ortho side;
        open_side(&side, rows, 64, width);
        float *block = malloc(rows * width * 4), *old = malloc(rows * width * 4);
        fill(block, rows * width, width);
        for (size_t i = 0; i < rows * width; i += 3) block[i] *= 100;
        memcpy(old, block, rows * width * 4);
        assert_ok(ortho_block(&side, &(struct ortho_basis){NULL, 0, 0}, block, width, 0, &error));
        assert_close(off((struct ortho_basis){block, width, width},
                         (struct ortho_basis){block, width, width}, rows, 1),
                     0, 3e-6);
        assert_int_equal(side.draws, 0);
        ortho_project(&side, &(struct ortho_basis){block, width, width}, old, width);
        for (size_t k = 0; k < rows * width; k++) assert_close(old[k], 0, 2e-3);
        free(block);
        free(old);
        ortho_free(&side);
    }
}

static void dependent_columns_are_replaced(void **state)
{
    (void)state;
    const size_t rows = 300, width = 12, count = 20, ld = 32;
    struct ortho side;
    open_side(&side, rows, count, count);
    float *basis = calloc(rows * ld, 4), *block = malloc(rows * count * 4);
    fill(block, rows * count, 1);
    assert_ok(ortho_block(&side, &(struct ortho_basis){NULL, 0, 0}, block, count, 0, &error));
    for (size_t i = 0; i < rows; i++) memcpy(basis + i * ld, block + i * count, count * 4);
    fill(block, rows * width, 2);
    for (size_t i = 0; i < rows; i++) {
        float *row = block + i * width;
        row[3] = row[1] - 2 * row[0];     /* dependent */
        row[5] = 0;                       /* zero */
        row[7] = basis[i * ld + 4];       /* in the span of the basis */
        row[8] = row[2] + 1e-4f * row[8]; /* nearly dependent */
    }
    ortho_project(&side, &(struct ortho_basis){basis, ld, count}, block, width);
    assert_ok(
        ortho_block(&side, &(struct ortho_basis){basis, ld, count}, block, width, 20, &error));
    assert_close(off((struct ortho_basis){block, width, width},
                     (struct ortho_basis){block, width, width}, rows, 1),
                 0, 3e-6);
    assert_close(off((struct ortho_basis){basis, ld, count},
                     (struct ortho_basis){block, width, width}, rows, 0),
                 0, 3e-6);
    assert_int_equal(side.draws, 3);
    free(basis);
    free(block);
    ortho_free(&side);
}

static void a_zero_block_completes_the_space(void **state)
{
    (void)state;
    const size_t rows = 20, count = 13, width = 7;
    struct ortho side;
    open_side(&side, rows, count, count);
    float basis[20 * 13], block[20 * 13];
    fill(basis, rows * count, 8);
    assert_ok(ortho_block(&side, &(struct ortho_basis){NULL, 0, 0}, basis, count, 0, &error));
    memset(block, 0, sizeof block);
    assert_ok(
        ortho_block(&side, &(struct ortho_basis){basis, count, count}, block, width, 0, &error));
    assert_close(off((struct ortho_basis){block, width, width},
                     (struct ortho_basis){block, width, width}, rows, 1),
                 0, 3e-6);
    assert_close(off((struct ortho_basis){basis, count, count},
                     (struct ortho_basis){block, width, width}, rows, 0),
                 0, 3e-6);
    ortho_free(&side);
}

static void values_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    struct ortho side;
    float block[40];
    open_side(&side, 10, 4, 4);
    fill(block, 40, 1);
    block[17] = NAN;
    assert_int_equal(ortho_block(&side, &(struct ortho_basis){NULL, 0, 0}, block, 4, 0, &error),
                     FILM_BAD_INPUT);
    fill(block, 40, 1);
    block[17] = INFINITY;
    assert_int_equal(ortho_block(&side, &(struct ortho_basis){NULL, 0, 0}, block, 4, 0, &error),
                     FILM_BAD_INPUT);
    ortho_free(&side);
}

static void bytes_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    const size_t rows = 5000, width = 16, count = 16;
    float *kept = malloc(rows * width * 4);
    for (int threads = 1; threads <= 4; threads++) {
        struct ortho side;
        assert_ok(ortho_init(&side, (struct ortho_room){rows, count, width}, 3, threads, &error));
        float *basis = malloc(rows * count * 4), *block = malloc(rows * width * 4);
        ortho_random(&side, basis, count);
        assert_ok(ortho_block(&side, &(struct ortho_basis){NULL, 0, 0}, basis, count, 0, &error));
        ortho_random(&side, block, width);
        ortho_project(&side, &(struct ortho_basis){basis, count, count}, block, width);
        assert_ok(ortho_block(&side, &(struct ortho_basis){basis, count, count}, block, width, 70,
                              &error));
        if (threads == 1) memcpy(kept, block, rows * width * 4);
        assert_memory_equal(kept, block, rows * width * 4);
        free(basis);
        free(block);
        ortho_free(&side);
    }
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_block_becomes_orthonormal_in_the_same_span),
        cmocka_unit_test(dependent_columns_are_replaced),
        cmocka_unit_test(a_zero_block_completes_the_space),
        cmocka_unit_test(values_that_are_not_finite_are_refused),
        cmocka_unit_test(bytes_do_not_depend_on_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
