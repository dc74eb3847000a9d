/* Tests properties of every graph: built at once or incrementally, with rows removed. */
#include "testing.h"
#include "vectors.h"

#include "index/graph.h"
#include "recall.h"

static film_error error;

enum { DIM = 24 };

static struct graph *fresh(void)
{
    struct graph_options options = {.dim = DIM, .degree = 16, .width = 64, .seed = 4};
    struct graph *graph = NULL;
    assert_ok(graph_new(&options, &graph, &error));
    return graph;
}

static void assert_same(const struct graph *left, const struct graph *right)
{
    struct graph_view a = graph_view(left), b = graph_view(right);
    size_t count = a.codes.count;
    assert_int_equal(count, b.codes.count);
    assert_int_equal(a.entries, b.entries);
    assert_memory_equal(a.codes.rows, b.codes.rows, count * a.codes.stride);
    assert_memory_equal(a.links, b.links, count * a.degree * 4);
    assert_memory_equal(a.twin, b.twin, count * 4);
    assert_memory_equal(a.state, b.state, count);
    assert_memory_equal(a.entry, b.entry, a.entries * 4);
}

static double share_found(const struct graph *graph, const float *rows)
{
    struct graph_view view = graph_view(graph);
    struct graph_report report;
    struct recall recall;
    assert_ok(graph_check(&view, &report, &error));
    assert_int_equal(report.reached, report.linked);
    assert_ok(
        recall_measure(&view, rows, (struct recall_sample){300, 1, 10, 60}, 2, &recall, &error));
    return recall.share;
}

/* Adding, removing and adding again with 1, 2 and 4 threads. */
static void the_bytes_do_not_depend_on_the_threads(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static const int threads[] = {1, 2, 4};
    float *rows = clustered_rows(COUNT, DIM, 1);
    for (size_t i = 50; i < COUNT; i += 50)
        memcpy(rows + i * DIM, rows + (i / 3) * DIM, DIM * sizeof *rows);
    uint32_t gone[500], *id[3];
    struct graph *graph[3];
    for (uint32_t i = 0; i < 500; i++) gone[i] = i * 4;
    for (int t = 0; t < 3; t++) {
        graph[t] = fresh();
        assert_ok(graph_add(graph[t], rows, 2000, threads[t], NULL, &error));
        assert_ok(graph_remove(graph[t], gone, 500, threads[t], &error));
        assert_ok(graph_add(graph[t], rows + 2000 * DIM, 1000, threads[t], NULL, &error));
        assert_same(graph[t], graph[0]);
        struct graph_view view = graph_view(graph[t]);
        struct graph_question question = {rows, 10, 40, rows};
        id[t] = malloc(200 * 10 * sizeof **id);
        assert_ok(graph_search_many(&view, &question, 200, threads[t], NULL,
                                    &(struct nearest){id[t], NULL, 0}, &error));
        assert_memory_equal(id[t], id[0], 200 * 10 * sizeof **id);
    }
    for (int t = 0; t < 3; t++) {
        graph_free(graph[t]);
        free(id[t]);
    }
    free(rows);
}

static void built_at_once_it_finds_nearly_all(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    float *rows = clustered_rows(COUNT, DIM, 2);
    struct graph *graph = fresh();
    assert_ok(graph_add(graph, rows, COUNT, 2, NULL, &error));
    assert_true(share_found(graph, rows) >= 0.98);
    graph_free(graph);
    free(rows);
}

/* Row by row and in odd batches: each is found at once by its own vector. */
static void what_was_added_is_found(void **state)
{
    (void)state;
    enum { COUNT = 2500 };
    static const size_t portions[] = {1, 1, 3, 40, 1, 700, 1, 13};
    float *rows = clustered_rows(COUNT, DIM, 3), score[1];
    struct graph *graph = fresh();
    struct graph_walker *walker = NULL;
    assert_ok(graph_walker_new(&walker, &error));
    for (size_t at = 0, turn = 0; at < COUNT; turn++) {
        size_t portion = portions[turn % 8], found;
        if (portion > COUNT - at) portion = COUNT - at;
        assert_ok(graph_add(graph, rows + at * DIM, portion, 2, NULL, &error));
        struct graph_view view = graph_view(graph);
        for (size_t i = at; i < at + portion; i++) {
            struct graph_question question = {rows + i * DIM, 1, 40, rows};
            uint32_t id;
            assert_ok(graph_search(&view, walker, &question, &id, score, &found, &error));
            assert_int_equal(found, 1);
            assert_int_equal(id, i);
        }
        at += portion;
    }
    assert_true(share_found(graph, rows) >= 0.98);
    graph_walker_free(walker);
    graph_free(graph);
    free(rows);
}

/* Rows removed in batches, at random and whole neighbourhoods, until none is left. */
static void what_was_removed_is_never_found_and_the_rest_still_is(void **state)
{
    (void)state;
    enum { COUNT = 3000, PORTION = 300, K = 10 };
    float *rows = clustered_rows(COUNT, DIM, 5), score[400];
    struct graph *graph = fresh();
    struct rng rng;
    uint32_t *order = malloc(COUNT * sizeof *order), id[400];
    uint8_t dead[COUNT] = {0};
    size_t left = COUNT;
    rng_seed(&rng, 6);
    assert_ok(graph_add(graph, rows, COUNT, 2, NULL, &error));
    for (size_t turn = 0; left > 0; turn++) {
        struct graph_view view = graph_view(graph);
        size_t portion = 0;
        if (turn % 2) { /* the neighbourhood of a row */
            struct graph_question question = {rows + rng_below(&rng, COUNT) * DIM, PORTION, 400,
                                              rows};
            assert_ok(graph_search_many(&view, &question, 1, 1, NULL,
                                        &(struct nearest){id, score, 0}, &error));
            while (portion < PORTION && id[portion] != GRAPH_NONE) {
                order[portion] = id[portion];
                portion++;
            }
        } else
            for (; portion < PORTION; portion++) order[portion] = (uint32_t)rng_below(&rng, COUNT);
        assert_ok(graph_remove(graph, order, portion, 2, &error));
        for (size_t i = 0; i < portion; i++) dead[order[i]] = 1;
        left = 0;
        for (size_t i = 0; i < COUNT; i++) left += !dead[i];
        view = graph_view(graph);
        for (size_t q = 0; q < 50; q++) {
            struct graph_question question = {rows + rng_below(&rng, COUNT) * DIM, K, 60, rows};
            assert_ok(graph_search_many(&view, &question, 1, 1, NULL,
                                        &(struct nearest){id, score, 0}, &error));
            for (size_t i = 0; i < K; i++) {
                assert_true(i >= left ? id[i] == GRAPH_NONE : id[i] != GRAPH_NONE);
                if (id[i] != GRAPH_NONE) assert_false(dead[id[i]]);
            }
        }
        assert_true(share_found(graph, rows) >= 0.97);
        if (turn > 100) { /* the last few are unlikely to be hit at random */
            size_t rest = 0;
            for (uint32_t i = 0; i < COUNT; i++)
                if (!dead[i]) order[rest++] = i;
            assert_ok(graph_remove(graph, order, rest, 1, &error));
            left = 0;
        }
    }
    /* An empty graph can grow again. */
    assert_ok(graph_add(graph, rows, 5, 1, NULL, &error));
    struct graph_view view = graph_view(graph);
    struct graph_question question = {rows + 2 * DIM, 1, 20, NULL};
    assert_ok(
        graph_search_many(&view, &question, 1, 1, NULL, &(struct nearest){id, score, 0}, &error));
    assert_int_equal(id[0], COUNT + 2);
    graph_free(graph);
    free(rows);
    free(order);
}

/* A graph that is stored, opened and extended equals one extended without a pause. */
static void a_stored_graph_grows_like_one_in_memory(void **state)
{
    (void)state;
    enum { COUNT = 1500 };
    float *rows = clustered_rows(COUNT, DIM, 9);
    memset(rows + 30 * DIM, 0, DIM * sizeof *rows);
    memset(rows + 1400 * DIM, 0, DIM * sizeof *rows);
    struct graph *through = fresh(), *first = fresh(), *second = NULL;
    struct graph_options options = {.width = 64, .seed = 4};
    assert_ok(graph_add(through, rows, 1000, 2, NULL, &error));
    assert_ok(graph_add(through, rows + 1000 * DIM, 500, 2, NULL, &error));
    assert_ok(graph_add(first, rows, 1000, 2, NULL, &error));
    struct graph_view view = graph_view(first);
    assert_ok(graph_open(&view, &options, &second, &error));
    assert_same(first, second);
    assert_ok(graph_add(second, rows + 1000 * DIM, 500, 2, NULL, &error));
    assert_same(through, second);
    graph_free(through);
    graph_free(first);
    graph_free(second);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_do_not_depend_on_the_threads),
        cmocka_unit_test(built_at_once_it_finds_nearly_all),
        cmocka_unit_test(what_was_added_is_found),
        cmocka_unit_test(what_was_removed_is_never_found_and_the_rest_still_is),
        cmocka_unit_test(a_stored_graph_grows_like_one_in_memory),
    };
    return cmocka_run_group_tests_name("graph_growth", tests, NULL, NULL);
}
