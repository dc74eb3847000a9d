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
static void print_result(const film_dedup_result *result, const struct common *common, double prior,
                         int pairs, int to_file)
{
    unsigned long long records = result->records, distinct = result->distinct,
                       compared = result->compared, found = result->pairs, sure = result->sure,
                       clusters = result->clusters, clustered = result->clustered,
                       largest = result->largest, connected = result->connected,
                       contradictions = result->contradictions, skipped = result->skipped;
    if (common->json && to_file)
        printf("{\"records\": %llu, \"distinct\": %llu, \"compared\": %llu, \"pairs\": %llu, "
               "\"sure\": %llu, "
               "\"clusters\": %llu, \"clustered\": %llu, \"largest\": %llu, \"connected\": %llu, "
               "\"contradictions\": %llu, \"skipped\": %llu, \"threshold\": %.9g%s}\n",
               records, distinct, compared, found, sure, clusters, clustered, largest, connected,
               contradictions, skipped, result->threshold, job_figures(result->sent));
    if (common->json || common->quiet) return;
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

static int run(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    film_dedup_options dedup = {.size = sizeof dedup, .answer.size = sizeof dedup.answer};
    const char *arguments[2], *output = NULL;
    int pairs = 0;
    const struct option options[] = {
        {"threshold", 0, OPTION_SHARE, &dedup.threshold, "P",
         "the same from this probability on (default 0.9)"},
        {"output", 'o', OPTION_TEXT, &output, "OUT", "where to write (default: standard output)"},
        {"pairs", 0, OPTION_FLAG, &pairs, NULL, "pairs instead of clusters, as they are found"},
        {"all", 0, OPTION_FLAG, &dedup.singles, NULL, "also records that are alone"},
        {"review", 0, OPTION_SIZE, &dedup.review, "N",
         "ask about the N pairs nearest to the threshold; with -o, write them"},
        {"candidates", 0, OPTION_SIZE, &dedup.candidates, "N",
         "compare each sentence with its N most promising others (default 20)"},
        ANSWER_OPTIONS(dedup.answer),
        {"columns", 0, OPTION_TEXT, &dedup.table.columns, "LIST",
         "name the columns in file order: id,text (- passes one over)"},
        {"input-format", 0, OPTION_PICK, &dedup.table.format, "tsv|csv|jsonl|lines",
         "default: found out"},
        SKIP_BAD_OPTION(dedup.table),
        {"threads", 't', OPTION_THREADS, &dedup.answer.threads, "N", "default: all cores"},
        END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, arguments, 1, 2);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    if (dedup.review && (pairs || dedup.singles))
        return usage_error(verb, "--review goes with neither --pairs nor --all");
    if (pairs && dedup.singles) return usage_error(verb, "--all goes with clusters, not --pairs");
    if (dedup.review && count == 2 && !output)
        return usage_error(verb,
                           "--review of a file needs -o OUT; answers are kept in a pool only");

    struct finding finding = {.sheet = {0}};
    film_error error = {0};
    film_pool *pool = NULL;
    film_dedup_result result = {.size = sizeof result};
    film_status status = FILM_OK;
    int review = dedup.review > 0, first = film_job_rank(job) == 0; /* the one that writes */
    dedup.job = job;
    dedup.progress = progress_start(common.quiet);
    dedup.user = &finding;
    dedup.pair = pairs ? write_pair : NULL;
    dedup.member = pairs || review ? NULL : write_member;
    dedup.borderline = review ? keep_borderline : NULL;
    if (!review && first)
        sheet_open(&finding.sheet, output ? output : "-", common.json,
                   pairs ? "id_a\tid_b\tprobability\ttext_a\ttext_b"
                         : "cluster\tid\ttext\tprobability\trepresentative");
    if (finding.sheet.status == FILM_OK)
        status = find(count == 1 ? arguments[0] : NULL, arguments[0],
                      count == 2 ? arguments[1] : "", &dedup, &pool, &result, &error);
    if (!review && first) status = sheet_close(&finding.sheet, status, &error);
    if (review && first && status == FILM_OK) {
        progress_end();
        status = output ? review_write(&finding.review, output, &error)
                        : review_ask(&finding.review, pool, &dedup.answer, &error);
    }
    int code = report(status, &error);
    if (code == EXIT_DONE && first && (!review || output))
        print_result(&result, &common, dedup.answer.prior > 0 ? dedup.answer.prior : 0.5,
                     pairs || review, output && strcmp(output, "-") != 0);
    review_free(&finding.review);
    film_pool_close(pool);
    return code;
}

const struct verb verb_dedup = {
    "dedup", "MODEL FILE | POOL [-o OUT] [options]",
    "Which sentences of a file or pool mean the same: clusters of duplicates",
    "FILE has a text column (and perhaps ids), plain lines, or pairs: then its distinct "
    "sentences.\n"
    "A cluster is joined only when its sentences are alike on average, not by chains. Columns:\n"
    "cluster, id (or the line), text, probability of meaning the same as the representative, and\n"
    "* for the representative. Where few sentences have a duplicate, --prior 0.05 finds fewer that "
    "are\n"
    "none. In a POOL, labels are respected: same joined, different never.\n"
    "--review N asks about the N most doubtful pairs of a POOL (y, n, s to skip, q to stop) and "
    "keeps\n"
    "the answers as its labels, from which film train --pool POOL learns. With -o the pairs are\n"
    "written instead; film pool label POOL --from OUT reads the answers back.\n\n"
    "examples:\n"
    "  film dedup faq.film questions.tsv -o clusters.tsv\n"
    "  film dedup faq.pool --review 20\n"
    "  mpirun -n 4 film dedup quora.film all.tsv -o clusters.tsv    several processes share the "
    "work\n",
    run};
