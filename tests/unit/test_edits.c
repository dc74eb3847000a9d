/* Tests edits of a model: the effect of a weight is computed by hand, other verdicts keep their
 * bits, relations change where they should only, and everything survives saving and training. */
#include "faq_model.h"

#include "model/edits.h"
#include "text/relations_edit.h"
#include "film_explain.h"

#include <jansson.h>

static film_model *plain;
static char model_path[300];

static int set_up(void **state)
{
    (void)state;
    film_train_options options;
    faq_options(&options);
    options.keep_examples = 40;
    plain = faq_train(&options);
    snprintf(model_path, sizeof model_path, "%s", scratch("plain.film"));
    assert_ok(film_save(plain, model_path, &error));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    film_close(plain);
    unlink(model_path);
    return 0;
}

static film_model *open_copy(void)
{
    film_model *model = NULL;
    assert_ok(film_open(model_path, &model, &error));
    return model;
}

static void change(film_model *model, film_edit_action action, const char *what, double weight)
{
    film_edit edit = {.size = sizeof edit,
                      .action = action,
                      .what = what,
                      .weight = weight,
                      .reason = "it \"must\"",
                      .date = "2026-02-03"};
    assert_ok(film_edit_model(model, &edit, &error));
}

static film_status try_edit(film_model *model, film_edit_action action, const char *what)
{
    film_edit edit = {.size = sizeof edit, .action = action, .what = what, .weight = 1};
    return film_edit_model(model, &edit, &error);
}

static film_verdict judge(const film_model *model, const char *a, const char *b)
{
    film_verdict verdict;
    film_text first = film_string(a), second = film_string(b);
    film_answer_options options = {.size = sizeof options, .threads = 1};
    assert_ok(film_match_batch(model, &first, &second, 1, &options, &verdict, &error));
    return verdict;
}

/* ---- Weights ---- */

static double word_weight(const film_model *model, const char *word, const char *key)
{
    char *text = NULL;
    assert_ok(film_explain_word(model, film_string(word), 1, &text, &error));
    json_t *about = json_loads(text, 0, NULL);
    double weight = json_number_value(json_object_get(about, key));
    json_decref(about);
    film_free(text);
    return weight;
}

/* A single unshared word has the value 1: log-odds change by the difference of the weights. The
 * other sentence has a word that the model does not know. */
static void a_weight_of_a_word_moves_the_log_odds_by_its_difference(void **state)
{
    (void)state;
    film_model *model = open_copy();
    double before = word_weight(plain, "card", "alone"),
           was = judge(plain, "card", "xqzyv").log_odds;
    change(model, FILM_EDIT_SET, "alone:card", -2.5);
    assert_close(word_weight(model, "card", "alone"), -2.5, 1e-6);
    assert_close(judge(model, "card", "xqzyv").log_odds - was, -2.5 - before, 1e-5);
    change(model, FILM_EDIT_ADD, "alone:Card", 1);
    assert_close(word_weight(model, "card", "alone"), -1.5, 1e-6);
    change(model, FILM_EDIT_REMOVE, "alone:card", 0);
    assert_close(judge(model, "card", "xqzyv").log_odds - was, -before, 1e-5);
    assert_close(word_weight(model, "card", "shared"), word_weight(plain, "card", "shared"), 1e-12);
    film_close(model);
}

/* Two sentences of one word each have one opposed pair, of value 1. */
static void a_weight_of_two_words_is_added_where_they_are_opposed(void **state)
{
    (void)state;
    film_model *model = open_copy();
    double was = judge(plain, "card", "phone").log_odds;
    change(model, FILM_EDIT_SET, "card / phone", 0);
    double without = judge(model, "card", "phone").log_odds;
    change(model, FILM_EDIT_SET, "phone / card", 3);
    assert_close(judge(model, "phone", "card").log_odds - without, 3, 1e-5);
    assert_true(fabs(without - was) < 3);
    /* No other pair of sentences changes a bit, although the table of items is a new one. */
    for (size_t i = 0; i < faq_count; i++) {
        if (strcasestr(faq[i].a, "card") || strcasestr(faq[i].b, "card")) continue;
        assert_true(judge(model, faq[i].a, faq[i].b).log_odds ==
                    judge(plain, faq[i].a, faq[i].b).log_odds);
    }
    film_close(model);
}

static void an_edited_model_is_the_same_after_saving(void **state)
{
    (void)state;
    film_model *model = open_copy(), *again = NULL;
    const char *path = scratch("edited.film");
    change(model, FILM_EDIT_SET, "card / phone", 3);
    change(model, FILM_EDIT_SET, "shared:account", 1.25);
    change(model, FILM_EDIT_SET, "zebra ! giraffe", 0);
    assert_ok(film_save(model, path, &error));
    assert_ok(film_open(path, &again, &error));
    for (size_t i = 0; i < faq_count; i += 2)
        assert_true(judge(model, faq[i].a, faq[i].b).log_odds ==
                    judge(again, faq[i].a, faq[i].b).log_odds);
    assert_string_equal(model->edits, again->edits);
    assert_int_equal(relations_of(&again->relations, film_string("zebra"), film_string("giraffe")),
                     RELATION_OPPOSITE);
    json_t *edits = json_loads(again->edits, 0, NULL);
    assert_int_equal(json_array_size(edits), 3);
    json_t *first = json_array_get(edits, 0);
    assert_string_equal(json_string_value(json_object_get(first, "what")), "card / phone");
    assert_string_equal(json_string_value(json_object_get(first, "date")), "2026-02-03");
    assert_string_equal(json_string_value(json_object_get(first, "reason")), "it \"must\"");
    assert_close(json_number_value(json_object_get(first, "after")), 3, 1e-12);
    json_decref(edits);
    film_close(model);
    film_close(again);
    unlink(path);
}

/* ---- Relations ---- */

static void every_other_relation_stays(void **state)
{
    (void)state;
    static const char *const words[] = {"open", "closed",  "car",    "automobile", "poodle",
                                        "dog",  "turn on", "decide", "decision"};
    enum { WORDS = sizeof words / sizeof *words };
    struct relations_builder builder;
    struct relations from, with, without;
    size_t removed = 0;
    assert_ok(relations_builder_init(&builder, &error));
    assert_ok(relations_add(&builder, film_string("open"), film_string("closed"), RELATION_OPPOSITE,
                            &error));
    assert_ok(relations_add(&builder, film_string("car"), film_string("automobile"),
                            RELATION_SYNONYM, &error));
    assert_ok(relations_add(&builder, film_string("poodle"), film_string("dog"), RELATION_ONE_WAY,
                            &error));
    assert_ok(relations_add(&builder, film_string("decide"), film_string("decision"), RELATION_FORM,
                            &error));
    assert_ok(relations_add_class(&builder, film_string("dog"), 7, &error));
    assert_ok(relations_build(&builder, &from, &error));
    assert_ok(relations_with(&from, film_string("turn on"), film_string("open"), RELATION_SYNONYM,
                             &with, &error));
    assert_ok(relations_without(&with, film_string("closed"), film_string("open"),
                                RELATION_OPPOSITE, &without, &removed, &error));
    assert_int_equal(removed, 2);
    for (int i = 0; i < WORDS; i++)
        for (int j = 0; j < WORDS; j++) {
            if (i == j) continue;
            film_text a = film_string(words[i]), b = film_string(words[j]);
            int added = (i == 0 && j == 6) || (i == 6 && j == 0);
            int gone = (i == 0 && j == 1) || (i == 1 && j == 0);
            enum relation was = relations_of(&from, a, b);
            assert_int_equal(relations_of(&with, a, b), added ? RELATION_SYNONYM : was);
            assert_int_equal(relations_of(&without, a, b), added  ? RELATION_SYNONYM
                                                           : gone ? RELATION_NONE
                                                                  : was);
        }
    relations_free(&with);
    relations_free(&without);
    /* Word forms count as the same. */
    assert_ok(relations_without(&from, film_string("decision"), film_string("decide"),
                                RELATION_SYNONYM, &without, &removed, &error));
    assert_int_equal(removed, 2);
    relations_free(&without);
    relations_free(&from);
}

static void what_cannot_be_edited_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    film_model *model = open_copy();
    assert_int_equal(try_edit(model, FILM_EDIT_SET, "alone:xqzyv"), FILM_USAGE);
    assert_int_equal(try_edit(model, FILM_EDIT_SET, "card / card"), FILM_USAGE);
    assert_int_equal(try_edit(model, FILM_EDIT_SET, "card"), FILM_USAGE);
    assert_int_equal(try_edit(model, FILM_EDIT_SET, "alone:two words"), FILM_USAGE);
    assert_int_equal(try_edit(model, FILM_EDIT_REMOVE, "zebra ! giraffe"), FILM_USAGE);
    assert_int_equal(try_edit(model, (film_edit_action)9, "alone:card"), FILM_USAGE);
    assert_int_not_equal(try_edit(model, FILM_EDIT_SET, "alone:card\xff"), FILM_OK);
    film_edit huge = {.size = sizeof huge, .what = "alone:card", .weight = 1e6};
    assert_int_equal(film_edit_model(model, &huge, &error), FILM_USAGE);
    change(model, FILM_EDIT_SET, "zebra ! giraffe", 0);
    assert_int_equal(try_edit(model, FILM_EDIT_SET, "zebra = giraffe"), FILM_USAGE);
    for (size_t i = 0; i < faq_count; i += 7)
        assert_true(judge(model, faq[i].a, faq[i].b).log_odds ==
                    judge(plain, faq[i].a, faq[i].b).log_odds);
    film_close(model);
}

/* ---- Training ---- */

static void training_repeats_the_edits_of_another_model(void **state)
{
    (void)state;
    film_model *edited = open_copy(), *model;
    film_train_options options;
    change(edited, FILM_EDIT_SET, "card / phone", 3);
    change(edited, FILM_EDIT_REMOVE, "shared:card", 0);
    change(edited, FILM_EDIT_SET, "zebra ! giraffe", 0);
    change(edited, FILM_EDIT_REMOVE, "zebra ! giraffe", 0);
    faq_options(&options);
    options.edits = edited;
    model = faq_train(&options);
    assert_close(word_weight(model, "card", "shared"), 0, 1e-9);
    json_t *edits = json_loads(model->edits, 0, NULL);
    assert_int_equal(json_array_size(edits), 4);
    assert_string_equal(json_string_value(json_object_get(json_array_get(edits, 0), "date")),
                        "2026-02-03");
    json_decref(edits);
    film_close(model);
    film_close(edited);
}

static film_status edit_again(film_error *failure)
{
    film_model *model = NULL;
    film_edit weight = {.size = sizeof weight, .what = "card / phone", .weight = 2};
    film_edit relation = {.size = sizeof relation, .what = "zebra ! giraffe"};
    film_status status = film_open(model_path, &model, failure);
    if (status == FILM_OK) status = film_edit_model(model, &weight, failure);
    if (status == FILM_OK) status = film_edit_model(model, &relation, failure);
    film_close(model);
    return status;
}

static void an_edit_survives_every_failure(void **state)
{
    (void)state;
    survives_every_failure(edit_again(&error));
}

static void stored_pairs_can_be_read(void **state)
{
    (void)state;
    film_example example;
    assert_int_equal(film_example_count(plain), 40);
    assert_ok(film_example_at(plain, 39, &example, &error));
    assert_true(example.a.length > 0 && example.b.length > 0);
    assert_int_equal(film_example_at(plain, 40, &example, &error), FILM_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_of_a_word_moves_the_log_odds_by_its_difference),
        cmocka_unit_test(a_weight_of_two_words_is_added_where_they_are_opposed),
        cmocka_unit_test(an_edited_model_is_the_same_after_saving),
        cmocka_unit_test(every_other_relation_stays),
        cmocka_unit_test(what_cannot_be_edited_is_refused_and_changes_nothing),
        cmocka_unit_test(training_repeats_the_edits_of_another_model),
        cmocka_unit_test(an_edit_survives_every_failure),
        cmocka_unit_test(stored_pairs_can_be_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
