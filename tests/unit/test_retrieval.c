/* Tests eval/retrieval against brute force. */
#include "testing.h"

#include "base/rng.h"
#include "eval/retrieval.h"

static film_error error;
static const film_progress silent = {NULL, NULL};
enum { POOL = 150, DIM = 4, PAIRS = 80 };

static float rows[POOL][DIM], label[PAIRS];
static uint32_t a[PAIRS], b[PAIRS];

static int set_up(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 4);
    for (int i = 0; i < POOL; i++)
        for (int d = 0; d < DIM; d++) rows[i][d] = (float)rng_below(&rng, 5) - 2;
    for (int i = 0; i < PAIRS; i++) {
        a[i] = (uint32_t)rng_below(&rng, POOL);
        b[i] = i % 9 == 0 ? a[i] : (uint32_t)rng_below(&rng, POOL);
        label[i] = (float)rng_below(&rng, 2);
    }
    return 0;
}

static float dot(uint32_t i, uint32_t j)
{
    float sum = 0;
    for (int d = 0; d < DIM; d++) sum += rows[i][d] * rows[j][d];
    return sum;
}

/* Sums of r1, r10, r36 and mrr over the first LIMIT duplicates with two different sentences. */
static size_t naive(size_t limit, double figures[4])
{
    size_t queries = 0;
    memset(figures, 0, 4 * sizeof *figures);
    for (int i = 0; i < PAIRS && (!limit || queries < limit); i++) {
        if (label[i] != 1 || a[i] == b[i]) continue;
        int rank = 1;
        for (uint32_t j = 0; j < POOL; j++)
            rank += j != a[i] && j != b[i] && dot(a[i], j) >= dot(a[i], b[i]);
        figures[0] += rank <= 1;
        figures[1] += rank <= 10;
        figures[2] += rank <= 36;
        figures[3] += 1.0 / rank;
        queries++;
    }
    return queries;
}

static void figures_are_those_of_brute_force(void **state)
{
    (void)state;
    static const size_t limits[] = {0, 7, 1};
    for (int l = 0; l < 3; l++) {
        struct retrieval found;
        struct flat pool = {rows[0], NULL, POOL, DIM};
        double figures[4];
        size_t queries = naive(limits[l], figures);
        for (int threads = 1; threads <= 4; threads *= 2) {
            assert_ok(retrieval_measure(&found, &pool, &(struct labelled_ids){a, b, label, PAIRS},
                                        limits[l], threads, &silent, &error));
            assert_int_equal(found.queries, queries);
            assert_int_equal(found.pool, POOL);
            assert_close(found.r1, figures[0] / (double)queries, 1e-12);
            assert_close(found.r10, figures[1] / (double)queries, 1e-12);
            assert_close(found.r36, figures[2] / (double)queries, 1e-12);
            assert_close(found.mrr, figures[3] / (double)queries, 1e-12);
            retrieval_free(&found);
        }
    }
}

static void without_duplicates_there_are_no_figures(void **state)
{
    (void)state;
    struct retrieval found;
    struct flat pool = {rows[0], NULL, POOL, DIM};
    float none[PAIRS] = {0};
    assert_ok(retrieval_measure(&found, &pool, &(struct labelled_ids){a, b, none, PAIRS}, 0, 2,
                                &silent, &error));
    assert_int_equal(found.queries, 0);
    assert_true(isnan(found.r1) && isnan(found.mrr));
    retrieval_free(&found);
}

static film_status measure_and_free(const struct flat *pool)
{
    struct retrieval found;
    film_status status = retrieval_measure(&found, pool, &(struct labelled_ids){a, b, label, PAIRS},
                                           0, 1, &silent, &error);
    if (status == FILM_OK) retrieval_free(&found);
    return status;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    struct flat pool = {rows[0], NULL, POOL, DIM};
    survives_every_failure(measure_and_free(&pool));
    assert_true(failures_survived > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_brute_force),
        cmocka_unit_test(without_duplicates_there_are_no_figures),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests_name("retrieval", tests, set_up, NULL);
}
