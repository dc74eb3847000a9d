/* Tests learn/triplets: clusters, hard negatives, seeds. */
#include "testing.h"
#include "base/rng.h"
#include "learn/triplets.h"

static film_error error;

/* Two clusters {0,1,2} and {3,4}, a negative pair between them, one inside the first, and 5, 6 only
 * in a negative pair; 7 in no pair. */
static const struct triplet_pair few[] = {{0, 1, 1}, {1, 2, 1}, {3, 4, 1},
                                          {0, 3, 0}, {0, 2, 0}, {5, 6, 0}};

static int has(const struct triplets *t, uint32_t i, uint32_t j, uint32_t k)
{
    for (size_t a = 0; a < t->anchors; a++)
        for (size_t q = t->start[a]; t->anchor[a] == i && q < t->start[a + 1]; q++)
            if ((j == TRIPLETS_NONE || t->similar[q] == j) &&
                (k == TRIPLETS_NONE || t->dissimilar[q] == k))
                return 1;
    return 0;
}

static void negatives_are_carried_over_to_the_partners_cluster(void **state)
{
    (void)state;
    struct triplet_options options;
    struct triplets t;
    triplets_defaults(&options);
    options.random = 0;
    options.alone = 0;
    assert_ok(triplets_from_pairs(8, few, 6, &options, &t, &error));
    assert_true(triplets_valid(&t));
    assert_int_equal(t.contradictions, 1);
    assert_int_equal(t.clusters, 2);
    assert_int_equal(t.largest, 3);
    assert_int_equal(t.without_positive, 2); /* 5 and 6; 7 was never labelled */
    assert_true(has(&t, 0, TRIPLETS_NONE, 3));
    assert_true(has(&t, 0, TRIPLETS_NONE, 4)); /* from the partner's cluster */
    assert_true(has(&t, 0, 1, TRIPLETS_NONE));
    assert_true(has(&t, 0, 2, TRIPLETS_NONE)); /* by the cluster, despite the label 0 */
    assert_true(has(&t, 3, 4, 0));
    assert_true(has(&t, 3, TRIPLETS_NONE, 2));
    assert_false(has(&t, 0, TRIPLETS_NONE, 2));
    assert_int_equal(t.anchors, 2); /* 1, 2 and 4 have no negative of their own */
    assert_int_equal(t.without_negative, 3);
    triplets_free(&t);
    options.alone = 1;
    assert_ok(triplets_from_pairs(8, few, 6, &options, &t, &error));
    assert_true(triplets_valid(&t));
    assert_true(has(&t, 5, 5, 6));
    assert_true(has(&t, 6, 6, 5));
    triplets_free(&t);
}

static void hard_negatives_come_from_the_neighbours(void **state)
{
    (void)state;
    uint32_t near[8][4];
    struct triplet_options options;
    struct triplets t;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++) near[i][j] = TRIPLETS_NONE;
    uint32_t of_one[4] = {1, 0, 5, 4}; /* itself, its cluster, then two of other clusters */
    memcpy(near[1], of_one, sizeof of_one);
    triplets_defaults(&options);
    options.random = 0;
    options.neighbours = near[0];
    options.neighbour_width = 4;
    assert_ok(triplets_from_pairs(8, few, 6, &options, &t, &error));
    assert_true(has(&t, 1, TRIPLETS_NONE, 5) && has(&t, 1, TRIPLETS_NONE, 4));
    assert_int_equal(t.hard, 2);
    triplets_free(&t);
    options.hard_skip = 1;
    assert_ok(triplets_from_pairs(8, few, 6, &options, &t, &error));
    assert_true(!has(&t, 1, TRIPLETS_NONE, 5) && has(&t, 1, TRIPLETS_NONE, 4));
    triplets_free(&t);
}

static void make_pairs(struct triplet_pair *pairs, size_t count, uint32_t n, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++) {
        pairs[i].a = (uint32_t)rng_below(&rng, n);
        pairs[i].b = (uint32_t)rng_below(&rng, n);
        pairs[i].same = rng_uniform(&rng) < 0.4;
    }
}

/* Computes clusters with a slow reference and checks every triplet against them. */
static void triplets_respect_the_clusters(void **state)
{
    (void)state;
    enum { N = 200, PAIRS = 260 };
    struct triplet_pair pairs[PAIRS];
    struct triplet_options options;
    triplets_defaults(&options);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct triplets t;
        uint32_t label[N];
        size_t contradictions = 0;
        make_pairs(pairs, PAIRS, N, seed);
        for (uint32_t i = 0; i < N; i++) label[i] = i;
        for (int again = 1; again;) {
            again = 0;
            for (size_t i = 0; i < PAIRS; i++) {
                uint32_t *a = &label[pairs[i].a], *b = &label[pairs[i].b];
                if (!pairs[i].same || *a == *b) continue;
                *a = *b = *a < *b ? *a : *b;
                again = 1;
            }
        }
        for (size_t i = 0; i < PAIRS; i++)
            contradictions += !pairs[i].same && label[pairs[i].a] == label[pairs[i].b];
        options.seed = seed;
        assert_ok(triplets_from_pairs(N, pairs, PAIRS, &options, &t, &error));
        assert_true(triplets_valid(&t));
        assert_int_equal(t.contradictions, contradictions);
        assert_true(t.anchors > 50);
        for (size_t a = 0; a < t.anchors; a++)
            for (size_t q = t.start[a]; q < t.start[a + 1]; q++) {
                assert_int_equal(label[t.anchor[a]], label[t.similar[q]]);
                assert_int_not_equal(label[t.anchor[a]], label[t.dissimilar[q]]);
            }
        triplets_free(&t);
    }
}

static void the_same_seed_gives_the_same_triplets(void **state)
{
    (void)state;
    enum { N = 200, PAIRS = 260 };
    struct triplet_pair pairs[PAIRS];
    struct triplet_options options;
    struct triplets a, b;
    triplets_defaults(&options);
    make_pairs(pairs, PAIRS, N, 5);
    assert_ok(triplets_from_pairs(N, pairs, PAIRS, &options, &a, &error));
    assert_ok(triplets_from_pairs(N, pairs, PAIRS, &options, &b, &error));
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.dissimilar, b.dissimilar, a.count * sizeof *a.dissimilar);
    assert_memory_equal(a.similar, b.similar, a.count * sizeof *a.similar);
    triplets_free(&b);
    options.seed = 1;
    assert_ok(triplets_from_pairs(N, pairs, PAIRS, &options, &b, &error));
    assert_true(a.count != b.count ||
                memcmp(a.dissimilar, b.dissimilar, a.count * sizeof *a.dissimilar) != 0);
    triplets_free(&a);
    triplets_free(&b);
}

static void categories_are_clusters(void **state)
{
    (void)state;
    uint32_t category[100];
    struct triplet_options options;
    struct triplets t;
    for (uint32_t i = 0; i < 100; i++) category[i] = i == 50 ? TRIPLETS_NONE : i % 7;
    triplets_defaults(&options);
    assert_ok(triplets_from_categories(100, category, &options, &t, &error));
    assert_true(triplets_valid(&t));
    assert_int_equal(t.anchors, 99);
    assert_int_equal(t.clusters, 7);
    assert_int_equal(t.count, 99 * 5);
    for (size_t a = 0; a < t.anchors; a++)
        for (size_t q = t.start[a]; q < t.start[a + 1]; q++) {
            assert_int_equal(category[t.anchor[a]], category[t.similar[q]]);
            assert_int_not_equal(category[t.anchor[a]], category[t.dissimilar[q]]);
            assert_int_not_equal(t.dissimilar[q], 50);
        }
    triplets_free(&t);
}

static void explicit_triplets_are_sorted_by_anchor(void **state)
{
    (void)state;
    const uint32_t rows[][3] = {{4, 1, 2}, {0, 2, 3}, {4, 3, 0}, {1, 1, 2}, {2, 3, 3}};
    const uint32_t outside[][3] = {{4, 1, 5}};
    struct triplets t;
    assert_ok(triplets_from_triplets(5, rows, 5, &t, &error));
    assert_true(triplets_valid(&t));
    assert_int_equal(t.contradictions, 2);
    assert_int_equal(t.anchors, 2);
    assert_int_equal(t.anchor[0], 0);
    assert_int_equal(t.anchor[1], 4);
    assert_int_equal(t.start[1], 1);
    assert_int_equal(t.count, 3);
    assert_int_equal(t.similar[1], 1);
    assert_int_equal(t.dissimilar[2], 0);
    triplets_free(&t);
    assert_int_equal(triplets_from_triplets(5, outside, 1, &t, &error), FILM_USAGE);
}

static void bad_pairs_and_empty_input_are_handled(void **state)
{
    (void)state;
    struct triplet_pair bad = {0, 9, 1};
    struct triplet_options options;
    struct triplets t;
    triplets_defaults(&options);
    assert_int_equal(triplets_from_pairs(9, &bad, 1, &options, &t, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "pair 0"));
    assert_ok(triplets_from_pairs(9, &bad, 0, &options, &t, &error));
    assert_int_equal(t.anchors, 0);
    assert_true(triplets_valid(&t));
    triplets_free(&t);
}

static film_status make_and_free(int kind)
{
    static const uint32_t rows[][3] = {{4, 1, 2}, {0, 2, 3}, {4, 3, 0}};
    static const uint32_t category[6] = {0, 0, 1, 1, 2, 2};
    struct triplet_options options;
    struct triplets t;
    triplets_defaults(&options);
    film_status status = kind == 0   ? triplets_from_pairs(8, few, 6, &options, &t, &error)
                         : kind == 1 ? triplets_from_triplets(5, rows, 3, &t, &error)
                                     : triplets_from_categories(6, category, &options, &t, &error);
    if (status != FILM_OK) assert_null(t.anchor);
    if (status == FILM_OK) triplets_free(&t);
    return status;
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        survives_every_failure(make_and_free(kind));
        assert_true(failures_survived > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negatives_are_carried_over_to_the_partners_cluster),
        cmocka_unit_test(hard_negatives_come_from_the_neighbours),
        cmocka_unit_test(triplets_respect_the_clusters),
        cmocka_unit_test(the_same_seed_gives_the_same_triplets),
        cmocka_unit_test(categories_are_clusters),
        cmocka_unit_test(explicit_triplets_are_sorted_by_anchor),
        cmocka_unit_test(bad_pairs_and_empty_input_are_handled),
        cmocka_unit_test(no_memory_is_reported_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
