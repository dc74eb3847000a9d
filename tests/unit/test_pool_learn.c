/* Tests film_pool_learn, film_pool_models and film_pool_restore: the comparison, the exchange, and
 * the earlier model. Training is replaced by models that always give the same verdict, so
 * every figure is known. */
#include "pools.h"

#include "model/model.h"
#include "pool/pool.h"

#include <jansson.h>
#include <math.h>

static film_error error;

/* scratch() reuses its buffers. */
static void copy_path(char path[300], const char *name)
{
    snprintf(path, 300, "%s", scratch(name));
}

/* Expected values by numpy. */
static void assert_figure(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9) fail_msg("%.12g is not %.12g", value, wanted);
}

/* ---- A pool whose model says "different", and models that say otherwise ---- */

struct trainer {
    double threshold; /* -9: always the same; 9: never */
    int calls;
    size_t pairs[6], plan;
    double share;
    const char *meanwhile; /* a model that someone puts into the pool during the training */
    const char *pool;
};

static film_model *constant_model(double threshold)
{
    const char *table = scratch("train.tsv");
    film_model *model = NULL;
    film_train_options options = {.size = sizeof options,
                                  .min_df = 1,
                                  .rank = 5,
                                  .threads = 1,
                                  .method = FILM_METHOD_SVD,
                                  .decision = FILM_DECISION_THRESHOLD};
    write_file(table, POOL_TABLE, strlen(POOL_TABLE));
    assert_ok(film_train(&table, 1, &options, &model, &error));
    model->decision.similarity.threshold = threshold;
    unlink(table);
    return model;
}

static film_status give_model(void *user, const film_training_set *set, film_model **out,
                              film_error *problem)
{
    struct trainer *trainer = user;
    (void)problem;
    if (trainer->calls < 6) trainer->pairs[trainer->calls] = set->pair_count;
    trainer->calls++;
    trainer->plan = set->plan_pairs;
    trainer->share = set->random_share;
    *out = constant_model(trainer->threshold);
    if (trainer->meanwhile) {
        film_pool *pool = NULL;
        assert_ok(film_pool_open(trainer->pool, &pool, &error));
        assert_ok(film_pool_update(pool, trainer->meanwhile, 1, NULL, NULL, &error));
        film_pool_close(pool);
        trainer->meanwhile = NULL;
    }
    return FILM_OK;
}

enum { SENTENCES = 41 };

/* Labels I and I + 1: 30 pairs are the same, then 10 are different. */
static void label_pairs(film_pool *pool, int from, int to)
{
    for (int i = from; i < to; i++) {
        char a[20], b[20];
        snprintf(a, sizeof a, "s%d", i);
        snprintf(b, sizeof b, "s%d", i + 1);
        assert_ok(film_pool_label(pool, film_string(a), film_string(b), i < 30, NULL, &error));
    }
}

static film_pool *learning_pool(const char *path)
{
    char file[300];
    copy_path(file, "never.film");
    film_model *never = constant_model(9);
    film_pool *pool = NULL;
    assert_ok(film_save(never, file, &error));
    film_close(never);
    remove_pool(path);
    assert_ok(film_pool_create(path, file, &error));
    assert_ok(film_pool_open(path, &pool, &error));
    for (int i = 0; i < SENTENCES; i++) {
        char id[20], text[40];
        snprintf(id, sizeof id, "s%d", i);
        snprintf(text, sizeof text, "card %d is lost", i);
        add_one(pool, id, text);
    }
    unlink(file);
    return pool;
}

static film_status learn(film_pool *pool, struct trainer *trainer, int force, film_learned *learned)
{
    film_learn_options options = {
        .size = sizeof options, .train = give_model, .user = trainer, .force = force, .threads = 1};
    *learned = (film_learned){.size = sizeof *learned};
    return film_pool_learn(pool, &options, learned, &error);
}

static void remove_learning_pool(film_pool *pool, const char *path)
{
    film_pool_close(pool);
    remove_pool(path);
}

/* The number of models that the pool has, and the id of the earlier one. */
static size_t count_models(film_pool *pool, const char **earlier)
{
    static char id[17];
    char *text = NULL;
    assert_ok(film_pool_models(pool, &text, &error));
    json_t *root = json_loads(text, 0, NULL), *list = json_object_get(root, "models");
    size_t count = json_array_size(list);
    const json_t *model = json_array_get(list, 1);
    if (model) snprintf(id, sizeof id, "%s", json_string_value(json_object_get(model, "id")));
    if (earlier) *earlier = id;
    json_decref(root);
    film_free(text);
    return count;
}

static void assert_in_service(film_pool *pool, const char *id)
{
    film_pool_description about = {.size = sizeof about};
    film_pool_check_options full = {.size = sizeof full, .full = 1};
    film_pool_checked checked = {.size = sizeof checked};
    assert_ok(film_pool_describe(pool, &about, &error));
    assert_string_equal(about.model_checksum, id);
    assert_ok(film_pool_check(pool, &full, &checked, &error));
    assert_int_equal(checked.problems, 0);
}

static void a_better_model_is_taken(void **state)
{
    (void)state;
    char path[300];
    copy_path(path, "learn.pool");
    film_pool *pool = learning_pool(path);
    film_pool_description before = {.size = sizeof before};
    struct trainer trainer = {.threshold = -9};
    film_learned learned;
    assert_ok(film_pool_describe(pool, &before, &error));
    assert_int_equal(learn(pool, &trainer, 0, &learned), FILM_BAD_INPUT); /* no labels */
    assert_non_null(strstr(error.message, "has no labels to learn from"));
    label_pairs(pool, 0, 40);
    assert_ok(learn(pool, &trainer, 0, &learned));
    assert_int_equal(learned.labels, 40);
    assert_int_equal(learned.compared, 40);
    assert_int_equal(learned.taken, 1);
    assert_figure(learned.old_accuracy, 0.25);
    assert_figure(learned.new_accuracy, 0.75);
    assert_figure(learned.new_low, 0.5980603857923197);
    assert_figure(learned.new_high, 0.858128813609037);
    assert_figure(learned.difference, 0.5);
    assert_figure(learned.difference_low, 0.2143782744223442);
    assert_figure(learned.difference_high, 0.7380026779586082);
    assert_figure(learned.p, 0.0022214337732293643);
    assert_in_service(pool, learned.id);
    /* Each label was held out once; the last training had all of them. */
    size_t held = 0;
    for (int i = 0; i < 5; i++) held += 40 - trainer.pairs[i];
    assert_int_equal(trainer.calls, 6);
    assert_int_equal(held, 40);
    assert_int_equal(trainer.pairs[5], 40);
    assert_int_equal(trainer.plan, 40);
    assert_int_equal(count_models(pool, NULL), 2);
    /* Back to the first, and to the second. */
    assert_ok(film_pool_restore(pool, 1, NULL, &error));
    assert_in_service(pool, before.model_checksum);
    assert_ok(film_pool_restore(pool, 1, NULL, &error));
    assert_in_service(pool, learned.id);
    /* Its verdicts from when it was learned came back with it. */
    trainer = (struct trainer){.threshold = 9};
    assert_ok(learn(pool, &trainer, 0, &learned));
    assert_int_equal(learned.compared, 40);
    assert_figure(learned.old_accuracy, 0.75);
    remove_learning_pool(pool, path);
}

static void a_worse_model_is_refused(void **state)
{
    (void)state;
    char path[300];
    copy_path(path, "worse.pool");
    film_pool *pool = learning_pool(path);
    struct trainer trainer = {.threshold = -9};
    film_learned first, learned;
    label_pairs(pool, 0, 30); /* all the same */
    assert_ok(learn(pool, &trainer, 0, &first));
    assert_figure(first.new_accuracy, 1);
    label_pairs(pool, 30, 40);
    /* The verdicts on the 30 labels that the model has learned are those from when it had not. */
    trainer = (struct trainer){.threshold = 9};
    assert_ok(learn(pool, &trainer, 0, &learned));
    assert_int_equal(learned.compared, 40);
    assert_figure(learned.old_accuracy, 0.75);
    assert_figure(learned.new_accuracy, 0.25);
    assert_int_equal(learned.taken, 0);
    assert_int_equal(trainer.calls, 5); /* all labels were not trained on */
    assert_string_equal(learned.id, "");
    assert_in_service(pool, first.id);
    char *json = NULL;
    assert_ok(film_pool_models(pool, &json, &error));
    assert_non_null(strstr(json, "\"labels\": 40, \"new_labels\": 0, \"last\": {"));
    assert_non_null(strstr(json, "\"taken\": false"));
    film_free(json);
    assert_ok(learn(pool, &trainer, 1, &learned));
    assert_int_equal(learned.taken, 1);
    assert_in_service(pool, learned.id);
    /* A model from elsewhere may know every label: nothing is left to compare. */
    char other[300];
    copy_path(other, "other.film");
    save_model(other, FILM_METHOD_SVD);
    assert_ok(film_pool_update(pool, other, 1, NULL, NULL, &error));
    unlink(other);
    assert_ok(learn(pool, &trainer, 0, &learned));
    assert_int_equal(learned.compared, 0);
    assert_int_equal(learned.taken, 0);
    remove_learning_pool(pool, path);
}

static void one_earlier_model_is_kept(void **state)
{
    (void)state;
    char path[300], other[300];
    const char *earlier = NULL;
    copy_path(path, "many.pool");
    film_pool *pool = learning_pool(path);
    film_learned learned[4];
    struct db db = {0};
    int64_t verdicts;
    assert_int_equal(film_pool_restore(pool, 1, NULL, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "has no earlier model to restore"));
    label_pairs(pool, 0, 40);
    for (int i = 0; i < 4; i++) {
        struct trainer trainer = {.threshold = -10 - i};
        assert_ok(learn(pool, &trainer, 1, &learned[i]));
    }
    assert_int_equal(count_models(pool, &earlier), 2);
    assert_string_equal(earlier, learned[2].id);
    assert_ok(pool_connect(pool, &db, &error));
    assert_ok(
        db_number(&db, "SELECT count(*) FROM setting WHERE name GLOB 'held/*'", &verdicts, &error));
    assert_int_equal(verdicts, 2);
    /* A model from elsewhere replaces the one in service; the same model again replaces nothing. */
    copy_path(other, "other.film");
    save_model(other, FILM_METHOD_SVD);
    for (int i = 0; i < 2; i++) {
        assert_ok(film_pool_update(pool, other, 1, NULL, NULL, &error));
        assert_int_equal(count_models(pool, &earlier), 2);
        assert_string_equal(earlier, learned[3].id);
    }
    unlink(other);
    /* A damaged model is refused. */
    assert_ok(
        db_run(&db, "UPDATE model SET bytes = zeroblob(length(bytes)) WHERE chunk = -1", &error));
    assert_int_equal(film_pool_restore(pool, 1, NULL, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "checksum mismatch"));
    assert_ok(db_run(&db, "DELETE FROM model WHERE chunk = -1", &error));
    assert_int_equal(film_pool_restore(pool, 1, NULL, &error), FILM_BAD_INPUT);
    db_close(&db);
    remove_learning_pool(pool, path);
}

static void another_model_in_the_meantime_wins(void **state)
{
    (void)state;
    char path[300], other[300];
    copy_path(path, "race.pool");
    copy_path(other, "race.film");
    film_pool *pool = learning_pool(path);
    film_pool_description about = {.size = sizeof about};
    struct trainer trainer = {.threshold = -9, .meanwhile = other, .pool = path};
    film_learned learned;
    save_model(other, FILM_METHOD_SVD);
    label_pairs(pool, 0, 40);
    assert_int_equal(learn(pool, &trainer, 0, &learned), FILM_IO);
    assert_non_null(strstr(error.message, "got another model in the meantime"));
    assert_ok(film_pool_describe(pool, &about, &error));
    assert_in_service(pool, about.model_checksum);
    assert_int_equal(about.labels, 40);
    unlink(other);
    remove_learning_pool(pool, path);
}

static void a_hostile_description_of_models_is_harmless(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "'{\"last\": 3, \"present\": [7, null], \"earlier\": {\"id\": \"x\"}}'",
        "'{\"present\": {\"id\": 7, \"labels\": -1e300, \"accuracy\": 7, \"when\": {}}}'", "'[]'",
        "7", "x'00ff'"};
    char path[300], sql[300];
    copy_path(path, "hostile.pool");
    film_pool *pool = learning_pool(path);
    struct db db = {0};
    assert_ok(pool_connect(pool, &db, &error));
    assert_ok(db_run(&db, "INSERT INTO setting VALUES ('held/0', x'00ff')", &error));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char *json = NULL;
        snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO setting VALUES ('learning', %s)",
                 settings[i]);
        assert_ok(db_run(&db, sql, &error));
        if (film_pool_models(pool, &json, &error) == FILM_OK)
            assert_non_null(strstr(json, "\"when\": null, \"labels\": 0, \"accuracy\": null"));
        film_free(json);
    }
    assert_ok(db_run(&db,
                     "INSERT OR REPLACE INTO setting VALUES ('earlier_checksum', '../../etc/x'),"
                     " ('earlier_size', 1e15)",
                     &error));
    assert_int_equal(film_pool_restore(pool, 1, NULL, &error), FILM_BAD_INPUT);
    db_close(&db);
    remove_learning_pool(pool, path);
}

static film_status give_ready(void *user, const film_training_set *set, film_model **out,
                              film_error *problem)
{
    (void)user;
    (void)set;
    return film_open(scratch("ready.film"), out, problem);
}

static film_pool *spare;

static film_status learn_and_list(film_error *problem)
{
    film_learn_options options = {
        .size = sizeof options, .train = give_ready, .force = 1, .threads = 1};
    film_learned learned = {.size = sizeof learned};
    char *json = NULL;
    film_status status = film_pool_learn(spare, &options, &learned, problem);
    if (status == FILM_OK) status = film_pool_models(spare, &json, problem);
    film_free(json);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    char path[300], file[300];
    copy_path(path, "memory.pool");
    copy_path(file, "ready.film");
    spare = learning_pool(path);
    label_pairs(spare, 0, 40);
    film_model *ready = constant_model(-9);
    assert_ok(film_save(ready, file, &error));
    film_close(ready);
    survives_every_failure(learn_and_list(&error));
    unlink(file);
    remove_learning_pool(spare, path);
}

/* ---- The curve of thresholds ---- */

static int keep_point(void *user, const film_pool_threshold_point *point)
{
    ((film_pool_threshold_point *)user)[(int)lround(100 * point->threshold)] = *point;
    return 0;
}

static film_thresholds curve_of(film_pool *pool, film_pool_threshold_point points[100])
{
    film_thresholds found = {.size = sizeof found};
    film_thresholds_options options = {
        .size = sizeof options, .point = keep_point, .user = points, .answer = {.threads = 1}};
    options.answer.size = sizeof options.answer;
    assert_ok(film_pool_thresholds(pool, &options, &found, &error));
    return found;
}

/* Answers have the probability of the model that asked, here 0.01. After learning, the curve uses
 * what the new model says without having seen them, here that of a match. */
static void the_curve_judges_answers_by_the_model_in_service(void **state)
{
    (void)state;
    char path[300], other[300];
    const char *origin = "review chosen different 0.0100";
    film_pool_threshold_point points[100];
    const film_model *model = NULL;
    struct trainer trainer = {.threshold = 0.3};
    film_learned learned;
    copy_path(path, "curve.pool");
    film_pool *pool = learning_pool(path);
    for (int i = 0; i < 40; i++) {
        char a[20], b[20];
        snprintf(a, sizeof a, "s%d", i);
        snprintf(b, sizeof b, "s%d", i + 1);
        assert_ok(
            film_pool_label(pool, film_string(a), film_string(b), i % 3 != 0, origin, &error));
    }
    assert_ok(learn(pool, &trainer, 1, &learned));
    assert_int_equal(curve_of(pool, points).answers, 40);
    assert_ok(film_pool_model(pool, &model, &error));
    uint64_t above = 0, wrong = 0;
    for (int i = 0; i < 40; i++) {
        char a[40], b[40];
        film_verdict verdict;
        snprintf(a, sizeof a, "card %d is lost", i);
        snprintf(b, sizeof b, "card %d is lost", i + 1);
        film_text texts[2] = {film_string(a), film_string(b)};
        film_answer_options options = {.size = sizeof options, .threads = 1};
        assert_ok(film_match_batch(model, &texts[0], &texts[1], 1, &options, &verdict, &error));
        above += verdict.probability >= 0.5;
        wrong += verdict.probability < 0.5;
    }
    assert_int_equal(points[50].answers, above);
    assert_true(above > 0 && above + wrong == 40);
    /* A model from elsewhere may have seen them all. */
    copy_path(other, "other.film");
    film_model *from_elsewhere = constant_model(0.2);
    assert_ok(film_save(from_elsewhere, other, &error));
    film_close(from_elsewhere);
    assert_ok(film_pool_update(pool, other, 1, NULL, NULL, &error));
    assert_int_equal(curve_of(pool, points).answers, 0);
    unlink(other);
    remove_learning_pool(pool, path);
}

/* Two random pairs of probability 0.05 are different. Of seven pairs near 0.5 one is random, and
 * four are the same. So 4 / 7 of three random pairs are, and one of two imagined ones. */
static void the_share_of_duplicates_is_that_of_random_pairs(void **state)
{
    (void)state;
    const char *origins[] = {"review random different 0.0500", "review random same 0.5100",
                             "review chosen same 0.5000"};
    char path[300], id[10][20];
    film_review_estimate estimate = {.size = sizeof estimate};
    struct trainer trainer = {.threshold = -9};
    copy_path(path, "share.pool");
    film_pool *pool = learning_pool(path);
    for (int i = 0; i < 10; i++) snprintf(id[i], sizeof id[i], "s%d", i);
    for (int i = 0; i < 9; i++)
        assert_ok(film_pool_label(pool, film_string(id[i]), film_string(id[i + 1]), i > 1 && i < 6,
                                  origins[(i > 1) + (i > 2)], &error));
    assert_ok(film_pool_review_estimate(pool, &estimate, &error));
    assert_figure(estimate.share, (4.0 / 7 + 1) / 5);
    assert_ok(learn(pool, &trainer, 1, &(film_learned){0}));
    assert_figure(trainer.share, (4.0 / 7 + 1) / 5);
    film_pool_close(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_better_model_is_taken),
        cmocka_unit_test(a_worse_model_is_refused),
        cmocka_unit_test(one_earlier_model_is_kept),
        cmocka_unit_test(another_model_in_the_meantime_wins),
        cmocka_unit_test(a_hostile_description_of_models_is_harmless),
        cmocka_unit_test(the_curve_judges_answers_by_the_model_in_service),
        cmocka_unit_test(the_share_of_duplicates_is_that_of_random_pairs),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
