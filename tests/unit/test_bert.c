/* Tests src/bert on a tiny network written by the test: tokens, vectors, 8-bit weights.
 * tests/golden compares the values of real networks. */
#include "testing.h"

#include "base/mem.h"
#include "bert/bert.h"
#include "bert/bert_int8.h"
#include "tiny_bert.h"

static film_error error;
static struct tiny_tensors tensors;
static char folder[300];

static const char *const samples[] = {"a", "", "the ab abc?", "a b c d. a b c d? the", "x", "ab"};
enum { SAMPLES = sizeof samples / sizeof *samples, COPIES = 50, MANY = SAMPLES * COPIES };

static struct bert *open_tiny(void)
{
    struct bert *bert;
    assert_ok(bert_open(folder, &bert, &error));
    return bert;
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s", scratch("bert"));
    tiny_make(&tensors);
    assert_int_equal(tensors.count, TINY_TENSORS);
    tiny_write(folder, &tensors);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tiny_remove(folder);
    return 0;
}

static void a_vector_depends_on_its_sentence_alone(void **state)
{
    (void)state;
    struct bert *bert = open_tiny();
    film_text texts[MANY];
    static float all[MANY][TINY_HIDDEN], other[MANY][TINY_HIDDEN], alone[TINY_HIDDEN];
    for (size_t i = 0; i < MANY; i++) texts[i] = film_string(samples[i * 7 % SAMPLES]);
    assert_int_equal(bert_dim(bert), TINY_HIDDEN);
    assert_ok(bert_encode(bert, texts, MANY, 1, all[0], &error));
    assert_ok(bert_encode(bert, texts, MANY, 3, other[0], &error));
    for (size_t i = 0; i < MANY; i++) {
        assert_ok(bert_encode(bert, &texts[i], 1, 2, alone, &error));
        for (size_t d = 0; d < TINY_HIDDEN; d++) {
            assert_close(all[i][d], alone[d], 2e-6);
            assert_close(all[i][d], other[i][d], 2e-6);
        }
    }
    double apart = 0; /* and they are not all the same */
    for (size_t d = 0; d < TINY_HIDDEN; d++) apart += fabs(all[0][d] - all[2][d]);
    assert_true(apart > 0.1);
    assert_ok(bert_encode(bert, NULL, 0, 2, NULL, &error));
    bert_free(bert);
}

static void token_matrices_are_cut_and_padded(void **state)
{
    (void)state;
    enum { MOST = 6 };
    struct bert *bert = open_tiny();
    film_text texts[SAMPLES];
    float out[SAMPLES][MOST][TINY_HIDDEN], vector[TINY_HIDDEN];
    uint32_t lengths[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) texts[i] = film_string(samples[i]);
    assert_ok(bert_encode_tokens(bert, texts, SAMPLES, 2,
                                 &(struct bert_states){out[0][0], lengths, MOST}, &error));
    const uint32_t wanted[SAMPLES] = {3, 2, 6, 6, 3, 3};
    for (size_t i = 0; i < SAMPLES; i++) {
        assert_int_equal(lengths[i], wanted[i]);
        for (size_t t = lengths[i]; t < MOST; t++)
            for (size_t d = 0; d < TINY_HIDDEN; d++) assert_true(out[i][t][d] == 0);
        if (i == 3) continue; /* longer than MOST: truncated differently */
        assert_ok(bert_encode(bert, &texts[i], 1, 1, vector, &error));
        for (size_t d = 0; d < TINY_HIDDEN; d++) {
            double sum = 0;
            for (size_t t = 0; t < lengths[i]; t++) sum += out[i][t][d];
            if (i != 2) assert_close(vector[d], sum / lengths[i], 2e-6);
        }
    }
    assert_int_equal(
        bert_encode_tokens(bert, texts, 1, 1, &(struct bert_states){out[0][0], lengths, 1}, &error),
        FILM_USAGE);
    bert_free(bert);
}

static void expect_ids(const struct bert *bert, const char *text, size_t most, size_t count,
                       const uint32_t *wanted)
{
    uint32_t ids[TINY_POSITIONS];
    size_t got;
    assert_ok(bert_tokenize(bert, film_string(text), most, ids, &got, &error));
    assert_int_equal(got, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(ids[i], wanted[i]);
}

static void words_become_the_longest_pieces(void **state)
{
    (void)state;
    struct bert *bert = open_tiny();
    expect_ids(bert, "aba", 24, 4, (uint32_t[]){2, 12, 9, 3});  /* ab ##a */
    expect_ids(bert, "abx a", 24, 4, (uint32_t[]){2, 1, 5, 3}); /* one unknown part: all of it */
    expect_ids(bert, "A\xcc\x81?\t.", 24, 5, (uint32_t[]){2, 5, 13, 14, 3});
    /* wide */
    expect_ids(bert, "\xef\xbc\xa1 a\xe3\x80\x80\x61", 24, 5, (uint32_t[]){2, 1, 5, 5, 3});
    expect_ids(bert, "[MASK][SEP] [mask]", 24, 7, (uint32_t[]){2, 4, 3, 1, 1, 1, 3});
    expect_ids(bert, "abab abab", 4, 4, (uint32_t[]){2, 12, 9, 3}); /* cut inside a word */
    expect_ids(bert, "abx a a a", 3, 3, (uint32_t[]){2, 1, 3});
    expect_ids(bert, "a", 2, 2, (uint32_t[]){2, 3});
    uint32_t ids[TINY_POSITIONS];
    size_t got;
    assert_int_equal(bert_tokenize(bert, film_string("a\xff"), 9, ids, &got, &error),
                     FILM_BAD_INPUT);
    assert_string_equal(error.message, "the text is not valid UTF-8 at byte 1");
    bert_free(bert);
}

static double cosine(const float *a, const float *b)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t d = 0; d < TINY_HIDDEN; d++)
        ab += a[d] * b[d], aa += a[d] * a[d], bb += b[d] * b[d];
    return ab / sqrt(aa * bb);
}

static void bytes_give_nearly_the_same_and_always_the_same(void **state)
{
    (void)state;
    struct bert *bert = open_tiny();
    film_text texts[MANY];
    static float plain[MANY][TINY_HIDDEN], rounded[MANY][TINY_HIDDEN], alone[TINY_HIDDEN];
    for (size_t i = 0; i < MANY; i++) texts[i] = film_string(samples[i % SAMPLES]);
    uint64_t before = bert_fingerprint(bert);
    assert_ok(bert_encode(bert, texts, MANY, 1, plain[0], &error));
    assert_ok(bert_round(bert, 1, &error));
    assert_true(before != bert_fingerprint(bert));
    assert_ok(bert_encode(bert, texts, MANY, 2, rounded[0], &error));
    for (size_t i = 0; i < MANY; i++) {
        assert_true(cosine(plain[i], rounded[i]) > 0.999);
        assert_ok(bert_encode(bert, &texts[i], 1, 1, alone, &error));
        assert_memory_equal(alone, rounded[i], sizeof alone);
    }
    assert_memory_not_equal(plain, rounded, sizeof plain);
    assert_ok(bert_round(bert, 0, &error));
    assert_true(before == bert_fingerprint(bert));
    assert_ok(bert_encode(bert, texts, MANY, 1, rounded[0], &error));
    assert_memory_equal(plain, rounded, sizeof plain);
    bert_free(bert);
}

/* Sizes that are not multiples of a block, extreme numbers, a row of zeros. */
static void every_kernel_gives_the_sums_of_plain_integers(void **state)
{
    (void)state;
    enum { ROWS = BERT_INT8_ROWS + 1, INPUTS = 37, OUTPUTS = 45 };
    static float x[ROWS * INPUTS], w[INPUTS * OUTPUTS], out[ROWS * OUTPUTS];
    static int8_t spare[BERT_INT8_ROWS * (INPUTS + 3)];
    struct bert_int8 matrix;
    struct rng rng;
    rng_seed(&rng, 3);
    /* Integers with 127 among them: quantisation is exact. */
    for (size_t i = 0; i < ROWS * INPUTS; i++)
        x[i] = i < INPUTS ? 0 : i % INPUTS == 5 ? -127 : (float)rng_below(&rng, 255) - 127;
    for (size_t i = 0; i < INPUTS * OUTPUTS; i++)
        w[i] = i < OUTPUTS ? 127 : (float)rng_below(&rng, 255) - 127;
    assert_ok(bert_int8_init(&matrix, w, INPUTS, OUTPUTS, &error));
    for (size_t k = 0; k < bert_int8_kernel_count; k++) {
        if (!bert_int8_kernels[k].here()) continue;
        bert_int8_multiply(&matrix, &bert_int8_kernels[k], x, ROWS, spare, out);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t o = 0; o < OUTPUTS; o++) {
                double sum = 0;
                for (size_t i = 0; i < INPUTS; i++) sum += x[r * INPUTS + i] * w[i * OUTPUTS + o];
                assert_close(out[r * OUTPUTS + o], sum, 1e-6 * fabs(sum));
            }
    }
    x[INPUTS + 1] = NAN;
    bert_int8_multiply(&matrix, bert_int8_best(), x, ROWS, spare, out);
    assert_true(isnan(out[OUTPUTS]) && !isnan(out[0]) && !isnan(out[2 * OUTPUTS]));
    bert_int8_free(&matrix);
}

static uint64_t fingerprint(void)
{
    struct bert *bert = open_tiny();
    uint64_t value = bert_fingerprint(bert);
    bert_free(bert);
    return value;
}

static void the_fingerprint_follows_what_decides_the_vectors(void **state)
{
    (void)state;
    uint64_t before = fingerprint();
    assert_true(before == fingerprint());
    const char *settings = "{\"do_lower_case\": false}";
    write_file(tiny_path(folder, "tokenizer_config.json"), settings, strlen(settings));
    assert_true(before != fingerprint());
    remove(tiny_path(folder, "tokenizer_config.json"));
    assert_true(before == fingerprint());
    tensors.data[TINY_TENSORS - 1][0] += 1e-3f;
    tiny_write(folder, &tensors);
    assert_true(before != fingerprint());
    tiny_make(&tensors);
    tiny_write(folder, &tensors);
}

static film_status open_and_encode(void)
{
    struct bert *bert;
    film_text texts[2] = {film_string("the ab a."), film_string("b")};
    float out[2][TINY_HIDDEN];
    film_status status = bert_open(folder, &bert, &error);
    if (status == FILM_OK) status = bert_encode(bert, texts, 2, 1, out[0], &error);
    if (status == FILM_OK) status = bert_round(bert, 1, &error);
    if (bert && status != FILM_OK) assert_false(bert_is_rounded(bert));
    bert_free(bert);
    return status;
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    survives_every_failure(open_and_encode());
    assert_true(failures_survived > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_depends_on_its_sentence_alone),
        cmocka_unit_test(token_matrices_are_cut_and_padded),
        cmocka_unit_test(words_become_the_longest_pieces),
        cmocka_unit_test(bytes_give_nearly_the_same_and_always_the_same),
        cmocka_unit_test(every_kernel_gives_the_sums_of_plain_integers),
        cmocka_unit_test(the_fingerprint_follows_what_decides_the_vectors),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
