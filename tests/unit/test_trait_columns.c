/* Tests models whose traits differ from this program's: older files without ids, and files with
 * fewer, more or reordered traits. Each is a valid model rewritten with different columns, so its
 * expected results are known to the last bit. */
#include "faq_model.h"
#include "spoil.h"

#include <jansson.h>

static char good[300], changed[300];
enum { PAIRS = 40, MOST_COLUMNS = 200 };

static int set_up(void **state)
{
    (void)state;
    film_model *model = faq_shared();
    strcpy(good, scratch("columns-good.film"));
    strcpy(changed, scratch("columns-changed.film"));
    assert_ok(film_save(model, good, &error));
    film_close(model);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(good);
    unlink(changed);
    return 0;
}

static void answer(const char *path, double *probability)
{
    film_model *model;
    film_context *context;
    film_verdict verdict;
    assert_ok(film_open(path, &model, &error));
    assert_ok(film_context_new(model, &context, &error));
    for (size_t i = 0; i < PAIRS; i++) {
        assert_ok(film_match(context, film_string(faq[13 * i].a), film_string(faq[13 * i].b),
                             &verdict, &error));
        double sum = verdict.bias;
        for (size_t r = 0; r < verdict.reason_count; r++) sum += verdict.reasons[r].weight;
        assert_close(sum, verdict.log_odds, 1e-9);
        probability[i] = verdict.probability;
    }
    film_context_free(context);
    film_close(model);
}

/* The changed file must give the results of the file at REFERENCE. */
static void answers_as(const char *reference)
{
    double wanted[PAIRS], found[PAIRS];
    answer(reference, wanted);
    answer(changed, found);
    assert_memory_equal(found, wanted, sizeof wanted);
}

static void is_refused(const char *message)
{
    film_model *model = NULL;
    assert_int_equal(film_open(changed, &model, &error), FILM_BAD_INPUT);
    assert_null(model);
    if (!strstr(error.message, message)) fail_msg("%s (not: %s)", error.message, message);
}

/* ---- A file with different columns ---- */

struct editing {
    struct spoil spoil;
    json_t *settings, *decision;
    size_t at, count;             /* index of the settings in the metadata; number of columns */
    int from[MOST_COLUMNS];       /* per new column: the column of the valid file; -1: none */
    const char *id[MOST_COLUMNS]; /* of the columns with -1 */
    float weight;                 /* of those in the linear model */
};

static void edit(struct editing *editing)
{
    memset(editing, 0, sizeof *editing);
    assert_true(spoil_open(&editing->spoil, good));
    while (strcmp(editing->spoil.key[editing->at], "settings") != 0) editing->at++;
    editing->settings = json_loads(editing->spoil.value[editing->at], 0, NULL);
    editing->decision = json_object_get(editing->settings, "decision");
    editing->count = json_array_size(json_object_get(editing->decision, "trait_ids"));
    assert_int_equal(editing->count, traits_count());
    for (size_t i = 0; i < editing->count; i++) editing->from[i] = (int)i;
}

static float *floats(struct editing *editing, const char *name)
{
    return (float *)spoil_find(&editing->spoil, name)->data;
}

static int32_t *splits(struct editing *editing, size_t *count)
{
    struct safetensors_tensor *tensor = spoil_find(&editing->spoil, "trees.feature");
    *count = tensor->shape[0] * tensor->shape[1];
    return (int32_t *)tensor->data;
}

/* The settings and tensors with the columns of editing->from. */
static void move_columns(struct editing *editing)
{
    struct safetensors_tensor *line = spoil_find(&editing->spoil, "line");
    json_t *old = json_object_get(editing->decision, "trait_ids"), *ids = json_array();
    size_t before = json_array_size(old), splits_count;
    float *rows = malloc(4 * MOST_COLUMNS * sizeof *rows);
    int32_t to[MOST_COLUMNS], *split = splits(editing, &splits_count);
    for (size_t c = 0; c < editing->count; c++) {
        int from = editing->from[c];
        json_array_append_new(ids, from < 0 ? json_string(editing->id[c])
                                            : json_deep_copy(json_array_get(old, (size_t)from)));
        for (size_t row = 0; row < 4; row++)
            rows[row * editing->count + c] =
                from < 0 ? (row ? 0 : editing->weight)
                         : ((const float *)line->data)[row * before + (size_t)from];
        if (from >= 0) to[from] = (int32_t)c;
    }
    for (size_t i = 0; i < splits_count; i++)
        if (split[i] >= 0) split[i] = to[split[i]];
    free((void *)line->data);
    line->data = rows;
    line->shape[1] = editing->count;
    json_object_set_new(editing->decision, "trait_ids", ids);
}

static void write_edited(struct editing *editing, const char *path)
{
    char *text = json_dumps(editing->settings, JSON_COMPACT | JSON_REAL_PRECISION(17));
    editing->spoil.value[editing->at] = text;
    assert_ok(spoil_write(&editing->spoil, path, &error));
    free(text);
    json_decref(editing->settings);
    spoil_close(&editing->spoil);
}

/* Inserts a new column before all others. */
static void insert_first(struct editing *editing, const char *id, float weight)
{
    memmove(editing->from + 1, editing->from, editing->count * sizeof *editing->from);
    editing->from[0] = -1;
    editing->id[0] = id;
    editing->weight = weight;
    editing->count++;
    move_columns(editing);
}

/* ---- Tests ---- */

static void a_model_without_ids_gives_the_same_results(void **state)
{
    (void)state;
    film_model *model;
    film_context *context;
    film_verdict verdict;
    char line[1000];
    int pairs = 0;
    FILE *file = fopen(FILM_ROOT "/tests/golden/before_ids.tsv", "r");
    assert_non_null(file);
    assert_ok(film_open(FILM_ROOT "/tests/golden/before_ids.safetensors", &model, &error));
    assert_true(model->decision.full && model->decision.trees.count > 20);
    assert_ok(film_context_new(model, &context, &error));
    assert_non_null(fgets(line, sizeof line, file)); /* the header */
    for (; fgets(line, sizeof line, file); pairs++) {
        char *rest, *a = strchr(line, '\t') + 1, *b = strchr(a, '\t') + 1;
        double wanted = strtod(line, &rest);
        b[strcspn(b, "\n")] = 0;
        film_text first = {a, (size_t)(b - 1 - a)};
        assert_ok(film_match(context, first, film_string(b), &verdict, &error));
        assert_close(verdict.probability, wanted,
                     1e-12); /* another machine may round another way */
    }
    assert_int_equal(pairs, 30);
    film_context_free(context);
    film_close(model);
    fclose(file);
}

static void a_file_without_ids_is_read_by_its_names(void **state)
{
    (void)state;
    struct editing editing;
    edit(&editing);
    json_object_del(editing.decision, "trait_ids");
    json_object_del(editing.decision, "version");
    write_edited(&editing, changed);
    answers_as(good);
}

static void names_are_not_read_where_there_are_ids(void **state)
{
    (void)state;
    struct editing editing;
    edit(&editing);
    json_array_set_new(json_object_get(editing.decision, "traits"), 3, json_string("a new title"));
    write_edited(&editing, changed);
    answers_as(good);
}

static void an_unknown_trait_that_nothing_uses_does_no_harm(void **state)
{
    (void)state;
    struct editing editing;
    edit(&editing);
    insert_first(&editing, "from_the_future", 0);
    write_edited(&editing, changed);
    answers_as(good);
}

static void an_unknown_trait_with_a_weight_is_refused(void **state)
{
    (void)state;
    struct editing editing;
    edit(&editing);
    insert_first(&editing, "from_the_future", 0.25f);
    json_object_set_new(editing.decision, "version", json_string("7.5.3"));
    write_edited(&editing, changed);
    is_refused("needs the trait \"from_the_future\"");
    is_refused("use film 7.5.3 or train again");
}

static void an_unknown_trait_in_a_split_is_refused(void **state)
{
    (void)state;
    struct editing editing;
    size_t count;
    edit(&editing);
    insert_first(&editing, "from_the_future", 0);
    int32_t *split = splits(&editing, &count);
    assert_true(split[0] > 0); /* the first tree's root */
    split[0] = 0;
    json_object_del(editing.decision, "version");
    write_edited(&editing, changed);
    is_refused("needs the trait \"from_the_future\"");
    is_refused("the version that trained it");
}

/* The reference has the trait with weight 0 and uses another one in its place. */
static void a_model_with_fewer_traits_takes_the_others_as_absent(void **state)
{
    (void)state;
    char reference[300];
    size_t dropped = 10, instead = 30, count;
    strcpy(reference, scratch("columns-reference.film"));
    for (int drop = 0; drop < 2; drop++) {
        struct editing editing;
        edit(&editing);
        int32_t *split = splits(&editing, &count);
        for (size_t i = 0; i < count; i++)
            if (split[i] == (int32_t)dropped) split[i] = (int32_t)instead;
        floats(&editing, "line")[dropped] = 0;
        if (drop) {
            editing.count--;
            memmove(editing.from + dropped, editing.from + dropped + 1,
                    (editing.count - dropped) * sizeof *editing.from);
            move_columns(&editing);
        }
        write_edited(&editing, drop ? changed : reference);
    }
    answers_as(reference);
    unlink(reference);
}

static void columns_may_be_in_any_order(void **state)
{
    (void)state;
    struct editing editing;
    edit(&editing);
    for (size_t i = 0; i < editing.count; i++) editing.from[i] = (int)(editing.count - 1 - i);
    move_columns(&editing);
    write_edited(&editing, changed);
    answers_as(good);
    /* Saved again, it has this program's columns. */
    film_model *model;
    assert_ok(film_open(changed, &model, &error));
    assert_ok(film_save(model, changed, &error));
    film_close(model);
    answers_as(good);
}

static void lists_that_cannot_be_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        static const char *const message[] = {"a duplicate trait \"words_max\"",
                                              "trait 1 of the decision is not a string",
                                              "no list of traits",
                                              "no list of traits",
                                              "line",
                                              "split on a feature that does not exist"};
        struct editing editing;
        edit(&editing);
        json_t *ids = json_object_get(editing.decision, "trait_ids");
        size_t count;
        if (i == 0) json_array_set_new(ids, 0, json_string("words_max"));
        if (i == 1) json_array_set_new(ids, 1, json_integer(7));
        if (i == 2) json_object_set_new(editing.decision, "trait_ids", json_string("x"));
        if (i == 3) {
            json_object_del(editing.decision, "trait_ids");
            json_object_del(editing.decision, "traits");
        }
        if (i == 4) json_array_remove(ids, 5);
        if (i == 5) splits(&editing, &count)[0] = (int32_t)editing.count;
        write_edited(&editing, changed);
        is_refused(message[i]);
    }
}

static film_status open_and_close(void)
{
    film_model *model = NULL;
    film_status status = film_open(changed, &model, &error);
    film_close(model);
    return status;
}

static void no_memory_while_columns_are_moved_is_reported(void **state)
{
    (void)state;
    struct editing editing;
    edit(&editing);
    insert_first(&editing, "from_the_future", 0);
    write_edited(&editing, changed);
    survives_every_failure(open_and_close());
    assert_true(failures_survived > 80); /* each id is a string of its own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_without_ids_gives_the_same_results),
        cmocka_unit_test(a_file_without_ids_is_read_by_its_names),
        cmocka_unit_test(names_are_not_read_where_there_are_ids),
        cmocka_unit_test(an_unknown_trait_that_nothing_uses_does_no_harm),
        cmocka_unit_test(an_unknown_trait_with_a_weight_is_refused),
        cmocka_unit_test(an_unknown_trait_in_a_split_is_refused),
        cmocka_unit_test(a_model_with_fewer_traits_takes_the_others_as_absent),
        cmocka_unit_test(columns_may_be_in_any_order),
        cmocka_unit_test(lists_that_cannot_be_are_refused),
        cmocka_unit_test(no_memory_while_columns_are_moved_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
