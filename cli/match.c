#include "cli.h"
#include "film_explain.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *left, const void *right)
{
    const film_reason *a = left, *b = right;
    if (a->side != b->side) return a->side < b->side ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* The sentence with its words coloured by what they said: green for, red against. WORDS are in the
 * order of the text. */
static void print_sentence(char side, film_text text, const film_reason *words, size_t count)
{
    size_t at = 0;
    printf("  %c  ", side);
    for (size_t i = 0; i < count; i++) {
        const film_reason *word = &words[i];
        if (word->side != side || strcmp(word->kind, "word") != 0 || word->start < at ||
            word->end > text.length)
            continue;
        fwrite(text.bytes + at, 1, word->start - at, stdout);
        fputs(word->weight >= 0 ? "\033[32m" : "\033[31m", stdout);
        fwrite(text.bytes + word->start, 1, word->end - word->start, stdout);
        fputs("\033[0m", stdout);
        at = word->end;
    }
    fwrite(text.bytes + at, 1, text.length - at, stdout);
    printf("\n");
}

/* Without colours (or memory for the sorted copy) the sentences are printed as they are. */
static void print_sentences(film_text a, film_text b, const film_verdict *verdict, int colour)
{
    size_t count = colour ? verdict->reason_count : 0;
    film_reason *words = count ? malloc(count * sizeof *words) : NULL;
    if (!words) count = 0;
    if (count) memcpy(words, verdict->reasons, count * sizeof *words);
    if (count) qsort(words, count, sizeof *words, by_place);
    print_sentence('a', a, words, count);
    print_sentence('b', b, words, count);
    free(words);
}

/* "opposed: india / japan", "word: card (a)", "trait: edits" */
void print_reason(const film_reason *reason)
{
    printf("  %+7.2f  %s: %.*s", reason->weight, reason->kind, (int)reason->text_length,
           reason->text);
    if (reason->other_side) printf(" / %.*s", (int)reason->other_length, reason->other);
    if (reason->side && !reason->other_side) printf(" (%c)", reason->side);
    printf("\n");
}

void print_verdict(film_text a, film_text b, const film_verdict *verdict)
{
    enum { SHOWN = 10 };
    int colour = use_colour(stdout);
    printf("%s%s%s  probability %.3f, similarity %.3f\n",
           colour ? (verdict->same ? "\033[1;32m" : "\033[1;31m") : "",
           verdict->same ? "same" : "different", colour ? "\033[0m" : "", verdict->probability,
           verdict->similarity);
    print_sentences(a, b, verdict, colour);
    if (verdict->reason_count == 0) {
        printf("no word of one of the sentences is known to the model\n");
        return;
    }
    double rest = 0;
    printf("log-odds %+.2f =\n  %+7.2f  bias\n", verdict->log_odds, verdict->bias);
    for (size_t i = 0; i < verdict->reason_count; i++)
        if (i < SHOWN)
            print_reason(&verdict->reasons[i]);
        else
            rest += verdict->reasons[i].weight;
    if (verdict->reason_count > SHOWN)
        printf("  %+7.2f  %zu others\n", rest, verdict->reason_count - SHOWN);
}

static int run(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    const char *arguments[3];
    double threshold = 0;
    film_answer_options answer;
    film_answer_defaults(&answer);
    const struct option options[] = {ANSWER_OPTIONS(answer), THRESHOLD_OPTION(threshold),
                                     END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, arguments, 3, 3);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;

    film_error error;
    film_model *model = NULL;
    film_context *context = NULL;
    film_verdict verdict;
    char *json = NULL;
    film_text a = film_string(arguments[1]), b = film_string(arguments[2]);
    film_status status = film_open(arguments[0], &model, &error);
    if (status == FILM_OK) status = film_context_new(model, &context, &error);
    if (status == FILM_OK) status = film_context_set(context, &answer, &error);
    if (status == FILM_OK) status = film_match(context, a, b, &verdict, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && threshold > 0) verdict.same = verdict.probability >= threshold;
    if (code == EXIT_DONE && common.json) {
        status = film_verdict_json(a, b, &verdict, FILM_ALL_REASONS, &json, NULL, &error);
        code = answer_json(status, json, &error);
    } else if (code == EXIT_DONE) {
        print_verdict(a, b, &verdict);
    }
    film_context_free(context);
    film_close(model);
    return code;
}

const struct verb verb_match = {
    "match", "MODEL A B [options]", "Do two sentences mean the same? Probability, verdict, words",
    "The numbers behind the words and the bias add up to the log-odds exactly.\n\n"
    "example:\n"
    "  film match faq.film \"I lost my card\" \"my card is gone\"\n",
    run};
