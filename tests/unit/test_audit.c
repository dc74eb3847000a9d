/* Tests the audit against brute force and on files with known results, and the counts of file_stats
 * and leaks. */
#include "testing.h"

#include "base/mem.h"
#include "base/rng.h"
#include "report/file_stats.h"

static film_error error;

enum { QUESTIONS = 60, PAIRS = 400 };

struct file {
    uint32_t a[PAIRS], b[PAIRS];
    float label[PAIRS];
};

static struct audit_pairs view_of(const struct file *file)
{
    return (struct audit_pairs){file->a, file->b, file->label, PAIRS};
}

/* Some questions occur much more often than others; labels are random. */
static void make_file(struct file *file, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (int i = 0; i < PAIRS; i++) {
        file->a[i] = (uint32_t)rng_below(&rng, 1 + rng_below(&rng, QUESTIONS));
        file->b[i] = (uint32_t)rng_below(&rng, 1 + rng_below(&rng, QUESTIONS));
        file->label[i] = (float)rng_below(&rng, 2);
    }
}

/* ---- Brute force ---- */

static size_t rows_with(const struct file *file, uint32_t question)
{
    size_t count = 0;
    for (int i = 0; i < PAIRS; i++) count += file->a[i] == question || file->b[i] == question;
    return count;
}

static int beside(const struct file *file, uint32_t a, uint32_t b)
{
    for (int i = 0; i < PAIRS; i++)
        if ((file->a[i] == a && file->b[i] == b) || (file->a[i] == b && file->b[i] == a))
            return a != b;
    return 0;
}

static void buckets_are_those_of_counting(void **state)
{
    (void)state;
    static struct file file, other;
    const size_t least_count[] = {0, 2, 3, 4, 6, 11}, least_common[] = {0, 1, 2, 3, 6, 11};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        double same[2][AUDIT_BUCKETS] = {{0}};
        size_t pairs[2][AUDIT_BUCKETS] = {{0}};
        make_file(&file, seed);
        make_file(&other, seed + 100);
        int with = seed % 2;
        struct audit audit;
        struct audit_pairs judged = view_of(&file), others = view_of(&other);
        assert_ok(audit_measure(&audit, &judged, with ? &others : NULL, QUESTIONS, 1, 2, &error));
        for (int i = 0; i < PAIRS; i++) {
            size_t common = 0, count = rows_with(&file, file.a[i]),
                   right = rows_with(&file, file.b[i]);
            for (uint32_t q = 0; q < QUESTIONS; q++)
                common += (beside(&file, q, file.a[i]) || (with && beside(&other, q, file.a[i]))) &&
                          (beside(&file, q, file.b[i]) || (with && beside(&other, q, file.b[i])));
            if (right > count) count = right;
            int at[2] = {AUDIT_BUCKETS - 1, AUDIT_BUCKETS - 1};
            while (count < least_count[at[0]]) at[0]--;
            while (common < least_common[at[1]]) at[1]--;
            for (int k = 0; k < 2; k++) {
                same[k][at[k]] += file.label[i] == 1;
                pairs[k][at[k]]++;
            }
        }
        for (int bucket = 0; bucket < AUDIT_BUCKETS; bucket++) {
            assert_int_equal(audit.count_pairs[bucket], pairs[0][bucket]);
            assert_int_equal(audit.common_pairs[bucket], pairs[1][bucket]);
            if (pairs[0][bucket])
                assert_close(audit.by_count[bucket], same[0][bucket] / (double)pairs[0][bucket],
                             1e-12);
            if (pairs[1][bucket])
                assert_close(audit.by_common[bucket], same[1][bucket] / (double)pairs[1][bucket],
                             1e-12);
        }
    }
}

/* ---- Known results ---- */

static void random_labels_cannot_be_predicted(void **state)
{
    (void)state;
    static struct file file;
    double sum = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct audit audit;
        make_file(&file, seed);
        struct audit_pairs judged = view_of(&file);
        assert_ok(audit_measure(&audit, &judged, NULL, QUESTIONS, seed, 1, &error));
        assert_true(audit.majority >= 0.5 && audit.majority < 0.6);
        assert_true(audit.auc > 0.4 && audit.auc < 0.6);
        sum += audit.auc / 8;
    }
    assert_close(sum, 0.5, 0.03);
}

/* Positive pairs consist of frequent questions: a collection bias that frequency alone reveals. */
static void labels_by_frequency_are_detected(void **state)
{
    (void)state;
    static struct file file;
    uint32_t next = 0;
    for (int i = 0; i < PAIRS; i++) {
        file.label[i] = (float)(i % 2);
        file.a[i] = i % 2 ? (uint32_t)(i / 2 % 10) : 20 + next++;
        file.b[i] = i % 2 ? (uint32_t)(10 + i / 20 % 10) : 20 + next++;
    }
    struct audit audit;
    struct audit_pairs judged = view_of(&file);
    assert_ok(audit_measure(&audit, &judged, NULL, 20 + next, 1, 2, &error));
    assert_close(audit.majority, 0.5, 1e-12);
    assert_close(audit.accuracy, 1, 1e-12);
    assert_close(audit.auc, 1, 1e-12);
    assert_true(audit_is_biased(&audit));
}

/* Each question occurs once in this file, but half of them occur in another, which reveals the
 * label. */
static void another_file_can_reveal_labels(void **state)
{
    (void)state;
    static struct file file, other;
    for (int i = 0; i < PAIRS; i++) {
        file.label[i] = (float)(i % 2);
        file.a[i] = 2 * (uint32_t)i;
        file.b[i] = 2 * (uint32_t)i + 1;
        other.a[i] = 2 * (uint32_t)(i | 1);
        other.b[i] = 2 * PAIRS;
    }
    struct audit alone, together;
    struct audit_pairs judged = view_of(&file), others = view_of(&other);
    assert_ok(audit_measure(&alone, &judged, NULL, 2 * PAIRS + 1, 1, 1, &error));
    assert_close(alone.auc, 0.5, 0.06);
    assert_false(audit_is_biased(&alone));
    assert_ok(audit_measure(&together, &judged, &others, 2 * PAIRS + 1, 1, 1, &error));
    assert_close(together.accuracy, 1, 1e-12);
}

static void too_little_is_not_judged(void **state)
{
    (void)state;
    static struct file file;
    struct audit audit;
    make_file(&file, 3);
    struct audit_pairs few = {file.a, file.b, file.label, 19},
                       none = {file.a, file.b, file.label, 0};
    assert_ok(audit_measure(&audit, &few, NULL, QUESTIONS, 1, 1, &error));
    assert_true(isnan(audit.auc) && isnan(audit.accuracy));
    assert_false(audit_is_biased(&audit));
    assert_ok(audit_measure(&audit, &none, NULL, QUESTIONS, 1, 1, &error));
    assert_true(isnan(audit.auc));
    for (int i = 0; i < PAIRS; i++) file.label[i] = 1;
    struct audit_pairs one_label = view_of(&file);
    assert_ok(audit_measure(&audit, &one_label, NULL, QUESTIONS, 1, 1, &error));
    assert_true(isnan(audit.auc));
    assert_close(audit.majority, 1, 0);
}

/* ---- Holdings and leaks ---- */

struct row {
    const char *a, *b;
    int label;
};

static void fill(struct corpus *corpus, const struct row *rows, size_t count)
{
    assert_ok(corpus_init(corpus, FILM_LABELS_PAIRS, &error));
    for (size_t i = 0; i < count; i++) {
        film_row row = {
            .a = film_string(rows[i].a), .b = film_string(rows[i].b), .label = rows[i].label};
        assert_ok(corpus_add(corpus, &row, &error));
    }
}

static void contradictions_and_leaks_are_counted(void **state)
{
    (void)state;
    const struct row eval_rows[] = {
        {"how are you", "how do you do", 1},
        {"How do you do?", "how are you", 0}, /* the same pair in reverse order */
        {"a b", "c d", 1},
        {"c d", "e f", 1},
        {"a b", "e f", 0},   /* connected by the two preceding rows */
        {"x y", "X, y!", 0}, /* the same words */
        {"p q", "r s", 1},
        {"p q", "r s", 1}};
    const struct row train_rows[] = {{"r s", "p q", 0}, {"A B", "new one", 1}};
    struct corpus eval_corpus, train_corpus;
    struct questions numbers;
    struct file_stats eval, train;
    struct leaks leaks;
    fill(&eval_corpus, eval_rows, 8);
    fill(&train_corpus, train_rows, 2);
    assert_ok(questions_init(&numbers, &error));
    film_progress silent = {0};
    assert_ok(file_stats_make(&eval, "eval", &eval_corpus, eval_corpus.sentences.count, &numbers,
                              &silent, &error));
    assert_ok(file_stats_make(&train, "train", &train_corpus, train_corpus.sentences.count,
                              &numbers, &silent, &error));
    assert_int_equal(eval.count, 8);
    assert_int_equal(eval.same, 5);
    assert_int_equal(eval.repeated, 2);
    assert_int_equal(eval.contradicting, 1);
    assert_int_equal(eval.connected, 3); /* how are you, a b - e f, x y */
    assert_int_equal(eval.identical, 1);
    assert_int_equal(eval.odd_count, 4); /* one with both labels, three connected */
    assert_int_equal(eval.odd[2], 4);
    assert_int_equal(eval.odd_kind[0], FILE_STATS_BOTH_LABELS);
    assert_int_equal(eval.odd_kind[2], FILE_STATS_CONNECTED);
    assert_int_equal(eval.odd_kind[3], FILE_STATS_IDENTICAL);
    const unsigned char same[8] = {1, 1, 1, 1, 1, 0, 1, 1};
    assert_ok(leaks_find(&leaks, &eval, &train, numbers.hashes.count, same, &error));
    assert_int_equal(leaks.clean, 4);       /* how are you twice, c d - e f, x y */
    assert_int_equal(leaks.clean_right, 3); /* all but the second */
    assert_int_equal(leaks.sentences, 3);   /* a b, p q, r s */
    assert_int_equal(leaks.either, 4);
    assert_int_equal(leaks.both, 2);
    assert_int_equal(leaks.pair, 2);
    assert_int_equal(leaks.opposed, 2);
    file_stats_free(&eval);
    file_stats_free(&train);
    questions_free(&numbers);
    corpus_free(&eval_corpus);
    corpus_free(&train_corpus);
}

static void without_memory_it_reports_it(void **state)
{
    (void)state;
    static struct file file;
    struct audit audit;
    make_file(&file, 9);
    struct audit_pairs judged = view_of(&file);
    survives_every_failure(audit_measure(&audit, &judged, &judged, QUESTIONS, 1, 1, &error));
    assert_true(failures_survived > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_are_those_of_counting),
        cmocka_unit_test(random_labels_cannot_be_predicted),
        cmocka_unit_test(labels_by_frequency_are_detected),
        cmocka_unit_test(another_file_can_reveal_labels),
        cmocka_unit_test(too_little_is_not_judged),
        cmocka_unit_test(contradictions_and_leaks_are_counted),
        cmocka_unit_test(without_memory_it_reports_it),
    };
    return cmocka_run_group_tests_name("audit", tests, NULL, NULL);
}
