/* Tests training by ranking with constructed batches and a toy language with a known solution. The
 * gradient is tested in test_rank_gradient.c. */
#include "testing.h"

#include "base/rng.h"
#include "embed/vec.h"
#include "learn/rank.h"
#include "learn/rank_batch.h"
#include "learn/rank_draw.h"

static film_error error;

#include "random_csr.h"

/* A language with two words for everything: sentence 2i uses words 0 .. WORDS - 1, and sentence 2i
 * + 1 says the same with words WORDS .. 2 WORDS - 1. Without training they share nothing. */
enum { WORDS = 40, SAID = 4, TOLD = 600, HELD = 60 };

static struct csr toy_matrix(void)
{
    struct csr x;
    struct rng rng;
    size_t used = 0;
    rng_seed(&rng, 11);
    assert_ok(csr_alloc(&x, 2 * (TOLD + HELD), 2 * WORDS, 2 * (TOLD + HELD) * WORDS, &error));
    for (size_t i = 0; i < TOLD + HELD; i++) {
        char in[WORDS] = {0};
        for (int k = 0; k < SAID; k++) in[rng_below(&rng, WORDS)] = 1;
        for (uint32_t side = 0; side < 2; side++) {
            for (uint32_t w = 0; w < WORDS; w++) {
                if (!in[w]) continue;
                x.col[used] = side * WORDS + w;
                x.val[used++] = 0.5f;
            }
            x.start[2 * i + side + 1] = used;
        }
    }
    return x;
}

static struct rank_pair toy_pairs[TOLD], toy_negatives[TOLD];

static struct rank_labels toy_labels(void)
{
    for (uint32_t i = 0; i < TOLD; i++) {
        toy_pairs[i] = (struct rank_pair){2 * i, 2 * i + 1};
        toy_negatives[i] = (struct rank_pair){2 * i, 2 * ((i + 1) % TOLD)};
    }
    return (struct rank_labels){toy_pairs, toy_negatives, TOLD, TOLD};
}

static struct rank_options toy_options(void)
{
    struct rank_options o;
    rank_defaults(&o);
    o.dim = 24;
    o.batch = 64;
    o.epochs = 4;
    o.threads = 1;
    return o;
}

/* Counts the held-out pairs whose partner is the nearest among the held-out second sides. */
static size_t toy_found(const struct csr *x, const float *map, size_t dim)
{
    float *y = malloc(x->rows * dim * sizeof *y);
    size_t found = 0;
    csr_times(x, map, dim, 1, y);
    for (size_t i = TOLD; i < TOLD + HELD; i++) {
        double best = -1e9;
        size_t who = 0;
        for (size_t j = TOLD; j < TOLD + HELD; j++) {
            double dot = 0.0, square = 0.0;
            for (size_t c = 0; c < dim; c++) {
                dot += y[2 * i * dim + c] * y[(2 * j + 1) * dim + c];
                square += y[(2 * j + 1) * dim + c] * y[(2 * j + 1) * dim + c];
            }
            if (dot / sqrt(square) > best) best = dot / sqrt(square), who = j;
        }
        found += who == i;
    }
    free(y);
    return found;
}

static struct rank_map start_map(size_t features, size_t dim, uint64_t seed)
{
    struct rank_map map;
    struct rank_start start = {.features = features, .dim = dim, .seed = seed, .threads = 1};
    assert_ok(rank_map_init(&map, &start, &error));
    return map;
}

static void the_loss_falls_and_partners_are_found(void **state)
{
    (void)state;
    struct csr x = toy_matrix();
    struct rank_labels labels = toy_labels();
    struct rank_options o = toy_options();
    struct rank_learned learned;
    struct rank_map start = start_map(x.cols, o.dim, o.seed);
    assert_ok(rank_learn(&x, &labels, &o, &learned, &error));
    size_t before = toy_found(&x, start.rows, o.dim), after = toy_found(&x, learned.map, o.dim);
    double first = learned.history[0].loss;
    double last = learned.history[learned.history_count - 1].loss;
    if (!(last < 0.3 * first && before < HELD / 4 && after > HELD * 9 / 10)) {
        print_error("loss %g -> %g, found %zu -> %zu\n", first, last, before, after);
        fail();
    }
    assert_int_equal(learned.history[learned.history_count - 1].step,
                     learned.history[learned.history_count - 1].steps);
    rank_learned_free(&learned);
    rank_map_free(&start);
    csr_free(&x);
}

static struct rank_learned learn_all_on(const struct csr *x, uint64_t seed, int threads)
{
    struct rank_options o = toy_options();
    struct rank_labels labels = toy_labels();
    struct rank_learned learned;
    o.seed = seed;
    o.threads = threads;
    o.batch = 300; /* several tiles */
    o.hard = 2;
    o.dropout = 0.1;
    o.decision = 0.5;
    assert_ok(rank_learn(x, &labels, &o, &learned, &error));
    assert_true(learned.labelled > 0);
    return learned;
}

static void the_same_seed_gives_the_same_bytes_on_any_number_of_threads(void **state)
{
    (void)state;
    struct csr x = toy_matrix();
    struct rank_learned one = learn_all_on(&x, 1, 1);
    size_t bytes = one.features * one.dim * sizeof(float);
    for (int threads = 1; threads <= 4; threads *= 2) {
        struct rank_learned other = learn_all_on(&x, 1, threads);
        assert_memory_equal(one.map, other.map, bytes);
        assert_int_equal(one.history_count, other.history_count);
        rank_learned_free(&other);
    }
    struct rank_learned other = learn_all_on(&x, 2, 2);
    assert_memory_not_equal(one.map, other.map, bytes);
    rank_learned_free(&other);
    rank_learned_free(&one);
    csr_free(&x);
}

static void the_term_weights_are_folded_into_the_map(void **state)
{
    (void)state;
    struct csr x = toy_matrix();
    struct rank_labels labels = toy_labels();
    struct rank_options o = toy_options();
    struct rank_learned learned;
    size_t moved = 0;
    o.rate = 1e-30; /* L stays at its start with rows of length 1; only the term weights move */
    assert_ok(rank_learn(&x, &labels, &o, &learned, &error));
    for (size_t f = 0; f < learned.features; f++) {
        moved += learned.gain[f] != 1.0f;
        for (size_t c = 0; c < learned.dim; c++) /* signs times gain */
            assert_close(fabs(learned.map[f * learned.dim + c]),
                         learned.gain[f] / sqrt((double)learned.dim), 1e-6);
    }
    assert_true(moved > learned.features / 2);
    rank_learned_free(&learned);
    csr_free(&x);
}

static void known_duplicates_are_never_negatives(void **state)
{
    (void)state;
    struct csr x = random_matrix(6, 9, 4, 8);
    uint32_t numbers[] = {0, 1, 2, 3, 4}; /* a: 0 1, b: 2 3, hard: 4 */
    struct rank_rows rows = {numbers, 2, 1, 0, NULL};
    uint32_t together[] = {7, 7, 7, 7, 7, 0}, apart[] = {0, 1, 0, 1, 4, 5};
    struct rank_map map = start_map(9, 6, 5);
    struct rank_batch batch;
    struct rank_step step = {.temperature = 20.0, .threads = 1};
    struct rank_loss loss;
    float gradient[9 * 6], gain[9];
    assert_ok(rank_batch_init(&batch, 2, 1, 0, &map, &error));
    rows.cluster = together;
    assert_ok(rank_batch_gradient(&batch, &map, &x, &rows, &step, &loss, &error));
    assert_true(fabs(loss.value) < 1e-6); /* no negatives */
    rank_batch_read(&batch, &map, gradient, gain);
    for (size_t i = 0; i < batch.touched_count * 6; i++) assert_close(gradient[i], 0.0, 1e-5);
    rows.cluster = apart;
    assert_ok(rank_batch_gradient(&batch, &map, &x, &rows, &step, &loss, &error));
    assert_true(loss.value > 1e-3);
    rank_batch_free(&batch);
    rank_map_free(&map);
    csr_free(&x);
}

static void hard_candidates_come_from_other_clusters(void **state)
{
    (void)state;
    struct rank_pair positive[30], negative[40];
    struct rank_draw draw;
    uint32_t numbers[25 * 4 + 20], *rows = numbers;
    struct rank_rows drawn = {.row = numbers};
    for (uint32_t i = 0; i < 30; i++) positive[i] = (struct rank_pair){i % 5, 5 * (i / 5) + i % 5};
    for (uint32_t i = 0; i < 40; i++) negative[i] = (struct rank_pair){i, (i * 7 + 5) % 40};
    struct rank_labels labels = {positive, negative, 30, 40};
    assert_ok(rank_draw_init(&draw, 40, &labels, 1, &error));
    assert_true(draw.contradictions > 0);
    assert_int_equal(draw.pair_count, 25); /* (i, i) is skipped */
    for (size_t i = 0; i < 40; i++)
        for (size_t k = draw.negative[i]; k < draw.negative[i + 1]; k++)
            assert_int_not_equal(draw.cluster[i], draw.cluster[draw.negative_of[k]]);
    rank_draw_shuffle(&draw);
    rank_draw_batch(&draw, 0, 25, 2, 10, &drawn);
    size_t end = 50 + drawn.hard;
    assert_true(drawn.hard > 25 && drawn.hard <= 50); /* two for each pair that has any */
    assert_int_equal(drawn.opposed, 10);
    for (size_t i = 50; i < end; i++) { /* each is a labelled negative of a sentence of the batch */
        int found = 0;
        for (size_t k = 0; k < 40; k++)
            for (size_t p = 0; p < 50; p++)
                found |= (negative[k].a == rows[p] && negative[k].b == rows[i]) ||
                         (negative[k].b == rows[p] && negative[k].a == rows[i]);
        assert_true(found);
    }
    for (size_t i = end; i < end + 20; i += 2)
        assert_int_not_equal(draw.cluster[rows[i]], draw.cluster[rows[i + 1]]);
    for (size_t i = 0; i < 25; i++) {
        assert_int_equal(draw.cluster[rows[i]], draw.cluster[rows[25 + i]]);
        assert_int_not_equal(rows[i], rows[25 + i]);
    }
    rank_draw_free(&draw);
}

/* The mean cosine of the labelled negatives that are in no positive pair. */
static double opposed_cosine(const struct csr *x, const struct rank_learned *learned, size_t first)
{
    double sum = 0.0;
    float *y = malloc(x->rows * learned->dim * sizeof *y);
    csr_times(x, learned->map, learned->dim, 1, y);
    for (size_t i = first; i < TOLD; i++) {
        const float *u = y + 2 * i * learned->dim, *v = u + learned->dim;
        sum += vec_dot(u, v, learned->dim) /
               sqrt(vec_dot(u, u, learned->dim) * vec_dot(v, v, learned->dim)) /
               (double)(TOLD - first);
    }
    free(y);
    return sum;
}

static void labelled_negatives_outside_all_positive_pairs_count_too(void **state)
{
    (void)state;
    struct csr x = toy_matrix();
    struct rank_labels labels = toy_labels();
    struct rank_options o = toy_options();
    struct rank_learned without, with;
    labels.positives = TOLD / 2; /* the other pairs are labelled negative, against the language */
    labels.negative = toy_pairs + TOLD / 2;
    labels.negatives = TOLD / 2;
    o.decision = 0.0;
    assert_ok(rank_learn(&x, &labels, &o, &without, &error));
    o.decision = 1.0;
    assert_ok(rank_learn(&x, &labels, &o, &with, &error));
    assert_true(opposed_cosine(&x, &with, TOLD / 2) <
                opposed_cosine(&x, &without, TOLD / 2) - 0.05);
    assert_true(with.border > 0.0 && with.border < 1.0);
    rank_learned_free(&without);
    rank_learned_free(&with);
    csr_free(&x);
}

/* AdaGrad with one step size per feature, from its formula:
 * row -= rate g / sqrt(ground^2 + sum over steps of |g|^2 / d). */
static void a_feature_steps_by_the_mean_square_of_its_gradients(void **state)
{
    (void)state;
    enum { FEATURES = 9, D = 6 };
    struct csr x = random_matrix(6, FEATURES, 4, 8);
    uint32_t numbers[] = {0, 1, 2, 3, 4}, cluster[] = {0, 1, 0, 1, 4, 5};
    struct rank_rows rows = {numbers, 2, 1, 0, cluster};
    struct rank_start start = {.features = FEATURES, .dim = D, .ground = 0.01, .seed = 5};
    struct rank_step step = {.temperature = 10.0, .rate = 0.03, .threads = 1};
    double squares[FEATURES], expected[FEATURES][D];
    float gradient[FEATURES * D], gain[FEATURES];
    struct rank_batch batch;
    struct rank_loss loss;
    struct rank_map map;
    start.threads = 1;
    assert_ok(rank_map_init(&map, &start, &error));
    assert_ok(rank_batch_init(&batch, 2, 1, 0, &map, &error));
    for (size_t f = 0; f < FEATURES; f++) squares[f] = 0.01 * 0.01;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < FEATURES * D; i++) expected[i / D][i % D] = (double)map.rows[i];
        assert_ok(rank_batch_gradient(&batch, &map, &x, &rows, &step, &loss, &error));
        rank_batch_read(&batch, &map, gradient, gain);
        for (size_t i = 0; i < batch.touched_count; i++) {
            size_t f = batch.touched[i];
            for (size_t c = 0; c < D; c++)
                squares[f] += (double)gradient[i * D + c] * (double)gradient[i * D + c] / D;
            for (size_t c = 0; c < D; c++)
                expected[f][c] -= 0.03 * (double)gradient[i * D + c] / sqrt(squares[f]);
        }
        rank_batch_update(&batch, &map, &step);
        for (size_t i = 0; i < FEATURES * D; i++)
            assert_close(map.rows[i], expected[i / D][i % D], 1e-6);
    }
    rank_batch_free(&batch);
    rank_map_free(&map);
    csr_free(&x);
}

static int stop_at_third(void *user, const struct rank_progress *now)
{
    assert_true(now->loss >= 0.0 && now->epoch > 0.0);
    return ++*(int *)user == 3;
}

static void cancelling_leaves_no_map(void **state)
{
    (void)state;
    struct csr x = toy_matrix();
    struct rank_labels labels = toy_labels();
    struct rank_options o = toy_options();
    struct rank_learned learned;
    int calls = 0;
    o.report = stop_at_third;
    o.user = &calls;
    o.report_every = 2;
    assert_int_equal(rank_learn(&x, &labels, &o, &learned, &error), FILM_CANCELLED);
    assert_int_equal(calls, 3);
    assert_null(learned.map);
    csr_free(&x);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    struct csr x = toy_matrix();
    struct rank_labels labels = toy_labels();
    struct rank_options o = toy_options();
    struct rank_learned learned;
    o.decision = 0.5;
    o.epochs = 2;
    o.batch = 600;
    o.dim = 8;
    for (long n = 0;; n++) {
        fail_allocation(n);
        film_status status = rank_learn(&x, &labels, &o, &learned, &error);
        fail_allocation(-1);
        if (status == FILM_OK) {
            assert_true(n > 20);
            break;
        }
        assert_int_equal(status, FILM_NO_MEMORY);
        assert_null(learned.map);
        assert_null(learned.history);
    }
    rank_learned_free(&learned);
    csr_free(&x);
}

static void empty_and_one_word_rows_give_numbers(void **state)
{
    (void)state;
    struct csr x;
    struct rank_pair positive[] = {{0, 1}, {2, 3}, {4, 5}, {0, 0}}, negative[] = {{0, 2}, {5, 1}};
    struct rank_labels labels = {positive, negative, 4, 2};
    struct rank_options o = toy_options();
    struct rank_learned learned;
    assert_ok(csr_alloc(&x, 6, 3, 6, &error)); /* rows 0 and 1 empty, 2 3 4 the same word */
    for (size_t i = 2; i < 6; i++) {
        x.col[i - 2] = i < 5 ? 0 : 1;
        x.val[i - 2] = 1.0f;
        x.start[i + 1] = i - 1;
    }
    o.batch = 2;
    o.epochs = 50;
    o.decision = 0.5;
    assert_ok(rank_learn(&x, &labels, &o, &learned, &error));
    for (size_t i = 0; i < learned.features * learned.dim; i++)
        assert_true(isfinite(learned.map[i]));
    for (size_t i = 0; i < learned.history_count; i++)
        assert_true(isfinite(learned.history[i].loss));
    rank_learned_free(&learned);
    csr_free(&x);
}

static void options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    struct csr x = random_matrix(4, 5, 3, 1);
    struct rank_pair self = {1, 1}, beyond = {1, 9}, fine = {0, 1};
    struct rank_labels labels = {&fine, NULL, 1, 0};
    struct rank_learned learned;
    for (int i = 0; i < 8; i++) {
        struct rank_options o = toy_options();
        struct rank_labels use = labels;
        if (i == 0) o.dim = 0;
        if (i == 1) o.dropout = 1.0;
        if (i == 2) o.temperature = 41.0;
        if (i == 3) o.batch = 1;
        if (i == 4) o.rate = 0.0;
        if (i == 5) use.positive = &self;
        if (i == 6) use.positive = &beyond;
        if (i == 7) o.dim = SIZE_MAX / 2;
        assert_int_equal(rank_learn(&x, &use, &o, &learned, &error), FILM_USAGE);
        assert_null(learned.map);
    }
    csr_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_duplicates_are_never_negatives),
        cmocka_unit_test(hard_candidates_come_from_other_clusters),
        cmocka_unit_test(the_loss_falls_and_partners_are_found),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes_on_any_number_of_threads),
        cmocka_unit_test(the_term_weights_are_folded_into_the_map),
        cmocka_unit_test(labelled_negatives_outside_all_positive_pairs_count_too),
        cmocka_unit_test(a_feature_steps_by_the_mean_square_of_its_gradients),
        cmocka_unit_test(cancelling_leaves_no_map),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(empty_and_one_word_rows_give_numbers),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
