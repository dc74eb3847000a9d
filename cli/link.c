#include "dedup.h"

#include <string.h>

static int write_match(void *user, const film_link_match *match)
{
    struct sheet *sheet = user;
    int found = match->b != FILM_NO_MATCH;
    sheet_text(sheet, "id_a", match->first.id);
    sheet_text(sheet, "text_a", match->first.text);
    sheet_text(sheet, "id_b", match->second.id);
    sheet_text(sheet, "text_b", match->second.text);
    if (found)
        sheet_number(sheet, "probability", sheet->json ? "%.9g" : "%.6f", match->probability);
    else
        sheet_text(sheet, "probability", (film_text){NULL, 0});
    sheet_end_row(sheet);
    return sheet->status != FILM_OK;
}

static int run(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    film_link_options link = {.size = sizeof link};
    const char *arguments[3], *output = "-";
    const struct option options[] = {
        {"threshold", 0, OPTION_SHARE, &link.threshold, "P",
         "the same from this probability on (default 0.9)"},
        {"matches", 'k', OPTION_SIZE, &link.most, "N",
         "up to N matches of each record of A (default 1)"},
        {"unique", 0, OPTION_FLAG, &link.unique, NULL,
         "match no record twice: the likeliest pair first, then the next"},
        {"output", 'o', OPTION_TEXT, &output, "OUT", "where to write (default: standard output)"},
        {"candidates", 0, OPTION_SIZE, &link.candidates, "N",
         "compare each record with its N most promising (default 20)"},
        ANSWER_OPTIONS(link.answer),
        {"columns", 0, OPTION_TEXT, &link.table.columns, "LIST",
         "name the columns of both files: id,text (- passes one over)"},
        {"input-format", 0, OPTION_PICK, &link.table.format, "tsv|csv|jsonl|lines",
         "default: found out"},
        SKIP_BAD_OPTION(link.table),
        {"threads", 't', OPTION_THREADS, &link.answer.threads, "N", "default: all cores"},
        END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, arguments, 3, 3);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    if (link.unique && link.most > 1)
        return usage_error(verb, "--unique gives one match to a record; leave out -k");

    struct sheet sheet = {0};
    film_error error = {0};
    int first = film_job_rank(job) == 0; /* the one that writes */
    film_model *model = NULL;
    film_link_result result = {.size = sizeof result};
    link.progress = progress_start(common.quiet);
    link.match = write_match;
    link.user = &sheet;
    link.job = job;
    film_status status = film_open(arguments[0], &model, &error);
    if (first) sheet_open(&sheet, output, common.json, "id_a\ttext_a\tid_b\ttext_b\tprobability");
    if (status == FILM_OK && sheet.status == FILM_OK)
        status = film_link_files(model, arguments[1], arguments[2], &link, &result, &error);
    if (first) status = sheet_close(&sheet, status, &error);
    int code = report(status, &error);
    unsigned long long a = result.a, b = result.b, matched = result.matched,
                       skipped = result.skipped;
    int done = code == EXIT_DONE && first;
    if (done && common.json && strcmp(output, "-") != 0)
        printf("{\"a\": %llu, \"b\": %llu, \"compared\": %llu, \"matched\": %llu, \"skipped\": "
               "%llu, \"threshold\": %.9g%s}\n",
               a, b, (unsigned long long)result.compared, matched, skipped, result.threshold,
               job_figures(result.sent));
    else if (done && !common.json && !common.quiet)
        fprintf(stderr, "%llu of %llu records have a match among %llu; %llu bad rows passed over\n",
                matched, a, b, skipped);
    film_close(model);
    return code;
}

const struct verb verb_link = {"link", "MODEL FILE_A FILE_B [-o OUT] [options]",
                               "For every record of one file its match in another",
                               "Columns: id and text of the record of A, id and text of its match "
                               "in B, and the probability that\n"
                               "they mean the same; empty where nothing in B reaches the "
                               "threshold. Ids are those of the files,\n"
                               "or their lines.\n\n"
                               "examples:\n"
                               "  film link faq.film new.tsv faq.tsv -o matches.tsv\n"
                               "  film link faq.film a.csv b.csv --unique --threshold 0.95\n"
                               "  mpirun -n 4 film link faq.film a.csv b.csv -o matches.tsv    "
                               "several processes share the work\n",
                               run};
