/* Fuzzes a model with correct checksums and arbitrary content: it is refused with a message, or it
 * can be used. The input is a list of changes to a valid model, 6 bytes each (tests/lib/spoil.h);
 * its length also selects the use. The changes are made to a file that was parsed once: its JSON
 * header took most of an execution, and fuzz_safetensors has it. Nothing touches a disk. */
#include "changed.h"
#include "film_explain.h"
#include "model/model.h"
#ifndef FUZZ_CORPUS
#include "arena.h"
#else /* a replay uses malloc */
#define arena_begin() (void)0
#define arena_end() (void)0
#endif

/* The valid model, as trained and packed. */
enum { FORMS = 2 };
static struct form {
    struct changed changed;
    struct safetensors *file;     /* parsed from `changed.room` */
    const void *data[SPOIL_MOST]; /* its tensors, each in a block of its own */
    char *settings;
} forms[FORMS];

/* Every other file, such as a parent inside a model, is parsed and closed as usual. */
film_status __real_safetensors_parse(const void *bytes, size_t size, const char *name,
                                     struct safetensors **out, film_error *error);
film_status __wrap_safetensors_parse(const void *bytes, size_t size, const char *name,
                                     struct safetensors **out, film_error *error);
void __real_safetensors_close(struct safetensors *file);
void __wrap_safetensors_close(struct safetensors *file);

film_status __wrap_safetensors_parse(const void *bytes, size_t size, const char *name,
                                     struct safetensors **out, film_error *error)
{
    for (int form = 0; form < FORMS; form++)
        if (bytes == forms[form].changed.room) return *out = forms[form].file, FILM_OK;
    return __real_safetensors_parse(bytes, size, name, out, error);
}

void __wrap_safetensors_close(struct safetensors *file)
{
    for (int form = 0; form < FORMS; form++)
        if (file == forms[form].file) return;
    __real_safetensors_close(file);
}

/* A copy of SETTINGS without the names of the traits, which only earlier programs read: half of the
 * text, and every byte of it costs time. */
static const char *without_names(const char *settings)
{
    char *copy = strdup(settings);
    char *names = copy ? strstr(copy, "\"traits\":[") : NULL,
         *end = names ? strchr(names, ']') : NULL;
    require(end && end[1] == ',');
    memmove(names, end + 2, strlen(end + 2) + 1);
    return copy;
}

/* A copy whose end the address sanitizer knows. */
static void *exact_copy(const void *bytes, uint64_t size)
{
    void *copy = malloc(size);
    require(copy != NULL);
    if (size) memcpy(copy, bytes, size);
    return copy;
}

static void parse_once(struct form *form)
{
    struct changed *changed = &form->changed;
    struct spoil *good = &changed->good;
    film_error error;
    for (size_t i = 0; i < good->metadata; i++) {
        const char *key = good->key[i], **value = &good->value[i];
        if (strcmp(key, "figures") == 0) *value = "{}"; /* long, and of training alone */
        if (strcmp(key, "settings") == 0) *value = without_names(*value);
    }
    changed_pack(changed, good);
    require(__real_safetensors_parse(changed->room, changed->length, "fuzz", &form->file, &error) ==
            FILM_OK);
    form->settings = (char *)(uintptr_t)safetensors_metadata(form->file, "settings");
    for (size_t i = 0; i < good->count; i++)
        form->data[i] = exact_copy(good->tensor[i].data, good->tensor[i].bytes);
}

static void make_good(void)
{
    char folder[100], path[120];
    film_error error;
    memory_folder(folder);
    snprintf(path, sizeof path, "%s/good.film", folder);
    film_model *model = small_model(folder);
    for (int form = 0; form < FORMS; form++) {
        require((form ? film_pack(model, 4, path, &error) : film_save(model, path, &error)) ==
                FILM_OK);
        require(spoil_open(&forms[form].changed.good, path));
        parse_once(&forms[form]);
        unlink(path);
    }
    film_close(model);
    rmdir(folder);
}

/* An explanation can be written as JSON, which reads every text in it. */
static void explain(film_context *context, film_text a, film_text b)
{
    film_error error;
    film_explanation why = {.size = sizeof why};
    char *json = NULL;
    size_t length = 0;
    require(film_explain_pair(context, a, b, &why, &error) == FILM_OK);
    require(film_explanation_json(&why, 3, &json, &length, &error) == FILM_OK);
    require(strlen(json) == length);
    film_free(json);
    require(film_groups_json(&why.verdict, &json, &length, &error) == FILM_OK);
    require(strlen(json) == length);
    film_free(json);
}

/* Reads all that was learned; a word or a dimension that no longer exists is refused. */
static void explain_learned(const film_model *model)
{
    char *json[3] = {NULL, NULL, NULL};
    require(film_explain_model(model, 5, &json[0], NULL) == FILM_OK);
    film_status word = film_explain_word(model, film_string("w01"), 5, &json[1], NULL);
    film_status dimension = film_explain_dimension(model, 1, FILM_ALL_FEATURES, &json[2], NULL);
    require((word == FILM_OK || word == FILM_USAGE) && (word == FILM_OK) == (json[1] != NULL));
    require((dimension == FILM_OK || dimension == FILM_USAGE) &&
            (dimension == FILM_OK) == (json[2] != NULL));
    for (int i = 0; i < 3; i++) film_free(json[i]);
}

static void ask(const film_model *model, size_t size)
{
    static const char *const texts[][2] = {
        {"w00 the w01", "how w02 w00"}, {"w11 w11 can't the", "zebra w12"}, {"", "w01"}};
    film_error error;
    film_context *context = NULL;
    film_verdict verdict;
    const char *const *pair = texts[size / 3 % 3];
    film_text a = film_string(pair[0]), b = film_string(pair[1]);
    require(film_context_new(model, &context, &error) == FILM_OK);
    require(film_match(context, a, b, &verdict, &error) == FILM_OK);
    for (size_t r = 0; r < verdict.reason_count; r++)
        require(verdict.reasons[r].text_length < 1000 && verdict.reasons[r].end < 1000);
    if (size % 3 == 1) explain(context, a, b);
    if (size % 3 == 2) explain_learned(model);
    film_context_free(context);
}

/* Makes the changes in the parsed file. A removed tensor is left empty and without a name. */
static void change_file(struct form *form, const struct change *change)
{
    memcpy(form->settings, change->text, strlen(change->text));
    for (size_t i = 0; i < safetensors_count(form->file); i++) {
        struct safetensors_tensor *tensor = (void *)(uintptr_t)safetensors_at(form->file, i);
        if (i >= change->work.count) {
            *tensor = (struct safetensors_tensor){.name = "", .dims = 1, .data = ""};
            continue;
        }
        size_t origin = change->origin[i];
        *tensor = change->work.tensor[i];
        safetensors_size(tensor->type, tensor->dims, tensor->shape, &tensor->bytes);
        tensor->data = tensor->data == form->changed.good.tensor[origin].data
                           ? form->data[origin]
                           : exact_copy(tensor->data, tensor->bytes);
    }
}

static void free_copies(struct form *form, const struct change *change)
{
    for (size_t i = 0; i < change->work.count; i++) {
        const void *data = safetensors_at(form->file, i)->data;
        if (data != form->data[change->origin[i]]) free((void *)(uintptr_t)data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error;
    if (!forms[0].file) make_good();
    for (int i = 0; i < FORMS; i++) {
        struct form *form = &forms[i];
        struct change change;
        film_model *model = NULL;
#ifndef FUZZ_CORPUS /* a search tries one form at a time; replays try both */
        if (size / 9 % FORMS != (size_t)i) continue;
#endif
        changed_begin(&change, &form->changed.good, "settings", data, size);
        change_file(form, &change);
        arena_begin();
        film_status status =
            model_parse(form->changed.room, form->changed.length, "fuzz", &model, &error);
        require(status == FILM_OK || (status == FILM_BAD_INPUT && !model && error.message[0]));
        if (status == FILM_OK) ask(model, size);
        film_close(model);
        arena_end();
        free_copies(form, &change);
        changed_end(&change, &form->changed.good);
    }
    return 0;
}
