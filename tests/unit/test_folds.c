/* Tests learn/folds: rows that share a question stay together, and shares hold. */
#include "testing.h"

#include "base/rng.h"
#include "learn/folds.h"
#include "learn/questions.h"

static film_error error;

static void add_row(struct corpus *corpus, const char *a, const char *b, const char *c,
                    const char *category, double label)
{
    film_row row = {.label = label};
    row.a = film_string(a);
    if (b) row.b = film_string(b);
    if (c) row.c = film_string(c);
    if (category) row.category = film_string(category);
    assert_ok(corpus_add(corpus, &row, &error));
}

/* Components 0 .. COUNT - 1, each a chain of 1 to 4 rows: "question 7 number 2", in two
 * spellings. */
static void make_chains(struct corpus *corpus, int count, uint64_t seed)
{
    struct rng rng;
    char a[100], b[100];
    rng_seed(&rng, seed);
    assert_ok(corpus_init(corpus, FILM_LABELS_PAIRS, &error));
    for (int c = 0; c < count; c++) {
        int rows = 1 + (int)rng_below(&rng, 4);
        for (int i = 0; i < rows; i++) {
            snprintf(a, sizeof a, "What's question %d number %d?", c, i);
            snprintf(b, sizeof b, "what 's  QUESTION %d number %d ?", c, i + 1);
            add_row(corpus, a, b, NULL, NULL, (double)rng_below(&rng, 2));
        }
    }
}

/* The number after the word "question" in any spelling. */
static int component_of(const struct corpus *corpus, uint32_t id)
{
    char text[200] = "";
    film_text sentence = strtab_get(&corpus->sentences, id);
    strncat(text, sentence.bytes, sentence.length);
    for (char *c = text; *c; c++)
        if (*c >= 'A' && *c <= 'Z') *c += 'a' - 'A';
    char *at = strstr(text, "question ");
    assert_non_null(at);
    return atoi(at + 9);
}

static size_t split_rows(const struct folds *folds, const struct corpus *corpus, float label)
{
    size_t split = 0;
    for (size_t i = 0; i < corpus->rows; i++)
        split += corpus->label[i] == label && folds->of[corpus->a[i]] != folds->of[corpus->b[i]];
    return split;
}

/* Every fold is within SLACK of its share of the sentences, and of the rows by first sentence. */
static void check_shares(const struct folds *folds, const struct corpus *corpus, double slack)
{
    double sentences[QUESTIONS_MOST_PARTS] = {0}, rows[QUESTIONS_MOST_PARTS] = {0};
    for (uint32_t i = 0; i < corpus->sentences.count; i++) {
        assert_true(folds->of[i] < folds->count);
        sentences[folds->of[i]]++;
    }
    for (size_t i = 0; i < corpus->rows; i++)
        rows[folds_of_pair(folds, corpus->a[i], corpus->b[i])]++;
    for (size_t f = 0; f < folds->count; f++) {
        assert_close(sentences[f] / corpus->sentences.count, 1.0 / (double)folds->count, slack);
        assert_close(rows[f] / (double)corpus->rows, 1.0 / (double)folds->count, slack);
    }
}

static void connected_rows_stay_together_and_the_shares_hold(void **state)
{
    (void)state;
    struct corpus corpus;
    struct folds folds;
    unsigned char fold[800];
    make_chains(&corpus, 800, 51);
    for (size_t count = 2; count <= 10; count += 4) {
        assert_ok(folds_partition(&folds, &corpus, count, 1, &error));
        assert_int_equal(folds.count, count);
        check_shares(&folds, &corpus, 0.01);
        assert_int_equal(split_rows(&folds, &corpus, 0) + split_rows(&folds, &corpus, 1), 0);
        memset(fold, 0xff, sizeof fold); /* by component: also rows joined by another spelling */
        for (uint32_t i = 0; i < corpus.sentences.count; i++) {
            int c = component_of(&corpus, i);
            if (fold[c] == 0xff) fold[c] = folds.of[i];
            assert_int_equal(fold[c], folds.of[i]);
        }
        folds_free(&folds);
        folds_free(&folds);
    }
    corpus_free(&corpus);
}

static void the_same_seed_gives_the_same_folds(void **state)
{
    (void)state;
    struct corpus corpus;
    struct folds folds, again, other;
    make_chains(&corpus, 200, 52);
    assert_ok(folds_partition(&folds, &corpus, 5, 7, &error));
    assert_ok(folds_partition(&again, &corpus, 5, 7, &error));
    assert_ok(folds_partition(&other, &corpus, 5, 8, &error));
    assert_memory_equal(folds.of, again.of, corpus.sentences.count);
    assert_memory_not_equal(folds.of, other.of, corpus.sentences.count);
    folds_free(&folds);
    folds_free(&again);
    folds_free(&other);
    corpus_free(&corpus);
}

/* Entries with three spellings of a question; adjacent entries are negative pairs. */
static void make_faq(struct corpus *corpus, int entries, film_labels labels)
{
    char text[4][60];
    assert_ok(corpus_init(corpus, labels, &error));
    for (int i = 0; i < entries; i++) {
        for (int v = 0; v < 3; v++) snprintf(text[v], 60, "question %d wording v%d", i, v);
        snprintf(text[3], 60, "question %d wording v0", (i + 1) % entries);
        if (labels == FILM_LABELS_TRIPLETS) {
            add_row(corpus, text[0], text[1], text[3], NULL, NAN);
            add_row(corpus, text[0], text[2], text[3], NULL, NAN);
        } else {
            add_row(corpus, text[0], text[1], NULL, NULL, 1);
            add_row(corpus, text[1], text[2], NULL, NULL, 1);
            add_row(corpus, text[0], text[3], NULL, NULL, 0);
        }
    }
}

static void where_negatives_connect_everything_only_positives_count(void **state)
{
    (void)state;
    struct corpus corpus;
    struct folds folds;
    for (int triplets = 0; triplets < 2; triplets++) {
        make_faq(&corpus, 200, triplets ? FILM_LABELS_TRIPLETS : FILM_LABELS_PAIRS);
        assert_ok(folds_partition(&folds, &corpus, 5, 3, &error));
        check_shares(&folds, &corpus, 0.01);
        for (uint32_t i = 0; i < corpus.sentences.count; i++) /* an entry is in one fold */
            for (uint32_t j = 0; j < i; j++)
                if (component_of(&corpus, i) == component_of(&corpus, j))
                    assert_int_equal(folds.of[i], folds.of[j]);
        if (!triplets) assert_true(split_rows(&folds, &corpus, 0) > 50);
        folds_free(&folds);
        corpus_free(&corpus);
    }
}

/* One component with half of the rows is too large for one of five folds, but not for one of
 * two. */
static void a_large_component_is_left_whole_where_it_fits(void **state)
{
    (void)state;
    struct corpus corpus;
    char a[60], b[60];
    assert_ok(corpus_init(&corpus, FILM_LABELS_PAIRS, &error));
    for (int i = 0; i < 300; i++) {
        snprintf(a, sizeof a, "question %d", i);
        snprintf(b, sizeof b, "question %d", i + 1);
        add_row(&corpus, a, b, NULL, NULL, 0);
        snprintf(a, sizeof a, "lonely question %d", 1000 + i);
        snprintf(b, sizeof b, "sad question %d", 1000 + i);
        add_row(&corpus, a, b, NULL, NULL, 0);
    }
    for (size_t count = 2; count <= 5; count += 3) {
        struct folds folds;
        assert_ok(folds_partition(&folds, &corpus, count, 1, &error));
        assert_int_equal(split_rows(&folds, &corpus, 0) > 0, count == 5);
        check_shares(&folds, &corpus, count == 5 ? 0.1 : 0.2);
        folds_free(&folds);
    }
    corpus_free(&corpus);
}

static void categories_are_partitioned_by_question(void **state)
{
    (void)state;
    struct corpus corpus;
    struct folds folds;
    char text[80], name[20];
    assert_ok(corpus_init(&corpus, FILM_LABELS_CATEGORIES, &error));
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "category %d", i % 4);
        snprintf(text, sizeof text, "What's question %d?", i);
        add_row(&corpus, text, NULL, NULL, name, NAN);
        if (i % 10) continue;
        snprintf(text, sizeof text, "what 's QUESTION %d", i); /* the same question again */
        add_row(&corpus, text, NULL, NULL, name, NAN);
    }
    assert_ok(folds_partition(&folds, &corpus, 5, 1, &error));
    check_shares(&folds, &corpus, 0.01);
    size_t in[4][5] = {{0}}, fold_of[1000];
    for (size_t i = 0; i < 1000; i++) fold_of[i] = 99;
    for (size_t i = 0; i < corpus.rows; i++) {
        size_t question = (size_t)component_of(&corpus, corpus.a[i]);
        in[corpus.category[i]][folds.of[corpus.a[i]]]++;
        if (fold_of[question] == 99) fold_of[question] = folds.of[corpus.a[i]];
        assert_int_equal(fold_of[question], folds.of[corpus.a[i]]);
    }
    for (int c = 0; c < 4; c++)
        for (int f = 0; f < 5; f++) assert_true(in[c][f] > 20); /* of about 55 */
    folds_free(&folds);
    corpus_free(&corpus);
}

static void the_rest_is_every_row_without_the_fold(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct corpus corpus, rest;
        struct folds folds;
        if (kind == 0) make_chains(&corpus, 100, 53);
        if (kind == 1) make_faq(&corpus, 100, FILM_LABELS_PAIRS);
        if (kind == 2) make_faq(&corpus, 100, FILM_LABELS_TRIPLETS);
        assert_ok(folds_partition(&folds, &corpus, 4, 1, &error));
        for (size_t fold = 0; fold < 4; fold++) {
            size_t at = 0;
            assert_ok(folds_rest(&folds, &corpus, fold, &rest, &error));
            assert_int_equal(rest.labels, corpus.labels);
            assert_ptr_equal(rest.sentences.bytes, corpus.sentences.bytes);
            assert_int_equal(rest.sentences.count, corpus.sentences.count);
            for (size_t i = 0; i < corpus.rows; i++) {
                uint32_t a = corpus.a[i], b = corpus.b[i], c = corpus.c[i];
                int touches = folds.of[a] == fold || folds.of[b] == fold ||
                              (c != STRTAB_NONE && folds.of[c] == fold);
                if (kind < 2) assert_int_equal(folds_touches(&folds, fold, a, b), touches);
                if (touches) continue;
                assert_true(at < rest.rows);
                assert_true(rest.a[at] == a && rest.b[at] == b && rest.c[at] == c);
                assert_memory_equal(&rest.label[at], &corpus.label[i], sizeof *rest.label);
                assert_int_equal(rest.category[at], corpus.category[i]);
                at++;
            }
            assert_int_equal(at, rest.rows);
            assert_true(at > 0 && at < corpus.rows);
            folds_rest_free(&rest);
            folds_rest_free(&rest);
        }
        folds_free(&folds);
        corpus_free(&corpus);
    }
}

static void no_rows_and_impossible_counts(void **state)
{
    (void)state;
    struct corpus corpus;
    struct folds folds;
    make_chains(&corpus, 0, 54);
    assert_ok(folds_partition(&folds, &corpus, 3, 1, &error));
    folds_free(&folds);
    corpus_free(&corpus);
    make_chains(&corpus, 3, 54);
    assert_ok(folds_partition(&folds, &corpus, 1, 1, &error)); /* all in the one fold */
    for (uint32_t i = 0; i < corpus.sentences.count; i++) assert_int_equal(folds.of[i], 0);
    folds_free(&folds);
    assert_ok(
        folds_partition(&folds, &corpus, QUESTIONS_MOST_PARTS, 1, &error)); /* some are empty */
    folds_free(&folds);
    assert_int_equal(folds_partition(&folds, &corpus, 0, 1, &error), FILM_USAGE);
    assert_int_equal(folds_partition(&folds, &corpus, QUESTIONS_MOST_PARTS + 1, 1, &error),
                     FILM_USAGE);
    assert_null(folds.of);
    corpus_free(&corpus);
}

static film_status partition_and_free(const struct corpus *corpus)
{
    struct folds folds = {0};
    struct corpus rest = {0};
    film_status status = folds_partition(&folds, corpus, 3, 1, &error);
    if (status == FILM_OK) status = folds_rest(&folds, corpus, 0, &rest, &error);
    if (status != FILM_OK) assert_null(rest.a);
    folds_rest_free(&rest);
    folds_free(&folds);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    struct corpus corpus;
    make_faq(&corpus, 30, FILM_LABELS_PAIRS); /* partitioned twice: then positives only */
    survives_every_failure(partition_and_free(&corpus));
    assert_true(failures_survived > 15);
    corpus_free(&corpus);
}

/* 60 records, each compared with its next three neighbours: one component. */
static void pairs_of_connected_records_are_partitioned(void **state)
{
    (void)state;
    enum { RECORDS = 60, FOLDS = 5 };
    struct corpus corpus, rest;
    struct folds folds;
    char text[2][100];
    size_t rows = 0;
    assert_ok(corpus_init(&corpus, FILM_LABELS_PAIRS, &error));
    for (int i = 0; i < RECORDS; i++)
        for (int j = 1; j <= 3; j++) {
            for (int s = 0; s < 2; s++)
                snprintf(text[s], sizeof text[s], "\x1etitle\x1fthing %d",
                         s ? (i + j) % RECORDS : i);
            add_row(&corpus, text[0], text[1], NULL, NULL, j == 1);
        }
    corpus.records = 1;
    assert_ok(folds_partition(&folds, &corpus, FOLDS, 1, &error));
    assert_true(folds.by_pair);
    for (size_t f = 0; f < FOLDS; f++) {
        size_t inside = 0;
        for (size_t i = 0; i < corpus.rows; i++) {
            uint32_t a = corpus.a[i], b = corpus.b[i];
            assert_int_equal(folds_of_pair(&folds, a, b), folds_of_pair(&folds, b, a));
            assert_int_equal(folds_touches(&folds, f, a, b), folds_of_pair(&folds, a, b) == f);
            inside += folds_of_pair(&folds, a, b) == f;
        }
        assert_true(inside > corpus.rows / 10 && inside < corpus.rows / 3);
        assert_ok(folds_rest(&folds, &corpus, f, &rest, &error));
        assert_int_equal(rest.rows, corpus.rows - inside);
        folds_rest_free(&rest);
        rows += inside;
    }
    assert_int_equal(rows, corpus.rows);
    folds_free(&folds);
    corpus.records = 0; /* sentences: only positive rows connect, and they stay together */
    assert_ok(folds_partition(&folds, &corpus, FOLDS, 1, &error));
    assert_false(folds.by_pair);
    folds_free(&folds);
    corpus_free(&corpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connected_rows_stay_together_and_the_shares_hold),
        cmocka_unit_test(the_same_seed_gives_the_same_folds),
        cmocka_unit_test(where_negatives_connect_everything_only_positives_count),
        cmocka_unit_test(a_large_component_is_left_whole_where_it_fits),
        cmocka_unit_test(categories_are_partitioned_by_question),
        cmocka_unit_test(the_rest_is_every_row_without_the_fold),
        cmocka_unit_test(no_rows_and_impossible_counts),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(pairs_of_connected_records_are_partitioned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
