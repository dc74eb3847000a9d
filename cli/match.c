/* film match: decides whether two sentences of the command line mean the same, and explains why. */
#include "cli.h"

struct values {
    film_answer_options answer;
    double threshold; /* 0: that of the model */
    film_arithmetic arithmetic;
};

static const struct option options[] = {ANSWER_OPTIONS(struct values, answer),
                                        ENCODER_OPTIONS(struct values, arithmetic),
                                        THRESHOLD_OPTION(struct values, threshold), END_OF_OPTIONS};

static void prepare(void *given)
{
    ((struct values *)given)->answer.size = sizeof(film_answer_options);
}

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    const char *const *arguments = command->words;
    film_error error;
    film_model *model = NULL;
    film_context *context = NULL;
    film_explanation why = {.size = sizeof why};
    char *json = NULL, *own[2] = {NULL, NULL};
    film_text a = {NULL, 0}, b = {NULL, 0};
    film_status status = open_model(arguments[0], values->arithmetic, &model, &error);
    if (status == FILM_OK) status = record_argument(model, arguments[1], &a, &own[0], &error);
    if (status == FILM_OK) status = record_argument(model, arguments[2], &b, &own[1], &error);
    if (status == FILM_OK) status = film_context_new(model, &context, &error);
    if (status == FILM_OK) status = film_context_set(context, &values->answer, &error);
    if (status == FILM_OK) status = film_explain_pair(context, a, b, &why, &error);
    if (status == FILM_OK)
        status = film_explain_reversals(context, values->threshold, &why, &error);
    if (values->threshold > 0) why.verdict.same = why.verdict.probability >= values->threshold;
    if (status == FILM_OK && command->json)
        status = film_match_json(&why, FILM_ALL_REASONS, &json, NULL, &error);
    int code = command->json ? answer_json(status, json, &error) : report(status, &error);
    if (code == EXIT_DONE && !command->json) print_explanation(&why);
    film_context_free(context);
    film_free(own[0]);
    film_free(own[1]);
    close_model(model);
    return code;
}

const struct verb verb_match = {
    VERB_MATCH,
    .arguments = "MODEL A B [options]",
    .min_words = 3,
    .max_words = 3,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "The printed weights add up to the log-odds exactly. film explain --pair prints more, and\n"
        "with --all every reason.\n\n"
        "example:\n"
        "  film match faq.film \"I lost my card\" \"what if my card is lost?\"\n"
        "  film match shop.film '{\"title\": \"EOS 5D\"}' '{\"title\": \"Canon EOS 5D\"}'\n"};
