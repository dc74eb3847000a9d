/* Tests the estimate of film_dedup_options.recall on a sample against comparing all pairs. */
#include "pools.h"
#include "base/rng.h"

static film_error error;
static film_model *model;
static const char *const WORDS[] = {"I",   "lost", "my",   "card",  "where", "is",  "parcel", "can",
                                    "pay", "in",   "euro", "order", "a",     "new", "how",    "do"};

/* Many are sampled: the interval contains the figure of comparing all. */
static void the_interval_of_a_sample_contains_completeness(void **state)
{
    (void)state;
    enum { MANY = 500 };
    static char text[MANY][100];
    static film_record many[MANY];
    struct rng rng;
    film_dedup_options options = {.size = sizeof options, .threshold = 0.05, .candidates = MANY};
    film_dedup_result exact = {.size = sizeof exact}, found = {.size = sizeof found};
    rng_seed(&rng, 3);
    for (size_t i = 0; i < MANY; i++) {
        text[i][0] = 0;
        for (size_t words = 4 + rng_below(&rng, 3); words > 0; words--) {
            strcat(text[i], WORDS[rng_below(&rng, 16)]);
            if (words > 1) strcat(text[i], " ");
        }
        many[i].text = film_string(text[i]);
    }
    assert_ok(film_dedup(model, many, MANY, &options, &exact, &error));
    options.candidates = 5;
    options.recall = 1;
    assert_ok(film_dedup(model, many, MANY, &options, &found, &error));
    uint64_t copies = found.records - found.distinct; /* pairs with identical words */
    double share = (double)(found.pairs - copies) / (double)(exact.pairs - copies);
    assert_true(found.sampled > 100 && found.sampled < found.distinct);
    assert_true(share < 0.99);
    assert_true(found.completeness_low < share && share < found.completeness_high);
    assert_true(found.completeness_low < found.completeness &&
                found.completeness < found.completeness_high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_of_a_sample_contains_completeness),
    };
    const char *path = scratch("recall.film");
    save_model(path, FILM_METHOD_SVD);
    if (film_open(path, &model, &error) != FILM_OK) return 1;
    unlink(path);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    film_close(model);
    return failed;
}
