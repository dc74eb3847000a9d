/* Tests film_eval with a second model, an operating point, a threshold or a prior. */
#include "eval_toy.h"

static void a_threshold_of_ones_own_decides(void **state)
{
    (void)state;
    film_context *context;
    film_verdict verdict;
    film_eval_options options = quick();
    options.no_knn = 1;
    options.threshold = 0.7;
    json_t *answer = evaluate(pairs_path, &options);
    double right = 0;
    assert_ok(film_context_new(model, &context, &error));
    for (int i = 0; i < PAIRS; i++) {
        match_one(context, i, &verdict);
        right += (verdict.probability >= 0.7) == label[i];
    }
    assert_close(number(answer, "accuracy"), right / PAIRS, 1e-9);
    assert_close(number(answer, "threshold"), 0.7, 0);
    json_decref(answer);
    film_context_free(context);
}

static void the_prior_may_be_the_files_own(void **state)
{
    (void)state;
    const char *path = scratch("fifth.tsv");
    FILE *file = fopen(path, "w");
    int rows = 0, ones = 0;
    fprintf(file, "label\tquestion1\tquestion2\n");
    for (int i = 0; i < PAIRS; i++) {
        if (label[i] && i % 4 == 1) continue;
        fprintf(file, "%d\t%s\t%s\n", label[i], text[i][0], text[i][1]);
        rows++;
        ones += label[i];
    }
    fclose(file);
    film_eval_options options = quick();
    options.no_knn = 1;
    options.prior = FILM_PRIOR_AUTO;
    json_t *own = evaluate(path, &options);
    assert_close(number(own, "prior"), (double)ones / rows, 1e-9);
    options.prior = (double)ones / rows;
    json_t *given = evaluate(path, &options);
    assert_true(json_equal(own, given));
    json_decref(own);
    json_decref(given);
    remove(path);
}

/* Passing the chosen threshold explicitly gives the measures that were reported for it. */
static void an_operating_point_has_its_reported_measures(void **state)
{
    (void)state;
    const film_operating wanted[] = {
        {FILM_ACCURACY, 0}, {FILM_F1, 0}, {FILM_PRECISION, 0.8}, {FILM_RECALL, 0.7}};
    for (int i = 0; i < 4; i++) {
        film_eval_options options = quick();
        options.no_knn = 1;
        options.operating = &wanted[i];
        json_t *answer = evaluate(pairs_path, &options), *point;
        point = json_object_get(answer, "operating");
        options.threshold = number(point, "threshold");
        json_t *again = evaluate(pairs_path, &options);
        assert_close(number(again, "accuracy"), number(point, "accuracy"), 1e-9); /* 60 of 120 */
        assert_close(number(again, "f1"), number(point, "f1"), 1e-9);
        if (i == 0) assert_close(number(point, "accuracy"), number(answer, "best_accuracy"), 1e-9);
        if (i >= 2)
            assert_true(number(point, i == 2 ? "precision" : "recall") >= wanted[i].target - 1e-9);
        json_decref(answer);
        json_decref(again);
    }
}

/* With a model of a different method, each side of `against` equals its separate evaluation. */
static void two_models_are_compared_on_the_same_rows(void **state)
{
    (void)state;
    const char *paths[1] = {pairs_path};
    static const char *const figures[] = {"accuracy", "f1", "log_loss", "auc", "brier"};
    film_train_options train;
    film_model *other = NULL;
    train = (film_train_options){.size = sizeof train};
    train.method = FILM_METHOD_SVD;
    train.rank = 3;
    train.threads = 2;
    train.operating = (film_operating){FILM_RECALL, 0.95};
    assert_ok(film_train(paths, 1, &train, &other, &error));
    for (int knn = 0; knn < 2; knn++) {
        film_eval_options options = quick();
        options.decision = knn ? FILM_EVAL_KNN : FILM_EVAL_AUTO;
        options.against = other;
        options.names[1] = "\xff\xfe"; /* invalid UTF-8: not representable in JSON */
        json_t *both = evaluate(pairs_path, &options), *against = json_object_get(both, "against");
        options.against = NULL;
        json_t *first = evaluate(pairs_path, &options);
        film_model *saved = model;
        model = other;
        json_t *second = evaluate(pairs_path, &options);
        model = saved;
        for (int i = 0; i < 5; i++) {
            json_t *figure = json_object_get(against, figures[i]);
            assert_close(number(figure, "first"), number(first, figures[i]), 1e-9);
            assert_close(number(figure, "second"), number(second, figures[i]), 1e-9);
            assert_close(number(figure, "difference"),
                         number(first, figures[i]) - number(second, figures[i]), 1e-9);
        }
        assert_string_equal(json_string_value(json_object_get(against, "second")),
                            "the second model");
        assert_true(json_is_string(json_object_get(against, "sentence")));
        json_object_del(both, "against");
        json_object_del(first, "against");
        assert_true(json_equal(both, first));
        json_decref(both);
        json_decref(first);
        json_decref(second);
    }
    film_close(other);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    char *json;
    film_operating wanted = {FILM_PRECISION, 2};
    film_eval_options options = quick();
    options.operating = &wanted;
    assert_int_equal(eval_text(model, pairs_path, &options, &json, &error), FILM_USAGE);
    options = quick();
    options.threshold = 1;
    assert_int_equal(eval_text(model, pairs_path, &options, &json, &error), FILM_USAGE);
    options.threshold = NAN;
    assert_int_equal(eval_text(model, pairs_path, &options, &json, &error), FILM_USAGE);
    options.threshold = 0.5;
    options.decision = FILM_EVAL_KNN;
    assert_int_equal(eval_text(model, pairs_path, &options, &json, &error), FILM_USAGE);
    options = quick();
    options.against = model;
    assert_int_equal(eval_text(model, pool_path, &options, &json, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "no labels"));
    assert_null(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_threshold_of_ones_own_decides),
        cmocka_unit_test(the_prior_may_be_the_files_own),
        cmocka_unit_test(an_operating_point_has_its_reported_measures),
        cmocka_unit_test(two_models_are_compared_on_the_same_rows),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests_name("eval against", tests, set_up, tear_down);
}
