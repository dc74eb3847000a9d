/* film pool list, export, check. */
#include "pool.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ---- list ---- */

void pool_print_field(film_text text)
{
    for (size_t i = 0; i < text.length; i++)
        putchar((unsigned char)text.bytes[i] < 32 ? ' ' : text.bytes[i]);
}

static void set_text(json_t *row, const char *name, film_text text)
{
    if (text.bytes) json_object_set_new(row, name, json_stringn(text.bytes, text.length));
}

void pool_set_fields(json_t *row, const film_sentence *sentence)
{
    set_text(row, "category", sentence->category);
    set_text(row, "answer", sentence->answer);
    set_text(row, "url", sentence->url);
    if (sentence->more.bytes)
        json_object_set_new(row, "more",
                            json_loadb(sentence->more.bytes, sentence->more.length, 0, NULL));
}

static int print_json(void *user, const film_sentence *sentence)
{
    (void)user;
    json_t *row = json_object();
    set_text(row, "id", sentence->id);
    set_text(row, "text", sentence->text);
    pool_set_fields(row, sentence);
    json_dumpf(row, stdout, JSON_REAL_PRECISION(15));
    putchar('\n');
    json_decref(row);
    return interrupted() || ferror(stdout);
}

static int print_row(void *user, const film_sentence *sentence)
{
    (void)user;
    pool_print_field(sentence->id);
    putchar('\t');
    pool_print_field(sentence->text);
    putchar('\t');
    pool_print_field(sentence->category);
    putchar('\n');
    return interrupted() || ferror(stdout);
}

int pool_parse_where(const char *text, film_pool_where *where)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) return 0;
    where->field = (film_text){text, (size_t)(equals - text)};
    where->value = film_string(equals + 1);
    return 1;
}

static int run_list(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    struct pool_values values = POOL_DEFAULTS;
    film_pool_where where[OPTION_MOST_TEXTS];
    const char *path[1];
    const struct option options[] = {LIST_OPTIONS(values), END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, path, 1, 1);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    for (size_t i = 0; i < values.where.count; i++)
        if (!pool_parse_where(values.where.item[i], &where[i]))
            return usage_error(verb, "--where %s: expected FIELD=VALUE", values.where.item[i]);

    film_error error = {0};
    film_pool *pool = NULL;
    film_pool_filter filter = {.size = sizeof filter,
                               .where = where,
                               .where_count = values.where.count,
                               .limit = values.limit};
    progress_start(1);
    film_status status = pool_open(path[0], &values, &pool, &error);
    if (status == FILM_OK && !common.json) puts("id\ttext\tcategory");
    if (status == FILM_OK)
        status = film_pool_list(pool, &filter, common.json ? print_json : print_row, NULL, &error);
    film_pool_close(pool);
    return interrupted() ? EXIT_INTERRUPTED : report(status, &error);
}

const struct verb pool_list_verb = {"pool list", "POOL [options]",
                                    "Show the sentences of a pool, oldest first",
                                    "FIELD is id, text, category, answer, url or another column of "
                                    "the files that were added. --json\n"
                                    "prints an object per line, with all fields.\n\n"
                                    "example:\n"
                                    "  film pool list faq.pool --where category=card --limit 10\n",
                                    run_list};

/* ---- export ---- */

static int run_export(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    struct pool_values values = POOL_DEFAULTS;
    const char *path[1];
    uint64_t written = 0;
    const struct option options[] = {EXPORT_OPTIONS(values), END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, path, 1, 1);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    if (!values.output) values.output = "-";

    film_error error = {0};
    film_pool *pool = NULL;
    film_progress progress = progress_start(common.quiet);
    film_status status = pool_open(path[0], &values, &pool, &error);
    if (status == FILM_OK)
        status = film_pool_export(pool, values.output, values.format, &progress, &written, &error);
    int code = report(status, &error);
    FILE *notes = common.json && strcmp(values.output, "-") != 0 ? stdout : stderr;
    if (code == EXIT_DONE && common.json)
        fprintf(notes, "{\"rows\": %llu}\n", (unsigned long long)written);
    else if (code == EXIT_DONE && !common.quiet)
        fprintf(notes, "%llu sentences\n", (unsigned long long)written);
    film_pool_close(pool);
    return code;
}

const struct verb pool_export_verb = {"pool export", "POOL [-o OUT] [options]",
                                      "Write all sentences as a table that film pool add reads",
                                      "Labels, vectors and the model are not part of it.\n\n"
                                      "example:\n"
                                      "  film pool export faq.pool -o faq.csv\n",
                                      run_export};

/* ---- check ---- */

static void print_problem(void *user, const char *line)
{
    progress_end();
    if (user)
        json_array_append_new(user, json_string(line));
    else
        printf("problem: %s\n", line);
}

static void print_checked(const film_pool_checked *checked, json_t *problems, int quiet)
{
    unsigned long long sentences = checked->sentences, vectors = checked->vectors,
                       labels = checked->labels, compared = checked->compared,
                       found = checked->problems, repaired = checked->repaired,
                       contradictions = checked->contradictions;
    if (problems) {
        json_t *answer = json_pack(
            "{s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:O}", "ok", found == repaired, "sentences",
            (json_int_t)sentences, "vectors", (json_int_t)vectors, "labels", (json_int_t)labels,
            "compared", (json_int_t)compared, "contradictions", (json_int_t)contradictions,
            "problems", (json_int_t)found, "repaired", (json_int_t)repaired, "lines", problems);
        if (checked->sampled) json_object_set_new(answer, "recall", json_real(checked->recall));
        json_dumpf(answer, stdout, 0);
        putchar('\n');
        json_decref(answer);
        return;
    }
    if (quiet) return;
    if (checked->sampled)
        printf("the index finds %.4f of the 10 nearest of %llu sentences\n", checked->recall,
               (unsigned long long)checked->sampled);
    printf("%llu sentences, %llu vectors (%llu held against their text), %llu labels\n", sentences,
           vectors, compared, labels);
    if (contradictions)
        printf("%llu pairs are labelled different, though labels of same connect them\n",
               contradictions);
    printf("%llu problems, %llu repaired\n", found, repaired);
}

static int run_check(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    struct pool_values values = POOL_DEFAULTS;
    const char *path[1];
    const struct option options[] = {CHECK_OPTIONS(values), END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, path, 1, 1);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;

    film_error error = {0};
    film_pool *pool = NULL;
    film_pool_checked checked = {.size = sizeof checked};
    json_t *problems = common.json ? json_array() : NULL;
    film_pool_check_options how = {.size = sizeof how,
                                   .full = values.full,
                                   .repair = values.repair,
                                   .recall = values.recall ? 1000 : 0,
                                   .threads = values.threads,
                                   .progress = progress_start(common.quiet),
                                   .problem = print_problem,
                                   .problem_user = problems};
    film_status status = pool_open(path[0], &values, &pool, &error);
    if (status == FILM_OK) status = film_pool_check(pool, &how, &checked, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE) {
        print_checked(&checked, problems, common.quiet);
        if (checked.problems > checked.repaired) code = EXIT_BAD_INPUT;
    }
    json_decref(problems);
    film_pool_close(pool);
    return code;
}

const struct verb pool_check_verb = {"pool check", "POOL [options]",
                                     "Is everything in a pool whole?",
                                     "Checks the database, the model, every sentence and vector, "
                                     "the labels and the counters; 1000 vectors\n"
                                     "(--full: all) are held against their texts. Exit code 2 when "
                                     "a problem is left. --repair never changes\n"
                                     "what you gave: texts, fields and labels.\n\n"
                                     "example:\n"
                                     "  film pool check faq.pool --full\n",
                                     run_check};
