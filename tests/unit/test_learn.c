/* Tests methods as functions of their input: the same input gives the same map, and only the output
 * is written. Also tests Adam against its formula. */
#include "testing.h"
#include "base/rng.h"
#include "train/options.h"
#include "learn/adam.h"
#include "learn/learn.h"

static film_error error;

enum { SENTENCES = 60, ROWS = 90, FEATURES = 25 };

#include "random_csr.h"

/* Sentences 2i and 2i + 1 are duplicates. */
static void fill(struct corpus *corpus)
{
    char text[2][20];
    assert_ok(corpus_init(corpus, FILM_LABELS_PAIRS, &error));
    for (int i = 0; i < ROWS; i++) {
        int a = i % SENTENCES, same = i % 3 != 0, b = same ? a ^ 1 : (a + 7 + i / 9) % SENTENCES;
        snprintf(text[0], sizeof text[0], "sentence %d", a);
        snprintf(text[1], sizeof text[1], "sentence %d", b);
        film_row row = {.a = film_string(text[0]), .b = film_string(text[1]), .label = same};
        assert_ok(corpus_add(corpus, &row, &error));
    }
}

struct world {
    film_train_options options;
    struct corpus corpus, dev;
    struct features features;
    struct csr x;
};

static void open_world(struct world *world)
{
    memset(world, 0, sizeof *world);
    assert_ok(options_complete(&world->options, NULL, &error));
    world->options.threads = 1;
    world->options.rank = 12;
    world->options.solver.iterations = 10;
    fill(&world->corpus);
    world->x = random_matrix(world->corpus.sentences.count, FEATURES, 6, 4);
}

static void close_world(struct world *world)
{
    corpus_free(&world->corpus);
    csr_free(&world->x);
}

static struct learn_input input_of(const struct world *world, film_method method)
{
    return (struct learn_input){.method = method,
                                .options = &world->options,
                                .dim = 5,
                                .epochs = 2,
                                .corpus = &world->corpus,
                                .dev = &world->dev,
                                .features = &world->features,
                                .x = &world->x};
}

static void the_same_input_gives_the_same_map(void **state)
{
    (void)state;
    static const film_method methods[] = {FILM_METHOD_SVD, FILM_METHOD_FILM, FILM_METHOD_RANK};
    struct world world;
    open_world(&world);
    for (size_t m = 0; m < 3; m++) {
        struct learn_input input = input_of(&world, methods[m]);
        struct learned_map once = {0}, again = {0};
        assert_ok(learn_map(&input, &once, &error));
        assert_ok(learn_map(&input, &again, &error));
        assert_int_equal(once.dim, 5);
        assert_memory_equal(once.map, again.map, FEATURES * 5 * sizeof(float));
        assert_int_equal(once.sigma != NULL, methods[m] != FILM_METHOD_RANK);
        learned_map_free(&once);
        learned_map_free(&again);
    }
    close_world(&world);
}

static void a_map_on_an_svd_has_at_most_its_rank(void **state)
{
    (void)state;
    struct world world;
    open_world(&world);
    struct learn_input input = input_of(&world, FILM_METHOD_SVD);
    struct learned_map learned = {0};
    input.dim = 500;
    assert_ok(learn_map(&input, &learned, &error));
    assert_int_equal(learned.dim, learned.rank);
    assert_true(learned.rank > 0 && learned.rank <= 12);
    for (size_t i = 1; i < learned.rank; i++) assert_true(learned.sigma[i] <= learned.sigma[i - 1]);
    learned_map_free(&learned);
    close_world(&world);
}

static int stop_soon(void *user, const char *phase, double done, double total)
{
    (void)phase, (void)total;
    return done >= *(const double *)user;
}

static void a_stop_leaves_no_map(void **state)
{
    (void)state;
    struct world world;
    double limit = 1;
    open_world(&world);
    world.options.progress = (film_progress){stop_soon, &limit, NULL};
    struct learn_input input = input_of(&world, FILM_METHOD_RANK);
    struct learned_map learned = {0};
    assert_int_equal(learn_map(&input, &learned, &error), FILM_CANCELLED);
    assert_null(learned.map);
    learned_map_free(&learned);
    close_world(&world);
}

static void labels_that_teach_nothing_are_bad_input(void **state)
{
    (void)state;
    struct world world;
    open_world(&world);
    for (size_t i = 0; i < world.corpus.rows; i++) world.corpus.label[i] = 0;
    for (int film = 0; film < 2; film++) {
        struct learn_input input = input_of(&world, film ? FILM_METHOD_FILM : FILM_METHOD_RANK);
        struct learned_map learned = {0};
        assert_int_equal(learn_map(&input, &learned, &error), FILM_BAD_INPUT);
        learned_map_free(&learned);
    }
    close_world(&world);
}

static void adam_follows_its_formula(void **state)
{
    (void)state;
    enum { COUNT = 37 };
    float weights[COUNT], moment[COUNT] = {0}, square[COUNT] = {0}, gradient[COUNT];
    double expected[COUNT], m[COUNT] = {0}, v[COUNT] = {0};
    struct adam_state adam = {moment, square};
    struct rng rng;
    rng_seed(&rng, 2);
    for (int i = 0; i < COUNT; i++) expected[i] = weights[i] = (float)rng_uniform(&rng);
    for (int step = 1; step <= 6; step++) {
        for (int i = 0; i < COUNT; i++) gradient[i] = (float)(rng_uniform(&rng) - 0.5);
        adam_step(&adam, step, 0.02, gradient, weights, COUNT);
        for (int i = 0; i < COUNT; i++) {
            m[i] = 0.9 * m[i] + 0.1 * gradient[i];
            v[i] = 0.99 * v[i] + 0.01 * gradient[i] * gradient[i];
            expected[i] -= 0.02 * m[i] / (1 - pow(0.9, step)) / sqrt(v[i] / (1 - pow(0.99, step)));
            assert_close(weights[i], expected[i], 1e-5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_input_gives_the_same_map),
        cmocka_unit_test(a_map_on_an_svd_has_at_most_its_rank),
        cmocka_unit_test(a_stop_leaves_no_map),
        cmocka_unit_test(labels_that_teach_nothing_are_bad_input),
        cmocka_unit_test(adam_follows_its_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
