/* film link: matches each record of one file with a record of another, and writes a table. */
#include "film_dedup.h"
#include "sheet.h"

static const char own[] = "id_a\ttext_a\tid_b\ttext_b\tprobability";

struct linking {
    struct sheet sheet;
    struct kept kept; /* other columns of both files */
    size_t others[2]; /* their numbers */
};

/* Learns the other columns of a file; after the second, writes the header. */
static void take_columns(void *user, int file, const film_text *names, size_t count)
{
    struct linking *linking = user;
    int there = 1;
    linking->others[file] = count;
    for (size_t i = 0; i < count && there; i++)
        there = kept_add(&linking->kept, names[i], file ? "_b" : "_a", own);
    if (!there) linking->sheet.status = no_memory(&linking->sheet.error);
    if (file == 1 && linking->sheet.status == FILM_OK)
        sheet_header(&linking->sheet, own, &linking->kept);
}

static int write_match(void *user, const film_link_match *match)
{
    struct linking *linking = user;
    struct sheet *sheet = &linking->sheet;
    int found = match->b != FILM_NO_MATCH;
    sheet_text(sheet, "id_a", match->first.id);
    sheet_text(sheet, "text_a", match->first.text);
    sheet_text(sheet, "id_b", match->second.id);
    sheet_text(sheet, "text_b", match->second.text);
    if (found)
        sheet_number(sheet, "probability", sheet->json ? "%.9g" : "%.6f", match->probability);
    else
        sheet_text(sheet, "probability", (film_text){NULL, 0});
    kept_write(sheet, &linking->kept, 0, linking->others[0], match->first_others);
    kept_write(sheet, &linking->kept, linking->others[0], linking->others[1], match->second_others);
    sheet_end_row(sheet);
    return sheet->status != FILM_OK;
}

struct values {
    film_link_options link;
    const char *output;
    film_arithmetic arithmetic;
};

static const struct option options[] = {
    {.name = "threshold",
     .kind = OPTION_PROBABILITY,
     .at = offsetof(struct values, link.threshold),
     .argument = "P",
     .help = "lowest probability of a match, as the only condition",
     .fallback = "0.9"},
    {.name = "matches",
     .letter = 'k',
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, link.most),
     .argument = "N",
     .help = "maximum matches per record of FILE_A",
     .fallback = "1"},
    {.name = "unique",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, link.unique),
     .help = "match each record at most once, the most probable pairs first"},
    OUTPUT_OPTION(struct values, output, "OUT"),
    {.name = "candidates",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, link.candidates),
     .argument = "N",
     .help = "compare each record with its N nearest neighbours",
     .fallback = "20"},
    ANSWER_OPTIONS(struct values, link.answer),
    ENCODER_OPTIONS(struct values, arithmetic),
    {.name = "columns",
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, link.table.columns),
     .argument = "LIST",
     .help = "the columns of both files in file order: id,text (- skips one), or text=NAME,...",
     .proposals = "id,text text"},
    PAIR_FIELDS_OPTION(struct values, link.table, "of columns"),
    FORMAT_OPTION(struct values, link.table, "input-format", "tsv|csv|jsonl|lines"),
    ENCODING_OPTION(struct values, link.table),
    SKIP_BAD_OPTION(struct values, link.table),
    THREADS_OPTION(struct values, link.answer.threads),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    struct values *values = given;
    values->output = "-";
    values->link.size = sizeof values->link;
}

static int run(const struct command *command, void *given)
{
    struct values *values = given;
    film_link_options *link = &values->link;
    const char *output = values->output;
    if (link->unique && link->most > 1)
        return usage_error(command->verb, "--unique allows one match per record; omit -k");

    struct linking linking = {.others = {0}};
    film_error error = {0};
    film_model *model = NULL;
    film_link_result result = {.size = sizeof result};
    link->progress = progress_start(command->quiet);
    link->match = write_match;
    link->columns = take_columns;
    link->user = &linking;
    film_status status = open_model(command->words[0], values->arithmetic, &model, &error);
    for (int i = 1; i < 3 && status == FILM_OK && !command->quiet; i++)
        warn_file(model, command->words[i], &link->table);
    sheet_open(&linking.sheet, output, command->json);
    if (status == FILM_OK && linking.sheet.status == FILM_OK)
        status =
            film_link_files(model, command->words[1], command->words[2], link, &result, &error);
    status = sheet_close(&linking.sheet, status, &error);
    int code = report(status, &error);
    unsigned long long a = result.a, b = result.b, matched = result.matched,
                       unanswered = result.unanswered, skipped = result.skipped;
    FILE *figures = figures_stream(command, code, output);
    if (figures == stdout)
        printf("{\"a\": %llu, \"b\": %llu, \"compared\": %llu, \"matched\": %llu, "
               "\"unanswered\": %llu, \"skipped\": %llu, \"threshold\": %.9g}\n",
               a, b, (unsigned long long)result.compared, matched, unanswered, skipped,
               result.threshold);
    else if (figures && !command->json) {
        fprintf(stderr, "%s of %s matched with %s", grouped(matched), counted(a, "record"),
                counted(b, "record"));
        print_skipped(stderr, skipped);
        fprintf(stderr, "\n");
        if (unanswered)
            fprintf(stderr,
                    "%s of probability %g or more left out: the record is unlike those that have "
                    "a match; --threshold %g keeps them\n",
                    counted(unanswered, "pair"), result.threshold, result.threshold);
    }
    kept_free(&linking.kept);
    close_model(model);
    return code;
}

const struct verb verb_link = {
    VERB_LINK,
    .arguments = "MODEL FILE_A FILE_B [-o OUT] [options]",
    .page = "docs/how-to/find-duplicates.md",
    .min_words = 3,
    .max_words = 3,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "Output columns: id and text of the record of FILE_A, id and text of its match in FILE_B, "
        "the\n"
        "probability that both mean the same, and all other columns of both files (NAME_a, "
        "NAME_b).\n"
        "Those of FILE_B are empty if no record reaches the threshold. A record without an id is\n"
        "identified by the number of its row.\n\n"
        "examples:\n"
        "  film link faq.film new.tsv faq.tsv -o matches.tsv\n"
        "  film link faq.film a.csv b.csv --unique --threshold 0.95\n"};
