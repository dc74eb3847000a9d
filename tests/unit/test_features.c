/* Tests embed/features: TF-IDF weights against the formula. tests/golden compares with
 * scikit-learn. */
#include "testing.h"

#include "embed/encoder.h"
#include "learn/features_fit.h"
#include "learn/packed_rows.h"

static film_error error;
static const char *const texts[] = {"the card is lost",
                                    "the card is stolen",
                                    "the card, the card!",
                                    "where is the parcel",
                                    "",
                                    "???",
                                    "caf\xc3\xa9 is open"};
enum { TEXTS = sizeof texts / sizeof *texts };

static void make_sentences(struct strtab *sentences)
{
    uint32_t id;
    assert_ok(strtab_init(sentences, &error));
    for (int i = 0; i < TEXTS; i++)
        assert_ok(strtab_add(sentences, texts[i], strlen(texts[i]), &id, &error));
}

/* Receives the rows of the next fit; NULL: they are plain. */
static struct packed_rows *packing;

static film_status fit(struct features *features, struct csr *x, unsigned groups, size_t min_df,
                       size_t max_features, int threads)
{
    struct tokenizer tokenizer;
    struct strtab sentences;
    memset(features, 0, sizeof *features);
    memset(x, 0, sizeof *x);
    film_status status = tokenizer_init(&tokenizer, NULL, NULL, &error);
    if (status != FILM_OK) return status;
    struct features_options options = {groups, min_df, max_features, threads, {NULL, NULL, NULL},
                                       packing};
    status = strtab_init(&sentences, &error);
    for (int i = 0; i < TEXTS && status == FILM_OK; i++) {
        uint32_t id;
        status = strtab_add(&sentences, texts[i], strlen(texts[i]), &id, &error);
    }
    if (status == FILM_OK)
        status = features_fit(features, &tokenizer, &sentences, &options, x, &error);
    else
        tokenizer_free(&tokenizer);
    strtab_free(&sentences);
    return status;
}

static void weights_follow_the_formula(void **state)
{
    (void)state;
    struct features features;
    struct csr x;
    assert_ok(fit(&features, &x, FILM_WORD, 1, 0, 1));
    /* the, is: df 4; card: 3; others: 1. Row 2 is "the card the card": tf 1 + log 2 for both. */
    double idf_the = log(8.0 / 5) + 1, idf_card = log(8.0 / 4) + 1, tf = 1 + log(2);
    double a = tf * idf_the, b = tf * idf_card, length = sqrt(a * a + b * b);
    assert_int_equal(x.start[3] - x.start[2], 2);
    double low = x.val[x.start[2]], high = x.val[x.start[2] + 1];
    assert_close(low, a / length, 1e-6);
    assert_close(high, b / length, 1e-6);
    assert_int_equal(x.start[5], x.start[4]); /* no word, no entry */
    assert_true(csr_valid(&x));
    csr_free(&x);
    features_free(&features);
}

static void rare_features_are_dropped_and_frequent_ones_come_first(void **state)
{
    (void)state;
    struct features features;
    struct csr x;
    assert_ok(fit(&features, &x, FILM_WORD | FILM_BIGRAM, 2, 0, 1));
    assert_int_equal(features.vocabulary[GROUP_WORD].count, 3);   /* the, is, card */
    assert_int_equal(features.vocabulary[GROUP_BIGRAM].count, 2); /* the card, card is */
    film_text last = features_name(&features, 4);
    assert_true(last.length == 7 && memcmp(last.bytes, "card is", 7) == 0);
    assert_int_equal(features_group(&features, 2), GROUP_WORD);
    assert_int_equal(features_group(&features, 3), GROUP_BIGRAM);
    csr_free(&x);
    features_free(&features);
    assert_ok(fit(&features, &x, FILM_WORD, 1, 2, 1));
    assert_int_equal(features_count(&features), 2);
    csr_free(&x);
    features_free(&features);
    assert_int_equal(fit(&features, &x, FILM_WORD, 50, 0, 1), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "min-df"));
}

static void a_row_does_not_depend_on_how_it_was_made(void **state)
{
    (void)state;
    struct features features, other;
    struct csr x, y;
    struct feature_row row;
    assert_ok(fit(&features, &x, FILM_WORD | FILM_BIGRAM | FILM_CHAR, 1, 0, 1));
    for (int threads = 2; threads <= 5; threads++) { /* more threads: the same bytes */
        assert_ok(fit(&other, &y, FILM_WORD | FILM_BIGRAM | FILM_CHAR, 1, 0, threads));
        assert_int_equal(x.start[TEXTS], y.start[TEXTS]);
        assert_memory_equal(x.col, y.col, x.start[TEXTS] * sizeof *x.col);
        assert_memory_equal(x.val, y.val, x.start[TEXTS] * sizeof *x.val);
        csr_free(&y);
        features_free(&other);
    }
    assert_ok(feature_row_init(&row, &features, &error));
    for (int i = 0; i < TEXTS; i++) { /* transformed one by one: the same bytes */
        assert_ok(features_transform(&features, &row, film_string(texts[i]), &error));
        assert_int_equal(row.count, x.start[i + 1] - x.start[i]);
        assert_memory_equal(row.id, x.col + x.start[i], row.count * sizeof *row.id);
        assert_memory_equal(row.value, x.val + x.start[i], row.count * sizeof *row.value);
    }
    feature_row_free(&row);
    csr_free(&x);
    features_free(&features);
}

/* Packed, the rows have the same columns and the same bits. */
static void packed_rows_equal_plain_ones(void **state)
{
    (void)state;
    struct features features, same;
    struct csr plain, x;
    struct packed_rows packed;
    uint32_t col[200];
    float val[200];
    for (int threads = 1; threads <= 3; threads += 2) {
        assert_ok(fit(&features, &plain, FILM_WORD | FILM_CHAR, 1, 0, 1));
        packing = &packed;
        assert_ok(fit(&same, &x, FILM_WORD | FILM_CHAR, 1, 0, threads));
        packing = NULL;
        assert_int_equal(x.cols, plain.cols);
        assert_memory_equal(x.start, plain.start, (plain.rows + 1) * sizeof *x.start);
        for (size_t row = 0; row < plain.rows; row++) {
            size_t from = plain.start[row], count = plain.start[row + 1] - from;
            assert_true(count <= 200);
            packed_rows_read(x.packed, row, count, col, val);
            assert_memory_equal(col, plain.col + from, count * sizeof *col);
            assert_memory_equal(val, plain.val + from, count * sizeof *val);
        }
        csr_free(&plain);
        csr_free(&x);
        packed_rows_free(&packed);
        features_free(&features);
        features_free(&same);
    }
}

static void batch_equals_single(void **state)
{
    (void)state;
    struct features features;
    struct csr x;
    assert_ok(fit(&features, &x, FILM_WORD | FILM_CHAR, 1, 0, 2));
    enum { DIM = 37, COUNT = 1000 };
    size_t cells = (size_t)features_count(&features) * DIM;
    float *map = malloc(cells * sizeof *map), *all = malloc(COUNT * DIM * sizeof *all), one[DIM];
    for (size_t i = 0; i < cells; i++) map[i] = (float)((double)((i * 7919) % 1000) / 1000 - 0.5);
    struct encoder encoder = {&features, {.rows = map}, DIM, FILM_COSINE};
    film_text *many = malloc(COUNT * sizeof *many);
    for (int i = 0; i < COUNT; i++) many[i] = film_string(texts[i % TEXTS]);
    struct feature_row row;
    assert_ok(feature_row_init(&row, &features, &error));
    for (int threads = 1; threads <= 4; threads++) {
        assert_ok(encoder_embed_all(&encoder, many, COUNT, threads, all, &error));
        for (int i = 0; i < COUNT; i++) {
            assert_ok(encoder_embed(&encoder, &row, many[i], one, &error));
            assert_memory_equal(one, all + i * DIM, sizeof one);
        }
    }
    many[500] = film_string("\xff");
    assert_int_equal(encoder_embed_all(&encoder, many, COUNT, 3, all, &error), FILM_BAD_INPUT);
    feature_row_free(&row);
    free(map);
    free(all);
    free(many);
    csr_free(&x);
    features_free(&features);
}

static film_status fit_and_free(void)
{
    struct features features;
    struct csr x;
    film_status status = fit(&features, &x, FILM_WORD | FILM_BIGRAM | FILM_CHAR, 1, 0, 1);
    csr_free(&x);
    if (packing) packed_rows_free(packing);
    features_free(&features);
    return status;
}

/* The ids of all grams, looked up one by one and sorted, are those of the row; with a lexicon too,
 * when a word is met for the first time and when it is known. */
/* The values of a row follow from how often each feature is in the list of its grams. */
static void assert_weights(const struct features *features, const struct feature_row *row)
{
    double squares[GROUPS] = {0}, value[200];
    size_t grams = 0, groups = 0;
    assert_true(row->count <= sizeof value / sizeof *value);
    for (int g = 0; g < GROUPS; g++) grams += row->grams.group[g].count;
    for (size_t i = 0; i < row->count; i++) {
        size_t times = 0;
        for (size_t k = 0; k < grams; k++) times += row->found[k] == row->id[i];
        value[i] = (1 + log((double)times)) * (double)features->idf[row->id[i]];
        squares[features_group(features, row->id[i])] += value[i] * value[i];
    }
    for (int g = 0; g < GROUPS; g++) groups += squares[g] > 0;
    for (size_t i = 0; i < row->count; i++) {
        double length = sqrt((double)groups * squares[features_group(features, row->id[i])]);
        assert_true(fabs((double)row->value[i] - value[i] / length) < 1e-6);
    }
}

static void a_row_has_the_grams_of_its_words(void **state)
{
    (void)state;
    static const char *const more[] = {"the card is unheardof",
                                       "card card cards is is",
                                       "c++ and caf\xc3\xa9s",
                                       "\xe9\x93\xb6\xe8\xa1\x8c card",
                                       "a",
                                       "don't lose the card"};
    enum { MORE = sizeof more / sizeof *more };
    struct features features;
    struct csr x;
    struct feature_row row;
    for (int bigrams = 0; bigrams < 2; bigrams++) {
        assert_ok(fit(&features, &x, FILM_WORD | FILM_CHAR | (bigrams ? FILM_BIGRAM : 0), 1, 0, 1));
        assert_ok(feature_row_init(&row, &features, &error));
        for (int round = 0; round < 3; round++) {
            if (round == 1) assert_ok(lexicon_renew(&features, NULL, &error));
            for (int t = 0; t < TEXTS + MORE; t++) {
                film_text text = film_string(t < TEXTS ? texts[t] : more[t - TEXTS]);
                size_t grams = 0, at = 0;
                assert_ok(features_transform(&features, &row, text, &error));
                assert_ok(feature_row_list(&features, &row, &error));
                for (int g = 0; g < GROUPS; g++) grams += row.grams.group[g].count;
                for (uint32_t id = 0; id < features_count(&features); id++) {
                    uint32_t count = 0;
                    for (size_t i = 0; i < grams; i++) count += row.found[i] == id;
                    if (!count) continue;
                    assert_true(at < row.count);
                    assert_int_equal(row.id[at++], id);
                }
                assert_int_equal(at, row.count);
                assert_int_equal(row.id[at], UINT32_MAX);
                assert_weights(&features, &row);
            }
        }
        feature_row_free(&row);
        features_free(&features);
        csr_free(&x);
    }
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    struct packed_rows packed = {0};
    for (int pack = 0; pack < 2; pack++) {
        packing = pack ? &packed : NULL;
        survives_every_failure(fit_and_free());
        assert_true(failures_survived > 30);
    }
    packing = NULL;
}

/* The vector of a sentence is its row times the map, whether or not the lexicon keeps the sums of
 * the words' n-grams: also for n-grams that occur twice in a word or in a sentence, for unknown
 * words, and for characters that are tokens. */
static void kept_sums_give_the_vector_of_the_row(void **state)
{
    (void)state;
    enum { DIM = 70 };
    static const char *const read[] = {
        "the card is lost", "the the the card, the card!",   "cardcard thethe is is",
        "unheard of",       "\xe6\x9d\xb1\xe4\xba\xac card", ""};
    struct features features;
    struct csr x;
    struct feature_row row;
    float vector[DIM];
    assert_ok(fit(&features, &x, GROUP_BIT(GROUP_WORD) | GROUP_BIT(GROUP_CHAR), 1, 0, 1));
    float *map = calloc(features_count(&features), DIM * sizeof *map);
    assert_non_null(map);
    for (size_t i = 0; i < (size_t)DIM * features_count(&features); i++)
        map[i] = (float)(i * 2654435761u % 1000) / 500.0f - 1.0f;
    struct encoder encoder = {.features = &features, .map.rows = map, .dim = DIM};
    assert_ok(lexicon_new(&features, NULL, &features.lexicon, &error));
    assert_false(encoder_has_sums(&encoder));
    lexicon_set_map(&features, &encoder.map, DIM);
    assert_true(encoder_has_sums(&encoder));
    assert_ok(feature_row_init(&row, &features, &error));
    for (size_t t = 0; t < sizeof read / sizeof *read; t++) {
        assert_ok(encoder_read_words(&encoder, &row, film_string(read[t]), vector, &error));
        for (size_t d = 0; d < DIM; d++) {
            double wanted = 0;
            for (size_t i = 0; i < row.count; i++)
                wanted += (double)row.value[i] * (double)map[row.id[i] * DIM + d];
            assert_true(fabs((double)vector[d] - wanted) < 2e-6);
        }
    }
    feature_row_free(&row);
    free(map);
    csr_free(&x);
    features_free(&features);
}

/* The filter of phrases lets everything through that the relations know, as it is and inflected. */
static void known_phrases_pass_the_filter(void **state)
{
    (void)state;
    static const char *const second[] = {"card",  "city", "bus", "stop", "tie", "x",
                                         "dress", "leaf", "s",   "ing",  "big", "ch"};
    static const char *const ending[] = {"",    "s",   "es", "ies",  "ves", "ed",
                                         "ing", "est", "er", "ying", "'s",  "ier"};
    enum { SECOND = sizeof second / sizeof *second, ENDING = sizeof ending / sizeof *ending };
    struct features features = {.groups = 0};
    struct relations_builder builder;
    struct relations relations;
    struct lexeme_room room[2] = {{NULL, 0}};
    struct grams grams = {.tokens.items = NULL};
    const struct lexeme *first, *word;
    size_t passed = 0, known = 0;
    assert_ok(relations_builder_init(&builder, &error));
    for (size_t i = 0; i < SECOND; i++) {
        char phrase[40];
        snprintf(phrase, sizeof phrase, "red %s", second[i]);
        assert_ok(relations_add(&builder, film_string(phrase), film_string("other"),
                                RELATION_SYNONYM, &error));
    }
    assert_ok(relations_build(&builder, &relations, &error));
    assert_ok(lexicon_new(&features, &relations, &features.lexicon, &error));
    assert_ok(
        lexicon_word(&features, film_string("red"), STRTAB_NONE, &grams, &room[0], &first, &error));
    assert_true(first->begins_phrase);
    for (size_t i = 0; i < SECOND * ENDING * 4; i++) {
        char text[40], phrase[60];
        const char *base = second[i % SECOND], *end = ending[i / SECOND % ENDING];
        size_t cut = i / SECOND / ENDING, length = strlen(base);
        if (cut < 3) /* as "cit" + "ies" */
            snprintf(text, sizeof text, "%.*s%s", (int)(length > cut ? length - cut : length), base,
                     end);
        else /* as "stop" + "p" + "ed" */
            snprintf(text, sizeof text, "%s%c%s", base, base[length - 1], end);
        snprintf(phrase, sizeof phrase, "red %s", text);
        assert_ok(lexicon_word(&features, film_string(text), STRTAB_NONE, &grams, &room[1], &word,
                               &error));
        int may = lexicon_may_have_phrase(features.lexicon, first, word);
        size_t count = relations_word(&relations, film_string(phrase)).count;
        if (count && !may) fail_msg("%s", phrase);
        passed += may != 0;
        known += count > 0;
    }
    assert_true(known > 20 && passed < known + 20); /* and hardly anything else */
    free(room[0].lexeme);
    free(room[1].lexeme);
    lexicon_free(features.lexicon);
    relations_free(&relations);
}

int main(void)
{
    struct strtab sentences;
    make_sentences(&sentences); /* all texts are distinct, as the tests assume */
    if (sentences.count != TEXTS) return 1;
    strtab_free(&sentences);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_follow_the_formula),
        cmocka_unit_test(rare_features_are_dropped_and_frequent_ones_come_first),
        cmocka_unit_test(a_row_does_not_depend_on_how_it_was_made),
        cmocka_unit_test(packed_rows_equal_plain_ones),
        cmocka_unit_test(batch_equals_single),
        cmocka_unit_test(a_row_has_the_grams_of_its_words),
        cmocka_unit_test(kept_sums_give_the_vector_of_the_row),
        cmocka_unit_test(known_phrases_pass_the_filter),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
