/* Tests properties of every explanation: words, groups and bias add up to the log-odds, swapping
 * mirrors it, words do not overlap, and links add up to the similarity. */
#include "random_pairs.h"

#include "explain/pair.h"

#include <jansson.h>

static film_context *context, *second;

enum { ROUNDS = 1000 };

static int set_up(void **state)
{
    (void)state;
    film_train_options options;
    faq_options(&options);
    options.keep_examples = 60;
    model = faq_train(&options);
    assert_int_equal(model->examples.count, 60);
    assert_ok(film_context_new(model, &context, &error));
    assert_ok(film_context_new(model, &second, &error));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    film_context_free(context);
    film_context_free(second);
    film_close(model);
    return 0;
}

static void use(film_decision decision)
{
    film_answer_options options = {.size = sizeof options};
    options.decision = decision;
    options.prior = 0.3;
    assert_ok(film_context_set(context, &options, &error));
    assert_ok(film_context_set(second, &options, &error));
}

static void explain(film_context *which, const char *a, const char *b, film_explanation *why)
{
    assert_ok(film_explain_pair(which, film_string(a), film_string(b), why, &error));
}

/* ---- Sums ---- */

static void check_sums(const film_explanation *why)
{
    double sum = why->verdict.bias;
    size_t reasons = 0;
    for (size_t i = 0; i < why->word_count; i++) sum += why->words[i].weight;
    for (size_t g = 0; g < why->group_count; g++) {
        const film_reason_group *group = &why->groups[g];
        double inside = 0;
        for (size_t i = 0; i < group->reason_count; i++) {
            inside += group->reasons[i].weight;
            if (i) /* strongest first */
                assert_true(fabs(group->reasons[i].weight) <= fabs(group->reasons[i - 1].weight));
        }
        assert_close(inside, group->weight, 1e-10);
        assert_true(group->reason_count > 0);
        if (g) assert_true(fabs(group->weight) <= fabs(why->groups[g - 1].weight));
        reasons += group->reason_count;
        sum += group->weight;
    }
    assert_true(reasons >= why->group_count);
    assert_close(sum, why->verdict.log_odds, 1e-9);
}

static void check_words(const film_explanation *why)
{
    for (size_t i = 0; i < why->word_count; i++) {
        const film_word_share *word = &why->words[i];
        film_text text = word->side == 'a' ? why->a : why->b;
        assert_true(word->start <= word->end && word->end <= text.length);
        assert_ptr_equal(word->text.bytes, text.bytes + word->start);
        assert_int_equal(word->text.length, word->end - word->start);
        if (i && word->side == word[-1].side) assert_true(word->start >= word[-1].end);
        if (i) assert_true(word->side >= word[-1].side);
    }
}

/* The words of a in one are those of b in the other. */
static void check_mirror(const film_explanation *why, const film_explanation *mirror)
{
    size_t of_a = 0, count = why->word_count;
    while (of_a < count && why->words[of_a].side == 'a') of_a++;
    assert_int_equal(mirror->word_count, count);
    for (size_t i = 0; i < count; i++) {
        const film_word_share *word = &why->words[i];
        const film_word_share *other = &mirror->words[i < of_a ? count - of_a + i : i - of_a];
        assert_int_equal(word->start, other->start);
        assert_int_equal(word->end, other->end);
        assert_int_not_equal(word->side, other->side);
        assert_close(word->weight, other->weight, 1e-12);
    }
    assert_int_equal(why->group_count, mirror->group_count);
    for (size_t g = 0; g < why->group_count; g++) {
        assert_string_equal(why->groups[g].name, mirror->groups[g].name);
        assert_close(why->groups[g].weight, mirror->groups[g].weight, 1e-12);
    }
    assert_int_equal(why->fact_count, mirror->fact_count);
    assert_int_equal(why->link_count, mirror->link_count);
    for (size_t i = 0; i < why->link_count; i++)
        assert_close(why->links[i].share, mirror->links[i].share, 1e-6);
    assert_int_equal(why->example_count, mirror->example_count);
    for (size_t i = 0; i < why->example_count; i++) {
        assert_close(why->examples[i].similarity, mirror->examples[i].similarity, 1e-12);
        assert_int_equal(why->examples[i].same, mirror->examples[i].same);
    }
}

static void everything_adds_up_and_swapping_mirrors_it(void **state)
{
    (void)state;
    static char a[ROOM], b[ROOM];
    struct rng rng;
    rng_seed(&rng, 11);
    for (int decision = FILM_DECISION_FULL; decision <= FILM_DECISION_THRESHOLD; decision++) {
        use((film_decision)decision);
        for (int round = 0; round < ROUNDS; round++) {
            film_explanation why = {.size = sizeof why}, mirror = {.size = sizeof mirror};
            random_pair(&rng, a, b);
            explain(context, a, b, &why);
            explain(second, b, a, &mirror);
            check_sums(&why);
            check_words(&why);
            check_mirror(&why, &mirror);
        }
    }
}

static void the_verdict_is_that_of_a_match(void **state)
{
    (void)state;
    static char a[ROOM], b[ROOM];
    struct rng rng;
    rng_seed(&rng, 12);
    use(FILM_DECISION_FULL);
    for (int round = 0; round < 200; round++) {
        film_explanation why = {.size = sizeof why};
        film_verdict verdict;
        random_pair(&rng, a, b);
        explain(context, a, b, &why);
        assert_ok(film_match(second, film_string(a), film_string(b), &verdict, &error));
        assert_true(why.verdict.probability == verdict.probability);
        assert_true(why.verdict.log_odds == verdict.log_odds);
        assert_int_equal(why.verdict.reason_count, verdict.reason_count);
    }
}

/* ---- Links ---- */

static void links_add_up_to_the_similarity(void **state)
{
    (void)state;
    static char a[ROOM], b[ROOM];
    struct rng rng;
    struct reading reading;
    struct words words = {0};
    struct links links = {.count = 0};
    struct encoder sparse = model->encoder; /* features only, as in a tfidf model */
    sparse.map = (struct word_map){.rows = NULL};
    sparse.dim = 0;
    const struct encoder *encoders[2] = {&model->encoder, &sparse};
    for (int e = 0; e < 2; e++) {
        rng_seed(&rng, 13);
        assert_ok(reading_init(&reading, encoders[e], &error));
        for (int round = 0; round < 300; round++) {
            random_pair(&rng, a, b);
            assert_ok(reading_read(&reading, film_string(a), film_string(b), &error));
            assert_ok(words_find(&words, &reading, &error));
            assert_ok(links_find(&links, &words, &reading, &error));
            double whole =
                e ? encoder_sparse_similarity(&sparse, &reading.side[0].row, &reading.side[1].row)
                  : encoder_similarity(&model->encoder, reading.side[0].vector,
                                       reading.side[1].vector);
            assert_close(links.sum, whole, 1e-5);
        }
        reading_free(&reading);
    }
    words_free(&words);
    links_free(&links);
}

/* ---- JSON, read back by another library ---- */

/* Groups of a verdict: they add up with the bias, those for the verdict first, each half with the
 * strongest first, and the groups without words are those of the explanation. */
static void check_groups(const film_explanation *why)
{
    char *text = NULL;
    size_t i, known = 0;
    json_t *group;
    double sum = why->verdict.bias, before = INFINITY;
    int against = 0;
    assert_ok(film_groups_json(&why->verdict, &text, NULL, &error));
    json_t *groups = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    json_array_foreach(groups, i, group)
    {
        double weight = json_real_value(json_object_get(group, "weight"));
        const char *id = json_string_value(json_object_get(group, "id"));
        int opposes = (weight > 0) != why->verdict.same;
        assert_true(opposes >= against);
        if (opposes != against) before = INFINITY;
        assert_true(fabs(weight) <= before);
        against = opposes;
        before = fabs(weight);
        sum += weight;
        for (size_t g = 0; g < why->group_count; g++)
            if (strcmp(why->groups[g].id, id) == 0) {
                assert_close(weight, why->groups[g].weight, 1e-9);
                known++;
            }
    }
    assert_int_equal(known, why->group_count);
    assert_close(sum, why->verdict.log_odds, 1e-9);
    json_decref(groups);
    film_free(text);
}

static void json_equals_the_structs(void **state)
{
    (void)state;
    static char a[ROOM], b[ROOM];
    struct rng rng;
    rng_seed(&rng, 14);
    use(FILM_DECISION_FULL);
    for (int round = 0; round < 200; round++) {
        film_explanation why = {.size = sizeof why};
        char *text = NULL;
        size_t length = 0;
        random_pair(&rng, a, b);
        explain(context, a, b, &why);
        assert_ok(film_explanation_json(&why, FILM_ALL_REASONS, &text, &length, &error));
        assert_int_equal(strlen(text), length);
        json_t *answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(answer);
        assert_string_equal(json_string_value(json_object_get(answer, "a")), a);
        double sum = json_real_value(json_object_get(answer, "bias"));
        size_t i, j;
        json_t *part, *reason;
        json_array_foreach(json_object_get(answer, "words"), i, part) sum +=
            json_real_value(json_object_get(part, "weight"));
        json_array_foreach(json_object_get(answer, "groups"), i, part)
            json_array_foreach(json_object_get(part, "reasons"), j, reason) sum +=
            json_real_value(json_object_get(reason, "weight"));
        assert_close(sum, json_real_value(json_object_get(answer, "log_odds")), 1e-9);
        assert_true(json_real_value(json_object_get(answer, "probability")) ==
                    why.verdict.probability);
        assert_int_equal(json_array_size(json_object_get(answer, "examples")), 3);
        json_decref(answer);
        film_free(text);

        check_groups(&why);
        assert_ok(film_verdict_json(why.a, why.b, &why.verdict, 7, &text, &length, &error));
        answer = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        json_t *reasons = json_object_get(answer, "reasons");
        size_t shown = why.verdict.reason_count < 7 ? why.verdict.reason_count : 7;
        assert_in_range(json_array_size(reasons), shown, shown + (why.verdict.reason_count > 7));
        sum = json_real_value(json_object_get(answer, "bias"));
        json_array_foreach(reasons, i, reason) sum +=
            json_real_value(json_object_get(reason, "weight"));
        assert_close(sum, why.verdict.log_odds, 1e-9);
        json_decref(answer);
        film_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_adds_up_and_swapping_mirrors_it),
        cmocka_unit_test(the_verdict_is_that_of_a_match),
        cmocka_unit_test(links_add_up_to_the_similarity),
        cmocka_unit_test(json_equals_the_structs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
