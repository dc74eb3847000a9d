/* film dedup: writes clusters or pairs of duplicates as a table, or starts the review of uncertain
 * pairs. */
#include "review.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

struct finding {
    struct sheet sheet;
    struct review review;
    const char *own; /* the columns of the output */
    int pairs;
    struct kept kept; /* columns of the input; of pairs, those of both, one after the other */
    size_t others;    /* columns of a record */
    int quiet;
    film_arithmetic arithmetic;
};

/* Learns the other columns, and writes the header. */
static void take_columns(void *user, int file, const film_text *names, size_t count)
{
    struct finding *finding = user;
    int there = 1;
    (void)file;
    finding->others = count;
    for (int side = 0; side <= finding->pairs; side++)
        for (size_t i = 0; i < count && there; i++)
            there = kept_add(&finding->kept, names[i],
                             !finding->pairs ? ""
                             : side          ? "_b"
                                             : "_a",
                             finding->own);
    if (!there) finding->sheet.status = no_memory(&finding->sheet.error);
    if (there && finding->sheet.output) sheet_header(&finding->sheet, finding->own, &finding->kept);
}

static int write_pair(void *user, const film_duplicate *pair)
{
    struct finding *finding = user;
    struct sheet *sheet = &finding->sheet;
    sheet_text(sheet, "id_a", pair->first.id);
    sheet_text(sheet, "id_b", pair->second.id);
    sheet_number(sheet, "probability", sheet->json ? "%.9g" : "%.6f", pair->probability);
    sheet_text(sheet, "text_a", pair->first.text);
    sheet_text(sheet, "text_b", pair->second.text);
    kept_write(sheet, &finding->kept, 0, finding->others, pair->first_others);
    kept_write(sheet, &finding->kept, finding->others, finding->others, pair->second_others);
    sheet_end_row(sheet);
    return sheet->status != FILM_OK;
}

static int write_member(void *user, const film_member *member)
{
    struct finding *finding = user;
    struct sheet *sheet = &finding->sheet;
    sheet_number(sheet, "cluster", "%.0f", (double)member->cluster);
    sheet_text(sheet, "id", member->record.id);
    sheet_text(sheet, "text", member->record.text);
    sheet_number(sheet, "probability", sheet->json ? "%.9g" : "%.6f", member->probability);
    sheet_flag(sheet, "representative", member->representative);
    kept_write(sheet, &finding->kept, 0, finding->others, member->others);
    sheet_end_row(sheet);
    return sheet->status != FILM_OK;
}

static int add_borderline(void *user, const film_duplicate *pair)
{
    return review_add(&((struct finding *)user)->review, pair);
}

/* Returns the threshold with two digits, or more if it needs them. */
static const char *threshold_text(double threshold)
{
    static char text[32];
    snprintf(text, sizeof text, "%g", threshold);
    if (strlen(text) < 4) snprintf(text, sizeof text, "%.2f", threshold);
    return text;
}

/* What the candidates miss. The interval is that of the sample; without one it is not printed. */
static void print_recall(const film_dedup_result *result)
{
    unsigned long long sampled = result->sampled, against = result->sampled_against,
                       found = result->sampled_found, pairs = result->sampled_pairs;
    int complete = result->sampled == result->distinct;
    fprintf(stderr, "pair completeness ");
    if (!pairs)
        fprintf(stderr, "unknown: no duplicates");
    else if (complete)
        fprintf(stderr, "%.2f %%: %s of %s", 100 * result->completeness, grouped(found),
                counted(pairs, "duplicate"));
    else
        fprintf(stderr, "%.2f %% (95 %% interval %.2f to %.2f): %s of %s",
                100 * result->completeness, 100 * result->completeness_low,
                100 * result->completeness_high, grouped(found), counted(pairs, "duplicate"));
    fprintf(stderr, " among the candidates of %s compared with %s others",
            counted(sampled, "record"), grouped(against));
    fprintf(stderr, "; reduction ratio %.3f %%\n", 100 * result->reduction);
}

static void print_recall_json(const film_dedup_result *result)
{
    printf(", \"reduction\": %.9g", result->reduction);
    if (!result->sampled) return;
    printf(", \"recall\": {\"sampled\": %llu, \"against\": %llu, \"duplicates\": %llu, "
           "\"candidates\": %llu",
           (unsigned long long)result->sampled, (unsigned long long)result->sampled_against,
           (unsigned long long)result->sampled_pairs, (unsigned long long)result->sampled_found);
    if (result->sampled_pairs)
        printf(", \"completeness\": %.9g, \"low\": %.9g, \"high\": %.9g}", result->completeness,
               result->completeness_low, result->completeness_high);
    else
        printf(", \"completeness\": null, \"low\": null, \"high\": null}");
}

/* Prints the summary. With -o and --json it is JSON on standard output. It is never mixed with the
 * table. */
static void print_result(const film_dedup_result *result, FILE *figures, int as_json, double prior,
                         int pairs)
{
    unsigned long long records = result->records, distinct = result->distinct,
                       compared = result->compared, found = result->pairs, sure = result->sure,
                       clusters = result->clusters, clustered = result->clustered,
                       largest = result->largest, connected = result->connected,
                       contradictions = result->contradictions, skipped = result->skipped;
    if (figures == stdout) {
        printf("{\"records\": %llu, \"distinct\": %llu, \"compared\": %llu, \"pairs\": %llu, "
               "\"sure\": %llu, "
               "\"clusters\": %llu, \"clustered\": %llu, \"largest\": %llu, \"connected\": %llu, "
               "\"contradictions\": %llu, \"skipped\": %llu, \"threshold\": %.9g",
               records, distinct, compared, found, sure, clusters, clustered, largest, connected,
               contradictions, skipped, result->threshold);
        print_recall_json(result);
        printf("}\n");
    }
    if (as_json) return;
    fprintf(stderr, "%s, %s distinct; %s compared; %s at or above %s", counted(records, "record"),
            grouped(distinct), counted(compared, "pair"), counted(found, "pair"),
            threshold_text(result->threshold));
    if (!pairs)
        fprintf(stderr, "; %s with %s, largest %s", counted(clusters, "cluster"),
                counted(clustered, "record"), grouped(largest));
    if (contradictions)
        fprintf(stderr, "; %s ignored: they connect a pair labelled \"different\"",
                counted(contradictions, "\"same\" label"));
    print_skipped(stderr, skipped);
    fprintf(stderr, "\n");
    if (sure < found && prior > FILM_RARE)
        fprintf(stderr,
                "%s of the %s remain with --prior %g; use it if few sentences have a duplicate\n",
                grouped(sure), counted(found, "pair"), FILM_RARE);
    if (result->sampled) print_recall(result);
}

static film_status find_duplicates(const char *pool_path, const char *model_path, const char *file,
                                   const film_dedup_options *options, film_pool **pool,
                                   film_dedup_result *result, film_error *error)
{
    const struct finding *finding = options->user;
    film_model *model = NULL;
    film_status status;
    if (pool_path) {
        status = film_pool_open(pool_path, pool, error);
        if (status == FILM_OK) status = film_pool_set_arithmetic(*pool, finding->arithmetic, error);
        return status == FILM_OK ? film_pool_dedup(*pool, options, result, error) : status;
    }
    status = open_model(model_path, finding->arithmetic, &model, error);
    if (status == FILM_OK && !finding->quiet) warn_file(model, file, &options->table);
    if (status == FILM_OK) status = film_dedup_file(model, file, options, result, error);
    close_model(model);
    return status;
}

struct values {
    film_dedup_options dedup;
    const char *output;
    int pairs;
    film_arithmetic arithmetic;
};

static const struct option options[] = {
    {.name = "threshold",
     .kind = OPTION_PROBABILITY,
     .at = offsetof(struct values, dedup.threshold),
     .argument = "P",
     .help = "lowest probability of a duplicate",
     .fallback = "0.9"},
    OUTPUT_OPTION(struct values, output, "OUT"),
    {.name = "pairs",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, pairs),
     .help = "write pairs instead of clusters, in the order of the input"},
    {.name = "all",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, dedup.singles),
     .help = "also write records without a duplicate"},
    {.name = "review",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, dedup.review),
     .argument = "N",
     .help = "review the N pairs nearest to the threshold; with -o, write them"},
    {.name = "candidates",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, dedup.candidates),
     .argument = "N",
     .help = "compare each sentence with its N nearest neighbours",
     .fallback = "20"},
    {.name = "recall",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, dedup.recall),
     .help = "estimate the share of duplicates that are candidates, on a sample"},
    ANSWER_OPTIONS(struct values, dedup.answer),
    ENCODER_OPTIONS(struct values, arithmetic),
    COLUMNS_OPTION(struct values, dedup.table, "id,text"),
    PAIR_FIELDS_OPTION(struct values, dedup.table, "of columns"),
    FORMAT_OPTION(struct values, dedup.table, "input-format", "tsv|csv|jsonl|lines"),
    ENCODING_OPTION(struct values, dedup.table),
    SKIP_BAD_OPTION(struct values, dedup.table),
    THREADS_OPTION(struct values, dedup.answer.threads),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    film_dedup_options *dedup = &((struct values *)given)->dedup;
    dedup->size = sizeof *dedup;
    dedup->answer.size = sizeof dedup->answer; /* --review passes only this member to the library */
}

/* Returns a message about conflicting options, or NULL. */
static const char *option_conflict(const struct command *command, const struct values *values)
{
    const film_dedup_options *dedup = &values->dedup;
    if (dedup->review && (values->pairs || dedup->singles))
        return "--review cannot be combined with --pairs or --all";
    if (values->pairs && dedup->singles) return "--all cannot be combined with --pairs";
    if (dedup->review && command->count == 2 && !values->output)
        return "--review of a file needs -o OUT; only a pool can store answers";
    return NULL;
}

static int run(const struct command *command, void *given)
{
    struct values *values = given;
    film_dedup_options *dedup = &values->dedup;
    const char *const *arguments = command->words, *output = values->output;
    int pairs = values->pairs;
    const char *problem = option_conflict(command, values);
    if (problem) return usage_error(command->verb, "%s", problem);

    struct finding finding = {.pairs = pairs,
                              .quiet = command->quiet,
                              .arithmetic = values->arithmetic,
                              .own = pairs ? "id_a\tid_b\tprobability\ttext_a\ttext_b"
                                           : "cluster\tid\ttext\tprobability\trepresentative"};
    film_error error = {0};
    film_pool *pool = NULL;
    film_dedup_result result = {.size = sizeof result};
    film_status status = FILM_OK;
    int review = dedup->review > 0;
    dedup->progress = progress_start(command->quiet);
    dedup->user = &finding;
    dedup->pair = pairs ? write_pair : NULL;
    dedup->member = pairs || review ? NULL : write_member;
    dedup->borderline = review ? add_borderline : NULL;
    dedup->columns = review ? NULL : take_columns;
    if (!review) sheet_open(&finding.sheet, output ? output : "-", command->json);
    if (finding.sheet.status == FILM_OK)
        status =
            find_duplicates(command->count == 1 ? arguments[0] : NULL, arguments[0],
                            command->count == 2 ? arguments[1] : "", dedup, &pool, &result, &error);
    if (!review) status = sheet_close(&finding.sheet, status, &error);
    if (review && status == FILM_OK) {
        progress_end();
        status = output ? review_write(&finding.review, output, &error)
                        : review_next(&finding.review, pool, &dedup->answer, &error);
    }
    int code = report(status, &error);
    FILE *figures = figures_stream(command, code, output ? output : "-");
    if (figures && (!review || output))
        print_result(&result, figures, command->json,
                     dedup->answer.prior > 0 ? dedup->answer.prior : 0.5, pairs || review);
    review_free(&finding.review);
    kept_free(&finding.kept);
    film_pool_close(pool);
    return code;
}

const struct verb verb_dedup = {
    VERB_DEDUP,
    .arguments = "MODEL FILE | POOL [-o OUT] [options]",
    .page = "docs/how-to/find-duplicates.md",
    .min_words = 1,
    .max_words = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "FILE has a text column (and optionally ids), plain lines, or pairs, whose distinct "
        "sentences\n"
        "are compared. Clusters are joined by the average probability of their pairs, so chains "
        "of\n"
        "similar pairs do not merge them. Output columns: cluster, id (or row number), text,\n"
        "probability of being a duplicate of the representative, * for the representative, and "
        "all\n"
        "other columns of FILE.\n"
        "If few sentences have a duplicate, --prior 0.05 reduces false matches. In a POOL, labels\n"
        "have priority: \"same\" joins two sentences, \"different\" separates them.\n"
        "--review N asks about the N most uncertain pairs of a POOL (y, n, s to skip, q to quit)\n"
        "and stores the answers as labels, for film train --pool POOL. With -o, it writes the\n"
        "pairs to a file instead; film pool label POOL --from OUT imports the answers.\n\n"
        "examples:\n"
        "  film dedup faq.film questions.tsv -o clusters.tsv\n"
        "  film dedup faq.pool --review 20\n"};
