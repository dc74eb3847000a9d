/* Tests that the rows of all parts of a file, one part after the other, are those of the whole
 * file, wherever the cuts are: same texts, same line numbers, same message about the first bad
 * row. */
#include "packing.h"
#include "tables.h"

#include "base/rng.h"
#include "learn/rows.h"

static film_error error;

/* The rows of one table with their line numbers, or the message; FILM_END on success. */
static film_status dump_part(struct dump *dump, film_table *table)
{
    film_row row;
    uint64_t line;
    film_status status;
    while ((status = film_table_next(table, &row, &error)) == FILM_OK) {
        assert_ok(film_table_line(table, &row, &line, &error));
        dump_add(dump, "%d ", (int)line);
        for (size_t i = 0; i < row.field_count; i++) dump_text(dump, "[", row.fields[i], "]");
        dump_text(dump, " ", row.raw, "\n");
    }
    if (status != FILM_END) dump_add(dump, "!%d %s\n", (int)status, error.message);
    return status;
}

/* PATH NULL reads the bytes in memory. */
static char *dump_parts(const char *path, const char *name, const char *bytes, size_t size,
                        film_table_options options, int parts)
{
    struct dump dump = {malloc(1000), 0, 1000};
    film_status status = FILM_END;
    uint64_t skipped = 0;
    dump.text[0] = 0;
    options.parts = parts;
    for (options.part = 0; options.part < parts && status == FILM_END; options.part++) {
        film_table *table = NULL;
        status = path ? table_open(path, &options, &table, &error)
                      : table_open_bytes(bytes, size, name, options.part % 2 ? 7 : 0, &options,
                                         &table, &error);
        if (status != FILM_OK) {
            dump_add(&dump, "!%d %s\n", (int)status, error.message);
            break;
        }
        status = dump_part(&dump, table);
        skipped += film_table_skipped(table);
        film_table_close(table);
    }
    dump_add(&dump, "skipped %d\n", (int)skipped);
    return dump.text;
}

static void same_in_parts(const char *path, const char *name, const char *bytes, size_t size,
                          film_table_options options, int most)
{
    char *whole = dump_parts(path, name, bytes, size, options, 1);
    for (int parts = 2; parts <= most; parts++) {
        char *found = dump_parts(path, name, bytes, size, options, parts);
        if (strcmp(found, whole) != 0) print_error("%d parts of \n%.*s\n", parts, (int)size, bytes);
        assert_string_equal(found, whole);
        free(found);
    }
    free(whole);
}

/* Joins fragments at random: most files are partly well-formed and wrong somewhere. */
static size_t random_table(struct rng *rng, char *out)
{
    static const char *const pieces[] = {"\"",
                                         "\"",
                                         "\"\"",
                                         ",",
                                         ",",
                                         ",\"",
                                         "\",\"",
                                         "\"\n",
                                         "\"\r\n",
                                         "\n",
                                         "\n",
                                         "\r\n",
                                         "\r",
                                         "a",
                                         "b c",
                                         "0",
                                         "1",
                                         "\t",
                                         "{\"a\": \"x\\n\", \"b\": \"y\"}\n",
                                         "a,b,1\n",
                                         "\"x\n\",\"y, \"\"z\"\"\",0\n",
                                         "5\" disk,3\" disk,1\n",
                                         "a\tb\t1\n",
                                         "\xC3\xA9"};
    size_t used = 0, count = rng_below(rng, 40);
    if (rng_below(rng, 4) == 0) used += (size_t)sprintf(out, "\xEF\xBB\xBF");
    if (rng_below(rng, 2) == 0) used += (size_t)sprintf(out + used, "a,b,label\n");
    for (size_t i = 0; i < count; i++) {
        const char *piece = pieces[rng_below(rng, sizeof pieces / sizeof pieces[0])];
        used += (size_t)sprintf(out + used, "%s", piece);
    }
    return used;
}

static void parts_of_random_tables_hold_every_row_once(void **state)
{
    (void)state;
    static const film_format formats[] = {FILM_FORMAT_CSV, FILM_FORMAT_CSV,   FILM_FORMAT_CSV,
                                          FILM_FORMAT_TSV, FILM_FORMAT_JSONL, FILM_FORMAT_LINES};
    static const char *const columns[] = {NULL, "a,b,label", "a,b", "a"};
    struct rng rng;
    char bytes[4000];
    rng_seed(&rng, 5);
    for (int i = 0; i < (long_tests() ? 3000 : 1000); i++) {
        size_t size = random_table(&rng, bytes);
        film_table_options options = {.format = formats[rng_below(&rng, 6)],
                                      .columns = columns[rng_below(&rng, 4)],
                                      .skip_bad = (int)rng_below(&rng, 2)};
        if (options.format == FILM_FORMAT_LINES) options.columns = NULL;
        same_in_parts(NULL, "x", bytes, size, options, 7);
    }
}

static void every_cut_of_a_small_table_is_right(void **state)
{
    (void)state;
    const char *text = "\xEF\xBB\xBF"
                       "a,b\r\n1,\"2\r\n\"\"3\r\n\"\r\n\r\n5\" x,6\" y\r\n7,8";
    same_in_parts(NULL, "x.csv", text, strlen(text), (film_table_options){0}, 60);
    text = "a\tb\r\n1\t\"2\r\n\r\n3\t4";
    same_in_parts(NULL, "x.tsv", text, strlen(text), (film_table_options){0}, 60);
    text = "one\r\n\r\n\n\rtwo";
    same_in_parts(NULL, "x.txt", text, strlen(text), (film_table_options){0}, 60);
}

/* Larger than the blocks in which quotes and lines are searched. */
static void parts_of_large_files_hold_every_row_once(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "plain %d, without quotes\n", /* all states go back to the start of the file */
        "\"quoted %d\n, twice\",\"and \"\"so\"\"\"\n", /* the states merge at once */
        "5\" disk %d,3\" disk\n",
    };
    size_t room = 900000;
    char *bytes = malloc(room + 200);
    const char *path = scratch("large.csv");
    for (int kind = 0; kind < 5; kind++) {
        size_t used = (size_t)sprintf(bytes, "a,b\n");
        if (kind == 4) used += (size_t)sprintf(bytes + used, "1,\"never closed\n");
        for (int i = 0; used < room; i++)
            used += (size_t)sprintf(bytes + used, rows[kind < 3 ? kind : kind == 3 ? i % 3 : 0], i);
        if (kind == 3)
            used += (size_t)sprintf(bytes + used, "one, two, three\n"); /* bad: a line number */
        write_file(path, bytes, used);
        same_in_parts(path, NULL, "", 0, (film_table_options){0}, 4);
    }
    remove(path);
    free(bytes);
}

/* Only quotes: a closing quote differs from a doubled one only by their count from the start. */
static void long_runs_of_quotes_are_counted_from_their_beginning(void **state)
{
    (void)state;
    struct rng rng;
    size_t room = 1500000;
    char *bytes = malloc(room);
    rng_seed(&rng, 6);
    for (int i = 0; i < (long_tests() ? 6 : 2); i++) {
        size_t used = (size_t)sprintf(bytes, "a,b\n");
        while (used < room - 500000) {
            size_t count = 1 + rng_below(&rng, 400000);
            used += (size_t)sprintf(bytes + used, rng_below(&rng, 2) ? "x," : "x\n");
            memset(bytes + used, '"', count);
            used += count;
            if (rng_below(&rng, 2)) used += (size_t)sprintf(bytes + used, "\n");
        }
        same_in_parts(NULL, "x.csv", bytes, used, (film_table_options){.skip_bad = 1}, 3);
    }
    free(bytes);
}

/* The cut is at the quote of 5" disk, and the preceding block has only empty rows. */
static void a_quote_inside_a_word_opens_nothing_at_a_cut(void **state)
{
    (void)state;
    size_t used = 0, half;
    char *bytes = malloc(1000000);
    used += (size_t)sprintf(bytes, "a,b\n\"x\",y\n");
    while (used < 400000) used += (size_t)sprintf(bytes + used, ",\n");
    used += (size_t)sprintf(bytes + used, "5\"");
    half = used;
    used += (size_t)sprintf(bytes + used, " disk,z\n");
    while (used < 2 * half) used += (size_t)sprintf(bytes + used, "p,r\n");
    same_in_parts(NULL, "x.csv", bytes, 2 * half, (film_table_options){.skip_bad = 1}, 2);
    free(bytes);
}

/* ---- Compressed files ---- */

static size_t rows_of(const char *const *paths, size_t count, int part, int parts, char *letters)
{
    film_table_options options = {.size = sizeof options, .part = part, .parts = parts};
    struct rows rows;
    film_row row;
    film_status status;
    size_t found = 0;
    rows_start(&rows, paths, count, &options);
    while ((status = rows_next(&rows, &row, &error)) == FILM_OK) letters[found++] = row.a.bytes[0];
    assert_int_equal(status, FILM_END);
    assert_int_equal(rows.labels, FILM_LABELS_PAIRS);
    rows_close(&rows);
    return found;
}

static void compressed_files_are_assigned_whole(void **state)
{
    (void)state;
    const char *paths[3] = {scratch("0.tsv.gz"), scratch("1.tsv.gz"), scratch("2.tsv.zst")};
    char text[100], letters[100];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "a\tb\tlabel\n%c\ty\t1\n%c\tz\t0\n", 'p' + i, 'p' + i);
        struct packed packed =
            i < 2 ? pack_gzip(text, strlen(text)) : pack_zstd(text, strlen(text));
        write_file(paths[i], packed.bytes, packed.size);
        free(packed.bytes);
    }
    assert_int_equal(rows_of(paths, 3, 0, 2, letters), 4);
    assert_memory_equal(letters, "pprr", 4);
    assert_int_equal(rows_of(paths, 3, 1, 2, letters), 2);
    assert_memory_equal(letters, "qq", 2);
    assert_int_equal(rows_of(paths, 3, 3, 5, letters), 0);
    film_table *table;
    film_row row;
    film_table_options options = {.size = sizeof options, .part = 1, .parts = 2};
    assert_ok(film_table_open(paths[0], &options, &table, &error));
    assert_int_equal(film_table_labels(table), FILM_LABELS_PAIRS);
    assert_int_equal(film_table_next(table, &row, &error), FILM_END);
    assert_close(film_table_progress(table), 1, 0);
    film_table_close(table);
    for (int i = 0; i < 3; i++) remove(paths[i]);
}

static void what_has_no_parts_is_refused(void **state)
{
    (void)state;
    film_table *table;
    film_table_options options = {.size = sizeof options, .part = 0, .parts = 2};
    int pipes[2], input = dup(0);
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(dup2(pipes[0], 0), 0);
    close(pipes[1]);
    assert_int_equal(film_table_open("-", &options, &table, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "standard input cannot be read"));
    dup2(input, 0);
    close(pipes[0]);
    close(input);
    static const int wrong[][2] = {{-1, 2}, {2, 2}, {1, 0}, {0, -1}};
    for (size_t i = 0; i < 4; i++) {
        options = (film_table_options){.part = wrong[i][0], .parts = wrong[i][1]};
        assert_int_equal(table_open_bytes("a", 1, "x", 0, &options, &table, &error), FILM_USAGE);
    }
}

static void without_memory_a_part_fails_cleanly(void **state)
{
    (void)state;
    const char *bytes = "a,b,label\n\"x\ny\",z,1\np,q,0\nr,s\n";
    film_table_options options = {.size = sizeof options, .part = 1, .parts = 2};
    film_status status = FILM_NO_MEMORY;
    long tried = 0;
    for (; status == FILM_NO_MEMORY && tried < 1000; tried++) {
        film_table *table = NULL;
        film_row row;
        fail_allocation(tried);
        status = table_open_bytes(bytes, strlen(bytes), "x.csv", 0, &options, &table, &error);
        while (status == FILM_OK) status = film_table_next(table, &row, &error);
        fail_allocation(-1);
        film_table_close(table);
    }
    assert_int_equal(status, FILM_BAD_INPUT); /* a column is missing in line 5 */
    assert_non_null(strstr(error.message, "x.csv:5: 2 columns"));
    assert_true(tried > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_random_tables_hold_every_row_once),
        cmocka_unit_test(every_cut_of_a_small_table_is_right),
        cmocka_unit_test(parts_of_large_files_hold_every_row_once),
        cmocka_unit_test(long_runs_of_quotes_are_counted_from_their_beginning),
        cmocka_unit_test(a_quote_inside_a_word_opens_nothing_at_a_cut),
        cmocka_unit_test(compressed_files_are_assigned_whole),
        cmocka_unit_test(what_has_no_parts_is_refused),
        cmocka_unit_test(without_memory_a_part_fails_cleanly),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
