/* Tests dedup/blocking against words counted here, in made-up records of a name, a city and a
 * code. */
#include "vocabulary.h"

#include "dedup/blocking.h"
#include "pair/record_fields.h"

#include <math.h>

#define N "\x1e"
#define V "\x1f"

enum { PEOPLE = 6000, TWINS = 40, WORDS = 3 };

static film_error error;
static struct vocabulary vocabulary;
static struct record_fields fields;
static struct blocking *blocking;
static char texts[PEOPLE][80];
static film_text list[PEOPLE];
/* Numbers of the name, the city and the code of each record. */
static unsigned value[PEOPLE][WORDS];
static unsigned frequency[WORDS][PEOPLE]; /* of a value */

/* Records 2 i and 2 i + 1 have the same code for i below TWINS; all others have codes of their
 * own. Four of five records are in the same city, whose list is too long to be searched by. */
static int setup(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 5);
    vocabulary_fit(&vocabulary, FILM_WORD, "some words\n");
    assert_ok(record_fields_add(&fields, film_string("name"), TYPE_NAME, &error));
    assert_ok(record_fields_add(&fields, film_string("city"), TYPE_CATEGORY, &error));
    assert_ok(record_fields_add(&fields, film_string("code"), TYPE_CATEGORY, &error));
    assert_ok(record_fields_prepare(&fields, &error));
    vocabulary.encoder.fields = &fields;
    for (unsigned i = 0; i < PEOPLE; i++) {
        value[i][0] = (unsigned)rng_below(&rng, 2000);
        value[i][1] = i % 10 < 8 ? 0 : 1 + (unsigned)rng_below(&rng, 300);
        value[i][2] = i < 2 * TWINS ? i / 2 : i;
        snprintf(texts[i], sizeof *texts,
                 N "name" V "n%c%c%c" N "city" V "c%c%c%c" N "code" V "k%c%c%c",
                 'a' + value[i][0] / 676, 'a' + value[i][0] / 26 % 26, 'a' + value[i][0] % 26,
                 'a' + value[i][1] / 676, 'a' + value[i][1] / 26 % 26, 'a' + value[i][1] % 26,
                 'a' + value[i][2] / 676, 'a' + value[i][2] / 26 % 26, 'a' + value[i][2] % 26);
        for (unsigned w = 0; w < WORDS; w++) frequency[w][value[i][w]]++;
        list[i] = film_string(texts[i]);
    }
    assert_ok(blocking_new(&vocabulary.encoder, list, PEOPLE, 2, &blocking, &error));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    blocking_free(blocking);
    record_fields_free(&fields);
    vocabulary_free(&vocabulary);
    return 0;
}

/* Adds the information of a term of COUNT records; to *RARE if it is searched by. */
static void add_information(unsigned count, double *sum, double *rare)
{
    *sum += log((double)PEOPLE / count);
    if (count <= BLOCKING_POSTINGS) *rare += log((double)PEOPLE / count);
}

/* The information of the shared values, and of every two of them, over that of a unique word. */
static double shared(unsigned a, unsigned b, double *rare)
{
    double sum = 0;
    *rare = 0;
    for (unsigned w = 0; w < WORDS; w++) {
        if (value[a][w] != value[b][w]) continue;
        add_information(frequency[w][value[a][w]], &sum, rare);
        for (unsigned v = w + 1; v < WORDS; v++) {
            unsigned both = 0;
            if (value[a][v] != value[b][v]) continue;
            for (unsigned i = 0; i < PEOPLE; i++)
                both += value[i][w] == value[a][w] && value[i][v] == value[a][v];
            add_information(both, &sum, rare);
        }
    }
    return sum / log(PEOPLE + 1.0);
}

/* Before anything is learned, a record finds those that share a value other than the common city,
 * ordered by the information of all shared values. */
static void searches_equal_a_comparison_with_all(void **state)
{
    (void)state;
    struct blocking_searcher *searcher = NULL;
    uint32_t id[16];
    float score[16];
    assert_ok(blocking_searcher_new(blocking, &searcher, &error));
    for (unsigned i = 0; i < 200; i++) {
        struct nearest out = {id, score, 0};
        unsigned expected = 0;
        double rare;
        blocking_search(blocking, searcher, i, 0, 16, &out);
        for (unsigned j = 0; j < PEOPLE; j++) {
            if (j == i) continue;
            double sum = shared(i, j, &rare);
            if (rare <= 0) continue;
            expected++;
            assert_float_equal((double)blocking_score(blocking, i, j), 1 / (1 + exp(-0.25 * sum)),
                               1e-5);
        }
        assert_int_equal(out.found, expected < 16 ? expected : 16);
        for (size_t c = 0; c < out.found; c++) {
            double sum = shared(i, id[c], &rare);
            assert_true(rare > 0);
            assert_float_equal((double)score[c], 1 / (1 + exp(-0.25 * sum)), 1e-5);
            assert_true(c == 0 || score[c] <= score[c - 1]);
        }
    }
    blocking_searcher_free(searcher);
}

/* Examples in which the code decides: pairs with the same code get the highest scores. */
static void the_score_learns_which_field_decides(void **state)
{
    (void)state;
    enum { EXAMPLES = 400 };
    static struct blocking_example examples[EXAMPLES];
    struct rng rng;
    size_t count = 0;
    rng_seed(&rng, 6);
    for (uint32_t i = 0; i < TWINS; i++)
        examples[count++] = (struct blocking_example){2 * i, 2 * i + 1, 1};
    while (count < EXAMPLES) {
        uint32_t a = (uint32_t)rng_below(&rng, PEOPLE), b = (uint32_t)rng_below(&rng, PEOPLE);
        if (value[a][2] != value[b][2]) examples[count++] = (struct blocking_example){a, b, 0};
    }
    assert_ok(blocking_learn(blocking, examples, EXAMPLES, &error));
    for (uint32_t i = 0; i < TWINS; i++)
        assert_true(blocking_score(blocking, 2 * i, 2 * i + 1) > 0.6f);
    for (uint32_t i = 100; i < 1000; i++) assert_true(blocking_score(blocking, i, i + 1000) < 0.5f);
}

/* Every allocation of building, learning and searching fails once. */
static film_status block_some(void)
{
    static const struct blocking_example examples[] = {{0, 1, 1}, {2, 3, 1}, {0, 5, 0}, {1, 4, 0}};
    film_status status = FILM_OK;
    struct blocking *some = NULL;
    struct blocking_searcher *searcher = NULL;
    uint32_t id[4];
    float score[4];
    struct nearest out = {id, score, 0};
    TRY(blocking_new(&vocabulary.encoder, list, 60, 1, &some, &error));
    TRY(blocking_learn(some, examples, 4, &error));
    TRY(blocking_searcher_new(some, &searcher, &error));
    blocking_search(some, searcher, 0, 0, 4, &out);
    assert_int_equal(out.found > 0 ? id[0] : 0, 1); /* record 1 has the same code */
done:
    blocking_searcher_free(searcher);
    blocking_free(some);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    survives_every_failure(block_some());
    assert_true(failures_survived > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(searches_equal_a_comparison_with_all),
                                       cmocka_unit_test(the_score_learns_which_field_decides),
                                       cmocka_unit_test(no_memory_is_reported)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
