/* Tests film_eval, film_match_batch and film_score_batch through the API: a small model, with
 * measures recomputed from single calls. */
#include "eval_toy.h"

static void a_batch_equals_single_calls(void **state)
{
    (void)state;
    film_text a[PAIRS], b[PAIRS];
    film_verdict many[PAIRS], one;
    float probability[PAIRS];
    film_context *context;
    for (int i = 0; i < PAIRS; i++) {
        a[i] = film_string(text[i][0]);
        b[i] = film_string(text[i][1]);
    }
    assert_ok(film_context_new(model, &context, &error));
    for (int p = 0; p < 2; p++) {
        film_answer_options answer = {.size = sizeof answer};
        if (p) answer.prior = 0.2;
        assert_ok(film_context_set(context, &answer, &error));
        for (answer.threads = 1; answer.threads <= 4; answer.threads *= 2) {
            assert_ok(film_match_batch(model, a, b, PAIRS, &answer, many, &error));
            assert_ok(film_score_batch(model, a, b, PAIRS, &answer, probability, &error));
            for (int i = 0; i < PAIRS; i++) {
                match_one(context, i, &one);
                assert_true(one.probability == many[i].probability);
                assert_true(one.log_odds == many[i].log_odds && one.bias == many[i].bias);
                assert_int_equal(one.same, many[i].same);
                assert_true((float)one.probability == probability[i]);
                assert_int_equal(many[i].reason_count, 0);
            }
        }
    }
    film_context_free(context);
    film_answer_options certain = {.size = sizeof certain, .prior = 1.0};
    assert_ok(film_score_batch(model, NULL, NULL, 0, NULL, NULL, &error));
    assert_int_equal(film_score_batch(model, a, b, PAIRS, &certain, probability, &error),
                     FILM_USAGE);
    assert_int_equal(film_score_batch(model, a, NULL, 1, NULL, probability, &error), FILM_USAGE);
    b[3] = (film_text){"\xff", 1};
    assert_int_equal(film_score_batch(model, a, b, PAIRS, NULL, probability, &error),
                     FILM_BAD_INPUT);
}

static void figures_of_pairs_follow_from_single_verdicts(void **state)
{
    (void)state;
    film_eval_options options = quick();
    json_t *answer = evaluate(pairs_path, &options);
    film_context *context;
    film_verdict verdict;
    double right = 0, loss = 0;
    assert_ok(film_context_new(model, &context, &error));
    for (int i = 0; i < PAIRS; i++) {
        match_one(context, i, &verdict);
        right += verdict.same == label[i];
        loss -= log(label[i] ? verdict.probability : 1 - verdict.probability);
    }
    film_context_free(context);
    assert_int_equal(number(answer, "rows"), PAIRS);
    assert_close(number(answer, "accuracy"), right / PAIRS, 1e-9);
    assert_close(number(answer, "log_loss"), loss / PAIRS, 1e-9);
    assert_true(number(answer, "best_accuracy") >= number(answer, "accuracy"));
    static const char *const names[] = {
        "best_threshold", "f1", "auc", "average_precision", "ece", "best_k", "elbow_k"};
    for (int i = 0; i < 7; i++) number(answer, names[i]);
    assert_true(json_is_null(json_object_get(answer, "pearson")));
    assert_true(json_is_null(json_object_get(answer, "spearman")));
    assert_true(json_is_null(json_object_get(answer, "retrieval")));
    assert_string_equal(json_string_value(json_object_get(answer, "knn_variant")), "mutual");
    assert_int_equal(json_array_size(json_object_get(answer, "knn")), 8);
    json_t *ci = json_object_get(json_object_get(answer, "ci"), "accuracy");
    assert_true(json_number_value(json_array_get(ci, 0)) <= number(answer, "accuracy"));
    assert_true(json_number_value(json_array_get(ci, 1)) >= number(answer, "accuracy"));
    json_decref(answer);
}

static void deciding_by_knn_takes_the_best_k(void **state)
{
    (void)state;
    film_eval_options options = quick();
    options.decision = FILM_EVAL_KNN;
    for (int v = 0; v < 2; v++) {
        options.knn = v ? FILM_KNN_EITHER : FILM_KNN_MUTUAL;
        json_t *answer = evaluate(pairs_path, &options);
        size_t best = (size_t)number(answer, "best_k");
        json_t *point = json_array_get(json_object_get(answer, "knn"), best - 1);
        assert_int_equal(number(point, "k"), best);
        assert_close(number(answer, "accuracy"), number(point, "accuracy"), 1e-9);
        assert_close(number(answer, "log_loss"), number(point, "cross_entropy"), 1e-9);
        double tp = number(point, "tp"), fp = number(point, "fp"), fn = number(point, "fn");
        assert_close(number(answer, "f1"), 2 * tp / (2 * tp + fp + fn), 1e-9);
        json_decref(answer);
    }
}

/* Exact search: every distinct sentence of both files, cosines from film_embed. */
static void retrieval_searches_both_files(void **state)
{
    (void)state;
    film_eval_options options = quick();
    options.pool = pool_path;
    options.no_knn = 1;
    json_t *answer = evaluate(pairs_path, &options), *found = json_object_get(answer, "retrieval");
    char all[2 * PAIRS + 40][120];
    size_t count = 0, queries = 0, dim = film_dim(model);
    for (int i = 0; i < 2 * PAIRS + 40; i++) {
        char line[120];
        snprintf(line, sizeof line, "wordaa wordb%c wordc%c", 'a' + i % 7, 'a' + i % 5);
        const char *sentence = i < 40 ? line : text[(i - 40) / 2][i % 2];
        size_t j = 0;
        while (j < count && strcmp(all[j], sentence) != 0) j++;
        if (j == count) strcpy(all[count++], sentence);
    }
    film_text *texts = malloc(count * sizeof *texts);
    float *vectors = malloc(count * dim * sizeof *vectors);
    for (size_t i = 0; i < count; i++) texts[i] = film_string(all[i]);
    assert_ok(film_embed_batch(model, texts, count, 1, vectors, &error));
    double reciprocal[2] = {0, 0}; /* ties count against; near ties count in favour (rounding) */
    for (int i = 0; i < PAIRS; i++) {
        if (!label[i] || strcmp(text[i][0], text[i][1]) == 0) continue;
        size_t a = 0, b = 0;
        while (strcmp(all[a], text[i][0]) != 0) a++;
        while (strcmp(all[b], text[i][1]) != 0) b++;
        double cosine[2 * PAIRS + 40];
        for (size_t j = 0; j < count; j++) {
            double dot = 0, length = 0, own = 0;
            for (size_t d = 0; d < dim; d++) {
                dot += (double)vectors[a * dim + d] * vectors[j * dim + d];
                length += (double)vectors[j * dim + d] * vectors[j * dim + d];
                own += (double)vectors[a * dim + d] * vectors[a * dim + d];
            }
            cosine[j] = length > 0 ? dot / sqrt(length * own) : 0;
        }
        for (int kind = 0; kind < 2; kind++) {
            int rank = 1;
            double slack = kind ? 1e-6 : -1e-6;
            for (size_t j = 0; j < count; j++)
                rank += j != a && j != b && cosine[j] >= cosine[b] + slack;
            reciprocal[kind] += 1.0 / rank;
        }
        queries++;
    }
    assert_int_equal(number(found, "queries"), queries);
    assert_int_equal(number(found, "pool"), count);
    assert_true(number(found, "mrr") >= reciprocal[0] / (double)queries - 1e-9);
    assert_true(number(found, "mrr") <= reciprocal[1] / (double)queries + 1e-9);
    assert_int_equal(json_array_size(json_object_get(answer, "knn")), 0);
    assert_true(json_is_null(json_object_get(answer, "best_k")));
    json_decref(answer);
    options.pool_queries = 3;
    answer = evaluate(pairs_path, &options);
    assert_int_equal(number(json_object_get(answer, "retrieval"), "queries"), 3);
    json_decref(answer);
    free(texts);
    free(vectors);
}

static void other_labels_give_the_figures_that_fit(void **state)
{
    (void)state;
    film_eval_options options = quick();
    const char *path = scratch("other.tsv");
    FILE *file = fopen(path, "w");
    fprintf(file, "sentence1\tsentence2\tscore\n");
    for (int i = 0; i < PAIRS; i++)
        fprintf(file, "%s\t%s\t%.1f\n", text[i][0], text[i][1], label[i] * 3.5 + i % 5 * 0.3);
    fclose(file);
    json_t *answer = evaluate(path, &options);
    assert_true(number(answer, "pearson") > 0.2 && number(answer, "spearman") > 0.2);
    assert_true(json_is_null(json_object_get(answer, "accuracy")));
    json_decref(answer);

    file = fopen(path, "w");
    fprintf(file, "anchor\tpositive\tnegative\n");
    for (int i = 1; i < PAIRS; i += 2)
        fprintf(file, "%s\t%s\t%s\n", text[i][0], text[i][1], text[i - 1][1]);
    fclose(file);
    answer = evaluate(path, &options);
    assert_true(number(answer, "triplet_accuracy") > 0.6);
    assert_true(number(answer, "accuracy") > 0.5);
    json_decref(answer);

    file = fopen(path, "w");
    fprintf(file, "text\tcategory\n");
    for (int i = 1; i < PAIRS; i++) fprintf(file, "%s\tc%d\n", text[i / 2 * 2][i % 2], i / 2);
    fclose(file);
    answer = evaluate(path, &options);
    number(json_object_get(answer, "category_accuracy"), "1");
    assert_true(json_is_null(json_object_get(answer, "auc")));
    json_decref(answer);
    remove(path);
}

static void the_result_does_not_depend_on_the_threads(void **state)
{
    (void)state;
    char *json[3];
    film_eval_options options = quick();
    options.pool = pool_path;
    for (int t = 0; t < 3; t++) {
        options.threads = 1 << t;
        assert_ok(eval_text(model, pairs_path, &options, &json[t], &error));
        assert_string_equal(json[t], json[0]);
    }
    for (int t = 0; t < 3; t++) film_free(json[t]);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    char *json;
    film_eval_options options = quick();
    options.decision = FILM_EVAL_DECISION_COUNT;
    assert_int_equal(eval_text(model, pairs_path, &options, &json, &error), FILM_USAGE);
    options = quick();
    options.knn = (film_knn)-1;
    assert_int_equal(eval_text(model, pairs_path, &options, &json, &error), FILM_USAGE);
    options = quick();
    options.k_first = 9;
    assert_int_equal(eval_text(model, pairs_path, &options, &json, &error), FILM_USAGE);
    options = quick();
    options.prior = 1;
    assert_int_equal(eval_text(model, pairs_path, &options, &json, &error), FILM_USAGE);
    options = quick();
    assert_int_equal(eval_text(model, pool_path, &options, &json, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "no labels"));
    assert_int_equal(eval_text(model, "/nonexistent", &options, &json, &error), FILM_IO);
    assert_null(json);
    assert_int_equal(eval_text(NULL, pairs_path, &options, &json, &error), FILM_USAGE);
}

static int stop_later(void *user, const char *phase, double done, double total)
{
    (void)phase, (void)done, (void)total;
    return --*(int *)user < 0;
}

static void it_can_be_stopped_anywhere(void **state)
{
    (void)state;
    char *json = NULL;
    film_status status = FILM_CANCELLED;
    int at = 0;
    for (; at < 200 && status == FILM_CANCELLED; at++) {
        int left = at;
        film_eval_options options = quick();
        options.pool = pool_path;
        options.bootstrap = 10;
        options.threads = 1; /* with several, the reporting thread may get no work */
        options.progress = (film_progress){stop_later, &left, NULL};
        status = eval_text(model, pairs_path, &options, &json, &error);
    }
    assert_int_equal(status, FILM_OK);
    assert_true(at > 4);
    film_free(json);
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    char *json = NULL;
    film_eval_options options = quick();
    const film_operating wanted = {FILM_F1, 0};
    options.pool = pool_path;
    options.against = model;
    options.decision = FILM_EVAL_KNN;
    options.operating = &wanted;
    options.bootstrap = 3;
    options.threads = 1;
    survives_every_failure(eval_text(model, pairs_path, &options, &json, &error));
    assert_true(failures_survived > 100);
    film_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_equals_single_calls),
        cmocka_unit_test(figures_of_pairs_follow_from_single_verdicts),
        cmocka_unit_test(deciding_by_knn_takes_the_best_k),
        cmocka_unit_test(retrieval_searches_both_files),
        cmocka_unit_test(other_labels_give_the_figures_that_fit),
        cmocka_unit_test(the_result_does_not_depend_on_the_threads),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(it_can_be_stopped_anywhere),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests_name("eval", tests, set_up, tear_down);
}
