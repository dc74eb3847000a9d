/* Tests training the decision: reproducible by seed, from every kind of labels, from very few rows,
 * cancelled or out of memory at any point. */
#include "train/options.h"
#include "faq_model.h"
#include "topics.h"

#include "pair/match.h"
#include "learn/boosting.h"
#include "learn/calibrate_fit.h"

static char path[300];

static void write_table(enum kind kind, size_t count)
{
    write_rows(path, kind, count, 9);
}

static void options_of(film_train_options *options)
{
    assert_ok(options_complete(options, NULL, &error));
    options->min_df = 1;
    options->dim = 8;
    options->rank = 8;
    options->threads = 1;
}

static film_status train(const film_train_options *options, film_model **model)
{
    const char *paths[1] = {path};
    return film_train(paths, 1, options, model, &error);
}

static char *bytes_of(const film_model *model, size_t *size)
{
    const char *saved = scratch("saved.film");
    assert_ok(film_save(model, saved, &error));
    FILE *file = fopen(saved, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    unlink(saved);
    return bytes;
}

static void the_same_seed_and_threads_give_the_same_bytes(void **state)
{
    (void)state;
    write_table(PAIRS, 120);
    for (int threads = 1; threads <= 2; threads++) {
        char *bytes[3];
        size_t size[3];
        for (int time = 0; time < 3; time++) {
            bytes[time] = NULL;
            if (time == 2 && threads == 1) continue; /* another seed: once will do */
            film_train_options options;
            film_model *model = NULL;
            options_of(&options);
            options.threads = threads;
            options.seed = time < 2 ? 5 : 6;
            assert_ok(train(&options, &model));
            assert_true(model->decision.full);
            bytes[time] = bytes_of(model, &size[time]);
            film_close(model);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        if (threads > 1)
            assert_true(size[2] != size[0] || memcmp(bytes[2], bytes[0], size[0]) != 0);
        for (int time = 0; time < 3; time++) free(bytes[time]);
    }
}

static film_model *train_pairs(size_t count, int threads)
{
    film_train_options options;
    film_model *model = NULL;
    write_table(PAIRS, count);
    options_of(&options);
    options.threads = threads;
    assert_ok(train(&options, &model));
    return model;
}

static film_model *shared; /* of 400 pairs, enough for a full decision */

/* One thread and two may differ in the last bits of sums, not in the verdicts. 200 pairs are below
 * the full decision: they learn a line of all traits. */
static void threads_change_the_results_little(void **state)
{
    (void)state;
    film_model *model[2] = {train_pairs(200, 1), train_pairs(200, 2)};
    film_context *context[2];
    for (int i = 0; i < 2; i++) assert_ok(film_context_new(model[i], &context[i], &error));
    struct rng rng;
    rng_seed(&rng, 3);
    for (int round = 0; round < 200; round++) {
        char a[80], b[80];
        film_verdict one, two;
        sentence(&rng, (unsigned)rng_below(&rng, 6), a);
        sentence(&rng, (unsigned)rng_below(&rng, 6), b);
        assert_ok(film_match(context[0], film_string(a), film_string(b), &one, &error));
        assert_ok(film_match(context[1], film_string(a), film_string(b), &two, &error));
        assert_close(one.probability, two.probability, 0.02);
    }
    for (int i = 0; i < 2; i++) {
        film_context_free(context[i]);
        film_close(model[i]);
    }
}

static void every_kind_of_labels_learns_a_full_decision(void **state)
{
    (void)state;
    static const film_method methods[] = {FILM_METHOD_RANK, FILM_METHOD_SVD, FILM_METHOD_TFIDF,
                                          FILM_METHOD_FILM};
    for (int kind = 0; kind < KINDS; kind++)
        for (int m = 0; m < 4; m++) {
            film_train_options options;
            film_model *model = NULL;
            /* Every kind and every method; the long tests combine each with each. */
            if (kind != PAIRS && m != kind && !long_tests()) continue;
            write_table((enum kind)kind, 120);
            options_of(&options);
            options.method = methods[m];
            options.decision = FILM_DECISION_FULL;
            if (m == 3) options.solver.iterations = 2;
            film_status status = train(&options, &model);
            if (status != FILM_OK) print_error("kind %d, method %d: %s\n", kind, m, error.message);
            assert_int_equal(status, FILM_OK);
            assert_true(model->decision.full);
            assert_true(model->decision.margin.scale > 0);
            film_close(model);
        }
    write_table(PAIRS, 100); /* unlabelled text has nothing to learn a decision from */
    film_train_options options;
    film_model *model = NULL;
    options_of(&options);
    options.table.labels = FILM_LABELS_NONE;
    options.decision = FILM_DECISION_FULL;
    film_status status = train(&options, &model);
    assert_int_equal(status, FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "a full decision"));
    assert_null(model);
}

/* A pair of one topic is more probably positive. */
static void the_decision_learns_something(void **state)
{
    (void)state;
    film_context *context;
    struct rng rng;
    assert_ok(film_context_new(shared, &context, &error));
    rng_seed(&rng, 77);
    int right = 0;
    for (int round = 0; round < 200; round++) {
        char a[80], b[80];
        film_verdict verdict;
        unsigned topic = (unsigned)rng_below(&rng, 6);
        sentence(&rng, topic, a);
        sentence(&rng, (topic + (round % 2 ? 0 : 2)) % 6, b);
        assert_ok(film_match(context, film_string(a), film_string(b), &verdict, &error));
        right += verdict.same == round % 2;
    }
    if (right < 160) print_error("%d of 200 right\n", right);
    assert_true(right >= 160);
    film_context_free(context);
}

/* ---- Pairs of a whole set ---- */

static double trait(const struct match *match, const char *id)
{
    return (double)match->survey.traits[trait_find(id)];
}

/* 400 labels weigh 16 against 100 of the line (400 and 1,000, squared); the line is added up here
 * by its description. */
static void labels_and_resemblance_share_the_verdict_in_a_set(void **state)
{
    (void)state;
    film_model *model = NULL;
    struct match match[2];
    film_verdict alone, in_set;
    assert_ok(film_save(shared, scratch("set.film"), &error));
    assert_ok(film_open(scratch("set.film"), &model, &error));
    const struct pool_rule *pool = &model->decision.pool;
    assert_true(fabs(pool->weight - 16.0 / 116) < 1e-12);
    for (int set = 0; set < 2; set++) {
        struct match_rule rule = {.full = 1, .pool = set};
        assert_ok(match_init(&match[set], &model->decision, &rule, &error));
    }
    for (size_t i = 0; i < 20; i++) {
        film_text a = film_string(faq[i].a), b = film_string(faq[i].b);
        assert_ok(match_score(&match[0], a, b, &alone, &error));
        assert_ok(match_score(&match[1], a, b, &in_set, &error));
        int letters = (model->features.groups & FILM_CHAR) != 0;
        double line = (trait(&match[0], "vector_cosine") + trait(&match[0], "spelling_share") +
                       trait(&match[0], letters ? "char_cosine" : "word_cosine")) /
                          3 -
                      0.07 * fmin(trait(&match[0], "unshared_numbers_min"), 1) -
                      0.07 * trait(&match[0], "negation_differs");
        double without = pool->outside.scale * line + pool->outside.bias;
        double expected = (16 * alone.log_odds + 100 * without) / 116;
        if (trait(&match[0], "vector_cosine") < 0) continue; /* clipped */
        assert_true(fabs(in_set.log_odds - expected) < 1e-5);
    }
    for (int set = 0; set < 2; set++) match_free(&match[set]);
    film_close(model);
    unlink(scratch("set.film"));
}

/* ---- A dev file ---- */

/* The log-odds of every row with the identity as calibration, with or without memory. */
static void score_rows(const film_model *model, size_t count, int with, double *out)
{
    struct decision plain = model->decision; /* a view: not freed */
    struct match_rule rule = {.full = 1, .memory = with};
    struct match match;
    film_verdict verdict;
    plain.margin = (struct calibration){1, 0, 0};
    assert_ok(match_init(&match, &plain, &rule, &error));
    for (size_t i = 0; i < count; i++) {
        assert_ok(
            match_score(&match, film_string(faq[i].a), film_string(faq[i].b), &verdict, &error));
        out[i] = verdict.log_odds;
    }
    match_free(&match);
}

static double balanced(const double *score, const float *target, size_t count, double threshold)
{
    double right[2] = {0, 0}, all[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        int same = target[i] >= 0.5f;
        all[same]++;
        right[same] += (score[i] >= threshold) == same;
    }
    return 0.5 * (right[0] / all[0] + right[1] / all[1]);
}

/* The calibration is fitted to the dev file with memory as an offset, the threshold to the sum. */
static void a_dev_file_calibrates_the_full_decision_with_memory_beside_it(void **state)
{
    (void)state;
    static float target[FAQ_MOST], margin[FAQ_MOST], offset[FAQ_MOST];
    static double without[FAQ_MOST], with[FAQ_MOST];
    char dev[300];
    film_train_options options;
    strcpy(dev, scratch("dev.tsv"));
    faq_options(&options);
    film_model *plain = faq_train(&options);
    size_t count = faq_count,
           spoken = 0; /* of the rows that were learned from: memory knows some */
    FILE *file = fopen(dev, "w");
    fprintf(file, "label\tquestion1\tquestion2\n");
    for (size_t i = 0; i < count; i++) {
        if (i % 5 == 0) strcat(faq[i].b, " please"); /* some rows are not in memory */
        if (i % 7 == 0) faq[i].label = !faq[i].label;
        fprintf(file, "%d\t%s\t%s\n", faq[i].label, faq[i].a, faq[i].b);
        target[i] = (float)faq[i].label;
    }
    fclose(file);
    struct faq_row *rows = malloc(sizeof faq); /* training reads them again */
    memcpy(rows, faq, sizeof faq);
    options.dev = dev;
    film_model *model = faq_train(&options);
    memcpy(faq, rows, sizeof faq);
    free(rows);
    assert_true(model->decision.full);
    score_rows(model, count, 0, without);
    score_rows(model, count, 1, with);
    for (size_t i = 0; i < count; i++) {
        margin[i] = (float)without[i];
        offset[i] = (float)(with[i] - without[i]);
        spoken += offset[i] != 0;
    }
    assert_true(spoken > 20 && spoken < count - 20);
    struct calibration wanted, *found = &model->decision.margin;
    assert_ok(calibrate_fit_beside(margin, offset, target, count, &wanted, &error));
    assert_close(found->scale, wanted.scale, 1e-4 * (1 + fabs(wanted.scale)));
    assert_close(found->bias, wanted.bias, 1e-4 * (1 + fabs(wanted.bias)));
    assert_true(fabs(found->scale - plain->decision.margin.scale) > 1e-3); /* not the folds' */
    for (size_t i = 0; i < count; i++) with[i] = without[i] + (with[i] - without[i]) / found->scale;
    double best = 0;
    for (size_t i = 0; i < count; i++) best = fmax(best, balanced(with, target, count, with[i]));
    assert_close(balanced(with, target, count, found->threshold), best, 1e-9);
    char *about = NULL;
    assert_ok(film_describe(model, &about, &error));
    assert_non_null(strstr(about, "\"threshold_from\":\"dev\""));
    film_free(about);
    film_close(plain);
    film_close(model);
    unlink(dev);
}

/* ---- Very few rows ---- */

static const char *const tiny[] = {
    "label\tquestion1\tquestion2\n1\tlost card\tcard lost\n0\tphone broken\tphone black\n",
    "label\tquestion1\tquestion2\n1\tlost card\tcard lost\n",
    "label\tquestion1\tquestion2\n1\ta b\ta b\n1\ta b\ta b\n1\ta b\ta b\n1\ta b\ta b\n0\ta b\ta "
    "b\n",
    "label\tquestion1\tquestion2\n1\ta b\tb a\n1\tc d\td c\n1\te f\tf e\n1\tg h\th g\n1\ti j\tj "
    "i\n",
    "label\tquestion1\tquestion2\n0\ta b\tb a\n0\tc d\td c\n0\te f\tf e\n0\tg h\th g\n0\ti j\tj "
    "i\n",
    "label\tquestion1\tquestion2\n1\t...\t!!!\n0\tx y\t...\n1\tx y\ty x\n0\t?\t.\n",
    "score\tsentence1\tsentence2\n5.0\ta b\ta b c\n0.0\ta b\tc d\n2.5\ta c\tc d\n",
    "score\tsentence1\tsentence2\n3.0\ta b\ta b c\n3.0\ta b\tc d\n3.0\ta c\tc d\n",
    "anchor\tpositive\tnegative\na b\ta b c\tc d\nc d\td c\ta b\n",
    "text\tcategory\nlost card\tcard\ncard gone\tcard\nwhere parcel\tparcel\nparcel late\tparcel\n",
    "text\tcategory\nlost card\tcard\ncard gone\tcard\ncard card\tcard\n",
};

static void tiny_tables_train_or_say_why_not(void **state)
{
    (void)state;
    int full = 0, threshold = 0, refused = 0;
    for (size_t i = 0; i < sizeof tiny / sizeof *tiny; i++)
        for (int way = 0; way < 4; way++) {
            film_train_options options;
            film_model *model = NULL;
            write_file(path, tiny[i], strlen(tiny[i]));
            options_of(&options);
            options.rank = options.dim = 2;
            options.decision = way % 2 ? FILM_DECISION_FULL : FILM_DECISION_AUTO;
            options.method = way / 2 ? FILM_METHOD_SVD : FILM_METHOD_AUTO;
            film_status status = train(&options, &model);
            if (status == FILM_OK) {
                film_context *context;
                film_verdict verdict;
                full += model->decision.full;
                threshold += !model->decision.full;
                if (options.decision == FILM_DECISION_FULL) assert_true(model->decision.full);
                assert_ok(film_context_new(model, &context, &error));
                assert_ok(film_match(context, film_string("a b"), film_string("lost card"),
                                     &verdict, &error));
                assert_true(verdict.probability > 0 && verdict.probability < 1);
                film_context_free(context);
            } else {
                assert_int_equal(status, FILM_BAD_INPUT);
                assert_true(strlen(error.message) > 20);
                assert_null(model);
                refused++;
            }
            film_close(model);
        }
    print_message("# %d full, %d threshold, %d refused\n", full, threshold, refused);
    assert_true(threshold > 5 && refused > 5);
}

/* ---- Cancelling ---- */

struct stop {
    long allowed, seen;
    char phase[40];
};

static int stop_later(void *user, const char *phase, double done, double total)
{
    struct stop *stop = user;
    (void)done, (void)total;
    snprintf(stop->phase, sizeof stop->phase, "%s", phase);
    return stop->seen++ >= stop->allowed;
}

static void stopping_at_any_report_is_cancelled(void **state)
{
    (void)state;
    char phases[20][40];
    size_t known = 0;
    write_table(PAIRS, 120);
    /* Boosting reports every tree: try all reports at first, then fewer. */
    long dense = long_tests() ? 60 : 10, step = long_tests() ? 8 : 3;
    for (long allowed = 0;; allowed += 1 + (allowed > dense ? allowed / step : 0)) {
        struct stop stop = {.allowed = allowed};
        film_train_options options;
        film_model *model = NULL;
        options_of(&options);
        options.decision = FILM_DECISION_FULL; /* few pairs would not learn one by themselves */
        options.progress = (film_progress){stop_later, &stop, NULL};
        film_status status = train(&options, &model);
        if (status == FILM_OK) {
            assert_true(model->decision.full && stop.seen <= allowed);
            film_close(model);
            break;
        }
        assert_int_equal(status, FILM_CANCELLED);
        assert_null(model);
        size_t p = 0;
        while (p < known && strcmp(phases[p], stop.phase) != 0) p++;
        if (p == known && known < 20) strcpy(phases[known++], stop.phase);
    }
    static const char *const wanted[] = {"reading pairs", "counting word pairs", "folds",
                                         "boosting"};
    for (int w = 0; w < 4; w++) {
        size_t p = 0;
        while (p < known && strcmp(phases[p], wanted[w]) != 0) p++;
        if (p == known) print_error("never stopped while %s\n", wanted[w]);
        assert_true(p < known);
    }
}

static film_status train_in_full(void)
{
    film_train_options options;
    film_model *model = NULL;
    options_of(&options);
    options.decision = FILM_DECISION_FULL;
    film_status status = train(&options, &model);
    if (status == FILM_OK) assert_true(model->decision.full);
    film_close(model);
    return status;
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    write_table(PAIRS, 40);
    survives_failures_of_training(FILM_OK, train_in_full());
    print_message("# %ld failures\n", failures_survived);
    assert_true(failures_survived > 500);
}

int main(void)
{
    strcpy(path, scratch("learn.tsv"));
    shared = train_pairs(400, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_and_threads_give_the_same_bytes),
        cmocka_unit_test(threads_change_the_results_little),
        cmocka_unit_test(every_kind_of_labels_learns_a_full_decision),
        cmocka_unit_test(the_decision_learns_something),
        cmocka_unit_test(labels_and_resemblance_share_the_verdict_in_a_set),
        cmocka_unit_test(a_dev_file_calibrates_the_full_decision_with_memory_beside_it),
        cmocka_unit_test(tiny_tables_train_or_say_why_not),
        cmocka_unit_test(stopping_at_any_report_is_cancelled),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    film_close(shared);
    unlink(path);
    return failed;
}
