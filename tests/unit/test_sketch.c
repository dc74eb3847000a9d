/* Tests index/sketch: estimates against float products, every instruction set, graphs that change,
 * and the recall of a search that trusts the estimates. */
#include "testing.h"
#include "vectors.h"

#include "index/graph_walk.h"
#include "recall.h"

static film_error error;

static const char *const kernels[] = {"plain", "avx2", "vnni", "neon"};

/* Rows, their codes, and a sketch of row 0, which is linked to the next ones. */
struct scene {
    float *rows;
    uint8_t *codes, *sketch;
    int8_t *values;
    uint32_t links[GRAPH_MAX_DEGREE];
    struct codes view;
    size_t size;
};

static struct scene scene_of(size_t dim, size_t links, uint64_t seed)
{
    struct scene scene = {.rows = clustered_rows(links + 1, dim, seed)};
    size_t stride = codes_stride(dim);
    scene.codes = malloc((links + 1) * stride);
    scene.values = malloc(codes_query_room(dim));
    scene.size = sketch_size(dim, links);
    scene.sketch = calloc(1, scene.size); /* exactly: the sanitizer detects a read past it */
    codes_encode(scene.rows, links + 1, dim, scene.codes, 1);
    scene.view = (struct codes){scene.codes, links + 1, dim, stride};
    for (uint32_t i = 0; i < links; i++) scene.links[i] = i + 1;
    sketch_make(&scene.view, 0, scene.links, links, scene.sketch);
    return scene;
}

static void scene_free(struct scene *scene)
{
    free(scene->rows);
    free(scene->codes);
    free(scene->sketch);
    free(scene->values);
}

/* The definition, with floats: row . query + row . away + |away|^2 / |folded away|_1 times signs .
 * folded (query - row). SIGNS: the number of dimensions after folding. */
static double estimate(const float *row, const float *target, const float *query, size_t dim,
                       size_t signs)
{
    double score = 0, inside = 0, apart = 0, spread = 0, toward = 0;
    for (size_t i = 0; i < signs; i++) {
        double away = 0, near = 0;
        for (size_t d = i; d < dim; d += signs) {
            double step = (double)target[d] - (double)row[d];
            score += (double)row[d] * (double)query[d];
            inside += (double)row[d] * step;
            apart += step * step;
            away += step;
            near += (double)query[d] - (double)row[d];
        }
        spread += fabs(away);
        toward += away > 0 ? near : -near;
    }
    return score + inside + (spread > 0 ? apart / spread * toward : 0);
}

/* A limit below the estimate of the definition lets a link pass, one above does not. */
static void estimates_follow_their_definition(void **state)
{
    (void)state;
    static const struct {
        size_t dim, signs;
    } cases[] = {{64, 32}, {65, 40}, {100, 56}, {200, 104}, {768, 384}, {2048, 1024}, {5000, 1000}};
    enum { LINKS = 40 };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t dim = cases[c].dim;
        struct scene scene = scene_of(dim, LINKS, dim);
        float *query = clustered_rows(2, dim, dim);
        struct codes_query codes = codes_query_of(query, dim, scene.values);
        struct sketch_query *sketch = malloc(sizeof *sketch);
        sketch_query_make(sketch, &codes, dim);
        assert_int_equal(sketch->signs, cases[c].signs);
        assert_int_equal(scene.size, 2 * sketch->block);
        float score = (float)vec_dot(scene.rows, query, dim) / codes.scale;
        for (size_t i = 0; i < LINKS; i++) {
            float right =
                (float)estimate(scene.rows, scene.rows + (i + 1) * dim, query, dim, sketch->signs);
            const uint8_t *block = scene.sketch + i / 32 * sketch->block;
            uint32_t bit = (uint32_t)1 << i % 32;
            assert_true(sketch_pass(sketch, block, score, (right - 0.04f) / codes.scale) & bit);
            assert_false(sketch_pass(sketch, block, score, (right + 0.04f) / codes.scale) & bit);
        }
        free(sketch);
        free(query);
        scene_free(&scene);
    }
    assert_int_equal(sketch_size(63, 32), 0);
}

static void every_kernel_passes_the_same_links(void **state)
{
    (void)state;
    for (size_t dim = 64; dim < 2100; dim = dim * 5 / 4 + 1) {
        struct scene scene = scene_of(dim, 32, dim);
        struct sketch_query *sketch = malloc(sizeof *sketch);
        for (size_t q = 0; q < 33; q++) {
            struct codes_query codes = codes_query_row(&scene.view, q, scene.values);
            sketch_query_make(sketch, &codes, dim);
            for (int step = -8; step < 9; step++) {
                float least = (float)step / 8 / codes.scale;
                assert_true(codes_use_kernel("plain"));
                uint32_t plain = sketch_pass(sketch, scene.sketch, 0.5f / codes.scale, least);
                for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
                    if (codes_use_kernel(kernels[k]))
                        assert_int_equal(
                            sketch_pass(sketch, scene.sketch, 0.5f / codes.scale, least), plain);
            }
        }
        free(sketch);
        scene_free(&scene);
    }
    assert_true(codes_use_kernel(""));
}

/* After adding and removing, each row has the sketch of its links. */
static void assert_fresh(const struct graph_view *view)
{
    size_t size = sketch_size(view->codes.dim, view->degree);
    uint8_t *wanted = malloc(size);
    for (size_t row = 0; row < view->codes.count; row++) {
        const uint32_t *links = view->links + row * view->degree;
        size_t count = 0;
        while (count < view->degree && links[count] != GRAPH_NONE) count++;
        if (view->state[row] == GRAPH_DEAD) continue;
        memset(wanted, 0, size);
        sketch_make(&view->codes, row, links, count, wanted);
        assert_memory_equal(view->sketch + row * size, wanted, size);
    }
    free(wanted);
}

static void a_graph_that_changes_keeps_its_sketches(void **state)
{
    (void)state;
    enum { COUNT = 1500, DIM = 64, MORE = 40 };
    struct graph_options options = {.dim = DIM, .degree = 40, .width = 60};
    float *rows = clustered_rows(COUNT, DIM, 4);
    for (size_t i = 0; i < 100; i++) /* twins: they inherit links */
        memcpy(rows + (2 * i + 700) * DIM, rows + i * DIM, DIM * sizeof *rows);
    struct graph *graph = NULL, *copy = NULL;
    uint32_t gone[300];
    for (uint32_t i = 0; i < 300; i++) gone[i] = i;
    assert_ok(graph_new(&options, &graph, &error));
    assert_ok(graph_add(graph, rows, COUNT - MORE, 2, NULL, &error));
    struct graph_view view = graph_view(graph);
    assert_fresh(&view);
    assert_ok(graph_remove(graph, gone, 300, 2, &error));
    view = graph_view(graph);
    assert_fresh(&view);
    assert_ok(graph_open(&view, &options, &copy, &error));
    for (size_t i = COUNT - MORE; i < COUNT; i++)
        assert_ok(graph_add(copy, rows + i * DIM, 1, 1, NULL, &error));
    view = graph_view(copy);
    assert_fresh(&view);
    graph_free(graph);
    graph_free(copy);
    free(rows);
}

/* Returns the number of rows scored for the COUNT queries of QUESTION. */
static uint64_t scored(const struct graph_view *view, struct graph_question question, size_t count)
{
    struct graph_walker *walker = NULL;
    uint32_t id[10];
    float score[10];
    size_t found;
    assert_ok(graph_walker_new(&walker, &error));
    for (size_t q = 0; q < count; q++, question.vector += view->codes.dim)
        assert_ok(graph_search(view, walker, &question, id, score, &found, &error));
    uint64_t all = walker->scored;
    graph_walker_free(walker);
    return all;
}

/* The search trusts the estimates: it still finds what a comparison with all rows finds, with the
 * same results on every instruction set, and scores less than half of the rows. */
static void searches_find_the_neighbours(void **state)
{
    (void)state;
    enum { COUNT = 4000, DIM = 100, K = 10, ASKED = 100 };
    struct graph_options options = {.dim = DIM};
    float *rows = clustered_rows(COUNT + ASKED, DIM, 7), *queries = rows + COUNT * DIM;
    struct graph *graph = NULL;
    uint32_t *id = malloc(4 * ASKED * K * sizeof *id);
    float *score = malloc(ASKED * K * sizeof *score);
    assert_ok(graph_new(&options, &graph, &error));
    assert_ok(graph_add(graph, rows, COUNT, 2, NULL, &error));
    struct graph_view view = graph_view(graph);
    struct graph_question question = {.vector = queries, .k = K, .ef = 60, .rows = rows};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (!codes_use_kernel(kernels[k])) continue;
        assert_ok(graph_search_many(&view, &question, ASKED, 2, NULL,
                                    &(struct nearest){id + k * ASKED * K, score, 0}, &error));
        assert_memory_equal(id + k * ASKED * K, id, ASKED * K * sizeof *id);
    }
    assert_true(codes_use_kernel(""));
    size_t found = 0;
    for (size_t q = 0; q < ASKED; q++)
        for (size_t i = 0; i < K; i++) {
            const float *query = queries + q * DIM;
            double own = vec_dot(query, rows + (size_t)id[q * K + i] * DIM, DIM);
            size_t better = 0;
            for (size_t r = 0; r < COUNT; r++) better += vec_dot(query, rows + r * DIM, DIM) > own;
            found += better < K;
        }
    assert_true(found >= ASKED * K * 97 / 100);
    uint64_t with = scored(&view, question, ASKED);
    view.sketch = NULL;
    assert_true(2 * with < scored(&view, question, ASKED));
    graph_free(graph);
    free(rows);
    free(id);
    free(score);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_follow_their_definition),
        cmocka_unit_test(every_kernel_passes_the_same_links),
        cmocka_unit_test(a_graph_that_changes_keeps_its_sketches),
        cmocka_unit_test(searches_find_the_neighbours),
    };
    return cmocka_run_group_tests_name("sketch", tests, NULL, NULL);
}
