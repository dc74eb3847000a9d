/* Tests a BERT encoder with a map on top: caching, training, the model file, results. */
#include "testing.h"

#include "bert/network.h"
#include "embed/encoder.h"
#include "explain/pair.h"
#include "film_pool.h"
#include "la/svd.h"
#include "model/model.h"
#include "spoil.h"
#include "tiny_bert.h"

static film_error error;
static struct tiny_tensors tiny;
static char folder[300], table[300], saved[300];

/* Rows of the tiny vocabulary's words: positive when the sets of words are equal. */
static void write_rows(const char *path)
{
    static const char *const words[] = {"a", "b", "c", "d", "ab", "the"};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "label\tquestion1\tquestion2\n");
    for (unsigned i = 0; i < 240; i++) {
        const char *x = words[i % 6], *y = words[i / 6 % 6], *z = words[(i + 2) % 6];
        if (i % 2)
            fprintf(file, "1\t%s %s %u?\t%s %s %u\n", x, y, i / 12, y, x, i / 12);
        else
            fprintf(file, "0\t%s %s %u?\t%s %s %u.\n", x, y, i / 12, z, y, i / 12);
    }
    fclose(file);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s", scratch("bert"));
    snprintf(table, sizeof table, "%s", scratch("rows.tsv"));
    snprintf(saved, sizeof saved, "%s", scratch("bert.film"));
    tiny_make(&tiny);
    tiny_write(folder, &tiny);
    write_rows(table);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tiny_remove(folder);
    unlink(table);
    unlink(saved);
    return 0;
}

static void defaults(film_train_options *options)
{
    *options = (film_train_options){.size = sizeof *options};
    options->bert = folder;
    options->dev = table;
    options->min_df = 1;
    options->dim = 6;
    options->threads = 2;
}

static film_model *train(const film_train_options *options)
{
    film_model *model = NULL;
    const char *paths[1] = {table};
    assert_ok(film_train(paths, 1, options, &model, &error));
    return model;
}

static void assert_same_files(const char *one, const char *two)
{
    FILE *a = fopen(one, "rb"), *b = fopen(two, "rb");
    assert_true(a && b);
    int left = 0, right = 0;
    while (left == right && left != EOF) left = fgetc(a), right = fgetc(b);
    assert_int_equal(left, right);
    fclose(a);
    fclose(b);
}

static double sum_of(const film_verdict *verdict)
{
    double sum = verdict->bias;
    for (size_t i = 0; i < verdict->reason_count; i++) sum += verdict->reasons[i].weight;
    return sum;
}

static const char *const texts[] = {"a b c", "ab the d?", "", "zebra", "c c c c", "a b c"};
enum { TEXTS = sizeof texts / sizeof *texts };

static void remembered_vectors_are_those_of_the_encoder(void **state)
{
    (void)state;
    struct bert *bert = NULL, *same = NULL;
    struct network *network = NULL;
    film_text list[TEXTS];
    float wanted[TEXTS * TINY_HIDDEN], got[TEXTS * TINY_HIDDEN];
    assert_ok(bert_open(folder, &bert, &error));
    assert_ok(bert_open(folder, &same, &error));
    assert_ok(network_new(&(struct network_parts){.bert = bert}, &network, &error));
    for (int i = 0; i < TEXTS; i++) list[i] = film_string(texts[i]);
    assert_ok(bert_encode(same, list, TEXTS, 1, wanted, &error));
    for (int round = 0; round < 2; round++) { /* encoded, then cached */
        memset(got, 0, sizeof got);
        assert_ok(network_encode(network, list, TEXTS, 2, got, &error));
        for (int d = 0; d < TEXTS * TINY_HIDDEN; d++) assert_close(got[d], wanted[d], 1e-5);
    }
    network_free(network);
    bert_free(same);
}

/* X = V diag(sigma) U', U and V orthonormal, sigma descending; a repeated column adds no rank. */
static void a_dense_matrix_is_decomposed(void **state)
{
    (void)state;
    enum { ROWS = 40, COLS = 7 };
    float x[ROWS * COLS];
    struct rng rng;
    struct svd svd;
    struct svd_options options = {.rank = COLS, .threads = 2};
    rng_seed(&rng, 3);
    for (int i = 0; i < ROWS * COLS; i++) x[i] = (float)rng_normal(&rng);
    for (int i = 0; i < ROWS; i++) x[i * COLS + 6] = 2 * x[i * COLS];
    assert_ok(svd_dense(x, ROWS, COLS, &options, &svd, &error));
    assert_int_equal(svd.rank, COLS - 1);
    for (size_t a = 0; a < svd.rank; a++) {
        if (a) assert_true(svd.sigma[a] <= svd.sigma[a - 1]);
        for (size_t b = 0; b < svd.rank; b++) {
            double u = 0, v = 0;
            for (size_t i = 0; i < COLS; i++)
                u += (double)svd.u[i * svd.rank + a] * (double)svd.u[i * svd.rank + b];
            for (size_t i = 0; i < ROWS; i++)
                v += (double)svd.v[i * svd.rank + a] * (double)svd.v[i * svd.rank + b];
            assert_close(u, a == b, 1e-5);
            assert_close(v, a == b, 1e-5);
        }
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLS; j++) {
            double sum = 0;
            for (size_t k = 0; k < svd.rank; k++)
                sum += (double)svd.v[i * svd.rank + k] * (double)svd.sigma[k] *
                       (double)svd.u[j * svd.rank + k];
            assert_close(sum, x[i * COLS + j], 1e-4);
        }
    svd_free(&svd);
}

static void check_answers(const film_model *one, const film_model *two)
{
    film_context *a, *b;
    int encoder = 0;
    assert_ok(film_context_new(one, &a, &error));
    assert_ok(film_context_new(two, &b, &error));
    for (int i = 0; i < TEXTS; i++)
        for (int j = 0; j < TEXTS; j++) {
            film_verdict first, second, swapped;
            film_text left = film_string(texts[i]), right = film_string(texts[j]);
            assert_ok(film_match(a, left, right, &first, &error));
            assert_close(sum_of(&first), first.log_odds, 1e-9);
            for (size_t r = 0; r < first.reason_count; r++)
                encoder |= strcmp(first.reasons[r].text, DECISION_NETWORK) == 0;
            assert_ok(film_match(b, left, right, &second, &error));
            assert_close(first.log_odds, second.log_odds, 1e-3);
            assert_ok(film_match(b, right, left, &swapped, &error));
            assert_true(second.log_odds == swapped.log_odds);
        }
    assert_true(encoder);
    film_context_free(a);
    film_context_free(b);
}

/* The model is one file: the folder may be gone. Saved again, it is the same file. */
static void a_saved_model_works_without_the_folder(void **state)
{
    (void)state;
    static const film_decision decisions[] = {FILM_DECISION_FULL, FILM_DECISION_THRESHOLD};
    for (int i = 0; i < 2; i++) {
        film_train_options options;
        defaults(&options);
        options.decision = decisions[i];
        film_model *trained = train(&options), *opened = NULL;
        assert_int_equal(film_dim(trained), 6);
        /* A random encoder may get weight 0: set a weight. */
        trained->decision.network = (struct decision_network){0.5, 0.1};
        assert_ok(film_save(trained, saved, &error));
        tiny_remove(folder);
        assert_ok(film_open(saved, &opened, &error));
        check_answers(trained, opened);
        float one[6], two[12];
        film_text both[2] = {film_string("the d"), film_string("a b c")};
        film_context *context;
        assert_ok(film_context_new(trained, &context, &error));
        assert_ok(film_embed(context, both[1], one, &error));
        assert_ok(film_embed_batch(opened, both, 2, 2, two, &error));
        for (int d = 0; d < 6; d++) assert_close(one[d], two[6 + d], 1e-4);
        film_context_free(context);
        assert_ok(film_save(opened, scratch("again.film"), &error));
        assert_same_files(saved, scratch("again.film"));
        unlink(scratch("again.film"));
        film_close(opened);
        film_close(trained);
        tiny_write(folder, &tiny);
    }
}

static void vectors_of(const film_model *model, float out[3 * 6])
{
    const film_text list[] = {film_string("the ab d"), film_string("a c ab?"),
                              film_string("zebra")};
    assert_ok(film_embed_batch(model, list, 3, 1, out, &error));
}

static const char *arithmetic_of(const film_model *model)
{
    char *json;
    assert_ok(film_describe(model, &json, &error));
    const char *found = strstr(json, "\"arithmetic\":\"int8\"")    ? "int8"
                        : strstr(json, "\"arithmetic\":\"float\"") ? "float"
                                                                   : "none";
    film_free(json);
    return found;
}

/* The arithmetic of training is part of the model; another one is not saved. */
static void a_model_computes_as_it_was_trained(void **state)
{
    (void)state;
    static const film_arithmetic kinds[] = {FILM_ARITHMETIC_FLOAT, FILM_ARITHMETIC_INT8};
    static const char *const names[] = {"float", "int8"};
    for (int k = 0; k < 2; k++) {
        float trained[18], opened[18], other[18], back[18];
        film_model *copy = NULL;
        film_train_options options;
        defaults(&options);
        options.arithmetic = kinds[k];
        film_model *model = train(&options);
        vectors_of(model, trained);
        assert_string_equal(arithmetic_of(model), names[k]);
        assert_ok(film_save(model, saved, &error));
        assert_ok(film_open(saved, &copy, &error));
        vectors_of(copy, opened);
        assert_memory_equal(opened, trained, sizeof trained);
        assert_string_equal(arithmetic_of(copy), names[k]);

        assert_ok(film_set_arithmetic(copy, kinds[!k], &error));
        assert_string_equal(arithmetic_of(copy), names[!k]);
        vectors_of(copy, other);
        assert_memory_not_equal(other, trained, sizeof trained);
        for (int i = 0; i < 18; i++) assert_close(other[i], trained[i], 0.1);
        assert_ok(film_save(copy, scratch("again.film"), &error));
        assert_same_files(saved, scratch("again.film"));
        unlink(scratch("again.film"));
        assert_ok(film_set_arithmetic(copy, kinds[k], &error));
        vectors_of(copy, back);
        assert_memory_equal(back, trained, sizeof trained);
        film_close(copy);
        film_close(model);
    }
}

/* A batch of pairs gives the results of single pairs. */
static void many_pairs_are_judged_as_one(void **state)
{
    (void)state;
    film_train_options options;
    defaults(&options);
    film_model *model = train(&options);
    film_text a[TEXTS * TEXTS], b[TEXTS * TEXTS];
    film_verdict many[TEXTS * TEXTS], one;
    film_context *context;
    for (int i = 0; i < TEXTS * TEXTS; i++) {
        a[i] = film_string(texts[i / TEXTS]);
        b[i] = film_string(texts[i % TEXTS]);
    }
    assert_ok(film_match_batch(model, a, b, TEXTS * TEXTS, NULL, many, &error));
    assert_ok(film_context_new(model, &context, &error));
    for (int i = 0; i < TEXTS * TEXTS; i++) {
        assert_ok(film_match(context, a[i], b[i], &one, &error));
        /* in another batch the last digits may differ (docs/explanation/bert.md) */
        assert_close(one.log_odds, many[i].log_odds, 1e-3);
        assert_close(one.similarity, many[i].similarity, 1e-5);
    }
    film_context_free(context);
    film_close(model);
}

/* The contributions of all dimensions of the encoder add up to the similarity; a removed word gives
 * the sentence without it. */
static void explanations_reach_the_encoder(void **state)
{
    (void)state;
    static const film_similarity kinds[] = {FILM_COSINE, FILM_DOT};
    for (int k = 0; k < 2; k++) {
        film_train_options options;
        struct explainer explainer = {.reasons = NULL};
        struct match match;
        struct match_rule rule;
        film_explanation why = {.size = sizeof why};
        film_verdict without;
        defaults(&options);
        options.similarity = kinds[k];
        film_model *model = train(&options);
        assert_ok(match_rule(&rule, &model->decision, NULL, &error));
        assert_ok(match_init(&match, &model->decision, &rule, &error));
        film_text a = film_string("the ab d"), b = film_string("a c ab?");
        assert_ok(explain_pair(&explainer, &match, a, b, &why, &error));
        double similarity = why.verdict.similarity, left_out = why.words[0].left_out,
               sum = why.verdict.bias;
        assert_close(explainer.encoded.sum, similarity, 1e-4);
        assert_int_equal(why.encoder_count, 10);
        assert_int_equal(why.link_count, 0);
        assert_int_equal(why.words[0].end, 3);
        for (size_t i = 0; i < why.word_count; i++) sum += why.words[i].weight;
        for (size_t i = 0; i < why.group_count; i++) sum += why.groups[i].weight;
        assert_close(sum, why.verdict.log_odds, 1e-9);
        assert_ok(match_score(&match, film_string(" ab d"), b, &without, &error));
        assert_close(without.similarity - similarity, left_out, 1e-4);
        explainer_free(&explainer);
        match_free(&match);
        film_close(model);
    }
}

static void what_cannot_be_done_is_reported(void **state)
{
    (void)state;
    film_train_options options;
    film_model *model = NULL;
    const char *paths[1] = {table};
    defaults(&options);
    options.method = FILM_METHOD_RANK;
    assert_int_equal(film_train(paths, 1, &options, &model, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "method film, svd or deep"));
    defaults(&options);
    options.bert = "/nowhere/at-all";
    assert_int_equal(film_train(paths, 1, &options, &model, &error), FILM_IO);
    assert_null(model);
}

static int stop_at_once(void *user, const char *phase, double done, double total)
{
    (void)user, (void)done, (void)total;
    return strcmp(phase, "encoding") == 0;
}

static void encoding_can_be_stopped(void **state)
{
    (void)state;
    film_train_options options;
    film_model *model = NULL;
    const char *paths[1] = {table};
    defaults(&options);
    options.progress.call = stop_at_once;
    assert_int_equal(film_train(paths, 1, &options, &model, &error), FILM_CANCELLED);
    assert_null(model);
}

/* Correct checksums, wrong content. */
static void a_bad_encoder_in_a_model_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *tensor, *message;
    } gone[] = {{"M", "M"},
                {"bert.vocabulary.lengths", "bert.vocabulary.lengths"},
                {"bert.encoder.layer.1.output.dense.weight", "output.dense.weight"}};
    film_train_options options;
    film_model *model;
    defaults(&options);
    options.decision = FILM_DECISION_THRESHOLD;
    model = train(&options);
    assert_ok(film_save(model, saved, &error));
    film_close(model);
    for (size_t i = 0; i <= sizeof gone / sizeof *gone; i++) {
        struct spoil spoil;
        assert_true(spoil_open(&spoil, saved));
        const char *message = "is not a finite number";
        if (i < sizeof gone / sizeof *gone) {
            struct safetensors_tensor *tensor = spoil_find(&spoil, gone[i].tensor);
            assert_non_null(tensor);
            free((void *)tensor->data);
            *tensor = spoil.tensor[--spoil.count];
            message = gone[i].message;
        } else {
            ((float *)spoil_find(&spoil, "bert.embeddings.LayerNorm.bias")->data)[3] = NAN;
        }
        assert_ok(spoil_write(&spoil, scratch("bad.film"), &error));
        spoil_close(&spoil);
        assert_int_equal(film_open(scratch("bad.film"), &model, &error), FILM_BAD_INPUT);
        if (!strstr(error.message, message)) fail_msg("%s", error.message);
        unlink(scratch("bad.film"));
    }
}

static void assert_needs_library(film_status status, const char *name)
{
    assert_int_equal(status, FILM_NEEDS_LIBRARY);
    if (!strstr(error.message, name) || !strstr(error.message, "load libfilm-train") ||
        !strstr(error.message, "film_train_register()"))
        fail_msg("%s", error.message);
}

/* libfilm does not have the encoder: its message names the library that does. */
static void without_the_encoder_s_library_it_is_named(void **state)
{
    (void)state;
    char pool_path[300];
    film_train_options options;
    film_model *model = NULL;
    const film_model *kept = NULL;
    film_pool *pool = NULL;
    snprintf(pool_path, sizeof pool_path, "%s", scratch("bert.pool"));
    defaults(&options);
    options.decision = FILM_DECISION_THRESHOLD;
    network_register(NULL);
    model = train(&options);
    assert_ok(film_save(model, saved, &error));
    film_close(model);
    assert_ok(film_open(saved, &model, &error)); /* training has registered it */
    film_close(model);
    assert_ok(film_pool_create(pool_path, saved, &error));

    network_register(NULL);
    assert_needs_library(film_open(saved, &model, &error), saved);
    assert_null(model);
    assert_needs_library(film_pool_create(scratch("other.pool"), saved, &error), saved);
    assert_ok(film_pool_open(pool_path, &pool, &error)); /* its sentences can be read */
    assert_needs_library(film_pool_model(pool, &kept, &error), pool_path);
    film_train_register();
    assert_ok(film_pool_model(pool, &kept, &error));
    assert_int_equal(film_dim(kept), 6);
    film_pool_close(pool);
    assert_ok(film_open(saved, &model, &error));
    film_close(model);
    unlink(pool_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(remembered_vectors_are_those_of_the_encoder),
        cmocka_unit_test(a_dense_matrix_is_decomposed),
        cmocka_unit_test(a_saved_model_works_without_the_folder),
        cmocka_unit_test(a_model_computes_as_it_was_trained),
        cmocka_unit_test(many_pairs_are_judged_as_one),
        cmocka_unit_test(explanations_reach_the_encoder),
        cmocka_unit_test(what_cannot_be_done_is_reported),
        cmocka_unit_test(encoding_can_be_stopped),
        cmocka_unit_test(a_bad_encoder_in_a_model_is_refused),
        cmocka_unit_test(without_the_encoder_s_library_it_is_named)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
