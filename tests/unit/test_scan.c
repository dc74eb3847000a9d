/* Tests index/scan and codes: every kernel against plain sums, the scan against brute force. */
#include "testing.h"

#include "base/rng.h"
#include "index/codes.h"
#include "la/flat.h"
#include "index/scan.h"

static film_error error;

static float *random_rows(size_t count, size_t dim, uint64_t seed)
{
    struct rng rng;
    float *rows = malloc(count * dim * sizeof *rows);
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count * dim; i++) rows[i] = (float)rng_normal(&rng);
    return rows;
}

static struct codes encode(const float *rows, size_t count, size_t dim)
{
    size_t stride = codes_stride(dim);
    uint8_t *codes = malloc(count * stride + 1);
    codes_encode(rows, count, dim, codes, 2);
    return (struct codes){codes, count, dim, stride};
}

/* Every length of the tails of every kernel; exactly as many bytes as there are rows, so that the
 * address sanitizer detects a read past the last. */
static void every_kernel_gives_the_bits_of_plain_sums(void **state)
{
    (void)state;
    static const char *const names[] = {"vnni", "avx2", "plain", ""};
    enum { COUNT = 9 };
    for (size_t dim = 1; dim <= 270; dim += dim < 140 ? 1 : 13) {
        float *rows = random_rows(COUNT, dim, dim), score[COUNT], picked[COUNT];
        for (size_t d = 0; d < dim; d++) rows[d] = d % 2 ? 1.0f : -1.0f; /* the largest sums */
        size_t stride = codes_stride(dim);
        uint8_t *exact = malloc(COUNT * stride);
        codes_encode(rows, COUNT, dim, exact, 1);
        struct codes codes = {exact, COUNT, dim, stride};
        int8_t *values = malloc(codes_query_room(dim));
        uint32_t id[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) id[i] = COUNT - 1 - i;
        for (size_t q = 0; q < 2; q++) {
            struct codes_query query =
                q ? codes_query_of(rows + dim, dim, values) : codes_query_row(&codes, 0, values);
            for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
                if (!codes_use_kernel(names[n])) continue;
                codes_score_range(&codes, &query, 0, COUNT, score);
                codes_score(&codes, &query, id, COUNT, picked);
                for (size_t i = 0; i < COUNT; i++) {
                    int32_t sum = 0;
                    for (size_t d = 0; d < dim; d++)
                        sum += ((int)exact[i * stride + d] - 128) * values[d];
                    assert_true(score[i] == (float)sum * codes_scale(&codes, i));
                    assert_true(picked[COUNT - 1 - i] == score[i]);
                }
            }
        }
        free(rows);
        free(exact);
        free(values);
    }
    assert_false(codes_use_kernel("abacus"));
    assert_true(codes_use_kernel(""));
}

static void codes_are_near_and_odd_values_do_no_harm(void **state)
{
    (void)state;
    enum { DIM = 5 };
    float vector[DIM] = {1, -0.5f, 0.25f, 0, 1e-20f};
    uint8_t row[256];
    struct codes codes = {row, 1, DIM, codes_stride(DIM)};
    assert_true(codes_encode_row(vector, DIM, row) < 0.01f);
    assert_true(fabsf((row[1] - 128) * codes_scale(&codes, 0) + 0.5f) < 0.005f);
    float odd[DIM] = {NAN, INFINITY, -INFINITY, 2, 1e-40f};
    codes_encode_row(odd, DIM, row);
    assert_int_equal(row[0], 128);
    assert_int_equal(row[1], 128);
    assert_int_equal(row[3], 255);
    float zero[DIM] = {0}, tiny[DIM] = {1e-40f};
    assert_true(codes_encode_row(zero, DIM, row) == 0.0f);
    assert_true(codes_scale(&codes, 0) == 0.0f);
    codes_encode_row(tiny, DIM, row);
    assert_true(codes_scale(&codes, 0) == 0.0f);
    for (size_t dim = 1; dim < 2000; dim++) {
        assert_true(codes_stride(dim) >= dim + 4 && codes_stride(dim) % 16 == 0);
        assert_true(codes_stride(dim) <= (dim + 4) + (dim + 4) / 4 + 15);
    }
}

/* Compares with matrix products of floats. Rows repeat, so that there are ties; SMALL integers make
 * both exact. */
static void the_scan_is_exact(void **state)
{
    (void)state;
    static const size_t sizes[][4] = {
        {1, 3, 2, 1}, {40, 5, 60, 3}, {700, 16, 10, 20}, {2000, 40, 5, 33}, {300, 3, 1, 9}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t count = sizes[s][0], dim = sizes[s][1], k = sizes[s][2], asked = sizes[s][3];
        float *rows = random_rows(count, dim, s), *queries = random_rows(asked, dim, s + 100);
        for (size_t i = 0; i < count * dim; i++) rows[i] = rintf(2 * rows[i]);
        for (size_t i = 0; i < asked * dim; i++) queries[i] = rintf(2 * queries[i]);
        for (size_t i = 3; i < count; i += 3)
            memcpy(rows + i * dim, rows + (i / 2) * dim, dim * sizeof *rows);
        struct codes codes = encode(rows, count, dim);
        struct scan scan;
        struct flat flat = {rows, NULL, count, dim};
        struct flat_queries foreign = {.count = asked, .vectors = queries};
        uint32_t *id = malloc(asked * k * 4), *wanted = malloc(asked * k * 4);
        float *score = malloc(asked * k * 4), *wanted_score = malloc(asked * k * 4);
        assert_ok(flat_search(&flat, &foreign, k, 2, NULL,
                              &(struct nearest){wanted, wanted_score, 0}, &error));
        assert_ok(scan_init(&scan, codes, rows, NULL, 2, &error));
        for (int threads = 1; threads <= 4; threads++) {
            struct scan_counts counts;
            memset(id, 1, asked * k * 4);
            assert_ok(scan_search(&scan, &(struct scan_queries){queries, asked, k}, threads, NULL,
                                  &(struct nearest){id, score, 0}, &counts, &error));
            assert_memory_equal(id, wanted, asked * k * 4);
            assert_memory_equal(score, wanted_score, asked * k * 4);
        }
        assert_ok(scan_search(&scan, &(struct scan_queries){queries, 1, k}, 3, NULL,
                              &(struct nearest){id, NULL, 0}, NULL, &error));
        assert_memory_equal(id, wanted, k * 4);
        free(rows);
        free(queries);
        free((void *)codes.rows);
        free(id);
        free(wanted);
        free(score);
        free(wanted_score);
    }
}

/* Many rows with equal codes: the proof must fail and the second scan find the best. */
static void rows_with_equal_codes_are_scanned_again(void **state)
{
    (void)state;
    enum { COUNT = 3000, DIM = 4, K = 3 };
    float *rows = malloc(COUNT * DIM * sizeof *rows), query[DIM] = {1, 0.001f, 0, 0};
    for (size_t i = 0; i < COUNT; i++) {
        float row[DIM] = {1, (float)((i * 7919) % COUNT) / COUNT * 0.003f, 0, 0};
        memcpy(rows + i * DIM, row, sizeof row);
    }
    struct codes codes = encode(rows, COUNT, DIM);
    struct scan scan;
    struct scan_counts counts;
    uint32_t id[K];
    float score[K];
    assert_ok(scan_init(&scan, codes, rows, NULL, 1, &error));
    assert_ok(scan_search(&scan, &(struct scan_queries){query, 1, K}, 1, NULL,
                          &(struct nearest){id, score, 0}, &counts, &error));
    assert_int_equal(counts.again, 1);
    for (size_t place = 0; place < K; place++) {
        size_t better = 0;
        for (size_t i = 0; i < COUNT; i++) {
            float value = rows[i * DIM] + 0.001f * rows[i * DIM + 1];
            better += value > score[place];
        }
        assert_true(better <= place);
    }
    free(rows);
    free((void *)codes.rows);
}

static void deleted_rows_are_skipped_and_memory_may_fail(void **state)
{
    (void)state;
    enum { COUNT = 500, DIM = 7, K = 8 };
    float *rows = random_rows(COUNT, DIM, 1);
    struct codes codes = encode(rows, COUNT, DIM);
    struct scan scan;
    uint8_t dead[COUNT];
    uint32_t id[2 * K];
    for (size_t i = 0; i < COUNT; i++) dead[i] = i % 3 != 0;
    assert_ok(scan_init(&scan, codes, rows, dead, 1, &error));
    survives_every_failure(scan_search(&scan, &(struct scan_queries){rows, 2, K}, 1, NULL,
                                       &(struct nearest){id, NULL, 0}, NULL, &error));
    assert_true(failures_survived > 2);
    for (size_t i = 0; i < 2 * K; i++) assert_int_equal(id[i] % 3, 0);
    memset(dead, 1, sizeof dead);
    assert_ok(scan_search(&scan, &(struct scan_queries){rows, 1, K}, 2, NULL,
                          &(struct nearest){id, NULL, 0}, NULL, &error));
    for (size_t i = 0; i < K; i++) assert_int_equal(id[i], SCAN_NONE);
    codes.dim = 0;
    assert_int_equal(scan_init(&scan, codes, rows, NULL, 1, &error), FILM_USAGE);
    free(rows);
    free((void *)codes.rows);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_gives_the_bits_of_plain_sums),
        cmocka_unit_test(codes_are_near_and_odd_values_do_no_harm),
        cmocka_unit_test(the_scan_is_exact),
        cmocka_unit_test(rows_with_equal_codes_are_scanned_again),
        cmocka_unit_test(deleted_rows_are_skipped_and_memory_may_fail),
    };
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
