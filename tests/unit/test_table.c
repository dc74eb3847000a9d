/* Tests reading tables, layout by layout; refused tables are in test_table_bad.c. */
#include "packing.h"
#include "tables.h"

#include "base/rng.h"

static film_error error;

static void headers_of_known_data_sets_are_read(void **state)
{
    (void)state;
    expect("q.csv",
           "\"id\",\"qid1\",\"qid2\",\"question1\",\"question2\",\"is_duplicate\"\n"
           "\"0\",\"1\",\"2\",\"What, is it?\",\"He said \"\"go\"\"\",\"0\"\n",
           "csv pairs\n2 0 [What, is it?][He said \"go\"] id=0\n");
    expect("test.csv", "test_id,question1,question2\n7,one,two\n",
           "csv none\n2 - [one][two] id=7\n");
    expect("QQP.tsv", "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n1\t2\t3\ta \"b\tc\t1\n",
           "tsv pairs\n2 1 [a \"b][c] id=1\n");
    expect("MRPC.txt",
           "\xEF\xBB\xBFQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t70\t80\tx y\tz\n",
           "tsv pairs\n2 1 [x y][z]\n");
    expect("MRPC-test.tsv", "index\t#1 ID\t#2 ID\t#1 String\t#2 String\n0\t70\t80\tx y\tz\n",
           "tsv none\n2 - [x y][z] id=0\n");
    expect(
        "STS-B.tsv",
        "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
        "0\tm\tf\t2012\t1\tnone\tnone\tA plane\tAn air plane\t5.000\n",
        "tsv scores\n2 5 [A plane][An air plane] id=0\n");
    expect("RTE.tsv",
           "index\tsentence1\tsentence2\tlabel\n0\tx\ty\tnot_entailment\n1\tx\ty\tentailment\n",
           "tsv pairs\n2 0 [x][y] id=0\n3 1 [x][y] id=1\n");
    expect("QNLI.tsv", "index\tquestion\tsentence\tlabel\n0\tq?\ts.\tentailment\n",
           "tsv pairs\n2 1 [q?][s.] id=0\n");
    expect("MNLI.tsv",
           "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\t"
           "sentence1_parse\tsentence2_parse\tsentence1\tsentence2\tlabel1\tgold_label\n"
           "0\t1\t1n\tf\t(a)\t(b)\t(a)\t(b)\tx\ty\tentailment\tneutral\n",
           "tsv pairs\n2 0 [x][y] id=0\n");
    expect("WNLI.tsv", "index\tsentence1\tsentence2\tlabel\n0\tx\ty\t1\n",
           "tsv pairs\n2 1 [x][y] id=0\n");
    expect("WNLI-test.tsv", "index\tsentence1\tsentence2\n0\tx\ty\n",
           "tsv none\n2 - [x][y] id=0\n");
}

static void other_headers_are_read(void **state)
{
    (void)state;
    expect("t.tsv", "Anchor\t Positive \tNEGATIVE\np\tq\tr\n", "tsv triplets\n2 - [p][q] c=r\n");
    expect("t.csv", "text,category\nhi there,greet\n",
           "csv categories\n2 - [hi there] cat=greet\n");
    expect("t.csv", "id,query,intent\n5,hi,greet\n", "csv categories\n2 - [hi] id=5 cat=greet\n");
    expect("t.csv", "text,label\nhi,3\n", "csv categories\n2 - [hi] cat=3\n");
    expect("t.csv", "sentence\nhi\n\nho\n", "csv none\n2 - [hi]\n4 - [ho]\n");
    expect("t.csv", "premise,hypothesis,label\np,h,true\np,h,FALSE\np,h,1.0\n",
           "csv pairs\n2 1 [p][h]\n3 0 [p][h]\n4 1 [p][h]\n");
    expect("t.csv", "text_a,text_b,label\np,h,3.4\np,h,1\n",
           "csv scores\n2 3.4 [p][h]\n3 1 [p][h]\n");
    expect("t.csv", "dr_id,Question_1,question_2,label\n7,p,h,1\n", "csv pairs\n2 1 [p][h]\n");
    expect("t.csv", "left,right,match\np,h,no\n", "csv pairs\n2 0 [p][h]\n");
    expect("t.csv", "a,b,similarity\np,h,1\n", "csv scores\n2 1 [p][h]\n");
    expect("t.csv", "anchor,positive\np,h\n", "csv none\n2 - [p][h]\n");
    expect("t.tsv", "0\ta\tb\n1\ttext\tlabel\n", "tsv pairs\n1 0 [a][b]\n2 1 [text][label]\n");
    expect("t.tsv", "label\tquestion1\tquestion2\n", "tsv pairs\n");
    expect("t.tsv", "label\tquestion1\tquestion2", "tsv pairs\n");
}

static void files_without_header_are_read(void **state)
{
    (void)state;
    expect("t.tsv", "one\ntwo\n", "tsv none\n1 - [one]\n2 - [two]\n");
    expect("t.tsv", "1\tp\tq\n0\tr\ts", "tsv pairs\n1 1 [p][q]\n2 0 [r][s]\n");
    expect("t.csv", "p,q,5.0\nr,s,2.5\n", "csv scores\n1 5 [p][q]\n2 2.5 [r][s]\n");
    expect("t.csv", "p,q,1\nr,s,0\n", "csv pairs\n1 1 [p][q]\n2 0 [r][s]\n");
    expect("t.tsv", "0.25\tp\tq\n1\tr\ts\n", "tsv scores\n1 0.25 [p][q]\n2 1 [r][s]\n");
    expect("t.tsv", "p\tq\tr\n", "tsv triplets\n1 - [p][q] c=r\n");
    expect("t.tsv", "1\tp\tq\t17\n0\tr\ts\t18\n",
           "tsv pairs\n1 1 [p][q] id=17\n2 0 [r][s] id=18\n");
    expect("t.tsv", "0\t1\t2\tp\tq\t0\n1\t3\t4\tr\ts\t1\n",
           "tsv pairs\n1 0 [p][q] id=0\n2 1 [r][s] id=1\n");
    /* STS Benchmark's own files: tabs despite .csv, licences in some rows. */
    expect("sts-train.csv",
           "main-captions\tMSRvid\t2012test\t0001\t5.000\tA plane, off.\tAn \"air plane.\n"
           "main-news\tx\t2013\t0002\t3.8\tp\tq\tlicence\tother\n",
           "tsv scores\n1 5 [A plane, off.][An \"air plane.] id=0001\n2 3.8 [p][q] id=0002\n");
}

static void lines_keep_their_number(void **state)
{
    (void)state;
    film_table_options lines = {.format = FILM_FORMAT_LINES};
    expect("t.txt", "one, two\n\nthree\r\n\n",
           "lines none\n1 - [one, two]\n2 - []\n3 - [three]\n4 - []\n");
    expect_with("t.tsv", "\n\none\ttwo", lines, "lines none\n1 - []\n2 - []\n3 - [one\ttwo]\n");
    expect_with("-", "text\n", lines, "lines none\n1 - [text]\n");
}

static void json_lines_are_read(void **state)
{
    (void)state;
    expect("t.jsonl",
           "{\"label\": 1, \"question1\": \"p\\u00e4\\n\", \"question2\": \"q\", \"id\": 12}\n\n"
           "{\"question2\": \"s\", \"extra\": [1, {\"x\": 2}], \"question1\": 3.8, \"label\": "
           "false}\r\n",
           "jsonl pairs\n1 1 [p\xC3\xA4\n][q] id=12\n3 0 [3.8][s]\n");
    expect("t", "{\"text\": \"hi\", \"category\": 4}\n", "jsonl categories\n1 - [hi] cat=4\n");
    expect("t.ndjson", "{\"sentence1\":\"p\",\"sentence2\":\"q\",\"score\":\"2.5\"}",
           "jsonl scores\n1 2.5 [p][q]\n");
    expect("t.json", "{\"anchor\":\"p\",\"positive\":\"q\",\"negative\":\"r\"}",
           "jsonl triplets\n1 - [p][q] c=r\n");
    expect("t.jsonl", "{\"sentence1\":\"p\",\"sentence2\":\"q\",\"gold_label\":\"entailment\"}",
           "jsonl pairs\n1 1 [p][q]\n");
    expect_with("t.jsonl", "{\"x\":\"p\",\"y\":\"q\",\"z\":1}",
                (film_table_options){.columns = "a,b,label"}, "jsonl pairs\n1 1 [p][q]\n");
}

static void the_format_shows_in_name_and_content(void **state)
{
    (void)state;
    expect("t.tsv.gz", "text\nhi\n", "tsv none\n2 - [hi]\n");
    expect("standard input", "text,category\nhi,x\n", "csv categories\n2 - [hi] cat=x\n");
    expect("standard input", "hello, text\nyou\n", "lines none\n1 - [hello, text]\n2 - [you]\n");
    expect("T.CSV", "text,category\n\"a\tb\",x\n", "csv categories\n2 - [a\tb] cat=x\n");
    expect_with("t.txt", "text,category\nhi,x\n", (film_table_options){.format = FILM_FORMAT_CSV},
                "csv categories\n2 - [hi] cat=x\n");
}

static void csv_follows_rfc_4180(void **state)
{
    (void)state;
    expect(
        "t.csv",
        "text,category\r\n\"two\r\nlines, \"\"quoted\"\"\",x\r\n\"\",\"\"\r\nplain \"quote\",y\r\n"
        "\"\"\"\",z",
        "csv categories\n2 - [two\r\nlines, \"quoted\"] cat=x\n4 - []\n5 - [plain \"quote\"] "
        "cat=y\n"
        "6 - [\"] cat=z\n");
}

static void raw_records_fields_and_names_are_kept(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBF\"id\",text,category\r\n7,\"a \"\"b\"\"\",c\r\n";
    film_table_options options = {0};
    film_table *table;
    film_row row;
    assert_ok(table_open_bytes(text, sizeof text - 1, "t.csv", 0, &options, &table, &error));
    film_text header = film_table_header(table);
    assert_int_equal(header.length, 18);
    assert_memory_equal(header.bytes, "\"id\",text,category", 18);
    assert_int_equal(film_table_columns(table), 3);
    assert_memory_equal(film_table_column(table, 0).bytes, "id", 2);
    assert_int_equal(film_table_column(table, 3).length, 0);
    assert_ok(film_table_next(table, &row, &error));
    assert_int_equal(row.raw.length, 13);
    assert_memory_equal(row.raw.bytes, "7,\"a \"\"b\"\"\",c", 13);
    assert_int_equal(row.field_count, 3);
    assert_memory_equal(row.fields[1].bytes, "a \"b\"", 5);
    assert_int_equal(film_table_next(table, &row, &error), FILM_END);
    assert_int_equal(film_table_next(table, &row, &error), FILM_END);
    film_table_close(table);
    film_table_close(NULL);
}

static void columns_can_be_given(void **state)
{
    (void)state;
    expect_with("t.tsv", "p\tq\n", (film_table_options){.columns = "a,b"},
                "tsv none\n1 - [p][q]\n");
    expect_with("t.tsv", "p\tx\tq\t1\n", (film_table_options){.columns = " a, - ,b,label"},
                "tsv pairs\n1 1 [p][q]\n");
    expect_with("t.csv", "text,category\nx,y\n", (film_table_options){.columns = "category,text"},
                "csv categories\n2 - [y] cat=x\n");
    /* The user's own column names: the first row is a header when its label is not a label. */
    expect_with("t.csv", "same,left,right\n1,p,q\n", (film_table_options){.columns = "label,a,b"},
                "csv pairs\n2 1 [p][q]\n");
    expect_with("t.tsv", "p\tq\n", (film_table_options){.labels = FILM_LABELS_CATEGORIES},
                "tsv categories\n1 - [p] cat=q\n");
    expect_with("t.txt", "p, q\n", (film_table_options){.columns = "text"},
                "lines none\n1 - [p, q]\n");
}

static void the_kind_of_labels_can_be_given(void **state)
{
    (void)state;
    static const char text[] = "label\ta\tb\n1\tp\tq\n";
    expect_with("t.tsv", text, (film_table_options){.labels = FILM_LABELS_NONE},
                "tsv none\n2 - [p][q]\n");
    expect_with("t.tsv", text, (film_table_options){.labels = FILM_LABELS_SCORES},
                "tsv scores\n2 1 [p][q]\n");
    expect_with("t.tsv", "score\ta\tb\n1\tp\tq\n",
                (film_table_options){.labels = FILM_LABELS_PAIRS}, "tsv pairs\n2 1 [p][q]\n");
}

static void compressed_tables_are_read(void **state)
{
    (void)state;
    static const char text[] = "1\tp\tq\n", more[] = "0\tr\ts\n";
    struct packed gzip = pack_join(pack_gzip(text, 6), pack_gzip(more, 6));
    struct packed zstd = pack_join(pack_zstd(text, 6), pack_zstd(more, 6));
    expect_bytes("t.tsv.gz", gzip.bytes, gzip.size, (film_table_options){0},
                 "tsv pairs\n1 1 [p][q]\n2 0 [r][s]\n");
    expect_bytes("misnamed.tsv", zstd.bytes, zstd.size, (film_table_options){0},
                 "tsv pairs\n1 1 [p][q]\n2 0 [r][s]\n");
    free(gzip.bytes);
    free(zstd.bytes);
}

/* Random tables with every kind of defect: the rows do not depend on how the bytes arrive. */
static void rows_do_not_depend_on_the_size_of_reads(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",  "\t", ",",        "\n",     "\"", "\"\"", "\r\n",
                                         "0",  "1",  "\xC3\xA4", "\xFF",   "x",  "{",    "}",
                                         "\n", ",",  "\t",       "\"b\",", "2.5"};
    static const char *const heads[] = {"label\ta\tb\n", "text,category\n", "1\tp\tq\n",
                                        "{\"text\":\"x\"}\n", ""};
    static const char *const names[] = {"t.tsv", "t.csv", "t.tsv", "t.jsonl", "t"};
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 1500; round++) {
        char text[3000];
        size_t kind = rng_below(&rng, 5), used = strlen(heads[kind]), count = rng_below(&rng, 300);
        memcpy(text, heads[kind], used);
        for (size_t i = 0; i < count; i++) {
            const char *piece = pieces[rng_below(&rng, sizeof pieces / sizeof pieces[0])];
            memcpy(text + used, piece, strlen(piece));
            used += strlen(piece);
        }
        film_table_options options = {.skip_bad = (int)rng_below(&rng, 2)};
        char *whole = dump_table(names[kind], text, used, 0, &options);
        char *parts = dump_table(names[kind], text, used, 1 + rng_below(&rng, 40), &options);
        assert_string_equal(whole, parts);
        free(whole);
        free(parts);
    }
}

static film_status read_row(const char *text, const char *name)
{
    film_table_options options = {0};
    film_table *table;
    film_row row;
    film_status status = table_open_bytes(text, strlen(text), name, 0, &options, &table, &error);
    if (status == FILM_OK) status = film_table_next(table, &row, &error);
    film_table_close(table);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    static const char *const texts[] = {"label\ta\tb\n1\tp\tq\n", "a,b,label\n\"p \"\"q\",r,1\n",
                                        "{\"a\":\"p\",\"b\":\"q\",\"label\":1.5}\n",
                                        "text,id\nx,y\n"};
    static const char *const names[] = {"t.tsv", "t.csv", "t.jsonl", "t"};
    for (size_t i = 0; i < 4; i++) {
        survives_every_failure(read_row(texts[i], names[i]));
        assert_true(failures_survived > 4);
    }
}

static void real_files_have_their_rows(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        film_labels labels;
        size_t rows, positive;
    } files[] = {{"qqp/train-strict.tsv", FILM_LABELS_PAIRS, 105919, 77474},
                 {"qqp/train-overlap.tsv", FILM_LABELS_PAIRS, 148879, 117960},
                 {"qqp/dev.tsv", FILM_LABELS_PAIRS, 10000, 5000},
                 {"sts/train.tsv", FILM_LABELS_SCORES, 5749, 0},
                 {"sts/dev.tsv", FILM_LABELS_SCORES, 1500, 0},
                 {"sts/train-zh.csv", FILM_LABELS_SCORES, 5749, 0},
                 {"sts/dev-zh.csv", FILM_LABELS_SCORES, 1500, 0},
                 {"sts/dev-de.csv", FILM_LABELS_SCORES, 1500, 0},
                 {"banking77/train.csv", FILM_LABELS_CATEGORIES, 10003, 0}};
    const char *folder = access("../shared/data", R_OK) == 0 ? "../shared/data" : NULL;
    if (!folder) {
        print_message("# skip: no ../shared/data\n");
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[200];
        film_table *table;
        film_row row;
        film_status status;
        size_t rows = 0, positive = 0;
        snprintf(path, sizeof path, "%s/%s", folder, files[i].path);
        assert_ok(film_table_open(path, NULL, &table, &error));
        assert_int_equal(film_table_labels(table), files[i].labels);
        while ((status = film_table_next(table, &row, &error)) == FILM_OK) {
            rows++;
            positive += row.label == 1;
            assert_true(row.a.length > 0);
        }
        if (status != FILM_END) print_error("%s\n", error.message);
        assert_int_equal(status, FILM_END);
        assert_int_equal(rows, files[i].rows);
        if (files[i].positive) assert_int_equal(positive, files[i].positive);
        assert_close(film_table_progress(table), 1, 0);
        film_table_close(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_known_data_sets_are_read),
        cmocka_unit_test(other_headers_are_read),
        cmocka_unit_test(files_without_header_are_read),
        cmocka_unit_test(lines_keep_their_number),
        cmocka_unit_test(json_lines_are_read),
        cmocka_unit_test(the_format_shows_in_name_and_content),
        cmocka_unit_test(csv_follows_rfc_4180),
        cmocka_unit_test(raw_records_fields_and_names_are_kept),
        cmocka_unit_test(columns_can_be_given),
        cmocka_unit_test(the_kind_of_labels_can_be_given),
        cmocka_unit_test(compressed_tables_are_read),
        cmocka_unit_test(rows_do_not_depend_on_the_size_of_reads),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(real_files_have_their_rows),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
