/* Tests the classifier: items and weights against values computed by hand, and models with a
 * damaged classifier and correct checksums, which are refused or work; none is read beyond its
 * arrays. */
#include "testing.h"

#include "base/rng.h"
#include "model/model.h"
#include "spoil.h"

#include <jansson.h>

static film_error error;
static char good[300], spoiled[300];

/* Three topics with words of their own, and words that all share. */
static const char *const topic[3][6] = {{"card", "stolen", "bank", "money", "atm", "pin"},
                                        {"parcel", "late", "courier", "delivery", "box", "track"},
                                        {"phone", "battery", "screen", "signal", "sim", "call"}};

static int set_up(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 7);
    const char *path = scratch("topics.tsv");
    FILE *out = fopen(path, "w");
    fprintf(out, "text\tcategory\n");
    for (int i = 0; i < 240; i++) {
        const char *const *words = topic[i % 3];
        fprintf(out, "my %s and %s %s %d\ttopic%d\n", words[rng_below(&rng, 6)],
                words[rng_below(&rng, 6)], words[rng_below(&rng, 6)], i, i % 3);
    }
    fclose(out);
    film_train_options options = {
        .size = sizeof options, .dim = 8, .decision = FILM_DECISION_THRESHOLD, .threads = 2};
    film_model *model = NULL;
    assert_ok(film_train(&path, 1, &options, &model, &error));
    strcpy(good, scratch("good.film"));
    strcpy(spoiled, scratch("spoiled.film"));
    assert_ok(film_save(model, good, &error));
    film_close(model);
    unlink(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(good);
    unlink(spoiled);
    return 0;
}

/* ---- Answers ---- */

struct seen {
    char category[3][20];
    double probability[3], none;
    double reasons, best;
    size_t count;
};

static int look(void *user, size_t number, const film_classification *result)
{
    struct seen *seen = user;
    (void)number;
    seen->count = result->category_count;
    seen->none = result->none_probability;
    seen->reasons = 0;
    for (size_t i = 0; i < result->category_count && i < 3; i++) {
        snprintf(seen->category[i], sizeof seen->category[i], "%.*s",
                 (int)result->categories[i].name.length, result->categories[i].name.bytes);
        seen->probability[i] = result->categories[i].probability;
    }
    for (size_t i = 0; i < result->reason_count; i++) seen->reasons += result->reasons[i].weight;
    return 0;
}

static struct seen ask(const film_model *model, const char *text)
{
    struct seen seen = {.count = 0};
    film_text query = film_string(text);
    film_classify_options options = {.size = sizeof options, .top = 3};
    assert_ok(film_classify_many(model, &query, 1, &options, look, &seen, &error));
    return seen;
}

static void words_of_a_topic_name_it(void **state)
{
    (void)state;
    film_model *model = NULL;
    assert_ok(film_open(good, &model, &error));
    assert_int_equal(film_category_count(model), 3);
    struct seen seen = ask(model, "the courier says the parcel is late");
    assert_string_equal(seen.category[0], "topic1");
    assert_int_equal(seen.count, 3);
    assert_close(seen.probability[0] + seen.probability[1] + seen.probability[2] + seen.none, 1,
                 1e-9);
    film_close(model);
}

/* The weights of the words are those of the tensors, added up here item by item. */
static void reasons_add_up_to_the_score_of_the_words(void **state)
{
    (void)state;
    film_model *model = NULL;
    assert_ok(film_open(good, &model, &error));
    const struct classifier *classifier = &model->classifier;
    struct class_row row;
    film_text text = film_string("my card stolen");
    assert_ok(class_row_init(&row, &model->features.tokenizer, &error));
    assert_ok(class_row_collect(&row, &model->features.tokenizer, text, &error));
    class_row_weigh(&row, &classifier->items, classifier->idf);
    double score[3] = {0}, square = 0;
    for (size_t i = 0; i < row.count; i++) {
        const struct class_item *item = &row.items[i];
        square += (double)item->value * (double)item->value;
        for (int c = 0; c < 3; c++)
            score[c] += (double)item->value * (double)classifier->weight_scale[item->number] *
                        classifier->weight[item->number * 3 + (size_t)c];
    }
    assert_close(square, 1, 1e-6);
    struct seen seen = ask(model, text.bytes);
    double best = fmax(score[0], fmax(score[1], score[2]));
    double mean = (score[0] + score[1] + score[2]) / 3;
    assert_close(seen.reasons, classifier->rule.scale * (best - mean), 1e-5);
    class_row_free(&row);
    film_close(model);
}

/* "a b a": words a (twice), b; adjacent "a b", "b a"; the pair {a, b}; " a ", " b " as n-grams. */
static void items_are_counted_once_each(void **state)
{
    (void)state;
    struct tokenizer tokenizer = {0};
    struct class_row row;
    size_t kinds[CLASS_KINDS] = {0};
    assert_ok(tokenizer_init(&tokenizer, NULL, NULL, &error));
    assert_ok(class_row_init(&row, &tokenizer, &error));
    assert_ok(class_row_collect(&row, &tokenizer, film_string("a b a"), &error));
    for (size_t i = 0; i < row.count; i++) kinds[row.items[i].key & 7]++;
    assert_int_equal(kinds[CLASS_WORD], 2);
    assert_int_equal(kinds[CLASS_NEXT], 2);
    assert_int_equal(kinds[CLASS_TOGETHER], 1);
    assert_int_equal(kinds[CLASS_CHAR], 2);
    double most = 0;
    for (size_t i = 0; i < row.count; i++) most = fmax(most, (double)row.items[i].value);
    assert_close(most, 1 + log(2), 1e-6);
    class_row_free(&row);
    tokenizer_free(&tokenizer);
}

/* The squared rarity of WORD, where the string EXAMPLE has it between spaces. */
static double rarity_in(const struct classifier *classifier, const char *word, film_text example)
{
    char text[200], spaced[40];
    uint32_t number = keytab_find(&classifier->items, class_word_key(film_string(word)));
    snprintf(text, sizeof text, " %.*s ", (int)example.length, example.bytes);
    snprintf(spaced, sizeof spaced, " %s ", word);
    double idf = (double)classifier->idf[number];
    return strstr(text, spaced) ? idf * idf : 0;
}

/* The nearest examples cover the words they have, weighed by their votes. */
static void nearest_examples_cover_words(void **state)
{
    (void)state;
    film_model *model = NULL;
    struct class_asker asker;
    assert_ok(film_open(good, &model, &error));
    const struct classifier *classifier = &model->classifier;
    assert_ok(class_asker_init(&asker, classifier, &model->encoder, &error));
    assert_ok(class_asker_ask(&asker, film_string("card and xyzzy"), &error));
    double votes = 0, covered = 0, near = 0, rarest = (double)asker.rarest * (double)asker.rarest;
    film_text query = film_string(" card and ");
    double all =
        rarity_in(classifier, "card", query) + rarity_in(classifier, "and", query) + rarest;
    for (size_t i = 0; i < asker.nearest_count; i++) {
        film_text text = strtab_get(&classifier->texts, asker.nearest[i]);
        double vote = exp(10 * ((double)asker.similarity[i] - 1));
        votes += vote;
        covered +=
            vote * (rarity_in(classifier, "card", text) + rarity_in(classifier, "and", text));
        if (i < 5) near += (double)asker.similarity[i] / 5;
    }
    assert_close(asker.sign[SIGN_COVERED], covered / votes / all, 1e-6);
    assert_close(asker.sign[SIGN_NEAR], near, 1e-6);
    class_asker_free(&asker);
    film_close(model);
}

/* Sums the logits of the items that words KEPT (by position) have, as the header describes, and
 * returns the category with the largest. */
static size_t ask_words(const struct class_asker *asker, const int *kept, double *log_best,
                        size_t of)
{
    const struct classifier *classifier = asker->classifier;
    double logit[3] = {0}, some = 0, all = 0, sum = 0;
    size_t best = 0;
    for (size_t i = 0; i < asker->row.count; i++) {
        const struct class_item *item = &asker->row.items[i];
        double value = (double)item->value;
        all += value * value;
        if (!kept[item->first] || !kept[item->second]) continue;
        some += value * value;
        for (size_t c = 0; c < 3; c++)
            logit[c] += value * (double)classifier->weight_scale[item->number] *
                        classifier->weight[item->number * 3 + c];
    }
    for (size_t c = 0; c < 3; c++)
        logit[c] = logit[c] / sqrt(some / all) + 0.3 * log(0.01 + (double)asker->share[c]);
    for (size_t c = 1; c < 3; c++)
        if (logit[c] > logit[best]) best = c;
    for (size_t c = 0; c < 3; c++) sum += exp(logit[c]);
    *log_best = logit[of < 3 ? of : best] - log(sum);
    return best;
}

/* Two words: of the 30 halves 7 have both, 7 have none, and 8 each have one of them. */
static void halves_of_the_words_are_asked(void **state)
{
    (void)state;
    film_model *model = NULL;
    struct class_asker asker;
    double log_best, halves = 0, agreed = 0;
    const int both[2] = {1, 1}, first[2] = {1, 0}, second[2] = {0, 1};
    const struct {
        const int *kept;
        double times;
    } parts[] = {{both, 7}, {first, 8}, {second, 8}};
    assert_ok(film_open(good, &model, &error));
    assert_ok(class_asker_init(&asker, &model->classifier, &model->encoder, &error));
    assert_ok(class_asker_ask(&asker, film_string("stolen parcel"), &error));
    size_t whole = ask_words(&asker, both, &log_best, 3);
    for (size_t i = 0; i < 3; i++) {
        agreed += parts[i].times * (ask_words(&asker, parts[i].kept, &log_best, whole) == whole);
        halves += parts[i].times * log_best;
    }
    assert_close(asker.sign[SIGN_HALVES], halves / 23, 1e-5);
    assert_close(asker.sign[SIGN_AGREED], agreed / 23, 1e-12);
    assert_true(asker.sign[SIGN_AGREED] < 1);
    class_asker_free(&asker);
    film_close(model);
}

/* How near the sentence is to the mean of the best category's examples, and how near these are. */
static void the_centre_of_the_best_category_is_compared(void **state)
{
    enum { DIM = 8 };
    (void)state;
    film_model *model = NULL;
    struct class_asker asker;
    assert_ok(film_open(good, &model, &error));
    const struct classifier *classifier = &model->classifier;
    assert_ok(class_asker_init(&asker, classifier, &model->encoder, &error));
    assert_ok(class_asker_ask(&asker, film_string("my card and screen"), &error));
    assert_int_equal(classifier->dim, DIM);
    double mean[DIM] = {0}, example[240][DIM], length = 0, centre = 0, own = 0, members = 0;
    size_t count = 0;
    for (uint32_t e = 0; e < classifier->texts.count; e++) {
        double square = 0;
        if (classifier->category[e] != asker.best) continue;
        for (int d = 0; d < DIM; d++) {
            example[count][d] = classifier->code[e * DIM + d];
            square += example[count][d] * example[count][d];
        }
        for (int d = 0; d < DIM; d++) mean[d] += example[count][d] /= sqrt(square);
        count++;
    }
    for (int d = 0; d < DIM; d++) {
        length += (double)asker.vector[d] * (double)asker.vector[d];
        centre += mean[d] * mean[d];
        own += mean[d] * (double)asker.vector[d];
    }
    for (size_t e = 0; e < count; e++)
        for (int d = 0; d < DIM; d++) members += example[e][d] * mean[d] / sqrt(centre);
    assert_true(count > 50);
    assert_close(asker.sign[SIGN_LENGTH], log(sqrt(length) + 0.001), 1e-6);
    assert_close(asker.sign[SIGN_CENTRE], own / sqrt(length * centre) - members / (double)count,
                 1e-5);
    assert_ok(class_asker_ask(&asker, film_string(""), &error));
    assert_close(asker.sign[SIGN_CENTRE], 0, 0);
    class_asker_free(&asker);
    film_close(model);
}

static void other_signs_are_refused(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct spoil spoil;
        film_model *model = NULL;
        json_error_t problem;
        assert_true(spoil_open(&spoil, good));
        size_t at = 0;
        while (strcmp(spoil.key[at], "settings") != 0) at++;
        json_t *settings = json_loads(spoil.value[at], 0, &problem);
        json_t *none = json_object_get(json_object_get(settings, "classifier"), "none");
        assert_int_equal(json_array_size(none), CLASS_SIGNS + 1);
        if (more)
            json_array_append_new(none, json_real(0.5));
        else
            json_array_remove(none, SIGN_CENTRE);
        char *text = json_dumps(settings, 0);
        spoil.value[at] = text;
        assert_ok(spoil_write(&spoil, spoiled, &error));
        assert_int_equal(film_open(spoiled, &model, &error), FILM_BAD_INPUT);
        assert_non_null(strstr(error.message, "a value is out of range"));
        free(text);
        json_decref(settings);
        spoil_close(&spoil);
    }
}

/* ---- Damage ---- */

static void expect(const struct spoil *spoil, const char *what)
{
    film_model *model = NULL;
    assert_ok(spoil_write(spoil, spoiled, &error));
    film_status status = film_open(spoiled, &model, &error);
    if (what) {
        assert_int_equal(status, FILM_BAD_INPUT);
        assert_non_null(strstr(error.message, what));
    } else if (status == FILM_OK) {
        ask(model, "my card stolen parcel xyzzy");
    }
    film_close(model);
}

static const char *const tensors[] = {"class.names",        "class.name_offsets", "class.texts",
                                      "class.category",     "class.text_offsets", "class.vectors",
                                      "class.vector_scale", "class.items",        "class.idf",
                                      "class.weight",       "class.weight_scale"};
enum { TENSORS = sizeof tensors / sizeof *tensors };

static void a_missing_tensor_is_named(void **state)
{
    (void)state;
    for (int t = 1; t < TENSORS; t++) { /* without class.names there is no classifier */
        struct spoil spoil;
        assert_true(spoil_open(&spoil, good));
        struct safetensors_tensor *tensor = spoil_find(&spoil, tensors[t]);
        assert_non_null(tensor);
        free((void *)tensor->data);
        *tensor = spoil.tensor[--spoil.count];
        expect(&spoil, tensors[t]);
        spoil_close(&spoil);
    }
}

static void random_bytes_are_refused_or_stay_inside(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 3);
    for (int t = 0; t < TENSORS; t++)
        for (int way = 0; way < 6; way++) {
            struct spoil spoil;
            assert_true(spoil_open(&spoil, good));
            struct safetensors_tensor *tensor = spoil_find(&spoil, tensors[t]);
            unsigned char *bytes = (unsigned char *)(uintptr_t)tensor->data;
            for (uint64_t i = 0; i < tensor->bytes; i++)
                if (way == 0)
                    bytes[i] = 0xff;
                else if (way == 1)
                    bytes[i] = 0;
                else if (rng_below(&rng, 4) == 0)
                    bytes[i] = (unsigned char)rng_below(&rng, 256);
            expect(&spoil, NULL);
            if (way == 5) {
                tensor->shape[0]--;
                expect(&spoil, "");
            }
            spoil_close(&spoil);
        }
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    struct spoil spoil;
    assert_true(spoil_open(&spoil, good));
    uint32_t *category = (uint32_t *)(uintptr_t)spoil_find(&spoil, "class.category")->data;
    category[2] = 3;
    expect(&spoil, "unknown category");
    category[2] = 0;
    float *idf = (float *)(uintptr_t)spoil_find(&spoil, "class.idf")->data;
    idf[1] = NAN;
    expect(&spoil, "class.idf");
    spoil_close(&spoil);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_topic_name_it),
        cmocka_unit_test(reasons_add_up_to_the_score_of_the_words),
        cmocka_unit_test(items_are_counted_once_each),
        cmocka_unit_test(nearest_examples_cover_words),
        cmocka_unit_test(halves_of_the_words_are_asked),
        cmocka_unit_test(the_centre_of_the_best_category_is_compared),
        cmocka_unit_test(other_signs_are_refused),
        cmocka_unit_test(a_missing_tensor_is_named),
        cmocka_unit_test(random_bytes_are_refused_or_stay_inside),
        cmocka_unit_test(numbers_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
