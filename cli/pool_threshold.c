/* film pool threshold: prints precision and recall over the threshold, or stores one in the
 * pool. */
#include "pool.h"
#include "sheet.h"

#include <stdlib.h>
#include <string.h>

struct values {
    double budget, wait;
    int threads;
};

static const struct option options[] = {
    {.name = "budget",
     .kind = OPTION_PROBABILITY,
     .at = offsetof(struct values, budget),
     .argument = "P",
     .help = "store the lowest threshold with at most this share of wrong answers"},
    THREADS_OPTION(struct values, threads),
    WAIT_OPTION(struct values, wait),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    ((struct values *)given)->wait = POOL_WAIT;
}

/* Writes nothing for a share that is not known. */
static void write_estimated(struct sheet *sheet, const char *name, double share)
{
    if (share >= 0)
        sheet_number(sheet, name, "%.3f", share);
    else if (!sheet->json)
        sheet_text(sheet, name, (film_text){NULL, 0});
}

static int write_threshold_point(void *user, const film_pool_threshold_point *point)
{
    struct sheet *sheet = user;
    int hundredths = (int)(100 * point->threshold + 0.5);
    if (hundredths % 5 != 0 && hundredths != 99 && !sheet->json) return 0;
    sheet_number(sheet, "threshold", "%.2f", point->threshold);
    write_estimated(sheet, "share", point->share);
    write_estimated(sheet, "precision", point->precision);
    write_estimated(sheet, "precision_low", point->precision_low);
    write_estimated(sheet, "precision_high", point->precision_high);
    write_estimated(sheet, "recall", point->recall);
    write_estimated(sheet, "recall_low", point->recall_low);
    write_estimated(sheet, "recall_high", point->recall_high);
    sheet_number(sheet, "answers", "%.0f", (double)point->answers);
    write_estimated(sheet, "expected_precision", point->expected_precision);
    write_estimated(sheet, "expected_recall", point->expected_recall);
    sheet_end_row(sheet);
    return sheet->status != FILM_OK;
}

static void print_basis(const film_thresholds *found)
{
    fprintf(stderr, "%s on %s", counted(found->answers, "answer"),
            counted(found->pairs, "random pair"));
    if (found->answers == 0)
        fputs("; only the expected columns are known: they are the model's own guess", stderr);
    else if (!found->enough)
        fprintf(stderr,
                "; too few for a reliable estimate: %d are needed, over 95 %% of the pairs "
                "(covered: %.0f %%)",
                FILM_THRESHOLDS_ENOUGH, 100 * found->covered);
    if (found->threshold > 0)
        fprintf(stderr, "\nstored threshold: %g\n", found->threshold);
    else
        fputs("\nno threshold is stored\n", stderr);
}

static int store(film_pool *pool, double threshold, const struct command *command)
{
    film_error error = {0};
    int code = report(film_pool_set_threshold(pool, threshold, &error), &error);
    if (code != EXIT_DONE) return code;
    if (command->json && threshold > 0)
        printf("{\"threshold\": %g}\n", threshold);
    else if (command->json)
        puts("{\"threshold\": null}");
    else if (!command->quiet && threshold > 0)
        fprintf(stderr, "stored threshold: %g\n", threshold);
    else if (!command->quiet)
        fputs("no threshold is stored\n", stderr);
    return code;
}

/* Without a budget, prints the curve. */
static int estimate(film_pool *pool, const struct values *values, const struct command *command)
{
    film_error error = {0};
    struct sheet sheet = {.output = NULL};
    const struct kept none = {.names = NULL};
    film_thresholds found = {.size = sizeof found};
    film_thresholds_options curve = {
        .size = sizeof curve,
        .budget = values->budget,
        .answer = {.size = sizeof curve.answer, .no_reasons = 1, .threads = values->threads},
        .progress = progress_start(command->quiet),
        .point = values->budget > 0 ? NULL : write_threshold_point,
        .user = &sheet};
    if (curve.point) sheet_open(&sheet, "-", command->json);
    if (curve.point)
        sheet_header(&sheet,
                     "threshold\tshare\tprecision\tprecision_low\tprecision_high\trecall\t"
                     "recall_low\trecall_high\tanswers\texpected_precision\texpected_recall",
                     &none);
    film_status status = film_pool_thresholds(pool, &curve, &found, &error);
    progress_end();
    if (curve.point) status = sheet_close(&sheet, status, &error);
    int code = report(status, &error);
    if (code != EXIT_DONE) return code;
    if (!command->quiet) print_basis(&found);
    if (values->budget == 0) return code;
    if (found.budget_at.threshold > 0) return store(pool, found.budget_at.threshold, command);
    fprintf(stderr, "film: no threshold keeps the budget of %g; choose a larger one\n",
            values->budget);
    return EXIT_BAD_INPUT;
}

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    const char *word = command->count == 2 ? command->words[1] : NULL;
    char *end = NULL;
    double threshold = word ? strtod(word, &end) : 0;
    if (word && (end == word || *end || !(threshold >= 0 && threshold < 1)))
        return usage_error(command->verb, "threshold \"%s\" is not a number from 0 to below 1",
                           word);
    if (word && values->budget > 0)
        return usage_error(command->verb, "--budget cannot be combined with a threshold");
    film_error error = {0};
    film_pool *pool = NULL;
    int code = report(pool_open(command->words[0], values->wait, &pool, &error), &error);
    if (code == EXIT_DONE)
        code = word ? store(pool, threshold, command) : estimate(pool, values, command);
    film_pool_close(pool);
    return code;
}

const struct verb pool_threshold = {
    "pool threshold",
    LIBRARY_POOL,
    "Print precision and recall over the threshold, or store one",
    .arguments = "POOL [P] [options]",
    .min_words = 1,
    .max_words = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details = "P is stored in the pool: match, search and dedup of this pool then call two "
               "sentences the same\n"
               "from this probability on. 0 removes it. The estimates come from the answers of "
               "reviews (film\n"
               "serve), with 95 % intervals; the expected columns are the model's own guess.\n\n"
               "examples:\n"
               "  film pool threshold faq.pool\n"
               "  film pool threshold faq.pool --budget 0.05\n"
               "  film pool threshold faq.pool 0.87\n"};
