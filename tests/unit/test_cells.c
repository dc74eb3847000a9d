/* Tests index/cells through vector_index, against a comparison with all rows. */
#include "testing.h"
#include "vectors.h"

#include "base/rng.h"
#include "index/graph_walk.h"
#include "index/vector_index.h"

#include <math.h>

static film_error error;

static struct vector_index *brief_index(const float *rows, size_t count, size_t dim)
{
    struct vector_index *dense = NULL;
    assert_ok(vector_index_new(dim, 100, &dense, &error));
    vector_index_brief(dense);
    assert_ok(vector_index_add(dense, rows, count, 2, NULL, &error));
    assert_ok(vector_index_tidy(dense, 2, &error));
    assert_non_null(vector_index_order(dense));
    return dense;
}

/* A search from a row finds the rows above a score, and no others; so does one from its vector. */
static void nearly_all_neighbours_are_found(void **state)
{
    (void)state;
    enum { COUNT = 3000, DIM = 16, K = 40 };
    float *rows = clustered_rows(COUNT, DIM, 9), score[K];
    uint32_t id[K], other[K], removed = 14;
    struct nearest out = {id, score, 0}, by_vector = {other, (float[K]){0}, 0};
    struct vector_index *dense = brief_index(rows, COUNT, DIM);
    struct graph_walker *walker = NULL;
    size_t wanted = 0, hits = 0;
    assert_ok(graph_walker_new(&walker, &error));
    assert_ok(vector_index_remove(dense, &removed, 1, 1, &error));
    for (uint32_t row = 0; row < COUNT; row += 7) {
        size_t near = 0;
        assert_ok(vector_index_near(dense, walker, row, 0.6f, K, &out, &error));
        for (size_t i = 0; i < COUNT; i++)
            near += i != removed && vec_dot(rows + row * DIM, rows + i * DIM, DIM) >= 0.61;
        for (size_t i = 0; i < out.found; i++) {
            double exact = vec_dot(rows + row * DIM, rows + id[i] * DIM, DIM);
            assert_true(score[i] >= 0.6f && fabs(exact - (double)score[i]) < 0.01);
            assert_true(id[i] != removed);
        }
        wanted += near < K ? near : K;
        hits += out.found < near ? out.found : near < K ? near : K;
        if (row == removed) continue;
        assert_ok(vector_index_search(dense, walker, rows + row * DIM, K, 0, &by_vector, &error));
        assert_int_equal(by_vector.found, K);
        assert_true(fabs((double)(by_vector.score[0] - score[0])) < 0.01);
    }
    assert_true(wanted > 1000);
    assert_true((double)hits >= 0.99 * (double)wanted);
    graph_walker_free(walker);
    vector_index_free(dense);
    free(rows);
}

/* Rows without clusters are spread over many cells: a wide search finds more of the nearest. */
static void a_wide_search_finds_more(void **state)
{
    (void)state;
    enum { COUNT = 4000, DIM = 24, K = 10 };
    float *rows = malloc(COUNT * DIM * sizeof *rows), score[K];
    uint32_t id[K];
    struct nearest out = {id, score, 0};
    struct rng rng;
    size_t hits[2] = {0, 0}, wanted = 0;
    rng_seed(&rng, 4);
    for (size_t i = 0; i < COUNT * DIM; i++) rows[i] = (float)rng_normal(&rng);
    for (size_t i = 0; i < COUNT; i++) vec_normalise(rows + i * DIM, DIM);
    struct vector_index *dense = brief_index(rows, COUNT, DIM);
    struct graph_walker *walker = NULL;
    assert_ok(graph_walker_new(&walker, &error));
    for (uint32_t row = 0; row < COUNT; row += 40) {
        for (int wide = 0; wide < 2; wide++) {
            walker->wide = wide;
            assert_ok(vector_index_near(dense, walker, row, 0, K, &out, &error));
            for (size_t f = 0; f < out.found; f++) {
                size_t above = 0;
                double own = vec_dot(rows + row * DIM, rows + id[f] * DIM, DIM);
                for (size_t i = 0; i < COUNT; i++)
                    above += vec_dot(rows + row * DIM, rows + i * DIM, DIM) > own;
                hits[wide] += above < K;
            }
        }
        wanted += K;
    }
    assert_true(hits[1] > hits[0] && hits[1] <= wanted);
    assert_true((double)hits[1] > 0.6 * (double)wanted);
    graph_walker_free(walker);
    vector_index_free(dense);
    free(rows);
}

/* A cell of equal rows is larger than what a search looks at: a row finds itself and others. */
static void equal_rows_are_searched_in_part(void **state)
{
    (void)state;
    enum { COUNT = 12000, DIM = 8, K = 5 };
    float *rows = calloc(COUNT * DIM, sizeof *rows), score[K];
    uint32_t id[K];
    struct nearest out = {id, score, 0};
    struct graph_walker *walker = NULL;
    for (size_t i = 0; i < COUNT; i++) rows[i * DIM] = 1;
    struct vector_index *dense = brief_index(rows, COUNT, DIM);
    assert_ok(graph_walker_new(&walker, &error));
    for (uint32_t row = 0; row < COUNT; row += COUNT - 1) {
        assert_ok(vector_index_near(dense, walker, row, 0.5f, K, &out, &error));
        assert_int_equal(out.found, K);
        assert_true(score[K - 1] > 0.99f);
    }
    graph_walker_free(walker);
    vector_index_free(dense);
    free(rows);
}

static film_status build_cells(const float *rows)
{
    film_status status = FILM_OK;
    struct vector_index *dense = NULL;
    TRY(vector_index_new(4, 100, &dense, &error));
    vector_index_brief(dense);
    TRY(vector_index_add(dense, rows, 200, 1, NULL, &error));
    TRY(vector_index_tidy(dense, 1, &error));
done:
    vector_index_free(dense);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    float *rows = clustered_rows(200, 4, 3);
    survives_every_failure(build_cells(rows));
    assert_true(failures_survived > 5);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_all_neighbours_are_found),
        cmocka_unit_test(a_wide_search_finds_more),
        cmocka_unit_test(equal_rows_are_searched_in_part),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
