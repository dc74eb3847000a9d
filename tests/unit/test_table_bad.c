/* Tests refused tables, with their exact messages. */
#include "packing.h"
#include "tables.h"

static film_error error;

#define TEXT_OF(x) #x
#define VERSION_OF(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)
#define VERSION VERSION_OF(FILM_VERSION_MAJOR, FILM_VERSION_MINOR, FILM_VERSION_PATCH)

static void whole_files_are_refused(void **state)
{
    (void)state;
    expect("x.tsv", "", "!2 x.tsv: empty file; pass a file with at least one row\n");
    expect("x.tsv", "\xEF\xBB\xBF", "!2 x.tsv: empty file; pass a file with at least one row\n");
    expect("x.tsv", "\n\r\n\n", "!2 x.tsv: empty file; pass a file with at least one row\n");
    expect("x.tsv",
           "\xFF\xFE"
           "a",
           "!2 x.tsv: UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8\n");
    expect("x.tsv",
           "\xFE\xFF"
           "a",
           "!2 x.tsv: UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8\n");
    expect("x.tsv", "p\tq\n",
           "!2 x.tsv: the first row (p, q) has no known names, and no row follows; name the "
           "columns, for example text=p,category=q if it is a header, in file order (a,b or "
           "text,category) if it is data\n");
    expect("x.tsv", "p\tq\nr\tq\n",
           "!2 x.tsv: 2 columns, and the first row (p, q) is no header, since a row below has one "
           "of its values; name the columns, for example a,b or text,category\n");
    expect("x.tsv", "p\tq\tr\ts\tt\n",
           "!2 x.tsv: the first row (p, q, r, s, t) has no known names, and no row follows; name "
           "the columns, for example text=p,category=q if it is a header, in file order "
           "(label,a,b,-) if it is data\n");
    expect("x.tsv", "1\tp\t2\n",
           "!2 x.tsv: 3 columns, and the first row (1, p, 2) is no header, since a name is one to "
           "three words; name the columns, for example label,a,b\n");
    expect("x.jsonl", "{\"foo\": 1, \"bar\": 2}\n",
           "!2 x.jsonl: no known text key among foo, bar (known: question1 and question2, text, "
           "...); name the columns, for example text=foo\n");
    expect("x.json", "[{\"text\": \"x\"}]\n",
           "!2 x.json:1: a JSON array; expected one object per line (convert it with jq -c "
           "'.[]')" SKIP);
}

static void options_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    expect_with("x.tsv", "p\n", (film_table_options){.format = FILM_FORMAT_COUNT},
                "!1 unknown format 5\n");
    expect_with("x.tsv", "p\n", (film_table_options){.reserved = {"later"}},
                "!1 film_table_options has a non-zero field that library version " VERSION
                " does not know; use a newer library\n");
    expect_with("x.tsv", "p\n", (film_table_options){.labels = (film_labels)77},
                "!1 unknown kind of labels 77\n");
    expect_with("x.tsv", "p\tq\n", (film_table_options){.columns = "a,second"},
                "!1 columns: unknown name \"second\"; known names: label, score, a, b, anchor, "
                "positive, negative, text, category, answer, url, id, - (ignore the column)\n");
    expect_with("x.tsv", "p\tq\n", (film_table_options){.columns = "a,text"},
                "!1 columns: \"text\" is column 2, but column 1 has that role already; use - for "
                "one of them\n");
    expect_with("x.tsv", "p\tq\n", (film_table_options){.columns = "label,b"},
                "!1 columns: no text column; name one of them a, text or anchor\n");
    expect_with("x.tsv", "1\tp\tq\n", (film_table_options){.columns = "a,b"},
                "!2 x.tsv: 3 columns, but 2 are named (a,b); name every column\n");
    expect_with("x.txt", "p q\n", (film_table_options){.columns = "a,b"},
                "!2 x.txt: 1 column, but 2 are named (a,b); name every column\n");
}

static void missing_columns_are_named(void **state)
{
    (void)state;
    static const char text[] = "id,question1,question2\n1,p,q\n";
    expect_with("x.csv", text, (film_table_options){.labels = FILM_LABELS_PAIRS},
                "!2 x.csv: labels of the kind \"pairs\" need a label, but the columns are id, "
                "question1, question2; name the columns or choose another kind of labels\n");
    expect_with("x.csv", text, (film_table_options){.labels = FILM_LABELS_TRIPLETS},
                "!2 x.csv: labels of the kind \"triplets\" need a dissimilar sentence (negative), "
                "but the columns are id, question1, question2; name the columns or choose another "
                "kind of labels\n");
    expect_with("x.txt", "one\n", (film_table_options){.labels = FILM_LABELS_SCORES},
                "!2 x.txt: labels of the kind \"scores\" need a second sentence (b) and a label, "
                "but the columns are text; name the columns or choose another kind of labels\n");
    expect_with("x.csv", text, (film_table_options){.labels = FILM_LABELS_CATEGORIES},
                "!2 x.csv: labels of the kind \"categories\" need a category, but the columns are "
                "id, question1, question2; name the columns or choose another kind of labels\n");
}

static void labels_and_scores_are_checked(void **state)
{
    (void)state;
    expect("pairs.tsv", "label\ta\tb\n1\tp\tq\nmaybe\tp\tq\n",
           "tsv pairs\n2 1 [p][q]\n!2 pairs.tsv:3: label \"maybe\" is not 0 or 1" SKIP);
    expect("x.tsv", "label\ta\tb\n\tp\tq\n",
           "tsv pairs\n!2 x.tsv:2: label \"\" is not 0 or 1" SKIP);
    expect("x.tsv", "1\tp\tq\n0\tr\ts\nnan\tp\tq\n",
           "tsv pairs\n1 1 [p][q]\n2 0 [r][s]\n!2 x.tsv:3: label \"nan\" is not 0 or 1" SKIP);
    expect_with("x.tsv", "label\ta\tb\n2\tp\tq\n",
                (film_table_options){.labels = FILM_LABELS_PAIRS},
                "tsv pairs\n!2 x.tsv:2: label \"2\" is not 0 or 1 (for degrees of similarity "
                "choose labels of the kind scores)" SKIP);
    expect("x.tsv", "score\ta\tb\n1.5\tp\tq\nabc\tp\tq\n",
           "tsv scores\n2 1.5 [p][q]\n!2 x.tsv:3: score \"abc\" is not a number" SKIP);
    expect("x.tsv", "score\ta\tb\n1e999\tp\tq\n",
           "tsv scores\n!2 x.tsv:2: score \"1e999\" is not a number" SKIP);
    expect("x.tsv", "score\ta\tb\n0x10\tp\tq\n",
           "tsv scores\n!2 x.tsv:2: score \"0x10\" is not a number" SKIP);
    /* A header that is not known. */
    expect("x.tsv", "gleich\tp\tq\n1\tp\tq\n0\tr\ts\n",
           "tsv pairs\n!2 x.tsv:1: label \"gleich\" is not 0 or 1; if this is a header, name the "
           "columns" SKIP);
    expect("x.csv",
           "label,a,b\n\"a long label that goes on and on "
           "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\n\",p,q\n",
           "csv pairs\n!2 x.csv:2: label \"a long label that goes on and on "
           "\xC3\xA4\xC3\xA4\xC3\xA4...\" "
           "is not 0 or 1" SKIP);
}

static void rows_of_the_wrong_width_are_refused(void **state)
{
    (void)state;
    expect("x.tsv", "label\tquestion1\tquestion2\n1\tp\n",
           "tsv pairs\n!2 x.tsv:2: 2 columns, expected 3 (label, question1, question2)" SKIP);
    expect("x.tsv", "label\tquestion1\tquestion2\n1\tp\tq\tr\n",
           "tsv pairs\n!2 x.tsv:2: 4 columns, expected 3 (label, question1, question2)" SKIP);
    expect("x.csv", "text,category\np\n",
           "csv categories\n!2 x.csv:2: 1 column, expected 2 (text, category)" SKIP);
    expect(
        "sts.csv", "m\tf\t2\t1\t5\tp\tq\nm\tf\t2\t1\t5\tp\tq\nm\tf\t2\t1\t5\tp\n",
        "tsv scores\n1 5 [p][q] id=1\n2 5 [p][q] id=1\n!2 sts.csv:3: 6 columns, expected 7 or more "
        "(genre, filename, year, id, score, sentence1, sentence2)" SKIP);
    /* The first row differs from the others. */
    expect("x.tsv", "1\tp\n1\tp\tq\n0\tr\ts\n",
           "tsv pairs\n!2 x.tsv:1: 2 columns, expected 3 (label, a, b)" SKIP);
    /* A row of only tabs costs no memory. */
    char *tabs = malloc(200020);
    memset(tabs, '\t', 200020);
    memcpy(tabs, "label\ta\tb\n", 10);
    expect_bytes("x.tsv", tabs, 200020, (film_table_options){0},
                 "tsv pairs\n!2 x.tsv:2: more than 4096 columns" SKIP);
    free(tabs);
}

#define ENCODING \
    "; fix the row or skip bad rows, or, if the file is not UTF-8, choose the encoding "

static void bytes_that_are_not_text_are_refused(void **state)
{
    (void)state;
    static const char zero[] = "label\ta\tb\n1\tp\tq\n1\t\0\tq\n";
    expect("x.tsv", "label\ta\tb\n1\tp\xFFq\tq\n",
           "tsv pairs\n!2 x.tsv:2: invalid UTF-8 in column 2 (byte 4 of the row)" ENCODING
           "windows-1252\n");
    expect("x.tsv", "label\ta\tb\n1\tp\x81q\tq\n",
           "tsv pairs\n!2 x.tsv:2: invalid UTF-8 in column 2 (byte 4 of the row)" ENCODING
           "latin-1\n");
    expect("x.csv", "text,category\n\"p, \"\"q\",x\xC3\n",
           "csv categories\n!2 x.csv:2: invalid UTF-8 in column 2 (byte 11 of the row)" ENCODING
           "windows-1252\n");
    expect_bytes("x.tsv", zero, sizeof zero - 1, (film_table_options){0},
                 "tsv pairs\n2 1 [p][q]\n!2 x.tsv:3: NUL byte in column 2 (byte 3 of the row), "
                 "perhaps UTF-16" SKIP);
    /* Nothing but bad rows: refused when opened. */
    expect("x.tsv", "\xFF\xFF\n",
           "!2 x.tsv:1: invalid UTF-8 in column 1 (byte 1 of the row)" ENCODING "windows-1252\n");
}

static void csv_quotes_are_checked(void **state)
{
    (void)state;
    static const char never[] = ": the quote opened here is never closed; write a quote inside a "
                                "quoted field twice (\"\")\n";
    char expected[300];
    snprintf(expected, sizeof expected, "csv categories\n2 - [a] cat=b\n!2 x.csv:3%s", never);
    expect("x.csv", "text,category\na,b\nc,\"x\ny,z\n", expected);
    /* Refused even with skip_bad: the start of the next row is unknown. */
    expect_with("x.csv", "text,category\na,b\n\"c\nd\",\"x\ny,z\n",
                (film_table_options){.skip_bad = 1},
                "csv categories\n2 - [a] cat=b\n!2 x.csv:4: the quote opened here is never closed; "
                "write a quote inside a quoted field twice (\"\")\n");
    expect("x.csv", "text,category\na,b\n\"x\"y,z\n",
           "csv categories\n2 - [a] cat=b\n!2 x.csv:3: text after the closing quote of column 1; "
           "write a quote inside a quoted field twice (\"\")" SKIP);
}

static void json_is_checked(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{\"text\": null}", "\"text\" is null"},
        {"{\"x\": 1}", "no \"text\""},
        {"{\"text\": [1]}", "\"text\" is an array, not text"},
        {"{\"text\": {}}", "\"text\" is an object, not text"},
        {"7", "invalid JSON ('[' or '{' expected near '7'); expected one object per line"},
        {"{\"text\": \"x\"} y",
         "invalid JSON (end of file expected near 'y'); expected one object per line"},
        {"{\"text\": \"x\", \"text\": \"y\"}",
         "invalid JSON (duplicate object key near '\"text\"'); expected one object per line"},
        {"{\"text\": \"\\u0000\"}", "NUL character (\\u0000) in a text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200], expected[400];
        snprintf(text, sizeof text, "{\"text\": \"first\"}\n%s\n", cases[i][0]);
        snprintf(expected, sizeof expected, "jsonl none\n1 - [first]\n!2 x.jsonl:2: %s%s",
                 cases[i][1], SKIP);
        expect("x.jsonl", text, expected);
    }
}

static void bad_rows_can_be_skipped(void **state)
{
    (void)state;
    film_table_options skip = {.skip_bad = 1};
    expect_with("x.tsv", "label\ta\tb\n1\tp\n\xFF\tp\tq\nmaybe\tp\tq\n0\tr\ts\n1\n", skip,
                "tsv pairs\n5 0 [r][s]\nskipped 4\n");
    expect_with("x.csv", "text,category\n\"a\nb\"c,x\np,q\n", skip,
                "csv categories\n4 - [p] cat=q\nskipped 1\n");
    expect_with("x.jsonl", "{\"text\":\"p\"}\n{\n{\"text\":\"q\"}\n", skip,
                "jsonl none\n1 - [p]\n3 - [q]\nskipped 1\n");
}

static void reading_continues_after_a_bad_row(void **state)
{
    (void)state;
    static const char text[] = "1\tp\tq\nx\tp\tq\n0\tr\ts\n";
    film_table_options options = {0};
    film_table *table;
    film_row row;
    assert_ok(table_open_bytes(text, sizeof text - 1, "x.tsv", 0, &options, &table, &error));
    assert_ok(film_table_next(table, &row, &error));
    assert_int_equal(film_table_next(table, &row, NULL), FILM_BAD_INPUT);
    assert_ok(film_table_next(table, &row, &error));
    assert_int_equal(row.line, 3);
    film_table_close(table);
}

/* The limit is exactly 16 MiB, in lines and inside quotes, and the following row is found. */
static void rows_that_are_too_long_are_skipped(void **state)
{
    (void)state;
    const size_t limit = 16 << 20;
    for (int csv = 0; csv < 2; csv++)
        for (size_t extra = 0; extra < 3; extra++) {
            size_t length = limit + (extra == 2 ? limit * 2 : extra), used = 0;
            char *text = malloc(length + 100), expected[300];
            used +=
                (size_t)sprintf(text, csv ? "text,category\np,q\n\"" : "text\tcategory\np\tq\n");
            size_t start = used - (size_t)csv;
            size_t tail = 2; /* ",x" and the closing quote */
            memset(text + used, csv ? '\n' : 'y', length);
            used = start + length;
            memcpy(text + used - tail - (size_t)csv, csv ? "\",x" : "\tx", tail + (size_t)csv);
            used += (size_t)sprintf(text + used, csv ? "\nr,s\n" : "\nr\ts\n");
            film_table_options options = {.skip_bad = 1};
            film_table *table;
            film_row row;
            assert_ok(
                table_open_bytes(text, used, csv ? "x.csv" : "x.tsv", 0, &options, &table, &error));
            assert_ok(film_table_next(table, &row, &error));
            if (extra == 0) {
                assert_ok(film_table_next(table, &row, &error));
                assert_int_equal(row.raw.length, limit);
            }
            assert_ok(film_table_next(table, &row, &error));
            assert_int_equal(row.raw.length, 3);
            assert_int_equal(row.line, csv ? 3 + (length - 4) + 1 : 4);
            assert_int_equal(film_table_skipped(table), extra > 0);
            film_table_close(table);
            if (extra == 2) {
                options.skip_bad = 0;
                char *found = dump_table(csv ? "x.csv" : "x.tsv", text, used, 0, &options);
                snprintf(expected, sizeof expected,
                         "%s categories\n2 - [p] cat=q\n!2 x.%s:3: row "
                         "longer than 16 MiB" SKIP,
                         csv ? "csv" : "tsv", csv ? "csv" : "tsv");
                assert_string_equal(found, expected);
                free(found);
            }
            free(text);
        }
}

static void files_that_cannot_be_read_say_why(void **state)
{
    (void)state;
    film_table *table;
    assert_int_equal(film_table_open("/nowhere/x.tsv", NULL, &table, &error), FILM_IO);
    assert_string_equal(error.message, "cannot open /nowhere/x.tsv: No such file or directory");
    assert_null(table);
    assert_int_equal(film_table_open("/tmp", NULL, &table, NULL), FILM_IO);
    struct packed gzip = pack_gzip("1\tp\tq\n0\tr\ts\n", 12);
    expect_bytes("x.tsv.gz", gzip.bytes, gzip.size - 5, (film_table_options){.skip_bad = 1},
                 "!2 x.tsv.gz: compressed data ends early; the file is truncated\n");
    free(gzip.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_files_are_refused),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(missing_columns_are_named),
        cmocka_unit_test(labels_and_scores_are_checked),
        cmocka_unit_test(rows_of_the_wrong_width_are_refused),
        cmocka_unit_test(bytes_that_are_not_text_are_refused),
        cmocka_unit_test(csv_quotes_are_checked),
        cmocka_unit_test(json_is_checked),
        cmocka_unit_test(bad_rows_can_be_skipped),
        cmocka_unit_test(reading_continues_after_a_bad_row),
        cmocka_unit_test(rows_that_are_too_long_are_skipped),
        cmocka_unit_test(files_that_cannot_be_read_say_why),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
