/* Tests index/graph: small graphs exhaustively, equal rows, and damaged graphs. */
#include "testing.h"
#include "vectors.h"

#include "index/graph.h"
#include "recall.h"

static film_error error;

static struct graph *build(const float *rows, size_t count, size_t dim)
{
    struct graph_options options = {.dim = dim, .degree = 12, .width = 48};
    struct graph *graph = NULL;
    assert_ok(graph_new(&options, &graph, &error));
    assert_ok(graph_add(graph, rows, count, 2, NULL, &error));
    return graph;
}

static size_t ask(const struct graph_view *view, const float *vector, const float *rows, size_t k,
                  uint32_t *id, float *score)
{
    struct graph_walker *walker = NULL;
    struct graph_question question = {.vector = vector, .k = k, .ef = 4 * k + 20, .rows = rows};
    size_t found;
    assert_ok(graph_walker_new(&walker, &error));
    assert_ok(graph_search(view, walker, &question, id, score, &found, &error));
    graph_walker_free(walker);
    return found;
}

static void small_graphs_return_all_neighbours(void **state)
{
    (void)state;
    enum { DIM = 5 };
    for (size_t count = 0; count < 12; count++) {
        float *rows = clustered_rows(count, DIM, count), query[DIM] = {1, 0, 0, 0, 0}, score[20];
        struct graph *graph = build(rows, count, DIM);
        struct graph_view view = graph_view(graph);
        uint32_t id[20];
        assert_ok(graph_check(&view, NULL, &error));
        assert_int_equal(ask(&view, query, rows, 20, id, score), count);
        for (size_t i = 0; i < count; i++) {
            assert_true(score[i] == (float)vec_dot(query, rows + id[i] * DIM, DIM));
            assert_true(i == 0 || score[i] < score[i - 1] ||
                        (score[i] == score[i - 1] && id[i] > id[i - 1]));
        }
        assert_int_equal(ask(&view, query, NULL, 0, id, score), 0);
        graph_free(graph);
        free(rows);
    }
}

/* Groups of equal rows and of zeros stay connected. */
static void equal_rows_are_all_found(void **state)
{
    (void)state;
    enum { COUNT = 2000, DIM = 10, PILE = 300 };
    float *rows = clustered_rows(COUNT, DIM, 5), score[2 * PILE];
    uint32_t *id = malloc(2 * PILE * sizeof *id);
    for (size_t i = 0; i < PILE; i++) {
        memcpy(rows + (5 * i + 7) * DIM, rows + 3 * DIM, DIM * sizeof *rows);
        memset(rows + (5 * i + 8) * DIM, 0, DIM * sizeof *rows);
    }
    struct graph *graph = build(rows, COUNT, DIM);
    struct graph_view view = graph_view(graph);
    struct graph_report report;
    assert_ok(graph_check(&view, &report, &error));
    assert_int_equal(report.twins, PILE + PILE - 1); /* represented by row 3 and one of zeros */
    assert_int_equal(report.reached, report.linked);
    size_t found = ask(&view, rows + 3 * DIM, rows, PILE + 1, id, score);
    assert_int_equal(found, PILE + 1);
    assert_int_equal(id[0], 3);
    for (size_t i = 1; i <= PILE; i++) assert_int_equal(id[i], 5 * (i - 1) + 7);
    /* Removes the group: first its representative, then all. */
    uint32_t first = 3;
    assert_ok(graph_remove(graph, &first, 1, 2, &error));
    view = graph_view(graph);
    assert_ok(graph_check(&view, NULL, &error));
    assert_int_equal(ask(&view, rows + 3 * DIM, rows, PILE, id, score), PILE);
    for (size_t i = 0; i < PILE; i++) assert_int_equal(id[i], 5 * i + 7);
    assert_ok(graph_remove(graph, id, PILE, 2, &error));
    view = graph_view(graph);
    assert_ok(graph_check(&view, &report, &error));
    assert_int_equal(report.dead, PILE + 1);
    found = ask(&view, rows + 3 * DIM, rows, 5, id, score);
    assert_int_equal(found, 5);
    for (size_t i = 0; i < 5; i++) assert_true(score[i] < 0.999999f);
    graph_free(graph);
    free(rows);
    free(id);
}

/* Copies of all arrays of a view, which can be damaged. */
struct copy {
    struct graph_view view;
    uint8_t *codes, *state, *sketch;
    uint32_t *links, *twin, *entry;
};

static void *duplicate(const void *from, size_t bytes)
{
    void *to = malloc(bytes ? bytes : 1);
    memcpy(to, from, bytes);
    return to;
}

static struct copy copy_of(const struct graph_view *view)
{
    size_t count = view->codes.count;
    struct copy copy = {*view};
    copy.view.codes.rows = copy.codes = duplicate(view->codes.rows, count * view->codes.stride);
    copy.view.state = copy.state = duplicate(view->state, count);
    copy.view.links = copy.links = duplicate(view->links, count * view->degree * 4);
    copy.view.sketch = copy.sketch =
        duplicate(view->sketch, count * sketch_size(view->codes.dim, view->degree));
    copy.view.twin = copy.twin = duplicate(view->twin, count * 4);
    copy.view.entry = copy.entry = duplicate(view->entry, view->entries * 4);
    return copy;
}

static void copy_free(struct copy *copy)
{
    free(copy->codes);
    free(copy->state);
    free(copy->links);
    free(copy->sketch);
    free(copy->twin);
    free(copy->entry);
}

/* Expects a refusal. Where the sizes are right, searching must still stay within bounds. */
static void assert_refused(struct copy *copy, int searched, const char *why, const char *what)
{
    float query[64] = {1}, score[4];
    uint32_t id[4];
    film_error message = {0};
    film_status status = graph_check(&copy->view, NULL, &message);
    if (status != FILM_BAD_INPUT || !strstr(message.message, why)) {
        print_error("%s: status %d, \"%s\", not \"%s\"\n", what, (int)status, message.message, why);
        fail();
    }
    if (searched) ask(&copy->view, query, NULL, 4, id, score);
}

static int same_sizes(const struct graph_view *a, const struct graph_view *b)
{
    return a->codes.count == b->codes.count && a->codes.dim == b->codes.dim &&
           a->codes.stride == b->codes.stride && a->degree == b->degree && a->entries <= b->entries;
}

static void each_kind_of_damage_is_refused(void **state)
{
    (void)state;
    enum { COUNT = 400, DIM = 8 };
    float *rows = clustered_rows(COUNT, DIM, 2);
    memcpy(rows + 9 * DIM, rows, DIM * sizeof *rows); /* 0 and 9 are twins */
    struct graph *graph = build(rows, COUNT, DIM);
    uint32_t gone = 20;
    assert_ok(graph_remove(graph, &gone, 1, 1, &error));
    struct graph_view whole = graph_view(graph);
    assert_int_equal(whole.state[9], GRAPH_TWIN);
    size_t degree = whole.degree, scale = whole.codes.stride - 4;
    static const float bad_scale[] = {NAN, INFINITY, -1};
#define DAMAGE(why, ...)                                                    \
    do {                                                                    \
        struct copy c = copy_of(&whole);                                    \
        assert_ok(graph_check(&c.view, NULL, &error));                      \
        __VA_ARGS__;                                                        \
        assert_refused(&c, same_sizes(&c.view, &whole), why, #__VA_ARGS__); \
        copy_free(&c);                                                      \
    } while (0)
    DAMAGE("link out of range", c.links[degree] = COUNT);
    DAMAGE("link out of range", c.links[5 * degree] = 0x80000000u);
    DAMAGE("link to itself", c.links[5 * degree] = 5);
    DAMAGE("link to a deleted", c.links[5 * degree] = 20);
    DAMAGE("link to a deleted row or a twin", c.links[5 * degree] = 9);
    DAMAGE("duplicate link", c.links[5 * degree] = c.links[5 * degree + 1]);
    DAMAGE("link after the last", c.links[5 * degree + 11] = c.links[5 * degree],
           c.links[5 * degree] = GRAPH_NONE);
    DAMAGE("has links but is deleted", c.links[20 * degree] = 1);
    DAMAGE("has links but is deleted or a twin", c.links[9 * degree] = 1);
    DAMAGE("not linked, deleted", c.state[5] = 3);
    DAMAGE("or a twin", c.state[5] = GRAPH_DEAD);
    DAMAGE("or a twin", c.state[5] = GRAPH_TWIN);
    DAMAGE("twin has a different vector", c.state[9] = GRAPH_LINKED);
    DAMAGE("deleted but has a twin", c.state[9] = GRAPH_DEAD);
    DAMAGE("twins belong to no", c.state[20] = GRAPH_TWIN);
    DAMAGE("twin out of range", c.twin[5] = COUNT);
    DAMAGE("twin of two rows", c.twin[5] = 6);
    DAMAGE("different vector", c.twin[5] = 9, c.twin[0] = 0, c.twin[9] = 5);
    DAMAGE("twin", c.twin[5] = 6, c.twin[6] = 5);
    DAMAGE("different vector", c.codes[9 * c.view.codes.stride] ^= 1);
    DAMAGE("invalid code", c.codes[7 * c.view.codes.stride + 2] = 0);
    for (size_t i = 0; i < 3; i++)
        DAMAGE("invalid scale",
               memcpy(c.codes + 3 * c.view.codes.stride + scale, &bad_scale[i], 4));
    DAMAGE("not a linked row", c.entry[0] = COUNT);
    DAMAGE("not a linked row", c.entry[0] = 20);
    DAMAGE("not in ascending order", c.entry[1] = c.entry[0]);
    DAMAGE("no entry", c.view.entries = 0);
    DAMAGE("invalid entry count", c.view.entries = COUNT + 1);
    DAMAGE("rows are reachable", c.view.entries = 1;
           for (size_t i = 0; i < COUNT * degree; i++) c.links[i] = GRAPH_NONE);
    DAMAGE("invalid row size", c.view.codes.dim = 0);
    DAMAGE("invalid row size", c.view.codes.stride += 16);
    DAMAGE("invalid link count", c.view.degree = 1);
    DAMAGE("invalid link count", c.view.degree = 1000);
    DAMAGE("invalid row count", c.view.codes.count = (size_t)GRAPH_MAX_ROWS + 1);
#undef DAMAGE
    graph_free(graph);
    free(rows);
}

/* After a change of any single byte the graph is refused or can be searched. */
static void no_flipped_byte_does_harm(void **state)
{
    (void)state;
    enum { COUNT = 40, DIM = 8 };
    float *rows = clustered_rows(COUNT, DIM, 3), score[4];
    uint32_t id[4];
    struct graph *graph = build(rows, COUNT, DIM);
    struct graph_view whole = graph_view(graph);
    struct copy copy = copy_of(&whole);
    struct part {
        uint8_t *bytes;
        size_t size;
    } parts[] = {{copy.codes, COUNT * whole.codes.stride},
                 {copy.state, COUNT},
                 {(uint8_t *)copy.links, COUNT * whole.degree * 4},
                 {(uint8_t *)copy.twin, COUNT * 4},
                 {(uint8_t *)copy.entry, whole.entries * 4}};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (size_t at = 0; at < parts[p].size; at++) {
            parts[p].bytes[at] ^= (uint8_t)(1u << (at * 5 + p) % 8);
            film_status status = graph_check(&copy.view, NULL, &error);
            assert_true(status == FILM_OK || status == FILM_BAD_INPUT);
            assert_true(ask(&copy.view, rows, NULL, 4, id, score) <= 4);
            if (p == 1 || p == 3) assert_int_equal(status, FILM_BAD_INPUT);
            parts[p].bytes[at] ^= (uint8_t)(1u << (at * 5 + p) % 8);
        }
    assert_ok(graph_check(&copy.view, NULL, &error));
    copy_free(&copy);
    graph_free(graph);
    free(rows);
}

/* Whatever a sketch contains, a search returns rows that exist. */
static void a_wrong_sketch_does_no_harm(void **state)
{
    (void)state;
    enum { COUNT = 600, DIM = 70 };
    float *rows = clustered_rows(COUNT, DIM, 6), score[10];
    uint32_t id[10];
    struct graph *graph = build(rows, COUNT, DIM);
    struct graph_view whole = graph_view(graph);
    struct copy copy = copy_of(&whole);
    struct rng rng;
    rng_seed(&rng, 1);
    for (size_t i = 0; i < COUNT * sketch_size(DIM, whole.degree); i++)
        copy.sketch[i] = (uint8_t)rng_below(&rng, 256);
    for (size_t q = 0; q < 50; q++) {
        assert_int_equal(ask(&copy.view, rows + q * DIM, NULL, 10, id, score), 10);
        for (size_t i = 0; i < 10; i++) assert_in_range(id[i], 0, COUNT - 1);
    }
    copy_free(&copy);
    graph_free(graph);
    free(rows);
}

static void bad_settings_are_refused(void **state)
{
    (void)state;
    static const struct graph_options bad[] = {{.dim = 0},
                                               {.dim = CODES_MAX_DIM + 1},
                                               {.dim = 4, .degree = 1},
                                               {.dim = 4, .degree = 129},
                                               {.dim = 4, .width = 5000},
                                               {.dim = 4, .spread = 0.5},
                                               {.dim = 4, .spread = NAN}};
    struct graph *graph = NULL;
    for (size_t i = 0; i + 1 < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(graph_new(&bad[i], &graph, &error), FILM_USAGE);
        assert_null(graph);
    }
    float *rows = clustered_rows(30, 4, 1), score[1];
    graph = build(rows, 30, 4);
    uint32_t id = 30;
    assert_int_equal(graph_remove(graph, &id, 1, 1, &error), FILM_USAGE);
    assert_int_equal(graph_add(graph, rows, (size_t)GRAPH_MAX_ROWS, 1, NULL, &error), FILM_USAGE);
    struct graph_view view = graph_view(graph);
    struct graph_question question = {.vector = rows, .k = 1, .ef = (size_t)GRAPH_MAX_WIDTH + 1};
    struct graph_walker *walker = NULL;
    size_t found;
    assert_ok(graph_walker_new(&walker, &error));
    assert_int_equal(graph_search(&view, walker, &question, &id, score, &found, &error),
                     FILM_USAGE);
    graph_walker_free(walker);
    graph_free(graph);
    free(rows);
}

/* One call after the other, each with the first, second, ... allocation failing. The previous state
 * stays a valid graph. */
static void running_out_of_memory_leaves_a_valid_graph(void **state)
{
    (void)state;
    enum { COUNT = 700, DIM = 6 };
    float *rows = clustered_rows(COUNT, DIM, 8);
    uint32_t id[COUNT];
    float score[10];
    for (int step = 0; step < 5; step++) {
        film_status status = FILM_NO_MEMORY;
        for (long at = 0; status != FILM_OK; at++) {
            struct graph *graph = build(rows, COUNT - 100, DIM), *other = NULL;
            struct graph_view view = graph_view(graph);
            struct graph_options options = {.dim = DIM};
            struct graph_question question = {rows, 5, 20, rows};
            struct recall recall;
            for (uint32_t i = 0; i < 50; i++) id[i] = 3 * i;
            fail_allocation(at);
            if (step == 0)
                status = graph_add(graph, rows + (COUNT - 100) * DIM, 100, 2, NULL, &error);
            else if (step == 1)
                status = graph_remove(graph, id, 50, 2, &error);
            else if (step == 2)
                status = graph_open(&view, &options, &other, &error);
            else if (step == 3)
                status = graph_search_many(&view, &question, 2, 1, NULL,
                                           &(struct nearest){id, score, 0}, &error);
            else
                status = recall_measure(&view, rows, (struct recall_sample){20, 1, 3, 20}, 1,
                                        &recall, &error);
            fail_allocation(-1);
            assert_true(status == FILM_OK || status == FILM_NO_MEMORY);
            view = graph_view(graph);
            assert_ok(graph_check(&view, NULL, &error));
            graph_free(other);
            graph_free(graph);
            assert_true(at < 100);
        }
    }
    free(rows);
}

static int stop_later(void *user, const char *phase, double done, double total)
{
    (void)user, (void)phase, (void)total;
    return done > 1000;
}

static void adding_can_be_stopped(void **state)
{
    (void)state;
    enum { COUNT = 3000, DIM = 4 };
    float *rows = clustered_rows(COUNT, DIM, 1);
    struct graph_options options = {.dim = DIM};
    struct graph *graph = NULL;
    film_progress stop = {stop_later, NULL, NULL};
    assert_ok(graph_new(&options, &graph, &error));
    assert_int_equal(graph_add(graph, rows, COUNT, 1, &stop, &error), FILM_CANCELLED);
    struct graph_view view = graph_view(graph);
    assert_in_range(view.codes.count, 1001, COUNT - 1);
    assert_ok(graph_check(&view, NULL, &error));
    assert_ok(
        graph_add(graph, rows + view.codes.count * DIM, COUNT - view.codes.count, 1, NULL, &error));
    view = graph_view(graph);
    assert_int_equal(view.codes.count, COUNT);
    assert_ok(graph_check(&view, NULL, &error));
    graph_free(graph);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs_return_all_neighbours),
        cmocka_unit_test(equal_rows_are_all_found),
        cmocka_unit_test(each_kind_of_damage_is_refused),
        cmocka_unit_test(no_flipped_byte_does_harm),
        cmocka_unit_test(a_wrong_sketch_does_no_harm),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(running_out_of_memory_leaves_a_valid_graph),
        cmocka_unit_test(adding_can_be_stopped),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
