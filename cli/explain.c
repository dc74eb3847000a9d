/* film explain: explains the verdict on a pair, and prints what a model has learned. */
#include "cli.h"
#include "json.h"

#include <math.h>
#include <string.h>

/* ---- A pair ---- */

/* Prints the words whose removal changes the encoder's similarity most. */
static void print_left_out(const film_explanation *why)
{
    enum { SHOWN = 6 };
    unsigned char shown[1024] = {0};
    size_t count = why->word_count < sizeof shown ? why->word_count : sizeof shown;
    if (!why->encoder_count) return;
    printf("similarity %.3f, by the encoder; change when a word is removed:\n",
           why->verdict.similarity);
    for (size_t n = 0; n < count && n < SHOWN; n++) {
        size_t best = count;
        for (size_t i = 0; i < count; i++)
            if (!shown[i] &&
                (best == count || fabs(why->words[i].left_out) > fabs(why->words[best].left_out)))
                best = i;
        const film_word_share *word = &why->words[best];
        shown[best] = 1;
        print_clean(stdout, "  %+7.3f  %.*s (%c)\n", word->left_out, (int)word->text.length,
                    word->text.bytes, word->side);
    }
}

static void print_links(const film_explanation *why)
{
    enum { SHOWN = 5 };
    print_left_out(why);
    if (why->link_count) printf("similarity %.3f, by pairs of words:\n", why->verdict.similarity);
    for (size_t i = 0; i < why->link_count && i < SHOWN; i++) {
        const film_word_share *a = &why->words[why->links[i].a], *b = &why->words[why->links[i].b];
        print_clean(stdout, "  %+7.3f  %.*s / %.*s\n", why->links[i].share, (int)a->text.length,
                    a->text.bytes, (int)b->text.length, b->text.bytes);
    }
}

static void print_examples(const film_explanation *why)
{
    if (why->example_count) printf("nearest stored pairs:\n");
    for (size_t i = 0; i < why->example_count; i++) {
        const film_example *example = &why->examples[i];
        printf("  %7.3f  %s\n           ", example->similarity,
               example->same ? "same" : "different");
        print_text(stdout, example->a);
        printf("\n           ");
        print_text(stdout, example->b);
        printf("\n");
    }
}

static void print_all(const film_explanation *why)
{
    const film_verdict *verdict = &why->verdict;
    printf("all reasons:\n  %+7.2f  bias\n", verdict->bias);
    for (int against = 0; against < 2; against++)
        for (size_t i = 0; i < verdict->reason_count; i++)
            if (((verdict->reasons[i].weight > 0) == verdict->same) != against)
                print_reason(&verdict->reasons[i]);
}

static int print_pair_explanation(const film_model *model, const film_answer_options *answer,
                                  const char *const *sentences, int as_json, int all)
{
    film_error error;
    film_context *context = NULL;
    film_explanation why = {.size = sizeof why};
    char *json = NULL, *own[2] = {NULL, NULL};
    film_text text[2];
    film_status status = film_context_new(model, &context, &error);
    if (status == FILM_OK) status = film_context_set(context, answer, &error);
    for (int s = 0; s < 2 && status == FILM_OK; s++)
        status = record_argument(model, sentences[s], &text[s], &own[s], &error);
    if (status == FILM_OK) status = film_explain_pair(context, text[0], text[1], &why, &error);
    if (status == FILM_OK) status = film_explain_reversals(context, 0, &why, &error);
    if (status == FILM_OK && as_json)
        status = film_explanation_json(&why, FILM_ALL_REASONS, &json, NULL, &error);
    int code = as_json ? answer_json(status, json, &error) : report(status, &error);
    if (code == EXIT_DONE && !as_json) {
        print_explanation(&why);
        print_links(&why);
        print_examples(&why);
        if (all) print_all(&why);
    }
    film_context_free(context);
    film_free(own[0]);
    film_free(own[1]);
    return code;
}

/* ---- The library's JSON, printed as text ---- */

/* Prints "  +0.123  word" for each entry. LABEL and VALUE are its keys. */
static void print_list(const json_t *about, const char *key, const char *title, const char *label,
                       const char *value)
{
    const json_t *list = json_object_get(about, key);
    size_t i;
    json_t *entry;
    if (!json_array_size(list)) return;
    printf("%s:\n", title);
    json_array_foreach((json_t *)(uintptr_t)list, i, entry)
    {
        const json_t *name = json_object_get(entry, label);
        printf("  %+8.3f  ", json_number(entry, value));
        if (json_is_integer(name))
            printf("%lld", (long long)json_integer_value(name));
        else
            print_clean(stdout, "%s", json_string_value(name));
        const char *kind = json_string_value(json_object_get(entry, "kind"));
        print_clean(stdout, "%s%s%s\n", kind ? " (" : "", kind ? kind : "", kind ? ")" : "");
    }
}

static void print_dimension(const json_t *about)
{
    if (json_object_get(about, "encoder"))
        printf("dimension %lld of %lld, on top of a BERT encoder\n", json_whole(about, "dimension"),
               json_whole(about, "dimensions"));
    else
        printf(
            "dimension %lld of %lld: about %.0f of %lld words contribute; the ten strongest make "
            "up %.0f %%\n",
            json_whole(about, "dimension"), json_whole(about, "dimensions"),
            json_number(about, "effective_words"), json_whole(about, "words"),
            100 * json_number(about, "share_of_ten"));
    print_list(about, "encoder", "dimensions of the encoder with the largest weights", "dimension",
               "weight");
    print_list(about, "positive", "words with the highest weights", "text", "weight");
    print_list(about, "negative", "words with the lowest weights", "text", "weight");
    print_list(about, "highest", "stored sentences with the highest values", "text", "value");
    print_list(about, "lowest", "stored sentences with the lowest values", "text", "value");
}

/* Prints every weight of a dimension as a table with tabs. */
static void print_features(const json_t *about)
{
    size_t i;
    json_t *entry;
    printf("id\tgroup\tfeature\tweight\n");
    json_array_foreach(json_object_get(about, "features"), i, entry)
    {
        printf("%lld\t", json_whole(entry, "id"));
        print_clean(stdout, "%s", json_string_value(json_object_get(entry, "group")));
        putchar('\t');
        print_clean(stdout, "%s", json_string_value(json_object_get(entry, "text")));
        printf("\t%.9g\n", json_number(entry, "weight"));
    }
}

static void print_word(const json_t *about)
{
    print_clean(stdout, "\"%s\", idf %.2f\n", json_string_value(json_object_get(about, "word")),
                json_number(about, "idf"));
    if (json_object_get(about, "shared"))
        printf("  %+8.3f  weight if both sentences contain it\n  %+8.3f  weight if only one "
               "contains it\n",
               json_number(about, "shared"), json_number(about, "alone"));
    print_list(about, "pairs", "strongest pairs with another word", "text", "weight");
    print_list(about, "nearest", "nearest words", "text", "similarity");
    print_list(about, "dimensions", "dimensions with its largest weights", "dimension", "weight");
}

static void print_trait(const json_t *trait)
{
    print_clean(stdout, "  %+6.2f to %+6.2f  %s: %s\n", json_number(trait, "lowest"),
                json_number(trait, "highest"), json_string_value(json_object_get(trait, "title")),
                json_string_value(json_object_get(trait, "name")));
    print_clean(stdout, "                    %s\n",
                json_string_value(json_object_get(trait, "about")));
}

static void print_model(const json_t *about)
{
    size_t i;
    json_t *trait;
    const json_t *traits = json_object_get(about, "traits");
    print_clean(
        stdout, "method %s, %lld dimensions, decision %s, %lld stored examples\n",
        json_string_value(json_object_get(about, "method")), json_whole(about, "dimensions"),
        json_string_value(json_object_get(about, "decision")), json_whole(about, "examples"));
    print_list(about, "insists_on", "strongest against, if only one sentence contains it", "text",
               "weight");
    print_list(about, "welcomes", "strongest for, if both sentences contain it", "text", "weight");
    print_list(about, "ignores", "weakest evidence", "text", "weight");
    print_list(about, "loudest", "largest weights in the vectors", "text", "weight");
    print_list(about, "quietest", "smallest weights in the vectors", "text", "weight");
    print_field_ranges(json_object_get(about, "fields"));
    if (traits) printf("traits, by the range in which each can change the log-odds:\n");
    json_array_foreach((json_t *)(uintptr_t)traits, i, trait) print_trait(trait);
}

static int print_about(film_status status, char *json, const film_error *error, int as_json,
                       void (*print)(const json_t *about))
{
    if (status != FILM_OK || as_json) return answer_json(status, json, error);
    json_t *about = json_loads(json, 0, NULL);
    if (about) print(about);
    json_decref(about);
    film_free(json);
    return EXIT_DONE;
}

struct values {
    int pair, all;
    const char *word;
    size_t dimension, most;
    film_answer_options answer;
    film_arithmetic arithmetic;
};

static int explain_learned(const film_model *model, const struct values *values, int as_json)
{
    const char *word = values->word;
    size_t dimension = values->dimension, most = values->most;
    film_error error;
    char *json = NULL;
    film_status status;
    if (word) {
        status = film_explain_word(model, film_string(word), most, &json, &error);
        return print_about(status, json, &error, as_json, print_word);
    }
    if (dimension != SIZE_MAX) {
        status = film_explain_dimension(model, dimension, values->all ? FILM_ALL_FEATURES : most,
                                        &json, &error);
        return print_about(status, json, &error, as_json,
                           values->all ? print_features : print_dimension);
    }
    status = film_explain_model(model, most, &json, &error);
    return print_about(status, json, &error, as_json, print_model);
}

static const struct option options[] = {
    {.name = "pair",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, pair),
     .help = "explain the verdict on the sentences A and B"},
    {.name = "dim",
     .kind = OPTION_COUNT,
     .at = offsetof(struct values, dimension),
     .argument = "I",
     .help = "explain a dimension of the vectors, counted from 0"},
    {.name = "word",
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, word),
     .argument = "W",
     .help = "explain a word"},
    {.name = "most",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, most),
     .argument = "N",
     .help = "length of each list",
     .fallback = "10"},
    {.name = "all",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, all),
     .help = "with --pair: print every reason; with --dim: every weight, as a table"},
    ANSWER_OPTIONS(struct values, answer),
    ENCODER_OPTIONS(struct values, arithmetic),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    struct values *values = given;
    values->dimension = SIZE_MAX;
    values->answer.size = sizeof values->answer;
}

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    int pair = values->pair;
    if (pair + (values->word != NULL) + (values->dimension != SIZE_MAX) > 1)
        return usage_error(command->verb, "--pair, --dim and --word exclude each other");
    if (command->count != (pair ? 3 : 1))
        return usage_error(command->verb, pair ? "--pair needs two sentences after the model"
                                               : "sentences need --pair");
    film_error error;
    film_model *model = NULL;
    int code = report(open_model(command->words[0], values->arithmetic, &model, &error), &error);
    if (code == EXIT_DONE)
        code = pair ? print_pair_explanation(model, &values->answer, command->words + 1,
                                             command->json, values->all)
                    : explain_learned(model, values, command->json);
    close_model(model);
    return code;
}

const struct verb verb_explain = {
    VERB_EXPLAIN,
    .arguments = "MODEL [--pair A B | --dim I | --word W] [options]",
    .page = "docs/explanation/explanations.md",
    .min_words = 1,
    .max_words = 3,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details = "The weights of words and groups of traits add up to the log-odds exactly. Without "
               "--pair,\n"
               "--dim or --word, prints the words that matter most and least to the model.\n\n"
               "examples:\n"
               "  film explain faq.film --pair \"I lost my card\" \"what if my card is lost?\"\n"
               "  film explain faq.film --word card\n"};
