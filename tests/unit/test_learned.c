/* Tests the description of what a model learned against its arrays; facts; stored examples. */
#include "faq_model.h"

#include "film_explain.h"
#include "spoil.h"

#include <jansson.h>

static film_model *model;
static film_context *context;

static int set_up(void **state)
{
    (void)state;
    film_train_options options;
    faq_options(&options);
    options.keep_examples = 40;
    model = faq_train(&options);
    assert_ok(film_context_new(model, &context, &error));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    film_context_free(context);
    film_close(model);
    return 0;
}

static json_t *read_back(film_status status, char *text)
{
    assert_int_equal(status, FILM_OK);
    json_t *answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(answer);
    film_free(text);
    return answer;
}

static double number(const json_t *object, const char *key)
{
    assert_true(json_is_number(json_object_get(object, key)));
    return json_number_value(json_object_get(object, key));
}

static uint32_t id_of(const char *word)
{
    return strtab_find(&model->features.vocabulary[GROUP_WORD], word, strlen(word));
}

/* ---- Learned ---- */

/* Dimension 3 of a word, by definition. */
static double value_of_word(size_t id)
{
    const struct word_map *map = &model->encoder.map;
    return (double)(map->scales[id] * (float)map->codes[id * model->encoder.dim + 3]);
}

static void a_dimension_lists_the_words_with_the_largest_entries(void **state)
{
    (void)state;
    char *text = NULL;
    film_status status = film_explain_dimension(model, 3, 5, &text, &error);
    json_t *about = read_back(status, text);
    size_t words = model->features.vocabulary[GROUP_WORD].count, i;
    json_t *entry;
    double squares = 0, fourths = 0, previous = INFINITY;
    json_array_foreach(json_object_get(about, "positive"), i, entry)
    {
        const char *word = json_string_value(json_object_get(entry, "text"));
        double weight = value_of_word(id_of(word));
        assert_close(number(entry, "weight"), weight, 1e-9);
        assert_true(weight <= previous);
        previous = weight;
    }
    assert_int_equal(i, 5);
    size_t larger = 0;
    for (size_t w = 0; w < words; w++) {
        double weight = value_of_word(w);
        larger += weight > previous;
        squares += weight * weight;
        fourths += weight * weight * weight * weight;
    }
    assert_int_equal(larger, 4); /* than the fifth */
    assert_close(number(about, "effective_words"), squares * squares / fourths, 1e-6);
    double share = number(about, "share_of_ten");
    assert_true(share > 10.0 / (double)words && share < 1);
    const json_t *ends[2] = {json_object_get(about, "highest"), json_object_get(about, "lowest")};
    assert_true(number(json_array_get(ends[0], 0), "value") >
                number(json_array_get(ends[1], 0), "value"));
    json_decref(about);
}

static void a_word_reports_its_evidence_and_its_neighbours(void **state)
{
    (void)state;
    char *text = NULL;
    film_status status = film_explain_word(model, film_string("Card"), 4, &text, &error);
    json_t *about = read_back(status, text);
    uint32_t id = id_of("card");
    const struct decision *decision = &model->decision;
    double scale = decision->margin.scale * decision->evidence.scale;
    assert_string_equal(json_string_value(json_object_get(about, "word")), "card");
    assert_close(number(about, "shared"),
                 scale * (double)evidence_feature(&decision->evidence, id, 0), 1e-9);
    assert_close(number(about, "alone"),
                 scale * (double)evidence_feature(&decision->evidence, id, 1), 1e-9);
    assert_int_equal(json_array_size(json_object_get(about, "nearest")), 4);
    assert_int_equal(json_array_size(json_object_get(about, "dimensions")), 4);
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(about, "pairs"), i, entry)
    {
        const char *kind = json_string_value(json_object_get(entry, "kind"));
        assert_true(id_of(json_string_value(json_object_get(entry, "text"))) != STRTAB_NONE);
        assert_true(strcmp(kind, "opposed") == 0 || strcmp(kind, "beside") == 0 ||
                    strcmp(kind, "shared together") == 0);
    }
    assert_int_equal(i, 4);
    json_decref(about);
}

static void a_model_reports_its_strongest_features(void **state)
{
    (void)state;
    char *text = NULL;
    film_status status = film_explain_model(model, 6, &text, &error);
    json_t *about = read_back(status, text);
    const json_t *insists = json_object_get(about, "insists_on"), *ignores, *traits;
    ignores = json_object_get(about, "ignores");
    traits = json_object_get(about, "traits");
    assert_int_equal(json_array_size(insists), 6);
    assert_true(number(json_array_get(insists, 0), "weight") < 0);
    assert_true(number(json_array_get(ignores, 5), "weight") <
                -number(json_array_get(insists, 5), "weight"));
    assert_int_equal(json_array_size(traits), 6);
    double previous = INFINITY;
    for (size_t t = 0; t < 6; t++) {
        const json_t *trait = json_array_get(traits, t);
        double swing = number(trait, "highest") - number(trait, "lowest");
        assert_true(swing > 0 && swing <= previous);
        assert_true(number(trait, "at_most") <= number(trait, "highest") + 1e-9);
        assert_true(number(trait, "at_least") >= number(trait, "lowest") - 1e-9);
        previous = swing;
    }
    json_decref(about);
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    char *text = NULL;
    assert_int_equal(film_explain_dimension(model, 12, 0, &text, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "dimensions 0 to 11"));
    assert_int_equal(film_explain_word(model, film_string("zzyzx"), 0, &text, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "does not know"));
    assert_int_equal(film_explain_word(model, film_string("my card"), 0, &text, &error),
                     FILM_USAGE);
    assert_int_equal(film_explain_word(model, film_string(""), 0, &text, &error), FILM_USAGE);
    assert_int_equal(film_explain_word(model, film_string("\xff"), 0, &text, &error),
                     FILM_BAD_INPUT);
    assert_int_equal(film_explain_model(NULL, 0, &text, &error), FILM_USAGE);
    film_explanation why = {.size = sizeof why};
    assert_int_equal(
        film_explain_pair(context, film_string("a"), film_string("\xff"), &why, &error),
        FILM_BAD_INPUT);
    assert_int_equal(film_explain_pair(NULL, film_string("a"), film_string("b"), &why, &error),
                     FILM_USAGE);
    assert_null(text);
}

static void features_alone_have_words_but_no_dimensions(void **state)
{
    (void)state;
    const char *path = scratch("plain.tsv");
    film_train_options options;
    film_model *plain = NULL;
    char *text = NULL;
    faq_sample(path);
    options = (film_train_options){.size = sizeof options};
    options.method = FILM_METHOD_TFIDF;
    options.decision = FILM_DECISION_THRESHOLD;
    options.keep_examples = 10;
    assert_ok(film_train(&path, 1, &options, &plain, &error));
    unlink(path);
    assert_int_equal(film_explain_dimension(plain, 0, 0, &text, &error), FILM_USAGE);
    film_status status = film_explain_model(plain, 0, &text, &error);
    json_decref(read_back(status, text));
    film_context *own = NULL;
    film_explanation why = {.size = sizeof why};
    assert_ok(film_context_new(plain, &own, &error));
    assert_ok(film_explain_pair(own, film_string(faq[0].a), film_string(faq[0].b), &why, &error));
    assert_int_equal(why.example_count, 3);
    assert_true(why.examples[0].similarity >= why.examples[2].similarity);
    film_context_free(own);
    film_close(plain);
}

/* ---- Facts ---- */

static void expect_fact(const char *a, const char *b, const char *name, const char *text)
{
    film_explanation why = {.size = sizeof why};
    assert_ok(film_explain_pair(context, film_string(a), film_string(b), &why, &error));
    for (size_t i = 0; i < why.fact_count; i++)
        if (strcmp(why.facts[i].name, name) == 0) {
            assert_string_equal(why.facts[i].text, text ? text : "(nothing)");
            return;
        }
    if (text) print_error("no fact \"%s\" of \"%s\" and \"%s\"\n", name, a, b);
    assert_null(text);
}

static void facts_are_sentences_anybody_can_check(void **state)
{
    (void)state;
    expect_fact("my 3 cards", "my 5 cards", "numbers", "numbers differ: 3 / 5");
    expect_fact("my card", "my 5 cards", "numbers", "only the second sentence has the number 5");
    expect_fact("my 5 cards", "the 5 cards", "numbers", NULL);
    expect_fact("I can't pay", "I can pay", "negation", "only the first sentence is negated: n't");
    expect_fact("I do not pay", "never pay", "negation", NULL);
    expect_fact("how to pay", "why pay", "question", "question words differ: how / why");
    expect_fact("pay in Peru", "pay in Chile", "names", "names differ: Peru / Chile");
    expect_fact("pay in Peru", "pay in peru", "names", NULL);
    expect_fact("my zzyzx card", "qqq card", "unknown", "words unknown to the model: zzyzx / qqq");
    expect_fact("1 2 3 4 5 6", "card", "numbers",
                "only the first sentence has the number 1, 2, 3, ...");
    expect_fact("", "card", "empty", "the first sentence has no words");
    expect_fact("", "", "empty", "both sentences have no words");
    expect_fact("lost card", "Lost card?", "identical", "the same words in the same order");
    expect_fact("lost card", "card lost", "same-words",
                "the same words in a different order or number");
    expect_fact("lost card", "pay bill", "no-word-shared", "no word in common");
}

static void a_fact_cuts_long_words_between_characters(void **state)
{
    (void)state;
    char a[200] = "pay 1", shown[200] = "only the first sentence has the number 1";
    for (int i = 0; i < 30; i++) strcat(a, "\xc3\xa4");
    for (int i = 0; i < 19; i++) strcat(shown, "\xc3\xa4");
    strcat(shown, "...");
    expect_fact(a, "pay", "numbers", shown);
}

/* ---- Examples in a file ---- */

static void examples_are_saved_and_the_nearest_comes_first(void **state)
{
    (void)state;
    const char *path = scratch("kept.film");
    film_model *opened = NULL;
    film_context *own = NULL;
    film_explanation why = {.size = sizeof why};
    assert_ok(film_save(model, path, &error));
    assert_ok(film_open(path, &opened, &error));
    assert_int_equal(opened->examples.count, 40);
    film_text a = examples_text(&opened->examples, 17, 0),
              b = examples_text(&opened->examples, 17, 1);
    assert_ok(film_context_new(opened, &own, &error));
    assert_ok(film_explain_pair(own, b, a, &why, &error)); /* in reverse order */
    assert_int_equal(why.example_count, 3);
    assert_close(why.examples[0].similarity, 1, 1e-6);
    assert_int_equal(why.examples[0].same, opened->examples.same[17]);
    assert_ptr_equal(why.examples[0].a.bytes, b.bytes);
    film_context_free(own);
    film_close(opened);
    unlink(path);
}

static void damaged_examples_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *tensor;
        size_t at;
        unsigned char value;
        int shorter; /* instead: one element fewer */
    } cases[] = {{"examples.same", 3, 2, 0},       {"examples.offsets", 8, 0xff, 0},
                 {"examples.offsets", 0, 1, 0},    {"examples.bytes", 5, 0xff, 0},
                 {"examples.bytes", 0, 0, 1},      {"examples.same", 0, 0, 1},
                 {"examples.offsets", 15, 0x80, 0}};
    const char *path = scratch("good.film"), *bad = scratch("bad.film");
    assert_ok(film_save(model, path, &error));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct spoil spoil;
        film_model *opened = NULL;
        assert_true(spoil_open(&spoil, path));
        for (size_t t = 0; t < spoil.count; t++) {
            struct safetensors_tensor *tensor = &spoil.tensor[t];
            if (strcmp(tensor->name, cases[c].tensor) != 0) continue;
            if (cases[c].shorter)
                tensor->shape[0]--;
            else
                ((unsigned char *)tensor->data)[cases[c].at] = cases[c].value;
        }
        assert_ok(spoil_write(&spoil, bad, &error));
        spoil_close(&spoil);
        assert_int_equal(film_open(bad, &opened, &error), FILM_BAD_INPUT);
        assert_non_null(strstr(error.message, "examples"));
    }
    unlink(path);
    unlink(bad);
}

/* Enough words that every writer has to grow. */
static film_status explain_all(film_text a, film_text b)
{
    film_status status = FILM_OK;
    film_context *own = NULL;
    film_explanation why = {.size = sizeof why};
    char *text[4] = {NULL};
    TRY(film_context_new(model, &own, &error));
    TRY(film_explain_pair(own, a, b, &why, &error));
    TRY(film_explanation_json(&why, FILM_ALL_REASONS, &text[0], NULL, &error));
    TRY(film_explain_model(model, 200, &text[1], &error));
    TRY(film_explain_dimension(model, 1, 200, &text[2], &error));
    TRY(film_explain_word(model, film_string("card"), 200, &text[3], &error));
done:
    for (int i = 0; i < 4; i++) film_free(text[i]);
    film_context_free(own);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    survives_every_failure(explain_all(film_string(faq[0].a), film_string(faq[0].b)));
    assert_true(failures_survived > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dimension_lists_the_words_with_the_largest_entries),
        cmocka_unit_test(a_word_reports_its_evidence_and_its_neighbours),
        cmocka_unit_test(a_model_reports_its_strongest_features),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(features_alone_have_words_but_no_dimensions),
        cmocka_unit_test(facts_are_sentences_anybody_can_check),
        cmocka_unit_test(a_fact_cuts_long_words_between_characters),
        cmocka_unit_test(examples_are_saved_and_the_nearest_comes_first),
        cmocka_unit_test(damaged_examples_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
