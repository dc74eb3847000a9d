/* Tests tables as people have them: separators, headers with unknown names, columns by name, words
 * for labels, encodings, files that are no tables, and row numbers. */
#include "tables.h"
#include "text/value.h"

static void semicolons_separate_columns(void **state)
{
    (void)state;
    expect("t.csv", "text;category\nwhere, please?;card\n\"a; b\";pin\n",
           "csv categories\n2 - [where, please?] cat=card\n3 - [a; b] cat=pin\n");
    expect("t.csv", "text,category\n\"one; two; three\",card\nx,pin\n",
           "csv categories\n2 - [one; two; three] cat=card\n3 - [x] cat=pin\n");
    /* Without a name, a known header decides. */
    expect("standard input", "text;category\nwhere, please?;card\n",
           "csv categories\n2 - [where, please?] cat=card\n");
    expect("t.txt", "one; two\nthree; four\n", "lines none\n1 - [one; two]\n2 - [three; four]\n");
    expect_with("t", "label;a;b\n1;x, y;z\n", (film_table_options){.format = FILM_FORMAT_CSV},
                "csv pairs\n2 1 [x, y][z]\n");
    expect("t.csv", "label;a;b\n1;\"x\n\"\"y\"\"\";z\n", "csv pairs\n2 1 [x\n\"y\"][z]\n");
}

static void tabs_separate_columns_of_a_csv_file(void **state)
{
    (void)state;
    expect("t.csv", "text\tcategory\nwhere, please?\tcard\n",
           "tsv categories\n2 - [where, please?] cat=card\n");
    expect("t.csv", "\"text\"\t\"category\"\n\"a\tb \"\"c\"\"\"\t\"card\"\n\"d\ne\"\tpin\n",
           "csv categories\n2 - [a\tb \"c\"] cat=card\n3 - [d\ne] cat=pin\n");
    /* A quote that a sentence begins with: no quoting. */
    expect("t.csv", "text\tcategory\n\"I lost it,\" he said\tcard\n",
           "tsv categories\n2 - [\"I lost it,\" he said] cat=card\n");
}

#define QUESTIONS "Wo ist meine Karte?,Karte\nWie sperre ich sie?,Karte\nWer hilft mir dabei?,PIN\n"

static void a_header_with_unknown_names_is_reported(void **state)
{
    (void)state;
    expect("t.csv", "Frage,Thema\n" QUESTIONS,
           "!2 t.csv: the header has no known names (Frage, Thema); name the columns, for example "
           "text=Frage,category=Thema\n");
    /* These were triplets, with the header as the first. */
    expect("t.csv",
           "Frage,Antwort,Thema\nWo ist die Karte?,Rufen Sie uns bitte an.,Karte\n"
           "Wie sperre ich sie?,Das geht in der App.,Karte\n",
           "!2 t.csv: the header has no known names (Frage, Antwort, Thema); name the columns, for "
           "example text=Antwort,category=Thema\n");
    expect("t.tsv", "Same?\n", "tsv none\n1 - [Same?]\n");
    expect("t.csv", "Links,Rechts,Gleich\nWo ist sie?,Wo finde ich sie?,yes\nWer?,Warum denn?,no\n",
           "!2 t.csv: the header has no known names (Links, Rechts, Gleich); name the columns, for "
           "example label=Gleich,a=Rechts,b=Links\n");
    expect("t.csv", "My question\nWhere is the card that I ordered?\nHow do I block it today?\n",
           "!2 t.csv: the header has no known names (My question); name the columns, for example "
           "\"text=My question\"\n");
    /* Sentences are no names. */
    expect("t.csv", "p,q,r\ns,t,u\n", "csv triplets\n1 - [p][q] c=r\n2 - [s][t] c=u\n");
    expect("t.csv", "Where is it?\nHow do I block it today, and where?\n",
           "csv none\n1 - [Where is it?]\n!2 t.csv:2: 2 columns, expected 1 (text)" SKIP);
}

static void columns_are_named_as_in_the_header(void **state)
{
    (void)state;
    film_table_options by_name = {.columns = "text=Frage, category=thema"};
    expect_with("t.csv", "Nr,Frage,Thema\n7,p,q\n", by_name, "csv categories\n2 - [p] cat=q\n");
    expect_with("t.jsonl", "{\"Frage\": \"p\", \"thema\": \"q\"}\n", by_name,
                "jsonl categories\n1 - [p] cat=q\n");
    by_name.columns = "id=Nr,a=Frage,b=Thema";
    expect_with("t.csv", "Nr;Frage;Thema\n7;p;q\n", by_name, "csv none\n2 - [p][q] id=7\n");
    by_name.columns = "text=Frag";
    expect_with("t.csv", "Nr,Frage\n7,p\n", by_name,
                "!2 t.csv: no column \"Frag\"; the columns are Nr, Frage\n");
    by_name.columns = "text=Frage,category";
    expect_with("t.csv", "Nr,Frage\n7,p\n", by_name,
                "!1 columns: \"category\" has no =; name all of them in file order, or each as in "
                "text=Question\n");
    by_name.columns = "category=Frage";
    expect_with("t.csv", "Nr,Frage\n7,p\n", by_name,
                "!1 columns: no text column; name one of them a, text or anchor\n");
    by_name.columns = "text=Frage";
    expect_with("t.txt", "p\n", by_name,
                "!2 t.txt: no header, so columns have no names; name all of them in file order\n");
    /* In file order, the header is skipped too. */
    expect_with("t.csv", "Frage,Thema\n" QUESTIONS,
                (film_table_options){.columns = "text,category"},
                "csv categories\n2 - [Wo ist meine Karte?] cat=Karte\n"
                "3 - [Wie sperre ich sie?] cat=Karte\n4 - [Wer hilft mir dabei?] cat=PIN\n");
}

static void labels_are_words(void **state)
{
    (void)state;
    static const char *const yes[] = {"yes",  "Yes",       "TRUE", "true",
                                      "same", "duplicate", "y",    "match"};
    static const char *const no[] = {"no",
                                     "No",
                                     "FALSE",
                                     "false",
                                     "different",
                                     "not duplicate",
                                     "not_duplicate",
                                     "non-duplicate",
                                     "No match",
                                     "n"};
    static const char *const neither[] = {"", "maybe", "not", "not yes", "nosame", "duplicate?"};
    double label;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        assert_true(value_label(value_of(yes[i]), &label));
        assert_true(label == 1);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        assert_true(value_label(value_of(no[i]), &label));
        assert_true(label == 0);
    }
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++)
        assert_false(value_label(value_of(neither[i]), &label));
    expect("t.csv", "a,b,duplicate\np,q,yes\nr,s,no\n", "csv pairs\n2 1 [p][q]\n3 0 [r][s]\n");
    expect("t.csv", "p,q,same\nr,s,different\n", "csv pairs\n1 1 [p][q]\n2 0 [r][s]\n");
}

static void other_encodings_become_utf_8(void **state)
{
    (void)state;
    /* In Windows-1252, 80 is the euro sign, 93 and 94 are quotes, 9f is Y with dots. */
    static const char text[] = "text,category\n\x93"
                               "50 \x80\x94 f\xfcr \x9f,\xe4\n";
    film_table_options with = {.encoding = "windows-1252"};
    expect_with("t.csv", text, with,
                "csv categories\n2 - [\u201c50 \u20ac\u201d für \u0178] cat=ä\n");
    with.encoding = "CP1252";
    expect_with("t.csv", text, with,
                "csv categories\n2 - [\u201c50 \u20ac\u201d für \u0178] cat=ä\n");
    with.encoding = "latin-1";
    expect_with("t.csv", text, with,
                "csv categories\n2 - [\xc2\x93"
                "50 \xc2\x80\xc2\x94 für \xc2\x9f] cat=ä\n");
    with.encoding = "utf-8";
    expect_with("t.csv", "text,category\nä,b\n", with, "csv categories\n2 - [ä] cat=b\n");
    with.encoding = "ebcdic";
    expect_with("t.csv", "text\n", with,
                "!1 unknown encoding \"ebcdic\"; choose utf-8, windows-1252 or latin-1\n");
}

static void every_byte_has_a_character(void **state)
{
    (void)state;
    char text[] = "text\tid\nx?y\t1\n", expected[40];
    for (int c = 0x80; c < 0x100; c++) {
        film_table_options with = {.encoding = "latin-1"};
        text[9] = (char)c;
        snprintf(expected, sizeof expected, "tsv none\n2 - [x%c%cy] id=1\n", 0xc0 | c >> 6,
                 0x80 | (c & 0x3f));
        expect_with("t.tsv", text, with, expected);
    }
}

static void files_that_are_no_tables_are_named(void **state)
{
    (void)state;
    char tar[512] = "questions.tsv", model[40] = {20, 0, 0, 0, 0, 0, 0, 0, '{', '"'}, pool[100];
    memset(pool, 0, sizeof pool);
    memcpy(pool, "SQLite format 3", 16);
    memcpy(tar + 257, "ustar", 5);
    expect("t.csv", "\n <!DOCTYPE html>\n<html>",
           "!2 t.csv: a web page (HTML), not a table; download the file itself, or save the table "
           "as CSV\n");
    expect("t", "<HTML><body>",
           "!2 t: a web page (HTML), not a table; download the file itself, or save the table as "
           "CSV\n");
    expect("t.xml", "<?xml version='1.0'?>",
           "!2 t.xml: an XML document, not a table; convert it to CSV or JSON lines\n");
    expect("t", "\x89PNG\r\n\x1a\n", "!2 t: a picture (PNG), not a table\n");
    expect("t", "\xff\xd8\xff\xe0", "!2 t: a picture (JPEG), not a table\n");
    expect("t", "GIF89a", "!2 t: a picture (GIF), not a table\n");
    expect("t", "%PDF-1.7", "!2 t: a PDF document, not a table; copy its text into a CSV file\n");
    expect("t.xls", "\xd0\xcf\x11\xe0\xa1\xb1",
           "!2 t.xls: an old or encrypted Office document; save it as .xlsx without a password, or "
           "as CSV\n");
    expect_bytes("t.tar", tar, sizeof tar, (film_table_options){0},
                 "!2 t.tar: a tar archive; unpack it with tar -xf\n");
    expect_bytes("t.film", model, sizeof model, (film_table_options){0},
                 "!2 t.film: a model (safetensors), not a table\n");
    expect_bytes("t.db", pool, sizeof pool, (film_table_options){0},
                 "!2 t.db: an SQLite database, not a table; export its rows as CSV\n");
    memcpy(pool + 68, "FILM", 4);
    expect_bytes("t.pool", pool, sizeof pool, (film_table_options){0},
                 "!2 t.pool: a pool, not a table; export its sentences or labels first\n");
}

/* ---- Row numbers ---- */

static size_t numbers_of(const char *name, const char *text, film_table_options options,
                         uint64_t *numbers)
{
    size_t count = 0;
    film_error error;
    film_table *table;
    film_row row;
    film_status status;
    assert_ok(table_open_bytes(text, strlen(text), name, 0, &options, &table, &error));
    while ((status = film_table_next(table, &row, &error)) == FILM_OK)
        numbers[count++] = film_table_row(table);
    assert_int_equal(status, FILM_END);
    film_table_close(table);
    return count;
}

static void rows_are_numbered_without_header_and_blank_lines(void **state)
{
    (void)state;
    uint64_t numbers[16];
    film_table_options options = {.skip_bad = 1};
    static const char text[] =
        "\xEF\xBB\xBFtext;category\n\n\"a\nb\";x\n\r\nbad\n\"c\n\n;\"\"d\";y\n\ne;z\n";
    assert_int_equal(numbers_of("t.csv", text, options, numbers), 3);
    assert_int_equal(numbers[0], 1);
    assert_int_equal(numbers[1], 3); /* the bad row is a row */
    assert_int_equal(numbers[2], 4);
    assert_int_equal(numbers_of("t.txt", "p\n\nq\n", options, numbers), 3);
    assert_int_equal(numbers[2], 3);
}

static void the_use_of_columns_is_known(void **state)
{
    (void)state;
    static const char text[] = "nr,Frage,Thema,note\n1,p,q,r\n";
    film_table_options options = {.columns = "text=Frage,category=Thema"};
    film_error error;
    film_table *table;
    assert_ok(table_open_bytes(text, strlen(text), "t.csv", 0, &options, &table, &error));
    assert_int_equal(film_table_use(table, 0), FILM_COLUMN_OTHER);
    assert_int_equal(film_table_use(table, 1), FILM_COLUMN_A);
    assert_int_equal(film_table_use(table, 2), FILM_COLUMN_CATEGORY);
    assert_int_equal(film_table_use(table, 3), FILM_COLUMN_OTHER);
    film_table_close(table);
    options.columns = "-,text,category,id";
    assert_ok(table_open_bytes("1,p,q,r\n", 8, "t.csv", 0, &options, &table, &error));
    assert_int_equal(film_table_use(table, 0), FILM_COLUMN_IGNORED);
    assert_int_equal(film_table_use(table, 3), FILM_COLUMN_ID);
    film_table_close(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semicolons_separate_columns),
        cmocka_unit_test(tabs_separate_columns_of_a_csv_file),
        cmocka_unit_test(a_header_with_unknown_names_is_reported),
        cmocka_unit_test(columns_are_named_as_in_the_header),
        cmocka_unit_test(labels_are_words),
        cmocka_unit_test(other_encodings_become_utf_8),
        cmocka_unit_test(every_byte_has_a_character),
        cmocka_unit_test(files_that_are_no_tables_are_named),
        cmocka_unit_test(rows_are_numbered_without_header_and_blank_lines),
        cmocka_unit_test(the_use_of_columns_is_known),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
