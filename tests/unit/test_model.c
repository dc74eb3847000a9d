/* Tests film_train, saving, opening and matching together, through the public API. */
#include "testing.h"

#include "base/file.h"
#include "model/model.h"
#include "pair/match.h"

static film_error error;

static const char TABLE[] = "label\tquestion1\tquestion2\n"
                            "1\tI lost my card\tmy card is lost\n"
                            "0\tI lost my card\thow do I order a new card\n"
                            "1\twhere is my parcel\tmy parcel has not arrived, where is it\n"
                            "0\twhere is my parcel\twhere is my card\n"
                            "1\tcan I pay in euro\tis it possible to pay in euro?\n"
                            "0\tcan I pay in euro\thow do I order in euro\n";

static film_model *train(const char *table, void (*change)(film_train_options *))
{
    const char *path = scratch("train.tsv");
    film_train_options options;
    film_model *model = NULL;
    write_file(path, table, strlen(table));
    options = (film_train_options){.size = sizeof options};
    options.min_df = 1;
    options.rank = 6;
    options.threads = 2;
    if (change) change(&options);
    assert_ok(film_train(&path, 1, &options, &model, &error));
    unlink(path);
    return model;
}

static void all_features(film_train_options *options)
{
    options->features = FILM_WORD | FILM_BIGRAM | FILM_CHAR;
    options->stem = "english";
    options->stop = "english";
    options->dim = 4;
}

/* A saved and reopened model gives the same results, and the same bytes when saved again. */
static void a_saved_model_equals_the_trained_one(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        film_model *trained = train(TABLE, round ? all_features : NULL), *opened = NULL;
        const char *path = scratch("model.film");
        assert_ok(film_save(trained, path, &error));
        assert_ok(film_open(path, &opened, &error));
        assert_int_equal(film_dim(trained), film_dim(opened));
        film_context *one, *two;
        assert_ok(film_context_new(trained, &one, &error));
        assert_ok(film_context_new(opened, &two, &error));
        film_verdict a, b;
        film_text left = film_string("I lost my card"), right = film_string("is the card lost");
        assert_ok(film_match(one, left, right, &a, &error));
        assert_ok(film_match(two, left, right, &b, &error));
        assert_true(a.probability == b.probability && a.same == b.same);
        assert_int_equal(a.reason_count, b.reason_count);
        char *about = NULL, *again = NULL;
        assert_ok(film_describe(trained, &about, &error));
        assert_ok(film_describe(opened, &again, &error));
        *strstr(about, "\"seconds\"") = 0; /* times are not stored in the file */
        assert_memory_equal(about, again, strlen(about) - 1);
        film_free(about);
        film_free(again);
        film_context_free(one);
        film_context_free(two);
        film_close(opened);
        film_close(trained);
        unlink(path);
    }
}

/* A model in memory answers as the one in the file, at every alignment of the bytes; cut bytes are
 * refused. */
static void a_model_opens_from_memory(void **state)
{
    (void)state;
    film_model *trained = train(TABLE, all_features), *opened = NULL;
    const char *path = scratch("model.film");
    assert_ok(film_save(trained, path, &error));
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    for (size_t shift = 0; shift < 2; shift++) {
        char *room = malloc(size + shift), *bytes = room + shift;
        rewind(file);
        assert_int_equal(fread(bytes, 1, size, file), size);
        assert_ok(film_open_memory(bytes, size, &opened, &error));
        film_text texts[] = {film_string("I lost my card"), film_string("is the card lost")};
        float wanted[2][4], got[2][4];
        assert_int_equal(film_dim(opened), 4);
        assert_ok(film_embed_batch(trained, texts, 2, 1, wanted[0], &error));
        assert_ok(film_embed_batch(opened, texts, 2, 1, got[0], &error));
        assert_memory_equal(wanted, got, sizeof got);
        film_close(opened);
        assert_int_equal(film_open_memory(bytes, size - 1, &opened, &error), FILM_BAD_INPUT);
        assert_non_null(strstr(error.message, "the model in memory"));
        free(room);
    }
    assert_int_equal(film_open_memory(NULL, 0, &opened, &error), FILM_USAGE);
    fclose(file);
    unlink(path);
    film_close(trained);
}

static film_similarity wanted_similarity;
static void with_similarity(film_train_options *options)
{
    all_features(options);
    options->similarity = wanted_similarity;
}

static double sum_of(const film_verdict *verdict)
{
    double sum = verdict->bias;
    for (size_t i = 0; i < verdict->reason_count; i++) sum += verdict->reasons[i].weight;
    return sum;
}

static void check_reasons(film_similarity similarity)
{
    wanted_similarity = similarity;
    film_model *model = train(TABLE, with_similarity);
    film_context *context;
    assert_ok(film_context_new(model, &context, &error));
    const char *texts[] = {"I lost my card", "my parcel, my parcel",
                           "can't pay",      "",
                           "zebra",          "where is my card and how do I pay in euro"};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            film_verdict there, back;
            film_text a = film_string(texts[i]), b = film_string(texts[j]);
            assert_ok(film_match(context, a, b, &there, &error));
            assert_close(sum_of(&there), there.log_odds, 1e-9);
            for (size_t r = 0; r < there.reason_count; r++) {
                const film_reason *reason = &there.reasons[r];
                size_t length = reason->side == 'a' ? a.length : b.length;
                int identical = strcmp(reason->kind, "identical") == 0;
                if (identical) assert_true(i == j && reason->weight > 0);
                if (!reason->side) { /* of the pair, not of a word */
                    assert_true(identical || strcmp(reason->kind, "trait") == 0 ||
                                strcmp(reason->kind, "memory") == 0);
                    continue;
                }
                assert_true(reason->start < reason->end && reason->end <= length);
            }
            if (i == j) assert_true(there.log_odds >= 6 && there.same);
            assert_ok(film_match(context, b, a, &back, &error));
            assert_true(there.probability == back.probability);
            assert_int_equal(there.same, back.same);
            assert_true(isfinite(there.probability));
        }
    film_verdict verdict;
    double even;
    assert_ok(film_match(context, film_string("card"), film_string("parcel"), &verdict, &error));
    even = verdict.log_odds;
    film_answer_options answer = {.size = sizeof answer};
    answer.prior = 0.1;
    assert_ok(film_context_set(context, &answer, &error));
    assert_ok(film_match(context, film_string("card"), film_string("parcel"), &verdict, &error));
    assert_close(verdict.log_odds, even + log(0.1 / 0.9), 1e-12);
    assert_close(sum_of(&verdict), verdict.log_odds, 1e-9);
    answer.prior = 1.0;
    assert_int_equal(film_context_set(context, &answer, &error), FILM_USAGE);
    assert_int_equal(film_match(context, film_string("\xc3"), film_string("a"), &verdict, &error),
                     FILM_BAD_INPUT);
    film_context_free(context);
    film_close(model);
}

static void reasons_add_up_and_sides_can_be_swapped(void **state)
{
    (void)state;
    check_reasons(FILM_COSINE);
    check_reasons(FILM_DOT);
    check_reasons(FILM_EUCLIDEAN);
}

static void every_kind_of_labels_trains(void **state)
{
    (void)state;
    const char *tables[] = {
        "text\nI lost my card\nwhere is my card\nI lost it\nwhere is it\n",
        "score\tsentence1\tsentence2\n5.0\ta b\ta b c\n0.0\ta b\tc d\n2.5\ta c\tc d\n",
        "anchor\tpositive\tnegative\na b\ta b c\tc d\nc d\td c\ta b\n",
        "text\tcategory\nlost card\tcard\ncard gone\tcard\nwhere parcel\tparcel\nparcel "
        "late\tparcel\n",
    };
    const char *kinds[] = {"\"none\"", "\"scores\"", "\"triplets\"", "\"categories\""};
    for (int i = 0; i < 4; i++) {
        film_model *model = train(tables[i], NULL);
        char *about = NULL;
        assert_non_null(model);
        assert_ok(film_describe(model, &about, &error));
        assert_non_null(strstr(about, kinds[i]));
        film_free(about);
        film_close(model);
    }
}

static void options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const char *path = "/nowhere";
    film_train_options options;
    film_model *model = NULL;
    options = (film_train_options){.size = sizeof options};
    options.rank = FILM_NONE;
    assert_int_equal(film_train(&path, 1, &options, &model, &error), FILM_USAGE);
    options.rank = 10;
    options.dim = 11;
    options.method = FILM_METHOD_SVD;
    assert_int_equal(film_train(&path, 1, &options, &model, &error), FILM_USAGE);
    options.method = FILM_METHOD_RANK; /* has no decomposition */
    assert_int_equal(film_train(&path, 1, &options, &model, &error), FILM_IO);
    options.dim = 0;
    options.features = 8;
    assert_int_equal(film_train(&path, 1, &options, &model, &error), FILM_USAGE);
    options = (film_train_options){.size = sizeof options};
    options.solver.margin_ratio = NAN; /* the command line would not accept it */
    assert_int_equal(film_train(&path, 1, &options, &model, &error), FILM_USAGE);
    assert_string_equal(error.message, "margin nan: choose a number above 0, up to 1e6");
    options = (film_train_options){.size = sizeof options};
    options.ranking.rate = -1;
    assert_int_equal(film_train(&path, 1, &options, &model, &error), FILM_USAGE);
    options = (film_train_options){.size = sizeof options};
    assert_int_equal(film_train(&path, 1, &options, &model, &error), FILM_IO);
    assert_null(model);
    assert_int_equal(film_open(NULL, &model, &error), FILM_USAGE);
    film_close(NULL);
    film_context_free(NULL);
}

static int stop_at_once(void *user, const char *phase, double done, double total)
{
    (void)phase, (void)done, (void)total;
    return --*(int *)user < 0;
}

static void training_can_be_cancelled_at_any_report(void **state)
{
    (void)state;
    const char *path = scratch("cancel.tsv");
    write_file(path, TABLE, strlen(TABLE));
    int cancelled = 0;
    /* Boosting reports every tree: try all reports at first, then fewer. */
    for (int allowed = 0;; allowed += 1 + (allowed > 60 ? allowed / 8 : 0)) {
        int left = allowed;
        film_train_options options;
        film_model *model = NULL;
        options = (film_train_options){.size = sizeof options};
        options.min_df = 1;
        options.rank = 5;
        options.progress = (film_progress){stop_at_once, &left, NULL};
        film_status status = film_train(&path, 1, &options, &model, &error);
        assert_int_equal(model != NULL, status == FILM_OK);
        film_close(model);
        if (status == FILM_OK) break;
        assert_int_equal(status, FILM_CANCELLED);
        cancelled++;
    }
    assert_true(cancelled >= 2);
    unlink(path);
}

static film_status train_save_open(const char *path, const char *saved)
{
    film_train_options options = {.size = sizeof options};
    film_model *model = NULL, *again = NULL;
    options.min_df = 1;
    options.rank = 5;
    options.threads = 1;
    film_status status = film_train(&path, 1, &options, &model, &error);
    if (status == FILM_OK) status = film_save(model, saved, &error);
    if (status == FILM_OK) status = film_open(saved, &again, &error);
    film_close(again);
    film_close(model);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    const char *path = scratch("oom.tsv"), *saved = scratch("oom.film");
    write_file(path, TABLE, strlen(TABLE));
    survives_failures_of_training(FILM_OK, train_save_open(path, saved));
    assert_true(failures_survived > 500);
    unlink(path);
    unlink(saved);
}

/* ---- Pairs in memory ---- */

static const struct {
    const char *a, *b;
    double label;
} ROWS[] = {{"I lost my card", "my card is lost", 1},
            {"I lost my card", "how do I order a new card", 0},
            {"where is my parcel", "my parcel has not arrived, where is it", 1},
            {"where is my parcel", "where is my card", 0},
            {"can I pay in euro", "is it possible to pay in euro?", 1},
            {"can I pay in euro", "how do I order in euro", 0}};
enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

static void defaults_of_pairs(film_train_options *options, film_pair *pairs)
{
    for (int i = 0; i < ROW_COUNT; i++)
        pairs[i] = (film_pair){film_string(ROWS[i].a), film_string(ROWS[i].b), ROWS[i].label};
    *options = (film_train_options){.size = sizeof *options};
    options->min_df = 1;
    options->rank = 6;
    options->threads = 2;
    options->pairs = pairs;
    options->pair_count = ROW_COUNT;
}

static void assert_same_model(film_model *one, film_model *two)
{
    const char *paths[2] = {scratch("one.film"), scratch("two.film")};
    struct file_map map[2];
    assert_ok(film_save(one, paths[0], &error));
    assert_ok(film_save(two, paths[1], &error));
    for (int i = 0; i < 2; i++) assert_ok(file_map_open(paths[i], &map[i], &error));
    assert_int_equal(map[0].size, map[1].size);
    assert_memory_equal(map[0].bytes, map[1].bytes, map[0].size);
    for (int i = 0; i < 2; i++) {
        file_map_close(&map[i]);
        unlink(paths[i]);
    }
    film_close(one);
    film_close(two);
}

/* Alone they train the same model as a file of them; with a file they are its last rows. */
static void pairs_in_memory_are_rows_after_those_of_the_files(void **state)
{
    (void)state;
    film_pair pairs[ROW_COUNT];
    film_train_options options;
    film_model *model = NULL;
    const char *half = scratch("half.tsv");
    size_t first_rows = (size_t)(strstr(TABLE, "1\twhere is") - TABLE);
    defaults_of_pairs(&options, pairs);
    assert_ok(film_train(NULL, 0, &options, &model, &error));
    assert_same_model(train(TABLE, NULL), model);
    write_file(half, TABLE, first_rows);
    options.pairs = pairs + 2;
    options.pair_count = ROW_COUNT - 2;
    assert_ok(film_train(&half, 1, &options, &model, &error));
    assert_same_model(train(TABLE, NULL), model);
    unlink(half);
}

static void bad_pairs_are_refused(void **state)
{
    (void)state;
    film_pair pairs[ROW_COUNT];
    film_train_options options;
    film_model *model = NULL;
    const char *path = scratch("categories.tsv");
    static const char categories[] = "text\tcategory\nmy card\tcard\nmy parcel\tpost\n";
    const struct {
        film_pair pair;
        film_status status;
        const char *message;
    } bad[] = {{{film_string("a"), film_string("b"), 0.5}, FILM_BAD_INPUT, "pair 3: label 0.5"},
               {{film_string("a"), film_string("b"), NAN}, FILM_BAD_INPUT, "pair 3: label"},
               {{film_string("a"), {NULL, 0}, 1}, FILM_USAGE, "pair 3: sentence b is NULL"},
               {{film_string("a\xff"), film_string("b"), 1},
                FILM_BAD_INPUT,
                "sentence a is not valid UTF-8"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        defaults_of_pairs(&options, pairs);
        pairs[3] = bad[i].pair;
        assert_int_equal(film_train(NULL, 0, &options, &model, &error), bad[i].status);
        if (!strstr(error.message, bad[i].message)) fail_msg("%s", error.message);
    }
    defaults_of_pairs(&options, pairs);
    write_file(path, categories, sizeof categories - 1);
    assert_int_equal(film_train(&path, 1, &options, &model, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "train on one kind at a time"));
    unlink(path);
    options.method = FILM_METHOD_MFILM;
    assert_int_equal(film_train(NULL, 0, &options, &model, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "not pairs in memory"));
    options.pairs = NULL;
    assert_int_equal(film_train(NULL, 0, &options, &model, &error), FILM_USAGE);
    options.pair_count = 0;
    assert_int_equal(film_train(NULL, 0, &options, &model, &error), FILM_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_model_equals_the_trained_one),
        cmocka_unit_test(a_model_opens_from_memory),
        cmocka_unit_test(reasons_add_up_and_sides_can_be_swapped),
        cmocka_unit_test(every_kind_of_labels_trains),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(training_can_be_cancelled_at_any_report),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(pairs_in_memory_are_rows_after_those_of_the_files),
        cmocka_unit_test(bad_pairs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
