/* Fuzzes a model with correct checksums and arbitrary content: it is refused with a message, or it
 * can be used. The input is a list of changes to a valid model, 6 bytes each (tests/lib/spoil.h);
 * its length also selects the use. */
#include "arena.h"
#include "changed.h"
#include "film_explain.h"
#include "model/model.h"

/* The valid model. */
static struct changed valid;

static void make_good(void)
{
    char folder[100], path[120];
    film_error error;
    memory_folder(folder);
    film_model *model = small_model(folder);
    snprintf(path, sizeof path, "%s/0.film", folder);
    require(film_save(model, path, &error) == FILM_OK);
    require(spoil_open(&valid.good, path));
    for (size_t i = 0; i < valid.good.metadata; i++) /* long, and of training alone */
        if (strcmp(valid.good.key[i], "figures") == 0) valid.good.value[i] = "{}";
    changed_start(&valid, path);
    unlink(path);
    film_close(model);
    rmdir(folder);
}

/* An explanation can be written as JSON, which reads every text in it. */
static void explain(film_context *context, film_text a, film_text b, size_t use)
{
    film_error error;
    film_explanation why = {.size = sizeof why};
    char *json = NULL;
    size_t length = 0;
    require(film_explain_pair(context, a, b, &why, &error) == FILM_OK);
    if (chosen(use, 2, 0)) {
        require(film_explanation_json(&why, 3, &json, &length, &error) == FILM_OK);
        require(strlen(json) == length);
        film_free(json);
    }
    if (chosen(use, 2, 1)) {
        require(film_groups_json(&why.verdict, &json, &length, &error) == FILM_OK);
        require(strlen(json) == length);
        film_free(json);
    }
}

/* Reads all that was learned; a word or a dimension that no longer exists is refused. */
static void explain_learned(const film_model *model, size_t use)
{
    char *json[3] = {NULL, NULL, NULL};
    film_status status[3] = {FILM_USAGE, FILM_USAGE, FILM_USAGE};
    if (chosen(use, 3, 0)) {
        status[0] = film_explain_model(model, 5, &json[0], NULL);
        require(status[0] == FILM_OK);
    }
    if (chosen(use, 3, 1))
        status[1] = film_explain_word(model, film_string("w01"), 5, &json[1], NULL);
    if (chosen(use, 3, 2))
        status[2] = film_explain_dimension(model, 1, FILM_ALL_FEATURES, &json[2], NULL);
    for (int i = 0; i < 3; i++) {
        require(status[i] == FILM_OK || status[i] == FILM_USAGE);
        require((status[i] == FILM_OK) == (json[i] != NULL));
        film_free(json[i]);
    }
}

static void match(film_context *context, film_text a, film_text b)
{
    film_error error;
    film_verdict verdict;
    require(film_match(context, a, b, &verdict, &error) == FILM_OK);
    for (size_t r = 0; r < verdict.reason_count; r++)
        require(verdict.reasons[r].text_length < 1000 && verdict.reasons[r].end < 1000);
}

static void ask(const film_model *model, size_t size)
{
    static const char *const texts[][2] = {
        {"w00 the w01", "how w02 w00"}, {"w11 w11 can't the", "zebra w12"}, {"", "w01"}};
    film_error error;
    film_context *context = NULL;
    const char *const *pair = texts[size / 3 % 3];
    film_text a = film_string(pair[0]), b = film_string(pair[1]);
    if (chosen(size, 3, 0) || chosen(size, 3, 1)) {
        require(film_context_new(model, &context, &error) == FILM_OK);
        if (chosen(size, 3, 0)) match(context, a, b);
        if (chosen(size, 3, 1)) explain(context, a, b, size / 9);
        film_context_free(context);
    }
    if (chosen(size, 3, 2)) explain_learned(model, size / 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error;
    struct change change;
    film_model *model = NULL;
    if (!all_changed) make_good();
    changed_begin(&change, &valid, "settings", data, size);
    arena_begin();
    film_status status = model_open(valid.path, 0, &model, &error);
    require(status == FILM_OK || (status == FILM_BAD_INPUT && !model && error.message[0]));
    if (status == FILM_OK) ask(model, size);
    film_close(model);
    arena_end();
    changed_end(&change, &valid);
    return 0;
}
