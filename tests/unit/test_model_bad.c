/* Tests models with a damaged decision and correct checksums: each is refused with a message that
 * names the defect, or works as far as possible; none is read beyond its arrays. */
#include "spoiled_model.h"
#include "text/relations_file.h"

static int set_up(void **state)
{
    (void)state;
    film_train_options options;
    char words[300];
    strcpy(words, scratch("words.txt"));
    FILE *file = fopen(words, "w");
    assert_non_null(file);
    fputs("open ! close\ncard = plastic\n", file);
    fclose(file);
    faq_options(&options);
    options.words = words;
    film_model *model = faq_train(&options);
    unlink(words);
    strcpy(good, scratch("good.film"));
    strcpy(spoiled, scratch("spoiled.film"));
    assert_ok(film_save(model, good, &error));
    film_close(model);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(good);
    unlink(spoiled);
    return 0;
}

static const char *const tensors[] = {"L",
                                      "L.scale",
                                      "word.bytes",
                                      "word.lengths",
                                      "line",
                                      "evidence.feature",
                                      "evidence.feature_scale",
                                      "evidence.scale",
                                      "evidence.words",
                                      "evidence.words.weight",
                                      "evidence.phrases",
                                      "evidence.phrases.weight",
                                      "trees.feature",
                                      "trees.cut",
                                      "trees.leaf",
                                      "trees.cover",
                                      "memory.questions",
                                      "memory.cluster",
                                      "memory.apart"};
enum { TENSORS = sizeof tensors / sizeof *tensors, BESIDE = 4 /* the decision */ };

static void every_tensor_of_the_decision_is_tried(void **state)
{
    (void)state;
    struct spoil spoil;
    size_t found = 0;
    assert_true(spoil_open(&spoil, good));
    for (size_t i = 0; i < spoil.count; i++)
        found += strcmp(spoil.tensor[i].name, "line") == 0 ||
                 strncmp(spoil.tensor[i].name, "evidence.", 9) == 0 ||
                 strncmp(spoil.tensor[i].name, "trees.", 6) == 0 ||
                 strncmp(spoil.tensor[i].name, "memory.", 7) == 0;
    assert_int_equal(found, TENSORS - BESIDE);
    expect(&spoil, "nothing changed", NULL);
    spoil_close(&spoil);
}

static void a_missing_tensor_is_named(void **state)
{
    (void)state;
    for (int t = 0; t < TENSORS; t++) {
        struct spoil spoil;
        assert_true(spoil_open(&spoil, good));
        struct safetensors_tensor *tensor = spoil_find(&spoil, tensors[t]);
        assert_non_null(tensor);
        free((void *)tensor->data);
        *tensor = spoil.tensor[--spoil.count];
        expect(&spoil, "missing", tensors[t]);
        spoil_close(&spoil);
    }
}

static enum safetensors_type other_type(enum safetensors_type type)
{
    return type == SAFETENSORS_F32            ? SAFETENSORS_I32
           : safetensors_type_size(type) == 1 ? SAFETENSORS_BOOL
                                              : SAFETENSORS_F32;
}

static void a_wrong_type_or_shape_is_reported(void **state)
{
    (void)state;
    for (int t = 0; t < TENSORS; t++)
        for (int way = 0; way < 4; way++) {
            struct spoil spoil;
            /* These two may have any size. */
            if (way >= 2 && (!strcmp(tensors[t], "L") || !strcmp(tensors[t], "memory.apart")))
                continue;
            assert_true(spoil_open(&spoil, good));
            struct safetensors_tensor *tensor = spoil_find(&spoil, tensors[t]);
            assert_non_null(tensor);
            uint64_t size = safetensors_type_size(tensor->type), values = tensor->bytes / size;
            switch (way) {
            case 0:
                tensor->type = other_type(tensor->type);
                break;
            case 1: /* one dimension more or fewer */
                if (tensor->dims == 2) {
                    tensor->dims = 1;
                    tensor->shape[0] = values;
                } else {
                    tensor->dims = 2;
                    tensor->shape[1] = 1;
                }
                break;
            case 2: /* a value or column fewer */
                tensor->shape[tensor->dims - 1]--;
                break;
            default:
                tensor->shape[tensor->dims - 1] /= 2;
            }
            char what[80];
            snprintf(what, sizeof what, "%s, way %d", tensors[t], way);
            /* The message names this tensor or the one it does not fit: the part before the
             * point. */
            char part[20] = "";
            strncat(part, tensors[t], strcspn(tensors[t], "."));
            expect(&spoil, what, part);
            spoil_close(&spoil);
        }
}

static void numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const floats[] = {"line",
                                         "evidence.feature_scale",
                                         "evidence.scale",
                                         "trees.cut",
                                         "trees.leaf",
                                         "trees.cover",
                                         "idf",
                                         "L.scale",
                                         "sigma"};
    for (int t = 0; t < 9; t++)
        for (int way = 0; way < 3; way++) {
            struct spoil spoil;
            assert_true(spoil_open(&spoil, good));
            struct safetensors_tensor *tensor = spoil_find(&spoil, floats[t]);
            float *value = (float *)tensor->data;
            if (tensor->bytes == 0) tensor->shape[0] = 1; /* sigma; the copy has room */
            size_t last = tensor->bytes ? tensor->bytes / sizeof(float) - 1 : 0;
            value[way == 1 ? last : last / 2] = way == 0 ? NAN : way == 1 ? INFINITY : -INFINITY;
            expect(&spoil, floats[t], "is not a finite number");
            spoil_close(&spoil);
        }
}

static void relations_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
        uint32_t value;
    } cases[] = {
        {"relations.links", "invalid links of word", UINT32_MAX},
        {"relations.links", "invalid links of word", 0}, /* no relation */
        {"relations.offsets", "the arrays do not fit", 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoil spoil;
        assert_true(spoil_open(&spoil, good));
        *(uint32_t *)spoil_find(&spoil, cases[i].name)->data = cases[i].value;
        expect(&spoil, cases[i].name, cases[i].message);
        spoil_close(&spoil);
    }
}

static void trees_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int32_t feature;
        float number;
        const char *message;
    } cases[] = {
        {"trees.feature", 9999, 0, "split on a feature that does not exist; train the model again"},
        {"trees.feature", -2, 0, "split on a feature that does not exist"},
        {"trees.feature", INT32_MIN, 0, "split on a feature that does not exist"},
        {"trees.cover", 0, -1, "cover is negative"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoil spoil;
        assert_true(spoil_open(&spoil, good));
        struct safetensors_tensor *tensor = spoil_find(&spoil, cases[i].name);
        if (tensor->type == SAFETENSORS_I32)
            *(int32_t *)tensor->data = cases[i].feature;
        else
            *(float *)tensor->data = cases[i].number;
        expect(&spoil, cases[i].name, cases[i].message);
        spoil_close(&spoil);
    }
}

/* Numbers that no file can have are refused; whatever else there is can be used. */
static void hostile_values_are_refused_or_survived(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message; /* NULL: it opens */
        int byte;
    } cases[] = {{"evidence.words", "do not fit its", 255},
                 {"evidence.phrases", "do not fit its", 255},
                 {"evidence.phrases", "do not fit its", 0},
                 {"memory.questions", "is invalid", 255},
                 {"memory.questions", "is invalid", 0}, /* key 0 */
                 {"memory.apart", "is invalid", 255},
                 {"word.lengths", "lengths do not cover all bytes", 255},
                 {"word.lengths", "lengths do not cover all bytes", 0},
                 {"word.bytes", "occurs twice", 'a'},
                 {"relations.lengths", "lengths do not cover all bytes", 0},
                 {"L.scale", "is negative", 0xbf},
                 {"memory.cluster", NULL, 255}};
    static const char *const any[] = {"L", "evidence.feature", "evidence.words.weight",
                                      "memory.cluster", "evidence.phrases.weight"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoil spoil;
        assert_true(spoil_open(&spoil, good));
        struct safetensors_tensor *tensor = spoil_find(&spoil, cases[i].name);
        assert_non_null(tensor);
        memset((void *)(uintptr_t)tensor->data, cases[i].byte, tensor->bytes);
        expect(&spoil, cases[i].name, cases[i].message);
        spoil_close(&spoil);
    }
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        for (int byte = 0; byte < 256; byte += 51) {
            struct spoil spoil;
            assert_true(spoil_open(&spoil, good));
            struct safetensors_tensor *tensor = spoil_find(&spoil, any[i]);
            memset((void *)(uintptr_t)tensor->data, byte, tensor->bytes);
            expect(&spoil, any[i], NULL);
            spoil_close(&spoil);
        }
}

static void another_format_version_is_refused(void **state)
{
    (void)state;
    for (int older = 0; older < 2; older++) {
        struct spoil spoil;
        assert_true(spoil_open(&spoil, good));
        size_t at = 0;
        while (strcmp(spoil.key[at], "format_version") != 0) at++;
        spoil.value[at] = older ? "3" : "5";
        expect(&spoil, "version",
               older ? "has format version 3; this program reads version 4; train the model again"
                     : "has format version 5; this program reads version 4; train the model again");
        spoil_close(&spoil);
    }
}

static void a_table_of_words_of_another_version_is_refused(void **state)
{
    (void)state;
    struct relations_builder builder;
    struct relations relations;
    struct safetensors *file = NULL;
    struct spoil spoil;
    assert_ok(relations_builder_init(&builder, &error));
    assert_ok(relations_add(&builder, film_string("open"), film_string("close"), RELATION_OPPOSITE,
                            &error));
    assert_ok(relations_build(&builder, &relations, &error));
    assert_ok(relations_save(&relations, spoiled, &error));
    relations_free(&relations);
    assert_ok(relations_open(spoiled, &file, &relations, &error));
    assert_int_equal(relations_of(&relations, film_string("close"), film_string("open")),
                     RELATION_OPPOSITE);
    relations_free(&relations);
    safetensors_close(file);
    assert_true(spoil_open(&spoil, spoiled));
    size_t at = 0;
    while (strcmp(spoil.key[at], "format_version") != 0) at++;
    spoil.value[at] = "1";
    assert_ok(spoil_write(&spoil, spoiled, &error));
    spoil_close(&spoil);
    assert_int_equal(relations_open(spoiled, &file, &relations, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "version 1; this program reads version 2; build it"));
    assert_null(file);
}

/* ---- Settings ---- */

/* The settings with the first OLD replaced. */
static char *replaced(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    char *out = malloc(strlen(text) + strlen(new) + 1);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return out;
}

static void settings_of_another_decision_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *message;
    } cases[] = {
        {"\"words_min\"", "\"words_least\"", ", whose trait 1 is words_least; this program, film "},
        {"\"words_min\",", "", "trait 1 is words_max"},
        {"\"words_min\"", "7", "trait 1 is none"},
        {"\"traits\":[", "\"traits\":[\"a_new_one\",", "trait 1 is a_new_one"},
        {"\"traits\":[", "\"traits\":7,\"t\":[", "trait 1 is none"},
        {"\"version\":\"", "\"version\":\"9", NULL},
        {"\"evidence_bias\":", "\"evidence_bies\":", "evidence_bias"},
        {"\"evidence_bias\":", "\"evidence_bias\":\"x\",\"y\":", "settings"},
        {"\"memory_same\":", "\"memory_sane\":", "memory_same"},
        {"\"decision\":{", "\"decision\":7,\"d\":{", "settings"},
        {"\"decision\":{", "\"decision\":[],\"d\":{", "settings"},
        {"\"decision\":", "\"d\":", "decision"},
        {"\"line_bias\":", "\"line_bies\":", "line_bias"},
        {"\"line_bias\":", "\"line_bias\":null,\"y\":", "settings"},
        {"\"decision\":{\"calibration\":{\"scale\":", "\"decision\":{\"calibration\":{\"skale\":",
         "scale"},
        {"\"decision\":{\"calibration\":{\"scale\":",
         "\"decision\":{\"calibration\":{\"scale\":1e999,\"s\":", "settings: invalid JSON"},
        {"\"decision\":{\"calibration\":{", "\"decision\":{\"calibration\":[],\"l\":{", "settings"},
        {"\"min_df\":", "\"min_df\":-1,\"m\":", "settings"},
        {"\"max_features\":", "\"max_features\":-1,\"m\":", "settings"},
        {"\"stem\":", "\"stem\":7,\"s\":", "settings"},
        {"\"stop\":[", "\"stop\":[7],\"s\":[", "a stop word is not a string"},
        {"\"stop\":[", "\"stop\":{},\"s\":[", "settings"},
        {"\"features\":[", "\"features\":{},\"f\":[", "settings"},
        {"\"features\":[", "\"features\":[7,", "settings"},
        {"\"features\":[", "\"features\":[\"bytes\",", "settings"},
        {"\"similarity\":\"", "\"similarity\":\"not ", "similarity"},
        {"\"method\":\"", "\"method\":\"a method whose name is longer than any of ours could be, ",
         "settings"},
        {"\"share\":", "\"share\":1.5,\"s\":", "settings"},
        {"\"share\":", "\"share\":0,\"s\":", "settings"},
        {"\"seed\":", "\"fields\":[{\"name\":\"a\"}],\"seed\":", "settings"},
        {"\"seed\":", "\"fields\":[{\"name\":\"a\",\"type\":\"no type\"}],\"seed\":", "settings"},
        {"\"seed\":", "\"fields\":[{\"type\":\"text\"}],\"seed\":", "settings"},
        {"\"seed\":", "\"edits\":7,\"seed\":", "settings"},
        {"\"seed\":", "\"edits\":[{\"what\":7}],\"seed\":", "settings"},
        {"\"seed\":", "\"edits\":[{\"what\":\"a\",\"action\":7}],\"seed\":", "settings"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoil spoil;
        assert_true(spoil_open(&spoil, good));
        size_t at = 0;
        while (strcmp(spoil.key[at], "settings") != 0) at++;
        char *settings = replaced(spoil.value[at], cases[i].old, cases[i].new);
        spoil.value[at] = settings;
        expect(&spoil, cases[i].new, cases[i].message);
        free(settings);
        spoil_close(&spoil);
    }
}

static film_status open_and_match(void)
{
    film_model *model = NULL;
    film_context *context = NULL;
    film_verdict verdict;
    film_status status = film_open(good, &model, &error);
    if (status == FILM_OK) status = film_context_new(model, &context, &error);
    if (status == FILM_OK)
        status =
            film_match(context, film_string(faq[0].a), film_string(faq[0].b), &verdict, &error);
    film_context_free(context);
    film_close(model);
    return status;
}

static void no_memory_while_a_decision_is_opened_is_reported(void **state)
{
    (void)state;
    survives_every_failure(open_and_match());
    assert_true(failures_survived > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tensor_of_the_decision_is_tried),
        cmocka_unit_test(a_missing_tensor_is_named),
        cmocka_unit_test(a_wrong_type_or_shape_is_reported),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(relations_that_make_no_sense_are_refused),
        cmocka_unit_test(trees_that_make_no_sense_are_refused),
        cmocka_unit_test(hostile_values_are_refused_or_survived),
        cmocka_unit_test(another_format_version_is_refused),
        cmocka_unit_test(a_table_of_words_of_another_version_is_refused),
        cmocka_unit_test(settings_of_another_decision_are_refused),
        cmocka_unit_test(no_memory_while_a_decision_is_opened_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
