/* Tests pair/evidence: sums by hand, symmetry, dropping of small weights. */
#include "testing.h"
#include "pairs.h"

/* Weights that are multiples of 1/256: sums over a kind are exact in any order. */
static float *coarse_weights(const struct evidence_rows *rows, uint64_t seed)
{
    struct rng rng;
    float *weights = malloc((rows->columns + 1) * sizeof *weights);
    rng_seed(&rng, seed);
    for (size_t i = 0; i <= rows->columns; i++)
        weights[i] = (float)(1 + rng_below(&rng, 500)) / 256.0f * (rng_below(&rng, 2) ? 1 : -1);
    return weights;
}

/* ---- The margin ---- */

static int has_feature(const struct feature_row *row, uint32_t id)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->id[i] == id) return 1;
    return 0;
}

/* The reference: sums over all features by kind, and over all known items. Each kind is scaled to
 * length 1; words are weighted by idf, other features equally, items by their value. */
static double slow_margin(const struct evidence_rows *rows, const float *weights,
                          const struct reading *reading, const struct items *items)
{
    double margin = (double)weights[rows->columns];
    double sum[GROUPS][2] = {{0}}, squares[GROUPS][2] = {{0}};
    for (uint32_t f = 0; f < rows->features; f++) {
        int in = has_feature(&reading->side[0].row, f) + has_feature(&reading->side[1].row, f);
        if (!in) continue;
        enum group group = features_group(&vocabulary.features, f);
        double base = group == GROUP_WORD && in == 1 ? (double)vocabulary.features.idf[f] : 1;
        sum[group][in == 1] += base * (double)weights[2 * f + (in == 1)];
        squares[group][in == 1] += base * base;
    }
    for (int g = 0; g < GROUPS; g++)
        for (int alone = 0; alone < 2; alone++)
            if (squares[g][alone] > 0) margin += sum[g][alone] / sqrt(squares[g][alone]);
    for (size_t i = 0; i < items->count; i++)
        for (uint64_t slot = 0; slot <= rows->items.slot_mask; slot++)
            if (rows->items.keys[slot] == items->list[i].key)
                margin += (double)weights[2 * rows->features + rows->items.number[slot]] *
                          (double)items->list[i].value;
    return margin;
}

/* Compares the sum of each kind of items and the total with sums computed here. */
static void check_sums(const struct evidence *evidence, const struct items *items,
                       const struct evidence_sums *sums)
{
    double slow[ITEM_KINDS] = {0};
    for (size_t k = 0; k < items->count; k++) {
        const struct item *item = &items->list[k];
        slow[item->kind] += (double)evidence_item(evidence, item->key) * (double)item->value;
    }
    for (int kind = 1; kind < ITEM_KINDS; kind++) assert_close(sums->item[kind], slow[kind], 1e-12);
    double margin = evidence->bias;
    for (int g = 0; g < GROUPS; g++)
        for (int alone = 0; alone < 2; alone++) margin += sums->feature[g][alone];
    for (int kind = 1; kind < ITEM_KINDS; kind++) margin += sums->item[kind];
    assert_close(margin, sums->margin, 1e-12);
}

static void the_margin_is_the_sum_over_features_and_items(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    struct evidence evidence;
    struct reading reading;
    struct items items;
    random_pairs(&pairs, 300, 1);
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 1, NULL, &error));
    float *weights = coarse_weights(&rows, 2);
    assert_ok(evidence_from_weights(&evidence, &rows, weights, &error));
    assert_int_equal(evidence.items.count, rows.items.count); /* none is negligible */
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    assert_ok(items_init(&items, &error));
    for (size_t i = 0; i < 300; i++) {
        struct evidence_sums sums;
        film_text a = film_string(pairs.text[i][0]), b = film_string(pairs.text[i][1]);
        assert_ok(reading_read(&reading, a, b, &error));
        assert_ok(items_collect(&items, &reading, &error));
        double margin = evidence_margin(&evidence, &reading, &items, &sums);
        assert_close(margin, slow_margin(&rows, weights, &reading, &items), 1e-5);
        assert_close(margin, evidence_rows_margin(&rows, weights, i), 1e-5);
        assert_true(sums.margin == margin);
        check_sums(&evidence, &items, &sums);
    }
    items_free(&items);
    reading_free(&reading);
    evidence_free(&evidence);
    evidence_rows_free(&rows);
    free(weights);
    pairs_free(&pairs);
}

static void swapped_sentences_have_the_same_margin_to_the_last_bit(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    struct evidence evidence;
    struct reading reading;
    struct items items;
    struct evidence_options options;
    random_pairs(&pairs, 600, 3);
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 1, NULL, &error));
    float *weights = malloc((rows.columns + 1) * sizeof *weights);
    evidence_defaults(&options);
    assert_ok(learn(&rows, &pairs, NULL, &options, weights));
    assert_ok(evidence_from_weights(&evidence, &rows, weights, &error));
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    assert_ok(items_init(&items, &error));
    int moved = 0;
    for (size_t i = 0; i < 600; i++) {
        double margin[2];
        struct evidence_sums sums[2];
        for (int turn = 0; turn < 2; turn++) {
            film_text a = film_string(pairs.text[i][turn]), b = film_string(pairs.text[i][!turn]);
            assert_ok(reading_read(&reading, a, b, &error));
            assert_ok(items_collect(&items, &reading, &error));
            margin[turn] = evidence_margin(&evidence, &reading, &items, &sums[turn]);
        }
        assert_memory_equal(&margin[0], &margin[1], sizeof *margin);
        assert_memory_equal(&sums[0], &sums[1], sizeof *sums);
        moved += margin[0] != evidence.bias;
        /* Tiny weights were dropped: the difference is not noticeable. */
        assert_close(margin[0], evidence_rows_margin(&rows, weights, i), 1e-3);
    }
    assert_true(moved > 500);
    items_free(&items);
    reading_free(&reading);
    evidence_free(&evidence);
    evidence_rows_free(&rows);
    free(weights);
    pairs_free(&pairs);
}

static void tiny_weights_are_dropped_and_large_ones_kept(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    struct evidence evidence;
    random_pairs(&pairs, 100, 4);
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 1, NULL, &error));
    float *weights = coarse_weights(&rows, 5);
    size_t features = 2 * rows.features, kept = 0;
    for (uint32_t i = 0; i < rows.items.count; i++) {
        if (i % 3 == 0) weights[features + i] = i % 2 ? 9e-5f : -9e-5f;
        kept += i % 3 != 0;
    }
    assert_ok(evidence_from_weights(&evidence, &rows, weights, &error));
    assert_int_equal(evidence.items.count, kept);
    assert_memory_equal(evidence.feature, weights, features * sizeof(float));
    for (uint64_t slot = 0; slot <= rows.items.slot_mask; slot++) {
        struct item item = {.key = rows.items.keys[slot]};
        if (!item.key) continue;
        uint32_t number = rows.items.number[slot];
        assert_true(evidence_item(&evidence, item.key) ==
                    (number % 3 ? weights[features + number] : 0.0f));
    }
    evidence_free(&evidence);
    evidence_free(&evidence);
    evidence_rows_free(&rows);
    free(weights);
    pairs_free(&pairs);
}

/* ---- Collecting ---- */

/* Counts the pairs that contain each item. Exactly the items of two or more pairs are columns. */
static void items_of_one_pair_only_are_not_kept(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    struct reading reading;
    struct items items;
    struct keytab all;
    uint32_t number, *times = calloc(200000, sizeof *times), *last = calloc(200000, sizeof *last);
    random_pairs(&pairs, 700, 6);
    strcpy(pairs.text[0][0], "alpha alpha beta alpha beta"); /* twice in one pair counts once */
    strcpy(pairs.text[0][1], "qqq phi phi phi phi");
    strcpy(pairs.text[1][0], "nu1 rho nu2 rho nu1 rho nu2 nu2 nu1 nu1");
    strcpy(pairs.text[1][1], "nu1 tau nu2 tau nu1 tau nu2 nu2 nu1 nu1");
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 1, NULL, &error));
    assert_ok(keytab_init(&all, &error));
    assert_ok(reading_init(&reading, &vocabulary.encoder, &error));
    assert_ok(items_init(&items, &error));
    size_t repeated = 0, kept = 0;
    for (uint32_t i = 0; i < 700; i++) {
        collect_keys(pairs.text[i][0], pairs.text[i][1], &reading, &items);
        for (size_t k = 0; k < items.count; k++) {
            assert_ok(keytab_add(&all, items.list[k].key, &number, &error));
            assert_true(number < 200000);
            repeated += last[number] == i + 1;
            times[number] += last[number] != i + 1;
            last[number] = i + 1;
        }
    }
    assert_true(repeated > 10); /* the case was met */
    for (uint64_t slot = 0; slot <= all.slot_mask; slot++) {
        if (!all.keys[slot]) continue;
        int known = keytab_find(&rows.items, all.keys[slot]) != KEYTAB_NONE;
        assert_int_equal(known, times[all.number[slot]] >= 2);
        kept += times[all.number[slot]] >= 2;
    }
    assert_int_equal(rows.items.count, kept);
    assert_true(kept > 300 && kept < all.count);
    items_free(&items);
    reading_free(&reading);
    keytab_free(&all);
    evidence_rows_free(&rows);
    pairs_free(&pairs);
    free(times);
    free(last);
}

static void the_result_does_not_depend_on_the_threads(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows one, other;
    random_pairs(&pairs, 2500, 7); /* several chunks, the last one not full */
    struct evidence_source source = source_of(&pairs);
    assert_ok(evidence_rows_collect(&one, &vocabulary.encoder, &source, 1, NULL, &error));
    for (int threads = 2; threads <= 4; threads += 2) {
        assert_ok(
            evidence_rows_collect(&other, &vocabulary.encoder, &source, threads, NULL, &error));
        assert_int_equal(one.columns, other.columns);
        for (size_t i = 0; i < 2500; i++) assert_rows_equal(&one, i, &other, i);
        assert_int_equal(one.items.slot_mask, other.items.slot_mask);
        assert_memory_equal(one.items.keys, other.items.keys, (one.items.slot_mask + 1) * 8);
        evidence_rows_free(&other);
    }
    evidence_rows_free(&one);
    pairs_free(&pairs);
}

static void no_pairs_and_pairs_without_words_are_no_trouble(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    struct evidence_options options;
    struct evidence evidence;
    pairs_init(&pairs, 3);
    strcpy(pairs.text[0][0], ""), strcpy(pairs.text[0][1], "?");
    strcpy(pairs.text[1][0], "alpha"), strcpy(pairs.text[1][1], "");
    strcpy(pairs.text[2][0], "alpha"), strcpy(pairs.text[2][1], "...");
    struct evidence_source source = source_of(&pairs);
    evidence_defaults(&options);
    for (size_t count = 0; count <= 3;
         count = count ? 3 * count : 1) { /* none, an empty one, all */
        source.count = count;
        assert_ok(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 2, NULL, &error));
        assert_int_equal(rows.pairs, count);
        assert_int_equal(rows.items.count,
                         count == 3 ? 6 : 0); /* two runs and an edit of four kinds */
        if (count) {
            struct evidence_cursor cursor = evidence_rows_open(&rows, 0);
            assert_int_equal(evidence_rows_read(&cursor, 1, &(uint32_t){0}, &(float){0}), 0);
        }
        float *weights = malloc((rows.columns + 1) * sizeof *weights);
        assert_ok(learn(&rows, &pairs, NULL, &options, weights));
        assert_ok(evidence_from_weights(&evidence, &rows, weights, &error));
        assert_true(count ? evidence.bias < 0 : evidence.bias == 0);
        evidence_free(&evidence);
        evidence_rows_free(&rows);
        free(weights);
    }
    pairs_free(&pairs);
}

static int cancel(void *user, const char *phase, double done, double total)
{
    (void)phase, (void)done, (void)total;
    return --*(int *)user < 0;
}

static void a_bad_sentence_or_a_cancel_ends_the_collecting(void **state)
{
    (void)state;
    struct pairs pairs;
    struct evidence_rows rows;
    random_pairs(&pairs, 1200, 8);
    struct evidence_source source = source_of(&pairs);
    for (int calls = 0; calls < 2; calls++) {
        int left = calls;
        film_progress progress = {cancel, &left, NULL};
        assert_int_equal(
            evidence_rows_collect(&rows, &vocabulary.encoder, &source, 2, &progress, &error),
            FILM_CANCELLED);
    }
    strcpy(pairs.text[1000][1], "\xff");
    assert_int_equal(evidence_rows_collect(&rows, &vocabulary.encoder, &source, 2, NULL, &error),
                     FILM_BAD_INPUT);
    assert_null(rows.chunk);
    pairs_free(&pairs);
}

int main(void)
{
    fit_words();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_margin_is_the_sum_over_features_and_items),
        cmocka_unit_test(swapped_sentences_have_the_same_margin_to_the_last_bit),
        cmocka_unit_test(tiny_weights_are_dropped_and_large_ones_kept),
        cmocka_unit_test(items_of_one_pair_only_are_not_kept),
        cmocka_unit_test(the_result_does_not_depend_on_the_threads),
        cmocka_unit_test(no_pairs_and_pairs_without_words_are_no_trouble),
        cmocka_unit_test(a_bad_sentence_or_a_cancel_ends_the_collecting),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vocabulary_free(&vocabulary);
    return failed;
}
