/* Tests the rules of film_types.h: sizes of structs, zero as default, names, versions,
 * allocators. */
#include "counted.h"
#include "eval_toy.h"

#include "base/sized.h"
#include "film_explain.h"
#include "film_pool.h"
#include "train/options.h"

static void versions_and_names_are_returned(void **state)
{
    (void)state;
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", FILM_VERSION_MAJOR, FILM_VERSION_MINOR,
             FILM_VERSION_PATCH);
    assert_string_equal(film_version(), version);
    assert_int_equal(film_version_number(), FILM_VERSION_NUMBER);
    assert_int_equal(FILM_VERSION_NUMBER / 1000000, FILM_VERSION_MAJOR);
    assert_int_equal(FILM_VERSION_NUMBER / 1000 % 1000, FILM_VERSION_MINOR);
    assert_string_equal(film_status_name(FILM_OK), "ok");
    assert_string_equal(film_status_name(FILM_DENIED), "denied");
    for (int i = 0; i <= FILM_NEEDS_LIBRARY; i++)
        assert_string_not_equal(film_status_name((film_status)i), "unknown");
    assert_string_equal(film_status_name((film_status)9), "unknown");
    assert_string_equal(film_status_name((film_status)-1), "unknown");
    assert_string_equal(film_format_name(FILM_FORMAT_LINES), "lines");
    assert_string_equal(film_format_name(FILM_FORMAT_COUNT), "unknown");
    assert_string_equal(film_eval_decision_name(FILM_EVAL_KNN), "knn");
    assert_string_equal(film_knn_name(FILM_KNN_EITHER), "either");
}

/* The options of a program compiled with older and newer headers. */
struct old {
    size_t size;
    int a;
};
struct known {
    size_t size;
    int a, b;
};
struct newer {
    size_t size;
    int a, b, c, d; /* without padding, whose bytes nobody sets */
};

static void options_of_other_versions_are_read(void **state)
{
    (void)state;
    struct known into = {.b = 7};
    struct old old = {sizeof old - 4, 1}; /* without the padding after a */
    assert_ok(sized_options(&into, sizeof into, &old, "known", &error));
    assert_int_equal(into.size, sizeof into);
    assert_int_equal(into.a, 1);
    assert_int_equal(into.b, 7);
    struct newer newer = {sizeof newer, 2, 3, 0, 0};
    assert_ok(sized_options(&into, sizeof into, &newer, "known", &error));
    assert_int_equal(into.a, 2);
    assert_int_equal(into.b, 3);
    newer.c = 1;
    assert_int_equal(sized_options(&into, sizeof into, &newer, "known", &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "known has a non-zero field that library"));
    newer.size = 0;
    assert_int_equal(sized_options(&into, sizeof into, &newer, "known", &error), FILM_USAGE);
    assert_string_equal(error.message, "known.size is not set; set it to sizeof(known)");
    into.a = 9;
    assert_ok(sized_options(&into, sizeof into, NULL, "known", &error));
    assert_int_equal(into.a, 9);
}

static void results_are_filled_up_to_their_size(void **state)
{
    (void)state;
    const struct known filled = {sizeof filled, 5, 6};
    struct newer small = {sizeof(size_t) + sizeof(int), 1, 1, 1}, large = {sizeof large, 1, 1, 1};
    sized_fill(&small, &filled, sizeof filled);
    assert_int_equal(small.size, sizeof(size_t) + sizeof(int));
    assert_int_equal(small.a, 5);
    assert_int_equal(small.b, 1);
    sized_fill(&large, &filled, sizeof filled);
    assert_int_equal(large.size, sizeof large);
    assert_int_equal(large.b, 6);
    assert_int_equal(large.c, 0);
    sized_fill(NULL, &filled, sizeof filled);
}

static void all_refused(const film_status *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] != FILM_USAGE) fail_msg("call %zu: %s", i, film_status_name(found[i]));
}

/* Makes every call that takes options or a result with a missing size. */
static void a_forgotten_size_is_refused(void **state)
{
    (void)state;
    const char *paths[1] = {pairs_path};
    film_model *trained = NULL;
    film_context *context;
    film_verdict verdict;
    film_table *table = NULL;
    film_text text_a = film_string("a");
    float probability;
    assert_ok(film_context_new(model, &context, &error));
    const film_status found[] = {
        film_table_open(pairs_path, &(film_table_options){0}, &table, &error),
        film_train(paths, 1, &(film_train_options){0}, &trained, &error),
        film_eval(model, pairs_path, &(film_eval_options){0},
                  &(film_eval_result){sizeof(film_eval_result)}, &error),
        film_eval(model, pairs_path, NULL, &(film_eval_result){0}, &error),
        film_eval_json(&(film_eval_result){0}, &(char *){NULL}, &error),
        film_report(model, &(film_report_options){0}, scratch("r.html"), &error),
        film_split(pairs_path, "x", "y", &(film_split_options){0}, NULL, &error),
        film_split(pairs_path, "x", "y", NULL, &(film_split_result){0}, &error),
        film_context_set(context, &(film_answer_options){0}, &error),
        film_match_batch(model, &text_a, &text_a, 1, &(film_answer_options){0}, &verdict, &error),
        film_score_batch(model, &text_a, &text_a, 1, &(film_answer_options){0}, &probability,
                         &error),
        film_explain_pair(context, text_a, text_a, &(film_explanation){0}, &error),
        film_explanation_json(&(film_explanation){0}, 1, &(char *){NULL}, NULL, &error),
        film_dedup(model, NULL, 0, &(film_dedup_options){0}, NULL, &error),
        film_dedup(model, NULL, 0, NULL, &(film_dedup_result){0}, &error),
        film_link(model, NULL, 0, NULL, 0, &(film_link_options){0}, NULL, &error),
        film_link(model, NULL, 0, NULL, 0, NULL, &(film_link_result){0}, &error),
    };
    all_refused(found, sizeof found / sizeof *found);
    assert_null(table);
    assert_null(trained);
    assert_ok(film_dedup(model, NULL, 0, NULL, NULL, &error));
    film_context_free(context);
}

/* Makes every call without one of its arguments. */
static void a_missing_argument_is_refused(void **state)
{
    (void)state;
    film_context *context;
    film_model *opened = NULL;
    film_explanation why = {.size = sizeof why};
    film_edit edit = {.size = sizeof edit};
    film_text a = film_string("a");
    film_verdict verdict;
    float number;
    char *json = NULL;
    assert_ok(film_context_new(model, &context, &error));
    const film_status found[] = {
        film_open(NULL, &opened, &error),
        film_open("x", NULL, &error),
        film_open_private(NULL, &opened, &error),
        film_open_memory(NULL, 1, &opened, &error),
        film_open_memory("x", 1, NULL, &error),
        film_save(NULL, "x", &error),
        film_save(model, NULL, &error),
        film_edit_model(NULL, &edit, &error),
        film_edit_model(model, NULL, &error),
        film_edit_model(model, &edit, &error),
        film_example_at(NULL, 0, &(film_example){0}, &error),
        film_example_at(model, 0, NULL, &error),
        film_example_at(model, SIZE_MAX, &(film_example){0}, &error),
        film_add_words(NULL, "x", &error),
        film_add_words(model, NULL, &error),
        film_describe(NULL, &json, &error),
        film_describe(model, NULL, &error),
        film_context_new(NULL, &context, &error),
        film_context_new(model, NULL, &error),
        film_context_set(NULL, NULL, &error),
        film_record_text(&a, &a, 1, NULL, &error),
        film_record_text(NULL, &a, 1, &json, &error),
        film_record_text(&a, NULL, 1, &json, &error),
        film_record_json(a, NULL, &error),
        film_record_json((film_text){NULL, 0}, &json, &error),
        film_record_check(NULL, a, &error),
        film_record_check(model, (film_text){NULL, 1}, &error),
        film_embed(NULL, a, &number, &error),
        film_embed(context, a, NULL, &error),
        film_embed_batch(NULL, &a, 1, 1, &number, &error),
        film_embed_batch(model, NULL, 1, 1, &number, &error),
        film_embed_batch(model, &a, 1, 1, NULL, &error),
        film_match(NULL, a, a, &verdict, &error),
        film_match(context, a, a, NULL, &error),
        film_match_batch(NULL, &a, &a, 1, NULL, &verdict, &error),
        film_match_batch(model, NULL, &a, 1, NULL, &verdict, &error),
        film_match_batch(model, &a, NULL, 1, NULL, &verdict, &error),
        film_match_batch(model, &a, &a, 1, NULL, NULL, &error),
        film_score_batch(model, &a, &a, 1, NULL, NULL, &error),
        film_explain_pair(NULL, a, a, &why, &error),
        film_explain_pair(context, a, a, NULL, &error),
        film_explain_reversals(NULL, 0, &why, &error),
        film_explain_reversals(context, 0, NULL, &error),
        film_explain_reversals(context, 0, &why, &error), /* nothing was explained */
        film_explain_reversals(context, 1, &why, &error),
        film_explain_dimension(NULL, 0, 1, &json, &error),
        film_explain_dimension(model, 0, 1, NULL, &error),
        film_explain_word(NULL, a, 1, &json, &error),
        film_explain_word(model, a, 1, NULL, &error),
        film_explain_model(NULL, 1, &json, &error),
        film_explain_model(model, 1, NULL, &error),
    };
    all_refused(found, sizeof found / sizeof *found);
    assert_true(!opened && !json);
    assert_true(film_dim(NULL) + film_example_count(NULL) + film_field_count(NULL) == 0);
    assert_true(!film_field_name(model, 99) && !film_field_type(model, 99));
    film_context_free(NULL);
    film_context_free(context);
}

/* The same for calls that read files or several texts. */
static void a_missing_file_is_refused(void **state)
{
    (void)state;
    const char *paths[1] = {pairs_path};
    film_model *opened = NULL;
    film_table *table = NULL;
    film_output *output = NULL;
    film_bert *bert = NULL;
    film_train_options pairs = {.size = sizeof pairs, .pair_count = 1};
    film_train_options texts = {.size = sizeof texts, .sentence_count = 1};
    film_eval_result result = {.size = sizeof result};
    film_text a = film_string("a");
    float number;
    char *json = NULL;
    const film_status found[] = {
        film_table_open(NULL, NULL, &table, &error),
        film_table_open("x", NULL, NULL, &error),
        film_output_open(NULL, &output, &error),
        film_output_open("x", NULL, &error),
        film_output_write(NULL, "x", 1, &error),
        film_output_patch(NULL, 0, "x", 1, &error),
        film_output_commit(NULL, &error),
        film_bert_open(NULL, &bert, &error),
        film_bert_open("x", NULL, &error),
        film_bert_round(NULL, &error),
        film_set_arithmetic(NULL, FILM_ARITHMETIC_INT8, &error),
        film_set_arithmetic(model, FILM_ARITHMETIC_INT8, &error), /* it has no encoder */
        film_set_arithmetic(model, (film_arithmetic)3, &error),
        film_bert_describe(NULL, &json, &error),
        film_bert_embed(NULL, &a, 1, 1, &number, &error),
        film_dedup(NULL, NULL, 0, NULL, NULL, &error),
        film_dedup(model, NULL, 1, NULL, NULL, &error),
        film_dedup_file(NULL, "x", NULL, NULL, &error),
        film_dedup_file(model, NULL, NULL, NULL, &error),
        film_link(NULL, NULL, 0, NULL, 0, NULL, NULL, &error),
        film_link(model, NULL, 1, NULL, 0, NULL, NULL, &error),
        film_link(model, NULL, 0, NULL, 1, NULL, NULL, &error),
        film_link_files(NULL, "x", "y", NULL, NULL, &error),
        film_link_files(model, NULL, "y", NULL, NULL, &error),
        film_link_files(model, "x", NULL, NULL, NULL, &error),
        film_eval(NULL, "x", NULL, &result, &error),
        film_eval(model, NULL, NULL, &result, &error),
        film_eval(model, "x", NULL, NULL, &error),
        film_eval_json(NULL, &json, &error),
        film_eval_json(&result, NULL, &error),
        film_train(NULL, 1, NULL, &opened, &error),
        film_train(paths, 1, NULL, NULL, &error),
        film_train(NULL, 0, NULL, &opened, &error),
        film_train(NULL, 0, &pairs, &opened, &error),
        film_train(NULL, 0, &texts, &opened, &error),
        film_split(NULL, "x", "y", NULL, NULL, &error),
        film_split("x", NULL, "y", NULL, NULL, &error),
        film_split("x", "y", NULL, NULL, NULL, &error),
    };
    all_refused(found, sizeof found / sizeof *found);
    assert_true(!opened && !table && !output && !bert && !json);
}

static void zero_means_default(void **state)
{
    (void)state;
    film_train_options out, given = {.size = sizeof given};
    assert_ok(options_complete(&out, NULL, &error));
    assert_int_equal(out.rank, 256);
    assert_int_equal(out.min_df, 2);
    assert_int_equal(out.seed, 1);
    assert_close(out.solver.gamma, 0.85, 0);
    assert_int_equal(out.solver.hard, 3);
    assert_int_equal(out.deep.maps[1], 32);
    given.solver.gamma = given.deep.dropout = FILM_ZERO;
    given.solver.hard = FILM_NONE;
    given.deep.maps[1] = 5;
    assert_ok(options_complete(&out, &given, &error));
    assert_close(out.solver.gamma, 0, 0);
    assert_close(out.deep.dropout, 0, 0);
    assert_close(out.solver.rho, 1e-4, 0);
    assert_int_equal(out.solver.hard, 0);
    assert_int_equal(out.deep.maps[1], 5);
    assert_int_equal(out.deep.maps[2], 32);
    film_answer_options later = {.size = sizeof later, .reserved = {"later"}};
    film_verdict verdict;
    film_text one = film_string("a");
    assert_int_equal(film_match_batch(model, &one, &one, 1, &later, &verdict, &error), FILM_USAGE);
}

/* Each row has one option that no training accepts, and a word of the message. */
static const struct {
    film_train_options given;
    const char *told;
} bad_options[] = {
    {{.solver.power = -4.5}, "power"},
    {{.solver.power = 4.5}, "power"},
    {{.solver.power = NAN}, "power"},
    {{.solver.margin_ratio = -1}, "margin"},
    {{.solver.margin_ratio = 2e6}, "margin"},
    {{.paper.margin = -1}, "margin_absolute"},
    {{.paper.margin = 2e6}, "margin_absolute"},
    {{.solver.epsilon = -1}, "epsilon"},
    {{.solver.least_change = -1}, "least-change"},
    {{.solver.rho = FILM_ZERO}, "rho"},
    {{.solver.rho = 1}, "rho"},
    {{.solver.gamma = -0.1}, "gamma"},
    {{.solver.gamma = 1}, "gamma"},
    {{.solver.shrink = -0.1}, "shrink"},
    {{.solver.shrink = 1}, "shrink"},
    {{.solver.first_tau = -1}, "first-step"},
    {{.solver.first_tau = 1e21}, "first-step"},
    {{.solver.positives = FILM_NONE}, "positives"},
    {{.solver.positives = 1001}, "positives"},
    {{.solver.labelled = 1001}, "labelled"},
    {{.solver.hard = 1001}, "hard"},
    {{.solver.random = 1001}, "random"},
    {{.solver = {.labelled = FILM_NONE, .hard = FILM_NONE, .random = FILM_NONE}}, "all 0"},
    {{.solver.iterations = FILM_NONE}, "iterations"},
    {{.solver.inner = FILM_NONE}, "inner"},
    {{.solver.sample = FILM_NONE}, "sample"},
    {{.solver.eigen = 4}, "start"},
    {{.solver.eigen = -1}, "start"},
    {{.paper.weights = 3}, "weights"},
    {{.paper.weights = -1}, "weights"},
    {{.paper.keep = 3}, "iterate"},
    {{.paper.keep = -1}, "iterate"},
    {{.paper.letter = 1, .method = FILM_METHOD_SVD}, "letter"},
    {{.dim = 4097}, "dim"},
    {{.dim = 300, .method = FILM_METHOD_SVD}, "more than rank"},
    {{.rank = FILM_NONE}, "rank"},
    {{.batch = 1}, "batch"},
    {{.batch = 65537}, "batch"},
    {{.keep_examples = 10001}, "keep-examples"},
    {{.features = 8}, "features"},
    {{.method = FILM_METHOD_COUNT}, "method"},
    {{.similarity = FILM_SIMILARITY_COUNT}, "similarity"},
    {{.train_share = FILM_ZERO}, "share"},
    {{.train_share = 1.5}, "share"},
    {{.prior = 2}, "prior"},
    {{.operating = {FILM_CRITERION_COUNT, 0}}, "criterion"},
    {{.operating = {FILM_RECALL, 1.5}}, "recall"},
    {{.ranking.rate = -1}, "rate"},
    {{.ranking.rate = 101}, "rate"},
    {{.ranking.temperature = -1}, "temperature"},
    {{.ranking.temperature = 41}, "temperature"},
    {{.deep.tokens = 31}, "tokens"},
    {{.deep.tokens = 513}, "tokens"},
    {{.deep.margin = FILM_ZERO}, "deep-margin"},
    {{.deep.margin = 2.5}, "deep-margin"},
    {{.deep.dropout = -0.1}, "dropout"},
    {{.deep.dropout = 1}, "dropout"},
    {{.deep.maps = {FILM_NONE}}, "maps"},
    {{.deep.maps = {1025}}, "maps"},
    {{.deep.loss = FILM_LOSS_COUNT}, "loss"},
    {{.method = FILM_METHOD_DEEP}, "needs a BERT"},
    {{.method = FILM_METHOD_DEEP, .vectors = "x", .decision = FILM_DECISION_FULL}, "decision"},
    {{.method = FILM_METHOD_DEEP, .vectors = "x", .similarity = FILM_DOT}, "cosine"},
    {{.method = FILM_METHOD_DEEP, .vectors = "x", .dim = 9}, "dim"},
    {{.method = FILM_METHOD_DEEP, .vectors = "x", .batch = 5000}, "batch"},
    {{.bert = "x", .vectors = "x"}, "exclude"},
    {{.vectors = "x", .method = FILM_METHOD_RANK}, "need method"},
    {{.vectors = "x", .features = FILM_CHAR}, "group word"},
    {{.bert = "x", .method = FILM_METHOD_RANK}, "BERT"},
    {{.pair_count = 1, .method = FILM_METHOD_MFILM}, "mfilm"},
    {{.sentence_count = 1, .method = FILM_METHOD_MFILM}, "mfilm"},
};

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    film_train_options out;
    assert_ok(options_complete(&out, NULL, &error));
    assert_ok(options_check(&out, &error));
    for (size_t i = 0; i < sizeof bad_options / sizeof *bad_options; i++) {
        film_train_options given = bad_options[i].given;
        given.size = sizeof given;
        assert_ok(options_complete(&out, &given, &error));
        film_status status = options_check(&out, &error);
        if (status != FILM_USAGE || !strstr(error.message, bad_options[i].told))
            fail_msg("row %zu: status %d, \"%s\" without \"%s\"", i, (int)status, error.message,
                     bad_options[i].told);
    }
}

/* The struct and its JSON agree, and an older program gets the fields it knows. */
static void figures_are_numbers(void **state)
{
    (void)state;
    film_eval_options options = quick();
    const film_operating wanted = {FILM_RECALL, 0.7};
    options.operating = &wanted;
    options.against = model;
    options.pool = pool_path;
    film_eval_result result = {.size = sizeof result};
    char *json = NULL;
    assert_ok(film_eval(model, pairs_path, &options, &result, &error));
    assert_int_equal(result.rows, PAIRS);
    assert_int_equal(result.labels, FILM_LABELS_PAIRS);
    assert_true(result.accuracy.low <= result.accuracy.value &&
                result.accuracy.value <= result.accuracy.high);
    assert_true(isnan(result.pearson.value) && isnan(result.triplet_accuracy.value));
    assert_true(isnan(result.threshold));
    assert_int_equal(result.knn_point_count, 8);
    assert_int_equal(result.knn_points[result.best_k - 1].k, result.best_k);
    assert_int_equal(result.operating->wanted.criterion, FILM_RECALL);
    assert_true(result.operating->recall >= 0.7);
    assert_string_equal(result.against->first, "the first model");
    assert_close(result.against->accuracy.difference, 0, 0);
    assert_int_equal(result.against->better, 0);
    assert_true(result.retrieval->queries > 0);
    assert_ok(film_eval_json(&result, &json, &error));
    json_t *answer = json_loads(json, 0, NULL);
    assert_close(number(answer, "accuracy"), result.accuracy.value, 1e-9);
    assert_close(number(json_object_get(answer, "retrieval"), "mrr"),
                 result.retrieval->mean_reciprocal_rank, 1e-9);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(answer, "against"), "sentence")),
        result.against->sentence);
    json_decref(answer);
    film_free(json);
    film_eval_result_free(&result);
    assert_null(result.owned);
    film_eval_result_free(&result);
    film_eval_result_free(NULL);

    struct {
        size_t size;
        void *owned;
        uint64_t rows, untouched;
    } old = {offsetof(film_eval_result, sentences), NULL, 0, 77};
    assert_ok(film_eval(model, pairs_path, &options, (film_eval_result *)&old, &error));
    assert_int_equal(old.rows, PAIRS);
    assert_int_equal(old.untouched, 77);
    film_eval_result_free((film_eval_result *)&old);
}

/* ---- Allocators ---- */

/* Trains, measures and describes. */
static void use_the_library(void)
{
    const char *paths[1] = {pairs_path};
    film_train_options options = {.size = sizeof options, .rank = 4, .threads = 2};
    film_model *trained = NULL;
    char *json = NULL;
    options.method = FILM_METHOD_SVD;
    assert_ok(film_train(paths, 1, &options, &trained, &error));
    assert_ok(film_describe(trained, &json, &error));
    film_free(json);
    film_close(trained);
}

static void an_allocator_gets_its_user_and_every_block_back(void **state)
{
    (void)state;
    struct counted own = {0, 0}, process = {0, 0};
    film_allocator allocator = {count_allocate, count_reallocate, count_release, &own};
    film_set_allocator(&allocator);
    use_the_library();
    film_set_allocator(NULL);
    assert_true(own.calls > 100);
    assert_int_equal(own.blocks, 0);
    allocator.user = &process;
    film_set_process_allocator(&allocator);
    use_the_library();
    json_t *outside = json_pack("{s:i}", "n", 1);
    assert_true(process.blocks > 0);
    json_decref(outside);
    film_set_process_allocator(NULL);
    assert_true(process.calls > own.calls); /* jansson's too */
    assert_int_equal(process.blocks, 0);
    long calls = process.calls;
    use_the_library();
    assert_int_equal(process.calls, calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_and_names_are_returned),
        cmocka_unit_test(options_of_other_versions_are_read),
        cmocka_unit_test(results_are_filled_up_to_their_size),
        cmocka_unit_test(a_forgotten_size_is_refused),
        cmocka_unit_test(a_missing_argument_is_refused),
        cmocka_unit_test(a_missing_file_is_refused),
        cmocka_unit_test(zero_means_default),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(figures_are_numbers),
        cmocka_unit_test(an_allocator_gets_its_user_and_every_block_back),
    };
    return cmocka_run_group_tests_name("api", tests, set_up, tear_down);
}
