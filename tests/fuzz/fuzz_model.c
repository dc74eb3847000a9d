/* Fuzzes a model with correct checksums and arbitrary content: film_open refuses it with a message,
 * or it can be used. The input is a list of changes to a valid model, 6 bytes each: tensor, kind,
 * position (2), value (2). */
#include "film_explain.h"
#include "film_train.h"
#include "spoil.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The valid model, as trained and packed. */
enum { FORMS = 2 };
static char good[FORMS][200], spoiled[200];

static void require(int condition)
{
    if (!condition) abort();
}

static void clean_up(void)
{
    for (int form = 0; form < FORMS; form++) unlink(good[form]);
    unlink(spoiled);
}

/* Five topics of six words; pairs of one topic are positive. */
static void write_rows(const char *path)
{
    FILE *file = fopen(path, "w");
    require(file != NULL);
    fprintf(file, "label\tquestion1\tquestion2\n");
    for (unsigned i = 0; i < 160; i++) {
        unsigned topic = i % 5, other = i % 2 ? topic : (topic + 1 + i / 7) % 5;
        fprintf(file, "%d\tw%u%u the w%u%u\thow w%u%u w%u%u\n", topic == other, topic, i / 3 % 6,
                topic, i / 5 % 6, other, i / 2 % 6, other, i / 11 % 6);
    }
    fclose(file);
}

static void make_good(void)
{
    film_error error;
    film_train_options options;
    film_model *model = NULL;
    const char *folder = getenv("TMPDIR");
    for (int form = 0; form < FORMS; form++)
        snprintf(good[form], sizeof good[form], "%s/film-fuzz-%ld.good%d", folder ? folder : "/tmp",
                 (long)getpid(), form);
    snprintf(spoiled, sizeof spoiled, "%s/film-fuzz-%ld.bad", folder ? folder : "/tmp",
             (long)getpid());
    const char *paths[1] = {spoiled};
    write_rows(spoiled);
    options = (film_train_options){.size = sizeof options};
    options.dim = 4;
    options.threads = 1;
    options.min_df = 1;
    options.max_features = 40;
    options.decision = FILM_DECISION_FULL;
    options.keep_examples = 20;
    if (film_train(paths, 1, &options, &model, &error) != FILM_OK) puts(error.message), abort();
    require(film_save(model, good[0], &error) == FILM_OK);
    require(film_pack(model, 4, good[1], &error) == FILM_OK);
    film_close(model);
    atexit(clean_up);
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

static void ask(const film_model *model)
{
    static const char *const texts[] = {"w00 the w01", "how w02 w03", "", "zebra",
                                        "w11 w11 can't the"};
    film_error error;
    film_context *context = NULL;
    film_verdict verdict;
    require(film_context_new(model, &context, &error) == FILM_OK);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            require(film_match(context, film_string(texts[i]), film_string(texts[j]), &verdict,
                               &error) == FILM_OK);
            for (size_t r = 0; r < verdict.reason_count; r++)
                require(verdict.reasons[r].text_length < 1000 && verdict.reasons[r].end < 1000);
            explain(context, film_string(texts[i]), film_string(texts[j]));
        }
    film_context_free(context);
    explain_learned(model);
}

static void try_changes(const char *path, const uint8_t *data, size_t size)
{
    struct spoil spoil;
    film_error error;
    film_model *model = NULL;
    require(spoil_open(&spoil, path));
    size_t at = 0;
    while (strcmp(spoil.key[at], "settings") != 0) at++;
    char *settings = strdup(spoil.value[at]);
    spoil.value[at] = settings;
    for (size_t i = 0; i + 6 <= size && i < 60 && spoil.count > 1; i += 6)
        spoil_change(&spoil, settings, data + i);
    if (spoil_write(&spoil, spoiled, &error) == FILM_OK) {
        film_status status = film_open(spoiled, &model, &error);
        require(status == FILM_OK || (status == FILM_BAD_INPUT && !model && error.message[0]));
        if (status == FILM_OK) ask(model);
        film_close(model);
    }
    free(settings);
    spoil_close(&spoil);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!good[0][0]) make_good();
    for (int form = 0; form < FORMS; form++) try_changes(good[form], data, size);
    return 0;
}
