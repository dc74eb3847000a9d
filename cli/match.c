#include "cli.h"

static int run(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    const char *arguments[3];
    double threshold = 0;
    film_answer_options answer = {.size = sizeof answer};
    const struct option options[] = {ANSWER_OPTIONS(answer), THRESHOLD_OPTION(threshold),
                                     END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, arguments, 3, 3);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;

    film_error error;
    film_model *model = NULL;
    film_context *context = NULL;
    film_explanation why = {.size = sizeof why};
    film_verdict *verdict = &why.verdict;
    char *json = NULL;
    film_text a = film_string(arguments[1]), b = film_string(arguments[2]);
    film_status status = film_open(arguments[0], &model, &error);
    if (status == FILM_OK) status = film_context_new(model, &context, &error);
    if (status == FILM_OK) status = film_context_set(context, &answer, &error);
    if (status == FILM_OK)
        status = common.json ? film_match(context, a, b, verdict, &error)
                             : film_explain_pair(context, a, b, &why, &error);
    if (threshold > 0) verdict->same = verdict->probability >= threshold;
    if (status == FILM_OK && common.json)
        status = film_verdict_json(a, b, verdict, FILM_ALL_REASONS, &json, NULL, &error);
    int code = common.json ? answer_json(status, json, &error) : report(status, &error);
    if (code == EXIT_DONE && !common.json) print_explanation(&why);
    film_context_free(context);
    film_close(model);
    return code;
}

const struct verb verb_match = {
    "match", "MODEL A B [options]", "Do two sentences mean the same? Probability, verdict, words",
    "The parts add up to the log-odds exactly. film explain --pair "
    "says more, with --all all of it.\n\n"
    "example:\n"
    "  film match faq.film \"I lost my card\" \"what if my card is lost?\"\n",
    run};
