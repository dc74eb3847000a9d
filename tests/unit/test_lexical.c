/* Tests index/lexical against a scan of every document, from memory and from arrays of a file. */
#include "testing.h"

#include "base/rng.h"
#include "index/lexical.h"

/* Documents of random words: the probability of word w falls with w, as in text. */
enum { WORDS = 60, MOST = 12 };

struct document {
    uint64_t key[MOST];
    float weight[MOST];
    size_t count;
    int dead;
};

static film_error error;

static struct document draw(struct rng *rng)
{
    struct document d = {.count = (size_t)rng_below(rng, MOST + 1)};
    double squares = 0;
    for (size_t i = 0; i < d.count; i++) {
        uint64_t word = rng_below(rng, 1 + rng_below(rng, WORDS));
        int known = 0;
        d.key[i] = 1 + word * 0x9E3779B97F4A7C15u;
        for (size_t j = 0; j < i; j++) known |= d.key[j] == d.key[i];
        d.weight[i] = known ? 0 : (float)(1 + rng_below(rng, 5));
        squares += (double)d.weight[i] * (double)d.weight[i];
    }
    for (size_t i = 0; i < d.count; i++) d.weight[i] /= (float)sqrt(squares);
    return d;
}

static struct lexical_terms terms_of(const struct document *d)
{
    return (struct lexical_terms){d->key, d->weight, d->count};
}

static float code(float weight)
{
    return floorf(weight * LEXICAL_ONE + 0.5f);
}

static float product(const struct document *a, const struct document *b)
{
    float sum = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            if (a->key[i] == b->key[j]) sum += code(a->weight[i]) * code(b->weight[j]);
    return sum / ((float)LEXICAL_ONE * LEXICAL_ONE);
}

/* Compares the best K of a full scan with the index. */
static void compare(const struct lexical *lexical, struct lexical_searcher *searcher,
                    const struct document *documents, size_t count, const struct document *query,
                    size_t k)
{
    uint32_t id[100];
    float score[100];
    size_t expected = 0;
    struct nearest out = {id, score, 0};
    char *used = calloc(count + 1, 1);
    uint8_t *mask = NULL;
    if (k % 3 == 0) { /* only every fourth document is allowed */
        mask = calloc(count + 1, 1);
        for (size_t i = 0; i < count; i += 4) mask[i] = 1;
    }
    assert_ok(lexical_search(lexical, searcher, terms_of(query), mask, k, &out, &error));
    for (size_t place = 0; place < k; place++, expected++) {
        size_t best = count;
        float most = 0;
        for (size_t i = 0; i < count; i++) {
            float value = documents[i].dead || used[i] || (mask && !mask[i])
                              ? 0
                              : product(&documents[i], query);
            if (value > most) {
                most = value;
                best = i;
            }
        }
        if (best == count) break;
        used[best] = 1;
        assert_true(place < out.found);
        assert_int_equal(id[place], best);
        assert_true(score[place] == most);
    }
    assert_int_equal(out.found, expected);
    free(used);
    free(mask);
}

/* Grows in steps with removals, so that both the lists and the tail are searched, merged or not. */
static void results_equal_a_full_scan(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    struct document *documents = malloc(COUNT * sizeof *documents);
    struct lexical *lexical = NULL;
    struct lexical_searcher *searcher = NULL;
    struct rng rng;
    rng_seed(&rng, 7);
    assert_ok(lexical_new(&lexical, &error));
    assert_ok(lexical_searcher_new(&searcher, &error));
    for (size_t i = 0; i < COUNT; i++) {
        documents[i] = draw(&rng);
        assert_ok(lexical_add(lexical, terms_of(&documents[i]), &error));
        if (i % 700 == 699) assert_ok(lexical_settle(lexical, &error));
        if (i % 5 == 4) {
            uint32_t gone[2] = {(uint32_t)rng_below(&rng, i + 1), UINT32_MAX};
            documents[gone[0]].dead = 1;
            assert_ok(lexical_remove(lexical, gone, 2, &error));
        }
        if (i % 100 != 99) continue;
        for (int q = 0; q < 4; q++) {
            struct document query = draw(&rng);
            size_t k = q ? (size_t)rng_below(&rng, 60) : 3;
            compare(lexical, searcher, documents, i + 1, &query, k);
        }
    }
    assert_int_equal(lexical_count(lexical), COUNT);
    lexical_searcher_free(searcher);
    lexical_free(lexical);
    free(documents);
}

static void arrays_of_a_file_can_be_searched_and_grow(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    struct document documents[COUNT + 40];
    struct lexical *lexical = NULL, *opened = NULL;
    struct lexical_searcher *searcher = NULL;
    struct rng rng;
    uint32_t gone = 17;
    rng_seed(&rng, 9);
    assert_ok(lexical_new(&lexical, &error));
    assert_ok(lexical_searcher_new(&searcher, &error));
    for (size_t i = 0; i < COUNT; i++) {
        documents[i] = draw(&rng);
        assert_ok(lexical_add(lexical, terms_of(&documents[i]), &error));
    }
    assert_ok(lexical_remove(lexical, &gone, 1, &error));
    documents[gone].dead = 1;
    assert_ok(lexical_settle(lexical, &error));
    struct lexical_view view = lexical_view(lexical);
    assert_ok(lexical_check(&view, &error));
    assert_ok(lexical_open(&view, &opened, &error));
    for (int q = 0; q < 5; q++) {
        struct document query = draw(&rng);
        compare(opened, searcher, documents, COUNT, &query, 20);
    }
    for (size_t i = COUNT; i < COUNT + 40; i++) {
        documents[i] = draw(&rng);
        assert_ok(lexical_add(opened, terms_of(&documents[i]), &error));
    }
    for (int settled = 0; settled < 2; settled++) {
        struct document query = draw(&rng);
        compare(opened, searcher, documents, COUNT + 40, &query, 30);
        assert_ok(lexical_settle(opened, &error));
    }
    view = lexical_view(opened);
    assert_ok(lexical_check(&view, &error));
    assert_true(lexical_frequency(opened, documents[0].count ? documents[0].key[0] : 1) > 0);
    lexical_free(opened);
    lexical_free(lexical);
    lexical_searcher_free(searcher);
}

/* Another process changes the mapped file after it was checked: what was checked is a copy. */
static void a_file_that_changes_after_its_check_does_no_harm(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    struct lexical *lexical = NULL, *opened = NULL;
    struct rng rng;
    rng_seed(&rng, 11);
    assert_ok(lexical_new(&lexical, &error));
    for (int i = 0; i < COUNT; i++) {
        struct document d = draw(&rng);
        assert_ok(lexical_add(lexical, terms_of(&d), &error));
    }
    assert_ok(lexical_settle(lexical, &error));
    struct lexical_view view = lexical_view(lexical);
    assert_ok(lexical_open(&view, &opened, &error));
    struct document more = draw(&rng);
    while (more.count == 0) more = draw(&rng);
    assert_ok(lexical_add(opened, terms_of(&more), &error));
    uint64_t *start = (uint64_t *)(uintptr_t)view.start, kept = start[1];
    start[1] = 1000000; /* beyond the postings */
    assert_ok(lexical_settle(opened, &error));
    assert_int_equal(lexical_count(opened), COUNT + 1);
    start[1] = kept;
    lexical_free(opened);
    lexical_free(lexical);
}

/* Changes one number of a valid index: validation must fail. */
static void damaged_arrays_are_refused(void **state)
{
    (void)state;
    struct lexical *lexical = NULL;
    struct rng rng;
    rng_seed(&rng, 3);
    assert_ok(lexical_new(&lexical, &error));
    for (int i = 0; i < 50; i++) {
        struct document d = draw(&rng);
        assert_ok(lexical_add(lexical, terms_of(&d), &error));
    }
    assert_ok(lexical_settle(lexical, &error));
    struct lexical_view view = lexical_view(lexical);
    assert_ok(lexical_check(&view, &error));
    uint64_t *start = (uint64_t *)(uintptr_t)view.start, kept = start[3];
    uint32_t *document = (uint32_t *)(uintptr_t)view.document, kept_id = document[1];
    uint16_t *weight = (uint16_t *)(uintptr_t)view.weight, kept_weight = weight[2];
    start[3] = view.postings + 1;
    assert_int_equal(lexical_check(&view, &error), FILM_BAD_INPUT);
    start[3] = kept;
    document[1] = 1000;
    assert_int_equal(lexical_check(&view, &error), FILM_BAD_INPUT);
    document[1] = kept_id;
    weight[2] = 0;
    assert_int_equal(lexical_check(&view, &error), FILM_BAD_INPUT);
    weight[2] = kept_weight;
    /* Two keys for one term leave another without: a change of the index would lose it. */
    size_t slots = (size_t)view.terms.slot_mask + 1, first = 0, second;
    uint32_t *number = (uint32_t *)(uintptr_t)view.terms.number;
    while (!view.terms.keys[first]) first++;
    for (second = first + 1; second < slots && !view.terms.keys[second];) second++;
    uint32_t kept_number = number[second];
    number[second] = number[first];
    assert_int_equal(lexical_check(&view, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "two keys"));
    number[second] = kept_number;
    assert_ok(lexical_check(&view, &error));
    view.count = (size_t)LEXICAL_MAX_COUNT + 1;
    struct lexical *opened = NULL;
    assert_int_equal(lexical_open(&view, &opened, &error), FILM_BAD_INPUT);
    assert_null(opened);
    lexical_free(lexical);
}

static film_status build_and_search(void)
{
    film_status status = FILM_OK;
    struct lexical *lexical = NULL;
    struct lexical_searcher *searcher = NULL;
    struct rng rng;
    struct document d;
    uint32_t id[3];
    float score[3];
    struct nearest out = {id, score, 0};
    rng_seed(&rng, 3);
    TRY(lexical_new(&lexical, &error));
    for (int i = 0; i < 30; i++) {
        d = draw(&rng);
        TRY(lexical_add(lexical, terms_of(&d), &error));
        if (i == 20) TRY(lexical_settle(lexical, &error));
    }
    TRY(lexical_searcher_new(&searcher, &error));
    d = draw(&rng);
    TRY(lexical_search(lexical, searcher, terms_of(&d), NULL, 3, &out, &error));
done:
    lexical_searcher_free(searcher);
    lexical_free(lexical);
    return status;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    survives_every_failure(build_and_search());
    assert_true(failures_survived > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_equal_a_full_scan),
        cmocka_unit_test(arrays_of_a_file_can_be_searched_and_grow),
        cmocka_unit_test(a_file_that_changes_after_its_check_does_no_harm),
        cmocka_unit_test(damaged_arrays_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests_name("lexical", tests, NULL, NULL);
}
