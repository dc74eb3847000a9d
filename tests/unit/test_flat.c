/* Tests la/flat against brute force, with ties. */
#include "testing.h"

#include "base/rng.h"
#include "la/flat.h"

static film_error error;
static const film_progress silent = {NULL, NULL};

/* Small integers: inner products are exact, so ties are real and the reference needs no tolerance.
 * Every third row repeats an earlier one. */
static float *whole_rows(size_t count, size_t dim, uint64_t seed)
{
    struct rng rng;
    float *rows = malloc(count * dim * sizeof *rows);
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count * dim; i++) rows[i] = (float)rng_below(&rng, 5) - 2;
    for (size_t i = 3; i < count; i += 3)
        memcpy(rows + i * dim, rows + rng_below(&rng, i) * dim, dim * sizeof *rows);
    return rows;
}

static float exact(const float *rows, size_t dim, size_t i, size_t j)
{
    double sum = 0;
    for (size_t d = 0; d < dim; d++) sum += (double)rows[i * dim + d] * rows[j * dim + d];
    return (float)sum;
}

/* Selection sort. */
static void check_neighbours(const float *rows, size_t count, size_t dim, size_t query, size_t k,
                             const uint32_t *id, const float *score)
{
    char *taken = calloc(count, 1);
    taken[query] = 1;
    for (size_t place = 0; place < k; place++) {
        size_t best = count;
        for (size_t j = 0; j < count; j++)
            if (!taken[j] &&
                (best == count || exact(rows, dim, query, j) > exact(rows, dim, query, best)))
                best = j;
        if (best == count) {
            assert_int_equal(id[place], FLAT_NONE);
            continue;
        }
        taken[best] = 1;
        assert_int_equal(id[place], best);
        assert_true(score[place] == exact(rows, dim, query, best));
    }
    free(taken);
}

static void neighbours_are_those_of_brute_force(void **state)
{
    (void)state;
    static const size_t sizes[][3] = {{1, 3, 2},   {2, 1, 3},    {63, 4, 5},
                                      {65, 7, 70}, {513, 5, 10}, {1100, 3, 4}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t count = sizes[s][0], dim = sizes[s][1], k = sizes[s][2];
        float *rows = whole_rows(count, dim, s), *score = malloc(count * k * sizeof *score);
        uint32_t *id = malloc(count * k * sizeof *id);
        struct flat base = {rows, NULL, count, dim};
        struct flat_queries all = {NULL, count};
        assert_ok(flat_search(&base, &all, k, 2, &silent, &(struct nearest){id, score, 0}, &error));
        for (size_t i = 0; i < count; i += 1 + count / 50)
            check_neighbours(rows, count, dim, i, k, id + i * k, score + i * k);
        free(rows);
        free(score);
        free(id);
    }
}

/* External queries against every row. */
static void vectors_from_elsewhere_find_every_row(void **state)
{
    (void)state;
    enum { COUNT = 600, DIM = 4, QUERIES = 70, K = 5 };
    float *rows = whole_rows(COUNT + QUERIES, DIM, 4), score[QUERIES * K];
    uint32_t id[QUERIES * K], target[QUERIES], rank[QUERIES];
    struct flat base = {rows, NULL, COUNT, DIM};
    struct flat_queries foreign = {.count = QUERIES, .vectors = rows + COUNT * DIM};
    assert_ok(flat_search(&base, &foreign, K, 2, &silent, &(struct nearest){id, score, 0}, &error));
    for (uint32_t q = 0; q < QUERIES; q++) target[q] = id[q * K + q % K];
    assert_ok(flat_rank(&base, &foreign, target, 2, &silent, rank, &error));
    for (size_t q = 0; q < QUERIES; q++) {
        char taken[COUNT] = {0};
        for (size_t place = 0; place < K; place++) {
            size_t best = COUNT;
            for (size_t j = 0; j < COUNT; j++)
                if (!taken[j] && (best == COUNT || exact(rows, DIM, COUNT + q, j) >
                                                       exact(rows, DIM, COUNT + q, best)))
                    best = j;
            taken[best] = 1;
            assert_int_equal(id[q * K + place], best);
            assert_true(score[q * K + place] == exact(rows, DIM, COUNT + q, best));
        }
        uint32_t expected = 1;
        for (uint32_t j = 0; j < COUNT; j++)
            expected += j != target[q] &&
                        exact(rows, DIM, COUNT + q, j) >= exact(rows, DIM, COUNT + q, target[q]);
        assert_int_equal(rank[q], expected);
    }
    free(rows);
}

static void ranks_count_ties_against_the_target(void **state)
{
    (void)state;
    enum { COUNT = 700, DIM = 4, QUERIES = 130 };
    float *rows = whole_rows(COUNT, DIM, 9);
    uint32_t query[QUERIES], target[QUERIES], rank[QUERIES];
    struct rng rng;
    rng_seed(&rng, 3);
    for (int i = 0; i < QUERIES; i++) {
        query[i] = (uint32_t)rng_below(&rng, COUNT);
        target[i] = i == 7 ? query[i] : (uint32_t)rng_below(&rng, COUNT);
    }
    struct flat base = {rows, NULL, COUNT, DIM};
    struct flat_queries queries = {query, QUERIES};
    assert_ok(flat_rank(&base, &queries, target, 2, &silent, rank, &error));
    for (int i = 0; i < QUERIES; i++) {
        uint32_t expected = 1;
        for (uint32_t j = 0; j < COUNT; j++)
            expected += j != query[i] && j != target[i] &&
                        exact(rows, DIM, query[i], j) >= exact(rows, DIM, query[i], target[i]);
        assert_int_equal(rank[i], target[i] == query[i] ? 1 : expected);
    }
    free(rows);
}

/* Not integers: rounding must not depend on a row's position. */
static void equal_vectors_tie_at_any_position(void **state)
{
    (void)state;
    enum { COUNT = 1333 };
    static const size_t dims[] = {1, 7, 64, 100, 257, 500};
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
        struct rng rng;
        size_t dim = dims[d];
        float *rows = malloc(COUNT * dim * sizeof *rows);
        rng_seed(&rng, d);
        for (size_t i = 0; i < COUNT * dim; i++) rows[i] = (float)rng_normal(&rng);
        for (size_t i = 10; i < COUNT; i += 11) /* copies of row 5 */
            memcpy(rows + i * dim, rows + 5 * dim, dim * sizeof *rows);
        struct flat base = {rows, NULL, COUNT, dim};
        uint32_t query[COUNT], target[COUNT], rank[COUNT];
        uint32_t *id = malloc(COUNT * (size_t)COUNT * sizeof *id);
        float *score = malloc(COUNT * (size_t)COUNT * sizeof *score);
        for (uint32_t i = 0; i < COUNT; i++) query[i] = i, target[i] = 5;
        struct flat_queries all = {query, COUNT};
        assert_ok(flat_rank(&base, &all, target, 2, &silent, rank, &error));
        assert_ok(
            flat_search(&base, &all, COUNT, 2, &silent, &(struct nearest){id, score, 0}, &error));
        for (size_t i = 0; i < COUNT; i++) {
            uint32_t better = 0;
            float of_target = NAN;
            for (size_t j = 0; j + 1 < COUNT; j++)
                if (id[i * COUNT + j] == 5) of_target = score[i * COUNT + j];
            for (size_t j = 0; j + 1 < COUNT; j++) {
                uint32_t other = id[i * COUNT + j];
                if (other % 11 == 10 && i != 5) assert_true(score[i * COUNT + j] == of_target);
                better += other != 5 && score[i * COUNT + j] >= of_target;
            }
            if (i != 5) assert_int_equal(rank[i], better + 1);
        }
        free(rows);
        free(id);
        free(score);
    }
}

static void the_bytes_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    enum { COUNT = 900, DIM = 33, K = 12 };
    struct rng rng;
    float *rows = malloc(COUNT * DIM * sizeof *rows), *score[3];
    uint32_t *id[3];
    static const int threads[3] = {1, 2, 4};
    rng_seed(&rng, 1);
    for (size_t i = 0; i < COUNT * DIM; i++) rows[i] = (float)rng_normal(&rng);
    struct flat base = {rows, NULL, COUNT, DIM};
    struct flat_queries all = {NULL, COUNT};
    for (int t = 0; t < 3; t++) {
        score[t] = malloc(COUNT * K * sizeof **score);
        id[t] = malloc(COUNT * K * sizeof **id);
        assert_ok(flat_search(&base, &all, K, threads[t], &silent,
                              &(struct nearest){id[t], score[t], 0}, &error));
        assert_memory_equal(id[t], id[0], COUNT * K * sizeof **id);
        assert_memory_equal(score[t], score[0], COUNT * K * sizeof **score);
    }
    for (int t = 0; t < 3; t++) {
        free(score[t]);
        free(id[t]);
    }
    free(rows);
}

static int stop_at_once(void *user, const char *phase, double done, double total)
{
    (void)user, (void)phase, (void)done, (void)total;
    return 1;
}

static void it_can_be_cancelled_and_run_out_of_memory(void **state)
{
    (void)state;
    float *rows = whole_rows(200, 3, 1);
    uint32_t id[200 * 2];
    struct flat base = {rows, NULL, 200, 3};
    struct flat_queries all = {NULL, 200};
    film_progress stop = {stop_at_once, NULL, NULL};
    assert_int_equal(flat_search(&base, &all, 2, 1, &stop, &(struct nearest){id, NULL, 0}, &error),
                     FILM_CANCELLED);
    survives_every_failure(
        flat_search(&base, &all, 2, 1, &silent, &(struct nearest){id, NULL, 0}, &error));
    assert_true(failures_survived > 2);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_those_of_brute_force),
        cmocka_unit_test(vectors_from_elsewhere_find_every_row),
        cmocka_unit_test(ranks_count_ties_against_the_target),
        cmocka_unit_test(equal_vectors_tie_at_any_position),
        cmocka_unit_test(the_bytes_do_not_depend_on_the_threads),
        cmocka_unit_test(it_can_be_cancelled_and_run_out_of_memory),
    };
    return cmocka_run_group_tests_name("flat", tests, NULL, NULL);
}
