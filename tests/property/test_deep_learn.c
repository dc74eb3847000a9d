/* Tests training the black box: it learns, threads and interruptions change no byte, and a file
 * stores all of it. */
#include "testing.h"

#include "base/mem.h"
#include "embed/vec.h"
#include "learn/deep_learn.h"

static film_error error;

enum { TOPICS = 6, EACH = 6, SENTENCES = TOPICS * EACH, SIZE = 32 * 32 };

/* A sentence is noise; its topic is a brighter block at its own position in the matrix. */
static film_status toy_matrices(void *user, const uint32_t *sentences, size_t count, float *out,
                                film_error *problem)
{
    (void)user, (void)problem;
    for (size_t i = 0; i < count; i++) {
        struct rng own;
        uint32_t topic = sentences[i] / EACH;
        rng_seed_part(&own, 1, sentences[i]);
        for (size_t r = 0; r < 32; r++)
            for (size_t c = 0; c < 32; c++) {
                int bright = r / 11 == topic % 3 && c / 16 == topic / 3;
                out[i * SIZE + r * 32 + c] = (float)(rng_normal(&own) + 0.8 * bright);
            }
    }
    return FILM_OK;
}

/* The fraction of triplets (two of a topic, one of another) in the right order. */
static double order_of(const struct deep *deep)
{
    static float matrices[SENTENCES * SIZE];
    uint32_t all[SENTENCES];
    size_t dim = deep_dim(deep), right = 0, asked = 0;
    float *vectors = mem_array(SENTENCES, dim * sizeof *vectors);
    for (uint32_t i = 0; i < SENTENCES; i++) all[i] = i;
    toy_matrices(NULL, all, SENTENCES, matrices, NULL);
    assert_int_equal(deep_vectors(deep, matrices, SENTENCES, 2, vectors, &error), FILM_OK);
    for (size_t i = 0; i < SENTENCES; i++) vec_normalise(vectors + i * dim, dim);
    for (size_t a = 0; a < SENTENCES; a++)
        for (size_t p = a - a % EACH; p < a - a % EACH + EACH; p++)
            for (size_t n = 0; n < SENTENCES; n++)
                if (p != a && n / EACH != a / EACH) {
                    asked++;
                    right += vec_dot(vectors + a * dim, vectors + p * dim, dim) >
                             vec_dot(vectors + a * dim, vectors + n * dim, dim);
                }
    mem_free(vectors);
    return (double)right / (double)asked;
}

/* Cancels at step *USER. */
static int stop_at(void *user, const struct deep_progress *now)
{
    return now->step == *(const size_t *)user;
}

/* STOP: the step after which it is cancelled; 0: never. */
static film_status learn_toy(struct deep *deep, int n_pair, int threads, size_t stop,
                             struct deep_learned *learned)
{
    struct rank_pair positive[64], negative[64];
    size_t count = 0;
    for (uint32_t t = 0; t < TOPICS; t++)
        for (uint32_t i = 0; i + 1 < EACH - 2; i++, count++) { /* two per topic are held out */
            positive[count] = (struct rank_pair){t * EACH + i, t * EACH + i + 1};
            negative[count] = (struct rank_pair){t * EACH + i, ((t + 1 + i) % TOPICS) * EACH + i};
        }
    struct rank_labels labels = {positive, negative, count, count};
    struct deep_source source = {NULL, toy_matrices};
    struct deep_options options;
    deep_defaults(&options);
    options.loss.n_pair = n_pair;
    options.batch = 12;
    options.epochs = 12;
    options.rate = 0.01;
    options.report_every = 1;
    options.threads = threads;
    options.report = stop_at;
    options.user = &stop;
    return deep_learn(deep, &source, SENTENCES, &labels, &options, learned, &error);
}

static void start_toy(struct deep *deep)
{
    struct deep_shape shape = {32, 32, {2, 4, 4, 6}};
    assert_int_equal(deep_plan(deep, &shape, &error), FILM_OK);
    assert_int_equal(deep_start(deep, 7, &error), FILM_OK);
}

static void it_learns(void **state)
{
    (void)state;
    for (int n_pair = 0; n_pair < 2; n_pair++) {
        struct deep deep;
        struct deep_learned learned;
        start_toy(&deep);
        double before = order_of(&deep);
        assert_int_equal(learn_toy(&deep, n_pair, 2, 0, &learned), FILM_OK);
        assert_int_equal(learned.history_count, learned.steps);
        assert_true(order_of(&deep) > before + 0.1);
        deep_learned_free(&learned);
        deep_free(&deep);
    }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    struct deep one, two;
    struct deep_learned learned, again;
    start_toy(&one), start_toy(&two);
    assert_int_equal(learn_toy(&one, 0, 1, 0, &learned), FILM_OK);
    assert_int_equal(learn_toy(&two, 0, 3, 0, &again), FILM_OK);
    assert_memory_equal(one.own, two.own, deep_parameters(&one) * sizeof(float));
    assert_int_equal(learned.history_count, again.history_count);
    for (size_t i = 0; i < again.history_count; i++)
        assert_true(learned.history[i].loss == again.history[i].loss);
    deep_learned_free(&learned), deep_learned_free(&again);
    deep_free(&one), deep_free(&two);
}

static void what_was_learned_before_a_stop_is_kept(void **state)
{
    (void)state;
    struct deep start, stopped;
    struct deep_learned learned;
    start_toy(&start), start_toy(&stopped);
    assert_int_equal(learn_toy(&stopped, 0, 1, 5, &learned), FILM_CANCELLED);
    assert_int_equal(learned.history_count, 5);
    assert_memory_not_equal(start.own, stopped.own, deep_parameters(&start) * sizeof(float));
    deep_learned_free(&learned);
    deep_free(&start), deep_free(&stopped);
}

static void nothing_to_learn_from(void **state)
{
    (void)state;
    struct deep deep;
    struct deep_learned learned;
    struct deep_options options;
    struct deep_source source = {NULL, toy_matrices};
    struct rank_pair pair = {1, 2}, same = {3, 3};
    struct rank_labels labels = {&same, &pair, 1, 1};
    start_toy(&deep);
    deep_defaults(&options);
    assert_int_equal(deep_learn(&deep, &source, SENTENCES, &labels, &options, &learned, &error),
                     FILM_USAGE);
    deep_learned_free(&learned);
    deep_free(&deep);
}

/* ---- In a file ---- */

static film_status open_again(const struct deep *deep, const char *settings, size_t dim,
                              struct deep *again, struct safetensors **file)
{
    static char path[300];
    struct safetensors_tensor tensors[DEEP_TENSORS];
    strcpy(path, scratch("deep.safetensors"));
    deep_tensors(deep, tensors);
    assert_int_equal(safetensors_write(path, tensors, DEEP_TENSORS, NULL, NULL, 0, &error),
                     FILM_OK);
    assert_int_equal(safetensors_open(path, file, &error), FILM_OK);
    unlink(path);
    return deep_from_file(again, *file, settings, dim, "file", &error);
}

static void stored_in_a_file(void **state)
{
    (void)state;
    struct deep deep, again;
    struct safetensors *file;
    char *settings;
    start_toy(&deep);
    assert_int_equal(deep_settings(&deep, &settings, &error), FILM_OK);
    assert_string_equal(settings, "{\"tokens\":32,\"maps\":[2,4,4,6]}");
    assert_int_equal(open_again(&deep, settings, 32, &again, &file), FILM_OK);
    assert_true(order_of(&again) == order_of(&deep));
    safetensors_close(file);
    const char *const bad[] = {"",
                               "[]",
                               "{}",
                               "{\"tokens\":32}",
                               "{\"tokens\":32,\"maps\":[2,4,4]}",
                               "{\"tokens\":32,\"maps\":[2,4,4,6,6]}",
                               "{\"tokens\":32,\"maps\":[2,4,4,7]}",
                               "{\"tokens\":-1,\"maps\":[2,4,4,6]}",
                               "{\"tokens\":31,\"maps\":[2,4,4,6]}",
                               "{\"tokens\":32,\"maps\":[2,4,-4,6]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(open_again(&deep, bad[i], 32, &again, &file), FILM_BAD_INPUT);
        assert_true(strstr(error.message, "file") || strstr(error.message, "deep.safetensors"));
        safetensors_close(file);
    }
    assert_int_equal(open_again(&deep, settings, 31, &again, &file), FILM_BAD_INPUT);
    safetensors_close(file);
    deep.own[deep_parameters(&deep) - 1] = NAN;
    assert_int_equal(open_again(&deep, settings, 32, &again, &file), FILM_BAD_INPUT);
    assert_non_null(
        strstr(error.message, "deep.3.bias has a value that is not finite; the file is damaged"));
    safetensors_close(file);
    mem_free(settings);
    deep_free(&deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(what_was_learned_before_a_stop_is_kept),
        cmocka_unit_test(nothing_to_learn_from),
        cmocka_unit_test(stored_in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
