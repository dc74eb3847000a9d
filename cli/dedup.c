/* film dedup: clusters, pairs or doubtful pairs of a file or pool, as a table; the review. */
#include "dedup.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

struct finding {
    struct sheet sheet;
    struct review review;
};

static int write_pair(void *user, const film_duplicate *pair)
{
    struct sheet *sheet = &((struct finding *)user)->sheet;
    sheet_text(sheet, "id_a", pair->first.id);
    sheet_text(sheet, "id_b", pair->second.id);
    sheet_number(sheet, "probability", sheet->json ? "%.9g" : "%.6f", pair->probability);
    sheet_text(sheet, "text_a", pair->first.text);
    sheet_text(sheet, "text_b", pair->second.text);
    sheet_end_row(sheet);
    return sheet->status != FILM_OK;
}

static int write_member(void *user, const film_member *member)
{
    struct sheet *sheet = &((struct finding *)user)->sheet;
    sheet_number(sheet, "cluster", "%.0f", (double)member->cluster);
    sheet_text(sheet, "id", member->record.id);
    sheet_text(sheet, "text", member->record.text);
    sheet_number(sheet, "probability", sheet->json ? "%.9g" : "%.6f", member->probability);
    sheet_flag(sheet, "representative", member->representative);
    sheet_end_row(sheet);
    return sheet->status != FILM_OK;
}

static int keep_borderline(void *user, const film_duplicate *pair)
{
    return review_keep(&((struct finding *)user)->review, pair);
}

/* With -o and --json the figures come as JSON; the table is never mixed with them. */
static void print_result(const film_dedup_result *result, const struct command *command,
                         double prior, int pairs, int to_file)
{
    unsigned long long records = result->records, distinct = result->distinct,
                       compared = result->compared, found = result->pairs, sure = result->sure,
                       clusters = result->clusters, clustered = result->clustered,
                       largest = result->largest, connected = result->connected,
                       contradictions = result->contradictions, skipped = result->skipped;
    if (command->json && to_file)
        printf("{\"records\": %llu, \"distinct\": %llu, \"compared\": %llu, \"pairs\": %llu, "
               "\"sure\": %llu, "
               "\"clusters\": %llu, \"clustered\": %llu, \"largest\": %llu, \"connected\": %llu, "
               "\"contradictions\": %llu, \"skipped\": %llu, \"threshold\": %.9g%s}\n",
               records, distinct, compared, found, sure, clusters, clustered, largest, connected,
               contradictions, skipped, result->threshold, job_figures(result->sent));
    if (command->json || command->quiet) return;
    fprintf(stderr, "%llu records, %llu distinct; %llu pairs compared, %llu at or above %g",
            records, distinct, compared, found, result->threshold);
    if (!pairs)
        fprintf(stderr, "; %llu clusters of %llu records, the largest of %llu", clusters, clustered,
                largest);
    if (contradictions)
        fprintf(stderr, "; %llu labels of \"same\" left out: they join a pair labelled different",
                contradictions);
    if (skipped) fprintf(stderr, "; %llu bad rows passed over", skipped);
    fprintf(stderr, "\n");
    if (sure < found && prior > FILM_RARE)
        fprintf(stderr,
                "%llu of the %llu pairs stay with --prior %g, which is for lists where few "
                "sentences have a duplicate\n",
                sure, found, FILM_RARE);
}

static film_status find(const char *pool_path, const char *model_path, const char *file,
                        const film_dedup_options *options, film_pool **pool,
                        film_dedup_result *result, film_error *error)
{
    film_model *model = NULL;
    film_status status;
    if (pool_path) {
        status = film_pool_open(pool_path, pool, error);
        return status == FILM_OK ? film_pool_dedup(*pool, options, result, error) : status;
    }
    status = film_open(model_path, &model, error);
    if (status == FILM_OK) status = film_dedup_file(model, file, options, result, error);
    film_close(model);
    return status;
}

struct values {
    film_dedup_options dedup;
    const char *output;
    int pairs;
};

static const struct option options[] = {
    {.name = "threshold",
     .kind = OPTION_SHARE,
     .at = offsetof(struct values, dedup.threshold),
     .argument = "P",
     .help = "the same from this probability on",
     .fallback = "0.9"},
    OUTPUT_OPTION(struct values, output, "OUT"),
    {.name = "pairs",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, pairs),
     .help = "pairs instead of clusters, as they are found"},
    {.name = "all",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, dedup.singles),
     .help = "also records that are alone"},
    {.name = "review",
     .kind = OPTION_SIZE,
     .at = offsetof(struct values, dedup.review),
     .argument = "N",
     .help = "ask about the N pairs nearest to the threshold; with -o, write them"},
    {.name = "candidates",
     .kind = OPTION_SIZE,
     .at = offsetof(struct values, dedup.candidates),
     .argument = "N",
     .help = "compare each sentence with its N most promising others",
     .fallback = "20"},
    ANSWER_OPTIONS(struct values, dedup.answer),
    COLUMNS_OPTION(struct values, dedup.table, "id,text"),
    FORMAT_OPTION(struct values, dedup.table, "input-format", "tsv|csv|jsonl|lines"),
    SKIP_BAD_OPTION(struct values, dedup.table),
    THREADS_OPTION(struct values, dedup.answer.threads),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    film_dedup_options *dedup = &((struct values *)given)->dedup;
    dedup->size = sizeof *dedup;
    dedup->answer.size = sizeof dedup->answer; /* a review judges by them too */
}

/* What the options and arguments do not allow together; NULL: nothing. */
static const char *contradiction(const struct command *command, const struct values *values)
{
    const film_dedup_options *dedup = &values->dedup;
    if (dedup->review && (values->pairs || dedup->singles))
        return "--review goes with neither --pairs nor --all";
    if (values->pairs && dedup->singles) return "--all goes with clusters, not --pairs";
    if (dedup->review && command->count == 2 && !values->output)
        return "--review of a file needs -o OUT; answers are kept in a pool only";
    return NULL;
}

static int run(const struct command *command, void *given)
{
    struct values *values = given;
    film_dedup_options *dedup = &values->dedup;
    const char *const *arguments = command->words, *output = values->output;
    int pairs = values->pairs;
    const char *problem = contradiction(command, values);
    if (problem) return usage_error(command->verb, "%s", problem);

    struct finding finding = {.sheet = {0}};
    film_error error = {0};
    film_pool *pool = NULL;
    film_dedup_result result = {.size = sizeof result};
    film_status status = FILM_OK;
    int review = dedup->review > 0, first = job_rank() == 0; /* the one that writes */
    dedup->job = job;
    dedup->progress = progress_start(command->quiet);
    dedup->user = &finding;
    dedup->pair = pairs ? write_pair : NULL;
    dedup->member = pairs || review ? NULL : write_member;
    dedup->borderline = review ? keep_borderline : NULL;
    if (!review && first)
        sheet_open(&finding.sheet, output ? output : "-", command->json,
                   pairs ? "id_a\tid_b\tprobability\ttext_a\ttext_b"
                         : "cluster\tid\ttext\tprobability\trepresentative");
    if (finding.sheet.status == FILM_OK)
        status = find(command->count == 1 ? arguments[0] : NULL, arguments[0],
                      command->count == 2 ? arguments[1] : "", dedup, &pool, &result, &error);
    if (!review && first) status = sheet_close(&finding.sheet, status, &error);
    if (review && first && status == FILM_OK) {
        progress_end();
        status = output ? review_write(&finding.review, output, &error)
                        : review_ask(&finding.review, pool, &dedup->answer, &error);
    }
    int code = report(status, &error);
    if (code == EXIT_DONE && first && (!review || output))
        print_result(&result, command, dedup->answer.prior > 0 ? dedup->answer.prior : 0.5,
                     pairs || review, output && strcmp(output, "-") != 0);
    review_free(&finding.review);
    film_pool_close(pool);
    return code;
}

const struct verb verb_dedup = {
    VERB_DEDUP,
    .arguments = "MODEL FILE | POOL [-o OUT] [options]",
    .page = "docs/how-to/find-duplicates.md",
    .shared = 1,
    .least = 1,
    .most = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details = "FILE has a text column (and perhaps ids), plain lines, or pairs: then its distinct "
               "sentences.\n"
               "A cluster is joined only when its sentences are alike on average, not by chains. "
               "Columns:\n"
               "cluster, id (or the line), text, probability of meaning the same as the "
               "representative, and\n"
               "* for the representative. Where few sentences have a duplicate, --prior 0.05 finds "
               "fewer that "
               "are\n"
               "none. In a POOL, labels are respected: same joined, different never.\n"
               "--review N asks about the N most doubtful pairs of a POOL (y, n, s to skip, q to "
               "stop) and "
               "keeps\n"
               "the answers as its labels, from which film train --pool POOL learns. With -o the "
               "pairs are\n"
               "written instead; film pool label POOL --from OUT reads the answers back.\n\n"
               "examples:\n"
               "  film dedup faq.film questions.tsv -o clusters.tsv\n"
               "  film dedup faq.pool --review 20\n"
               "  mpirun -n 4 film dedup quora.film all.tsv -o clusters.tsv    several processes "
               "share the "
               "work\n"};
