/* Tests film_dedup and film_link against comparing all pairs; labels; order and threads. */
#include "pools.h"
#include "base/rng.h"
#include "model/model.h"
#include "pair/match.h"

#include <ctype.h>

enum { MOST = 60 };

static film_error error;
static film_model *model;

/* Short sentences of few words: many are similar, some equal except for case and punctuation. */
static const char *const WORDS[] = {"I",   "lost", "my",    "card",  "where", "is",     "parcel",
                                    "can", "pay",  "in",    "euro",  "order", "a",      "new",
                                    "how", "do",   "card?", "Order", "PAY",   "parcel!"};
static char texts[MOST][100];
static film_record records[MOST];
static char ids[MOST][24];

static void make_records(size_t count, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++) {
        texts[i][0] = 0;
        for (size_t words = 1 + rng_below(&rng, 3); words > 0; words--) {
            strcat(texts[i], WORDS[rng_below(&rng, 20)]);
            if (words > 1) strcat(texts[i], " ");
        }
        snprintf(ids[i], sizeof ids[i], "r%zu", i);
        records[i] = (film_record){film_string(ids[i]), film_string(texts[i])};
    }
}

static int setup(void **state)
{
    (void)state;
    const char *path = scratch("dedup.film");
    save_model(path, FILM_METHOD_SVD);
    int failed = film_open(path, &model, &error) != FILM_OK;
    unlink(path);
    return failed;
}

static int teardown(void **state)
{
    (void)state;
    film_close(model);
    return 0;
}

/* ---- Recorded callbacks ---- */

struct reported {
    size_t cluster[MOST];
    double probability[MOST];
    int representative[MOST];
    size_t members, pairs, near;
    size_t last[2]; /* pairs come in the order of the records */
    double pair[MOST][MOST];
    double last_distance;
    size_t stop_after; /* pairs; 0: never */
};

static int on_member(void *user, const film_member *member)
{
    struct reported *reported = user;
    reported->cluster[member->at] = member->cluster;
    reported->probability[member->at] = member->probability;
    reported->representative[member->at] = member->representative;
    reported->members++;
    return 0;
}

static int on_pair(void *user, const film_duplicate *pair)
{
    struct reported *reported = user;
    assert_true(pair->a < pair->b && pair->b < MOST);
    assert_true(reported->pair[pair->a][pair->b] == 0);
    assert_true(!reported->pairs || reported->last[0] < pair->a ||
                (reported->last[0] == pair->a && reported->last[1] < pair->b));
    reported->last[0] = pair->a;
    reported->last[1] = pair->b;
    reported->pair[pair->a][pair->b] = pair->probability;
    reported->pairs++;
    return reported->stop_after && reported->pairs >= reported->stop_after;
}

static int on_near(void *user, const film_duplicate *pair)
{
    struct reported *reported = user;
    double distance = fabs(log(pair->probability / (1 - pair->probability)));
    assert_true(distance >= reported->last_distance - 1e-4);
    reported->last_distance = distance;
    reported->near++;
    return 0;
}

static film_dedup_options all_of(struct reported *reported)
{
    film_dedup_options options = {.size = sizeof options};
    memset(reported, 0, sizeof *reported);
    options.threshold = 0.5;
    options.candidates = MOST; /* all other records */
    options.answer.threads = 1;
    options.member = on_member;
    options.pair = on_pair;
    options.user = reported;
    return options;
}

static int same_words(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && strchr("?!", *a)) a++;
        while (*b && strchr("?!", *b)) b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return 0;
        if (!*a) return 1;
    }
}

/* IN_SET: as pairs of a whole set are judged. */
static double judge(const char *a, const char *b, int in_set)
{
    struct match match;
    struct match_rule rule;
    film_verdict verdict;
    assert_ok(match_rule(&rule, &model->decision, NULL, &error));
    rule.pool = in_set;
    assert_ok(match_init(&match, &model->decision, &rule, &error));
    assert_ok(match_score(&match, film_string(a), film_string(b), &verdict, &error));
    match_free(&match);
    return verdict.probability;
}

/* ---- Tests ---- */

static void pairs_are_those_of_comparing_all(void **state)
{
    (void)state;
    struct reported reported;
    film_dedup_options options = all_of(&reported);
    film_dedup_result result = {.size = sizeof result};
    size_t found = 0, distinct = 0, first[MOST];
    make_records(MOST, 3);
    assert_ok(film_dedup(model, records, MOST, &options, &result, &error));
    for (size_t i = 0; i < MOST; i++) {
        for (first[i] = 0; !same_words(texts[first[i]], texts[i]);) first[i]++;
        distinct += first[i] == i;
    }
    assert_int_equal(result.distinct, distinct);
    assert_true(distinct < MOST);
    for (size_t i = 0; i < MOST; i++)
        for (size_t j = i + 1; j < MOST; j++) {
            int copies = first[i] == first[j];
            /* Copies are paired with the first. Other pairs consist of two first records. */
            int expected = copies ? first[i] == i : first[i] == i && first[j] == j;
            double p = copies ? 1 : judge(texts[i], texts[j], 1);
            if (!expected || (!copies && p < 0.5 - 1e-6)) {
                assert_true(reported.pair[i][j] == 0);
            } else if (copies || p > 0.5 + 1e-6) {
                /* Among copies, the text that is compared is the first in byte order. */
                assert_true(reported.pair[i][j] > 0);
                found++;
            }
        }
    assert_int_equal(result.pairs, reported.pairs);
    assert_true(found > 10);
}

static void clusters_are_a_partition_with_one_representative_each(void **state)
{
    (void)state;
    struct reported reported;
    film_dedup_options options = all_of(&reported);
    film_dedup_result result = {.size = sizeof result};
    make_records(MOST, 4);
    options.singles = 1;
    assert_ok(film_dedup(model, records, MOST, &options, &result, &error));
    assert_int_equal(reported.members, MOST);
    size_t representatives[MOST + 1] = {0}, size[MOST + 1] = {0}, clusters = 0;
    for (size_t i = 0; i < MOST; i++) {
        assert_in_range(reported.cluster[i], 1, MOST);
        representatives[reported.cluster[i]] += (size_t)reported.representative[i];
        size[reported.cluster[i]]++;
        if (reported.representative[i]) assert_true(reported.probability[i] == 1);
        for (size_t j = 0; j < i; j++)
            if (same_words(texts[i], texts[j]))
                assert_int_equal(reported.cluster[i], reported.cluster[j]);
    }
    for (size_t c = 1; c <= MOST; c++)
        if (size[c]) assert_int_equal(representatives[c], 1);
    for (size_t c = 1; c <= MOST; c++) clusters += size[c] > 1;
    assert_int_equal(result.clusters, clusters);
    assert_true(clusters > 2);
}

/* The mean over the other records, all pairs judged. */
static void the_representative_is_nearest_to_the_others(void **state)
{
    (void)state;
    static const char *const three[] = {
        "where is my parcel", "my parcel has not arrived, where is it", "where is my card"};
    film_record some[3];
    struct reported reported;
    film_dedup_options options = all_of(&reported);
    const film_dedup_label labels[] = {{0, 1, 1}, {1, 2, 1}};
    for (int i = 0; i < 3; i++) some[i] = (film_record){{NULL, 0}, film_string(three[i])};
    options.labels = labels;
    options.label_count = 2;
    assert_ok(film_dedup(model, some, 3, &options, NULL, &error));
    assert_int_equal(reported.members, 3);
    double p02 = judge(three[0], three[2], 1), mean[3] = {(1 + p02) / 2, 1, (1 + p02) / 2};
    assert_true(mean[1] > mean[0]);
    assert_true(reported.representative[1]);
}

static void labels_join_and_part(void **state)
{
    (void)state;
    make_records(MOST, 5);
    struct rng rng;
    rng_seed(&rng, 6);
    film_dedup_label labels[20];
    for (int round = 0; round < 30; round++) {
        struct reported reported;
        film_dedup_options options = all_of(&reported);
        film_dedup_result result = {.size = sizeof result};
        for (int i = 0; i < 20; i++)
            labels[i] = (film_dedup_label){rng_below(&rng, MOST), rng_below(&rng, MOST),
                                           rng_below(&rng, 3) == 0};
        options.labels = labels;
        options.label_count = 20;
        options.singles = 1;
        if (round % 2) options.candidates = 4; /* labelled pairs may not be candidates */
        assert_ok(film_dedup(model, records, MOST, &options, &result, &error));
        for (int i = 0; i < 20; i++) {
            size_t a = labels[i].a, b = labels[i].b;
            int contradicted = 0;
            for (int j = 0; j < 20; j++)
                contradicted |= !labels[j].same && ((labels[j].a == a && labels[j].b == b) ||
                                                    (labels[j].a == b && labels[j].b == a));
            if (a == b) continue;
            if (!labels[i].same)
                assert_int_not_equal(reported.cluster[a], reported.cluster[b]);
            else if (!result.contradictions && !contradicted)
                assert_int_equal(reported.cluster[a], reported.cluster[b]);
        }
    }
    film_dedup_label outside = {0, MOST, 1};
    film_dedup_options options = {.size = sizeof options};
    options.labels = &outside;
    options.label_count = 1;
    assert_int_equal(film_dedup(model, records, MOST, &options, NULL, &error), FILM_USAGE);
}

static void order_and_threads_change_nothing(void **state)
{
    (void)state;
    make_records(MOST, 7);
    struct reported reported, other;
    film_dedup_options options = all_of(&reported);
    options.singles = 1;
    options.candidates = 5;
    assert_ok(film_dedup(model, records, MOST, &options, NULL, &error));
    options.user = &other;
    options.answer.threads = 4;
    memset(&other, 0, sizeof other);
    assert_ok(film_dedup(model, records, MOST, &options, NULL, &error));
    assert_memory_equal(&reported, &other, sizeof reported);
    /* A different order: the same records form clusters. */
    film_record moved[MOST];
    size_t from[MOST];
    for (size_t i = 0; i < MOST; i++) from[i] = (i * 17 + 5) % MOST;
    for (size_t i = 0; i < MOST; i++) moved[i] = records[from[i]];
    memset(&other, 0, sizeof other);
    assert_ok(film_dedup(model, moved, MOST, &options, NULL, &error));
    for (size_t i = 0; i < MOST; i++)
        for (size_t j = 0; j < MOST; j++)
            assert_int_equal(other.cluster[i] == other.cluster[j],
                             reported.cluster[from[i]] == reported.cluster[from[j]]);
}

static void the_nearest_to_the_threshold_come_first(void **state)
{
    (void)state;
    make_records(MOST, 8);
    struct reported reported;
    film_dedup_options options = all_of(&reported);
    options.borderline = on_near;
    options.review = 7;
    options.member = NULL;
    assert_ok(film_dedup(model, records, MOST, &options, NULL, &error));
    assert_int_equal(reported.near, 7);
}

static int cancel(void *user, const char *phase, double done, double total)
{
    (void)user, (void)phase, (void)done, (void)total;
    return 1;
}

static void calls_can_be_stopped_and_refuse_nonsense(void **state)
{
    (void)state;
    make_records(MOST, 9);
    struct reported reported;
    film_dedup_options options = all_of(&reported);
    reported.stop_after = 2;
    assert_int_equal(film_dedup(model, records, MOST, &options, NULL, &error), FILM_CANCELLED);
    assert_int_equal(reported.pairs, 2);
    options = all_of(&reported);
    options.progress.call = cancel;
    assert_int_equal(film_dedup(model, records, MOST, &options, NULL, &error), FILM_CANCELLED);
    options = all_of(&reported);
    options.threshold = 1.5;
    assert_int_equal(film_dedup(model, records, MOST, &options, NULL, &error), FILM_USAGE);
    assert_int_equal(film_dedup(NULL, records, MOST, NULL, NULL, &error), FILM_USAGE);
    assert_ok(film_dedup(model, NULL, 0, NULL, NULL, &error));
    options = all_of(&reported);
    assert_ok(film_dedup(model, records, 1, &options, NULL, &error));
    assert_int_equal(reported.members, 0);
}

static film_status dedup_all(void)
{
    struct reported reported;
    film_dedup_options options = all_of(&reported);
    options.borderline = on_near;
    options.review = 2;
    return film_dedup(model, records, 12, &options, NULL, &error);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    make_records(12, 10);
    survives_every_failure(dedup_all());
    assert_true(failures_survived > 100);
}

static void a_pool_keeps_its_labels(void **state)
{
    (void)state;
    const char *path = scratch("dedup.pool");
    film_pool *pool = new_pool(path);
    struct reported reported;
    film_dedup_options options = all_of(&reported);
    film_dedup_result result = {.size = sizeof result};
    add_one(pool, "a", "I lost my card");
    add_one(pool, "b", "i lost my card!");
    add_one(pool, "c", "where is my parcel");
    add_one(pool, "d", "can I pay in euro");
    film_pool_label_row labels[] = {{film_string("c"), film_string("d"), 1},
                                    {film_string("b"), film_string("a"), 0}};
    uint64_t changed;
    assert_ok(film_pool_label_many(pool, labels, 2, "test", &changed, &error));
    assert_int_equal(changed, 2);
    assert_ok(film_pool_label_many(pool, labels, 2, "test", &changed, &error));
    assert_int_equal(changed, 0);
    labels[1].b = film_string("nobody");
    assert_int_equal(film_pool_label_many(pool, labels, 2, "test", &changed, &error),
                     FILM_BAD_INPUT);
    options.singles = 1;
    assert_ok(film_pool_dedup(pool, &options, &result, &error));
    assert_int_equal(reported.cluster[2], reported.cluster[3]);
    assert_int_not_equal(reported.cluster[0],
                         reported.cluster[1]); /* the same words, reported apart */
    film_pool_close(pool);
    remove_pool(path);
}

/* ---- Link ---- */

struct linked {
    size_t to[MOST], count, none;
    double probability[MOST];
};

/* ---- What candidates miss ---- */

/* Few records are all compared: the figures are those of brute force. */
static void completeness_is_that_of_comparing_all(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    struct reported all, few;
    film_dedup_result exact = {.size = sizeof exact}, found = {.size = sizeof found};
    make_records(COUNT, 5);
    film_dedup_options options = all_of(&all);
    options.threshold = 0.05; /* so that one candidate each misses some */
    options.recall = 1;
    assert_ok(film_dedup(model, records, COUNT, &options, &exact, &error));
    assert_close(exact.completeness, 1, 0);
    assert_close(exact.reduction, 0, 1e-12);
    options = all_of(&few);
    options.member = NULL; /* clusters would compare more */
    options.threshold = 0.05;
    options.recall = 1;
    options.candidates = 1;
    assert_ok(film_dedup(model, records, COUNT, &options, &found, &error));
    size_t pairs = 0, candidates = 0;
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = i + 1; j < COUNT; j++) {
            if (same_words(texts[i], texts[j])) continue;
            int first = 1; /* of its words */
            for (size_t k = 0; k < i; k++) first &= !same_words(texts[k], texts[i]);
            for (size_t k = 0; k < j; k++) first &= !same_words(texts[k], texts[j]);
            if (!first) continue;
            pairs += judge(texts[i], texts[j], 1) >= 0.05;
            candidates += few.pair[i][j] > 0;
        }
    assert_true(candidates < pairs);
    assert_int_equal(found.sampled, found.distinct);
    assert_int_equal(found.sampled_against, found.distinct - 1);
    assert_int_equal(found.sampled_pairs, 2 * pairs); /* from either side */
    assert_int_equal(found.sampled_found, 2 * candidates);
    assert_close(found.completeness, (double)candidates / (double)pairs, 1e-12);
    assert_close(found.completeness_low, found.completeness, 0);
    double n = (double)found.distinct;
    assert_close(found.reduction, 1 - 2 * (double)found.compared / (n * (n - 1)), 1e-12);
}

static int on_match(void *user, const film_link_match *match)
{
    struct linked *linked = user;
    linked->to[match->a] = match->b;
    linked->probability[match->a] = match->probability;
    linked->count++;
    linked->none += match->b == FILM_NO_MATCH;
    return 0;
}

static void links_are_the_best_of_all(void **state)
{
    (void)state;
    make_records(MOST, 11);
    enum { A = 20, B = MOST - A };
    struct linked linked = {.count = 0}, unique = {.count = 0};
    film_link_options options;
    film_link_result result = {.size = sizeof result};
    options = (film_link_options){.size = sizeof options};
    options.threshold = 0.6;
    options.candidates = MOST;
    options.match = on_match;
    options.user = &linked;
    assert_ok(film_link(model, records, A, records + A, B, &options, &result, &error));
    assert_int_equal(linked.count, A);
    double p[A][B];
    for (size_t i = 0; i < A; i++) {
        double best = 0;
        for (size_t j = 0; j < B; j++) {
            p[i][j] = same_words(texts[i], texts[A + j]) ? 1 : judge(texts[i], texts[A + j], 0);
            best = fmax(best, p[i][j]);
        }
        if (best < 0.6) assert_true(linked.to[i] == FILM_NO_MATCH);
        if (best >= 0.6 + 1e-6) assert_close(p[i][linked.to[i]], best, 1e-6);
    }
    assert_int_equal(result.matched + linked.none, A);
    options.unique = 1;
    options.user = &unique;
    assert_ok(film_link(model, records, A, records + A, B, &options, &result, &error));
    /* Greedy: no free pair is more probable than the pairs its records got. */
    int taken[B] = {0};
    for (size_t i = 0; i < A; i++)
        if (unique.to[i] != FILM_NO_MATCH) assert_int_equal(taken[unique.to[i]]++, 0);
    for (size_t i = 0; i < A; i++)
        for (size_t j = 0; j < B; j++) {
            double of_b = 0;
            for (size_t other = 0; other < A; other++)
                if (unique.to[other] == j) of_b = unique.probability[other];
            if (p[i][j] < 0.6 + 1e-6) continue;
            assert_true(unique.probability[i] >= p[i][j] - 1e-6 || of_b >= p[i][j] - 1e-6);
        }
    options.most = 2;
    assert_int_equal(film_link(model, records, A, records + A, B, &options, &result, &error),
                     FILM_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_comparing_all),
        cmocka_unit_test(clusters_are_a_partition_with_one_representative_each),
        cmocka_unit_test(the_representative_is_nearest_to_the_others),
        cmocka_unit_test(labels_join_and_part),
        cmocka_unit_test(order_and_threads_change_nothing),
        cmocka_unit_test(the_nearest_to_the_threshold_come_first),
        cmocka_unit_test(calls_can_be_stopped_and_refuse_nonsense),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(a_pool_keeps_its_labels),
        cmocka_unit_test(links_are_the_best_of_all),
        cmocka_unit_test(completeness_is_that_of_comparing_all),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
