/* Tests the decision trained by several processes, played by threads: all have the same items,
 * linear model and trees, and nearly the result of one process. */
#include "train/options.h"
#include "testing.h"
#include "pairs.h"

#include "comm_threads.h"
#include "film_train.h"
#include "model/model.h"
#include "learn/linear_fit.h"
#include "topics.h"
#include "learn/tree_rows.h"

#include <unistd.h>

/* ---- Word evidence ---- */

enum { COUNT = 1500 };

/* Process p's range of the pairs, and its results. */
struct part {
    struct pairs pairs; /* a view */
    struct evidence_rows rows;
    float *weights[2]; /* fitted to all pairs; to all except every fourth */
    film_status status;
};

static struct pairs everyone;

static void learn_part(const struct comm *comm, void *user)
{
    struct part *part = (struct part *)user + comm->rank;
    film_error own;
    size_t first = comm_begin(comm, everyone.count, comm->rank);
    size_t count = comm_begin(comm, everyone.count, comm->rank + 1) - first;
    struct evidence_options options;
    unsigned char *use = malloc(2 * count);
    part->pairs = (struct pairs){everyone.text + first, everyone.target + first,
                                 everyone.weight + first, count};
    for (size_t i = 0; i < count; i++) {
        use[i] = 1;
        use[count + i] = (first + i) % 4 != 1;
    }
    struct evidence_source source = {get_pair, &part->pairs, count, comm};
    part->status = evidence_rows_collect(&part->rows, &vocabulary.encoder, &source, 1, NULL, &own);
    for (int f = 0; f < 2 && part->status == FILM_OK; f++)
        part->weights[f] = malloc((part->rows.columns + 1) * sizeof(float));
    evidence_defaults(&options);
    options.fits = 2;
    options.threads = 2;
    options.comm = comm;
    struct evidence_labels labels = {part->pairs.target, part->pairs.weight, NULL, use};
    if (part->status == FILM_OK)
        part->status = evidence_learn(&part->rows, &labels, &options, part->weights, &own);
    free(use);
}

static void free_part(struct part *part)
{
    evidence_rows_free(&part->rows);
    free(part->weights[0]);
    free(part->weights[1]);
}

static double mean_loss(const struct part *one, const float *weights)
{
    double sum = 0;
    for (size_t i = 0; i < one->rows.pairs; i++) {
        double margin = evidence_rows_margin(&one->rows, weights, i), t = one->pairs.target[i];
        sum += log1p(exp(-fabs(margin))) + fmax(margin, 0) - t * margin;
    }
    return sum / (double)one->rows.pairs;
}

/* Labels that depend on words: an odd number of a few of them, so that there is something to
 * learn. */
static void make_everyone(void)
{
    random_pairs(&everyone, COUNT, 21);
    for (size_t i = 0; i < COUNT; i++) {
        int has = 0;
        for (int w = 0; w < 3; w++)
            has += strstr(everyone.text[i][0], words[w]) && strstr(everyone.text[i][1], words[w]);
        everyone.target[i] = (float)(has > 0);
    }
}

static void columns_are_those_of_one_process(void **state)
{
    (void)state;
    struct part one = {0};
    make_everyone();
    comm_threads_run(1, learn_part, &one);
    assert_int_equal(one.status, FILM_OK);
    assert_true(one.rows.items.count > 500);
    for (int size = 2; size <= 3; size++) {
        struct part parts[3] = {0};
        size_t first = 0;
        comm_threads_run(size, learn_part, parts);
        for (int p = 0; p < size; p++) {
            const struct evidence_rows *rows = &parts[p].rows;
            assert_int_equal(parts[p].status, FILM_OK);
            assert_int_equal(rows->columns, one.rows.columns);
            for (uint64_t s = 0; s <= one.rows.items.slot_mask; s++)
                if (one.rows.items.keys[s])
                    assert_int_equal(keytab_find(&rows->items, one.rows.items.keys[s]),
                                     one.rows.items.number[s]);
            for (size_t i = 0; i < rows->pairs; i++, first++)
                assert_rows_equal(rows, i, &one.rows, first);
        }
        assert_int_equal(first, COUNT);
        for (int p = 0; p < size; p++) free_part(&parts[p]);
    }
    free_part(&one);
    pairs_free(&everyone);
}

static void evidence_is_nearly_that_of_one_process(void **state)
{
    (void)state;
    struct part one = {0};
    make_everyone();
    comm_threads_run(1, learn_part, &one);
    double alone[2];
    for (int f = 0; f < 2; f++) alone[f] = mean_loss(&one, one.weights[f]);
    assert_true(alone[0] < 0.2 && alone[1] > alone[0]); /* of log 2: there is something to lose */
    for (int size = 2; size <= 5; size += long_tests() ? 1 : 3) {
        struct part parts[5] = {0};
        comm_threads_run(size, learn_part, parts);
        for (int f = 0; f < 2; f++) {
            for (int p = 1; p < size; p++)
                assert_memory_equal(parts[p].weights[f], parts[0].weights[f],
                                    (one.rows.columns + 1) * sizeof(float));
            assert_close(mean_loss(&one, parts[0].weights[f]), alone[f], 0.03);
        }
        for (int p = 0; p < size; p++) free_part(&parts[p]);
    }
    free_part(&one);
    pairs_free(&everyone);
}

/* ---- The linear model ---- */

enum { ROWS = 2000, TRAITS = 5 };
static float x[ROWS * TRAITS], target[ROWS], weight[ROWS];

struct fitted {
    struct linear line;
    film_status status;
};

/* The last process has no rows. */
static void fit_part(const struct comm *comm, void *user)
{
    static const unsigned char use[TRAITS] = {1, 1, 1, 0, 1};
    struct fitted *mine = (struct fitted *)user + comm->rank;
    film_error own;
    int last = comm->size - 1;
    size_t first = last ? (size_t)(ROWS * comm->rank / last) : 0;
    size_t end = last ? (size_t)(ROWS * (comm->rank + 1) / last) : ROWS;
    if (last && comm->rank == last) first = end = 0;
    struct linear_data data = {x + first * TRAITS, end - first,    TRAITS,
                               target + first,     weight + first, comm};
    mine->status = linear_fit(&mine->line, &data, use, 3, 1, &own);
}

static void the_line_is_that_of_one_process(void **state)
{
    (void)state;
    struct rng rng;
    struct fitted one;
    rng_seed(&rng, 4);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t t = 0; t < TRAITS; t++)
            x[i * TRAITS + t] = (float)((double)(t + 1) * rng_normal(&rng));
        target[i] = rng_uniform(&rng) < 1 / (1 + exp(-(double)x[i * TRAITS] + 0.5));
        weight[i] = (float)(0.5 + rng_uniform(&rng));
    }
    comm_threads_run(1, fit_part, &one);
    assert_int_equal(one.status, FILM_OK);
    assert_true(one.line.weight[0] > 0.5f);
    for (int size = 2; size <= 4; size++) {
        struct fitted parts[4];
        comm_threads_run(size, fit_part, parts);
        for (int p = 0; p < size; p++) {
            assert_int_equal(parts[p].status, FILM_OK);
            assert_memory_equal(parts[p].line.own, parts[0].line.own,
                                LINEAR_ROWS * TRAITS * sizeof(float));
            for (size_t i = 0; i < LINEAR_ROWS * TRAITS; i++)
                assert_close(parts[p].line.own[i], one.line.own[i], 1e-5);
            assert_close(parts[p].line.bias, one.line.bias, 1e-5);
        }
        for (int p = 0; p < size; p++) linear_free(&parts[p].line);
    }
    linear_free(&one.line);
}

/* ---- The rows of the trees ---- */

enum { TREE_ROWS_PAIRS = 3000, TREE_ROWS_MOST = 1000 };

static struct out_of_fold drawn_from;
static struct tree_rows rows;
static size_t tree_rows_most;
static int tree_rows_failures;

static void gather_tree_rows(const struct comm *comm, void *user)
{
    struct out_of_fold mine = drawn_from;
    struct tree_rows got;
    film_error own;
    (void)user;
    size_t first = comm_begin(comm, TREE_ROWS_PAIRS, comm->rank);
    mine.share =
        (struct labelled_share){.first = first,
                                .count = comm_begin(comm, TREE_ROWS_PAIRS, comm->rank + 1) - first,
                                .a = mine.pairs.a + first,
                                .b = mine.pairs.b + first,
                                .target = mine.pairs.target + first};
    mine.x += first * traits_count();
    mine.weight += first;
    mine.base += first;
    film_status status = tree_rows_gather(&mine, comm, tree_rows_most, 7, &got, &own);
    if (comm->rank == 0)
        rows = got;
    else
        tree_rows_free(&got);
    if (status != FILM_OK) tree_rows_failures++; /* none may: no lock needed */
}

static void trees_learn_from_the_same_pairs(void **state)
{
    (void)state;
    size_t traits = traits_count(), chosen = 0;
    float *values = malloc(TREE_ROWS_PAIRS * traits * sizeof *values);
    uint32_t *ids = malloc(TREE_ROWS_PAIRS * sizeof *ids);
    unsigned char *of = malloc(TREE_ROWS_PAIRS);
    float *each = malloc(TREE_ROWS_PAIRS * sizeof *each),
          *before = malloc(TREE_ROWS_PAIRS * sizeof *each);
    for (size_t i = 0; i < TREE_ROWS_PAIRS; i++) {
        for (size_t t = 0; t < traits; t++) values[i * traits + t] = (float)(i + t);
        ids[i] = (uint32_t)i, of[i] = (unsigned char)(i % 5), each[i] = (float)i;
    }
    drawn_from = (struct out_of_fold){
        .pairs = {.a = ids, .b = ids, .target = each, .count = TREE_ROWS_PAIRS},
        .folds = {5, of},
        .weight = each,
        .base = each,
        .x = values,
        .traits = traits};
    for (int all = 0; all < 2; all++)
        for (int size = 1; size <= 4; size++) {
            tree_rows_most = all ? TREE_ROWS_PAIRS : TREE_ROWS_MOST;
            comm_threads_run(size, gather_tree_rows, NULL);
            assert_int_equal(tree_rows_failures, 0);
            for (size_t i = 0; i < rows.count; i++) {
                size_t pair = (size_t)rows.base[i];
                if (size > 1) assert_true(before[i] == rows.base[i]);
                if (i) assert_true(rows.base[i] > rows.base[i - 1]);
                before[i] = rows.base[i];
                assert_true(rows.weight[i] == each[pair] && rows.target[i] == each[pair]);
                assert_int_equal(rows.fold[i], of[pair]);
                assert_memory_equal(rows.x + i * traits, values + pair * traits,
                                    traits * sizeof *values);
            }
            if (size > 1) assert_int_equal(rows.count, chosen);
            chosen = rows.count;
            assert_true(all ? chosen == TREE_ROWS_PAIRS : chosen > 900 && chosen < 1100);
            tree_rows_free(&rows);
        }
    free(values), free(ids), free(of), free(each), free(before);
}

/* ---- A whole training ---- */

static char path[300];

struct training {
    film_train_options options;
    const char *stop; /* the phase in which process 0 cancels */
    film_model *model;
    film_status status;
    film_error error;
};

static int stop_there(void *user, const char *phase, double done, double total)
{
    const struct training *training = user;
    (void)done, (void)total;
    return training->stop && strcmp(phase, training->stop) == 0;
}

static void train_part(const struct comm *comm, void *user)
{
    struct training *mine = (struct training *)user + comm->rank;
    const char *paths[1] = {path};
    struct film_job job = {*comm};
    if (comm->size > 1) mine->options.job = &job;
    if (comm->rank == 0) mine->options.progress = (film_progress){stop_there, mine, NULL};
    mine->status = film_train(paths, 1, &mine->options, &mine->model, &mine->error);
}

static void train_all(struct training *all, int size, film_method method, const char *stop)
{
    for (int p = 0; p < size; p++) {
        all[p] = (struct training){.stop = stop};
        assert_ok(options_complete(&all[p].options, NULL, &error));
        all[p].options.min_df = 1;
        all[p].options.dim = all[p].options.rank = 8;
        all[p].options.threads = 1;
        all[p].options.method = method;
        all[p].options.keep_examples = 20;
    }
    comm_threads_run(size, train_part, all);
}

static void close_all(struct training *all, int size)
{
    for (int p = 0; p < size; p++) film_close(all[p].model);
}

/* Trees, linear model and evidence are identical in every process, to the last bit. */
static void assert_same_decision(const film_model *a, const film_model *b)
{
    const struct decision *one = &a->decision, *two = &b->decision;
    size_t count = one->trees.count;
    assert_int_equal(count, two->trees.count);
    assert_memory_equal(one->trees.feature, two->trees.feature, 3 * count * sizeof(int32_t));
    assert_memory_equal(one->trees.leaf, two->trees.leaf, 4 * count * sizeof(float));
    assert_memory_equal(one->line.own, two->line.own,
                        LINEAR_ROWS * one->line.count * sizeof(float));
    assert_int_equal(one->evidence.items.slot_mask, two->evidence.items.slot_mask);
    assert_memory_equal(one->evidence.own, two->evidence.own,
                        (2 * one->evidence.features + one->evidence.items.slot_mask + 1) *
                            sizeof(float));
    assert_true(one->margin.scale == two->margin.scale &&
                one->evidence.scale == two->evidence.scale);
}

/* The mean difference of two models' probabilities. */
static double difference(const film_model *a, const film_model *b)
{
    enum { ROUNDS = 300 };
    film_context *context[2];
    struct rng rng;
    double sum = 0;
    assert_ok(film_context_new(a, &context[0], &error));
    assert_ok(film_context_new(b, &context[1], &error));
    rng_seed(&rng, 3);
    for (int round = 0; round < ROUNDS; round++) {
        char text[2][80];
        film_verdict verdict[2];
        unsigned topic = (unsigned)rng_below(&rng, 6);
        sentence(&rng, topic, text[0]);
        sentence(&rng, round % 2 ? topic : (unsigned)rng_below(&rng, 6), text[1]);
        for (int i = 0; i < 2; i++)
            assert_ok(film_match(context[i], film_string(text[0]), film_string(text[1]),
                                 &verdict[i], &error));
        sum += fabs(verdict[0].probability - verdict[1].probability);
    }
    film_context_free(context[0]);
    film_context_free(context[1]);
    return sum / ROUNDS;
}

static void a_training_is_nearly_that_of_one_process(void **state)
{
    (void)state;
    static const enum kind kinds[] = {PAIRS, SCORES, TRIPLETS, CATEGORIES};
    for (size_t k = 0; k < 4; k++) {
        struct training one, parts[3];
        write_rows(path, kinds[k], 300, 9);
        train_all(&one, 1, FILM_METHOD_TFIDF, NULL);
        assert_int_equal(one.status, FILM_OK);
        for (int size = 2; size <= 3; size++) {
            if ((size_t)size == 2 + k % 2 && !long_tests()) continue; /* two kinds each */
            train_all(parts, size, FILM_METHOD_TFIDF, NULL);
            for (int p = 0; p < size; p++) {
                if (parts[p].status != FILM_OK) print_error("%s\n", parts[p].error.message);
                assert_int_equal(parts[p].status, FILM_OK);
                assert_true(parts[p].model->decision.full);
                assert_same_decision(parts[p].model, parts[0].model);
            }
            /* Features, folds and pairs do not depend on the number of processes, nor do sums of
             * them. */
            const film_model *first = parts[0].model;
            for (size_t i = 0; i < LINEAR_ROWS * one.model->decision.line.count; i++)
                assert_close(first->decision.line.own[i], one.model->decision.line.own[i], 1e-3);
            assert_int_equal(first->decision.memory.questions.count,
                             one.model->decision.memory.questions.count);
            assert_int_equal(first->decision.memory.different.count,
                             one.model->decision.memory.different.count);
            assert_int_equal(first->examples.count, one.model->examples.count);
            double off = difference(first, one.model);
            if (off >= 0.05) print_error("kind %zu, %d processes: %g\n", k, size, off);
            assert_true(off < 0.05);
            close_all(parts, size);
        }
        close_all(&one, 1);
    }
}

/* Process 0 is cancelled, in a phase that all share or in one of its own: all processes stop, and
 * the result so far becomes a model with a threshold. */
static void a_stop_reaches_all_processes(void **state)
{
    (void)state;
    static const char *const phases[] = {"reading pairs", "counting word pairs", "folds",
                                         "boosting"};
    write_rows(path, PAIRS, 120, 9);
    for (size_t i = 0; i < 4; i++) {
        struct training parts[2];
        train_all(parts, 2, FILM_METHOD_TFIDF, phases[i]);
        for (int p = 0; p < 2; p++) {
            assert_int_equal(parts[p].status, FILM_CANCELLED);
            assert_non_null(parts[p].model);
            assert_false(parts[p].model->decision.full);
        }
        close_all(parts, 2);
    }
}

int main(void)
{
    fit_words();
    snprintf(path, sizeof path, "%s", scratch("topics.tsv"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_those_of_one_process),
        cmocka_unit_test(evidence_is_nearly_that_of_one_process),
        cmocka_unit_test(the_line_is_that_of_one_process),
        cmocka_unit_test(trees_learn_from_the_same_pairs),
        cmocka_unit_test(a_training_is_nearly_that_of_one_process),
        cmocka_unit_test(a_stop_reaches_all_processes),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vocabulary_free(&vocabulary);
    unlink(path);
    return failed;
}
