#include "pool.h"

#include <stdlib.h>

/* A line per batch that is on disk, at once: whoever reads it may rely on it. */
static void on_committed(void *user, const film_pool_added *so_far)
{
    (void)user;
    printf("committed %llu\n",
           (unsigned long long)(so_far->added + so_far->replaced + so_far->present + so_far->blank +
                                so_far->skipped));
    fflush(stdout);
}

static void print_counts(const film_pool_added *added, const struct common *common)
{
    unsigned long long fresh = added->added, replaced = added->replaced, present = added->present,
                       differ = added->differ, blank = added->blank, skipped = added->skipped;
    if (common->json) {
        printf("{\"added\": %llu, \"replaced\": %llu, \"present\": %llu, \"differ\": %llu, "
               "\"blank\": %llu, \"skipped\": %llu}\n",
               fresh, replaced, present, differ, blank, skipped);
        return;
    }
    if (common->quiet) return;
    fprintf(stderr, "%llu added, %llu replaced, %llu there already", fresh, replaced, present);
    if (blank) fprintf(stderr, ", %llu blank lines", blank);
    fprintf(stderr, "; %llu bad rows passed over\n", skipped);
    if (differ)
        fprintf(stderr,
                "%llu of those there have other fields in the input: --replace takes them\n",
                differ);
}

static film_status add(const char *const *words, size_t count, const struct pool_values *values,
                       int quiet, film_pool_added *added, film_error *error)
{
    film_pool *pool = NULL;
    film_pool_add_options options = {.size = sizeof options,
                                     .table = values->table,
                                     .replace = values->replace,
                                     .batch = values->batch,
                                     .threads = values->threads,
                                     .progress = progress_start(quiet),
                                     .committed = values->progress_lines ? on_committed : NULL};
    film_status status = pool_open(words[0], values, &pool, error);
    if (status == FILM_OK)
        status = film_pool_add_files(pool, words + 1, count - 1, &options, added, error);
    film_pool_close(pool);
    return status;
}

static int run(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    struct pool_values values = POOL_DEFAULTS;
    film_pool_added added = {.size = sizeof added};
    film_error error = {0};
    const struct option options[] = {ADD_OPTIONS(values), END_OF_OPTIONS};
    const char **words = malloc((size_t)(argc + 1) * sizeof *words);
    if (!words) return EXIT_IO;
    int count = parse_arguments(verb, options, &common, argc, argv, words, 2, argc);
    int code = count == -2 ? EXIT_DONE : EXIT_USAGE;
    if (count >= 0) {
        film_status status = add(words, (size_t)count, &values, common.quiet, &added, &error);
        code = report(status, &error);
        if (code == EXIT_DONE)
            print_counts(&added, &common);
        else if (!common.quiet && (added.added || added.replaced))
            fprintf(stderr, "%llu sentences are in the pool; the same command goes on from there\n",
                    (unsigned long long)(added.added + added.replaced));
    }
    free(words);
    return code;
}

const struct verb pool_add_verb = {"pool add", "POOL FILE... [options]",
                                   "Add the sentences of tables to a pool",
                                   "Columns: id (or qid), text (or question, sentence), category, "
                                   "answer, url; the others are kept too.\n"
                                   "A row without an id gets one made from its text. An id that is "
                                   "there with the same text is passed\n"
                                   "over, with another text it is an error. Rows are written in "
                                   "transactions: stopped at any moment, the\n"
                                   "same command goes on after the last one.\n\n"
                                   "example:\n"
                                   "  film pool add faq.pool examples/faq/questions.tsv\n",
                                   run};
