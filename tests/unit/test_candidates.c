/* Tests dedup/candidates_near against all candidates, each judged. */
#include "faq_model.h"

#include "base/mem.h"
#include "dedup/candidates.h"

static film_model *model;
static struct candidates search;
static char texts[2 * FAQ_MOST][440];
static film_text list[2 * FAQ_MOST];
static size_t count;

/* Distinct sentences: those of the example, and many of them again with another word. */
static void make_texts(void)
{
    static const char *const more[] = {"please", "now", "online"};
    count = 0;
    for (size_t i = 0; i < faq_count; i += 2) {
        snprintf(texts[count++], sizeof *texts, "%.390s %zu", faq[i].a, i / 9);
        snprintf(texts[count++], sizeof *texts, "%.390s %s %zu", faq[i].a, more[i % 3], i / 9);
    }
    for (size_t i = 0; i < count; i++) list[i] = film_string(texts[i]);
}

static int setup(void **state)
{
    (void)state;
    /* By the vectors alone: the candidates that matter are those of a high cosine. */
    film_answer_options answer = {
        .size = sizeof answer, .decision = FILM_DECISION_THRESHOLD, .threads = 2};
    model = faq_shared();
    make_texts();
    assert_ok(
        candidates_init(&search, model, &(struct candidates_request){.answer = &answer}, &error));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    candidates_free(&search);
    film_close(model);
    return 0;
}

static struct index *index_from(size_t from)
{
    struct index *index = NULL;
    assert_ok(index_new_brief(&model->encoder, from, &index, &error));
    assert_ok(index_add(index, list, count, 2, NULL, &error));
    return index;
}

static int falling(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;
    return left < right ? 1 : left > right ? -1 : 0;
}

/* Returns the probability that the best WANTED candidates reach. */
static double probability_of_best(const uint32_t *lists, size_t k, size_t wanted)
{
    float *probability = malloc(count * k * sizeof *probability);
    for (size_t i = 0; i < count * k; i++)
        assert_ok(
            candidates_judge_one(&search, 0, list[i / k], list[lists[i]], &probability[i], &error));
    qsort(probability, count * k, sizeof *probability, falling);
    double least = (double)probability[wanted];
    free(probability);
    return least;
}

/* Sets FOUND (count x count) where a list has a duplicate; returns the number of pairs. */
static size_t duplicates(const uint32_t *lists, size_t k, unsigned char *found)
{
    size_t pairs = 0;
    memset(found, 0, count * count);
    for (size_t i = 0; i < count * k; i++) {
        size_t a = i / k, b = lists[i], low = a < b ? a : b, high = a < b ? b : a;
        float probability;
        if (b == CANDIDATES_NONE || found[low * count + high]) continue;
        assert_true(a != b && b < count);
        found[low * count + high] = 1;
        assert_ok(candidates_judge_one(&search, 0, list[low], list[high], &probability, &error));
        if ((double)probability < search.threshold) continue;
        found[low * count + high] = 2;
        pairs++;
    }
    return pairs;
}

static void near_candidates_find_nearly_all_duplicates(void **state)
{
    (void)state;
    struct index *index = index_from(100);
    size_t k = search.k, lost = 0, compared[2] = {0, 0};
    uint32_t *near = NULL, *all = malloc(count * k * sizeof *all);
    unsigned char *by_near = malloc(count * count), *by_all = malloc(count * count);
    assert_non_null(index_order(index));
    assert_ok(candidates_find(&search, index, list, count, 1, all, &error));
    search.threshold = probability_of_best(all, k, 500);
    size_t pairs = duplicates(all, k, by_all);
    assert_true(pairs > 200);
    assert_ok(candidates_find_near(&search, index, list, count, &near, &error));
    assert_non_null(near);
    duplicates(near, search.k, by_near);
    for (size_t i = 0; i < count * count; i++) {
        lost += by_all[i] == 2 && by_near[i] != 2;
        compared[0] += by_all[i] != 0;
        compared[1] += by_near[i] != 0;
    }
    assert_true((double)lost <= 0.015 * (double)pairs);
    assert_true(compared[1] < compared[0]);
    search.k = k;
    search.threshold = 0.9;
    mem_free(near);
    free(all);
    free(by_near);
    free(by_all);
    index_free(index);
}

/* As records are searched: by words alone, without cells. Pairs that are duplicates with the
 * prior FILM_RARE, too, are found. */
static void candidates_by_words_find_nearly_all_sure_duplicates(void **state)
{
    (void)state;
    struct index *index = index_from(SIZE_MAX);
    size_t k = search.k, lost = 0, compared[2] = {0, 0};
    uint32_t *near = NULL, *all = malloc(count * k * sizeof *all);
    unsigned char *by_near = malloc(count * count), *by_all = malloc(count * count);
    assert_null(index_order(index));
    assert_ok(candidates_find(&search, index, list, count, 1, all, &error));
    double sure = probability_of_best(all, k, 500), odds = sure / (1 - sure);
    odds *= FILM_RARE / (1 - FILM_RARE);
    search.threshold = odds / (1 + odds); /* so that about 500 pairs are sure */
    search.blocking_from = count + 1;
    assert_ok(candidates_find_near(&search, index, list, count, &near, &error));
    assert_null(near);
    search.blocking_from = count;
    assert_ok(candidates_find_near(&search, index, list, count, &near, &error));
    assert_non_null(near);
    search.threshold = sure;
    size_t pairs = duplicates(all, k, by_all);
    duplicates(near, search.k, by_near);
    for (size_t i = 0; i < count * count; i++) {
        lost += by_all[i] == 2 && by_near[i] != 2;
        compared[0] += by_all[i] != 0;
        compared[1] += by_near[i] != 0;
    }
    assert_true(pairs > 200);
    assert_true((double)lost <= 0.015 * (double)pairs);
    assert_true(compared[1] < compared[0] / 2);
    search.k = k;
    search.threshold = 0.9;
    search.blocking_from = 0;
    mem_free(near);
    free(all);
    free(by_near);
    free(by_all);
    index_free(index);
}

/* Few sentences, or none that are duplicates, show nothing: all candidates are judged. */
static void small_samples_leave_nothing_out(void **state)
{
    (void)state;
    struct index *index = index_from(0);
    uint32_t *near = NULL;
    assert_ok(candidates_find_near(&search, index, list, count, &near, &error));
    assert_null(near);
    index_free(index);
    index = index_from(100);
    search.threshold = 0.99999;
    assert_ok(candidates_find_near(&search, index, list, count, &near, &error));
    assert_null(near);
    search.threshold = 0.9;
    index_free(index);
}

static void neighbours(const void *user, size_t i, film_text *a, film_text *b)
{
    (void)user;
    *a = list[i];
    *b = list[i + 1];
}

/* Pairs below the limit are excluded; all others have the verdicts of judging without a filter. */
static void only_pairs_below_the_limit_are_excluded(void **state)
{
    (void)state;
    struct candidates full;
    film_answer_options answer = {.size = sizeof answer, .threads = 2, .no_memory = 1};
    struct score_source pairs = {.pair = neighbours};
    size_t some = count - 1, excluded = 0;
    film_verdict *all = malloc(some * sizeof *all);
    struct pair_terms *terms = malloc(some * sizeof *terms);
    assert_ok(
        candidates_init(&full, model, &(struct candidates_request){.answer = &answer}, &error));
    assert_ok(candidates_judge(&full, &pairs, some, &error));
    memcpy(all, full.verdicts, some * sizeof *all);
    assert_ok(candidates_weigh(&full, &pairs, some, terms, &error));
    assert_memory_equal(all, full.verdicts, some * sizeof *all);
    full.filters = 1;
    full.filter[FILTER_WORDS].least = -INFINITY;
    full.filter[FILTER_EVIDENCE] = (struct pair_filter){
        .weight = {[PAIR_EVIDENCE] = 1, [PAIR_SIMILARITY] = 10, [PAIR_MORE] = -0.5}};
    double mean = 0;
    for (size_t i = 0; i < some; i++)
        mean += pair_filter_sum(&full.filter[FILTER_EVIDENCE], &terms[i]) / (double)some;
    full.filter[FILTER_EVIDENCE].least = mean;
    assert_ok(candidates_judge(&full, &pairs, some, &error));
    for (size_t i = 0; i < some; i++) {
        const float *term = terms[i].term;
        double above = (double)term[PAIR_EVIDENCE] + 10 * all[i].similarity -
                       0.5 * (double)term[PAIR_MORE] - mean;
        if (fabs(above) < 1e-4) continue; /* rounding */
        assert_int_equal(candidates_excluded(&full.verdicts[i]), above < 0);
        if (above > 0) assert_memory_equal(&full.verdicts[i], &all[i], sizeof *all);
        excluded += above < 0;
    }
    assert_true(excluded > 0 && excluded < some);
    candidates_free(&full);
    free(all);
    free(terms);
}

/* A pair is known where the memory of the model says "same" of its two sentences. */
static void known_pairs_are_those_of_the_memory(void **state)
{
    (void)state;
    enum { SOME = 160 };
    struct candidates full;
    struct match match;
    film_answer_options answer = {.size = sizeof answer, .threads = 2};
    film_text labelled[SOME];
    size_t same = 0, listed = 0;
    for (size_t i = 0; i < SOME; i++)
        labelled[i] = film_string(i % 2 ? faq[i / 2].b : faq[i / 2].a);
    assert_ok(
        candidates_init(&full, model, &(struct candidates_request){.answer = &answer}, &error));
    assert_ok(match_init(&match, &model->decision, &full.rule, &error));
    assert_ok(known_items_find(&full, labelled, SOME, &error));
    for (uint32_t i = 0; i < SOME; i++)
        for (uint32_t j = 0; j < i; j++) {
            assert_ok(match_start(&match, labelled[i], labelled[j], &error));
            int remembered = decision_memory(&model->decision, &match.survey) == MEMORY_SAME;
            assert_int_equal(is_known_pair(&full.known, i, j), remembered);
            same += (size_t)remembered;
        }
    for (size_t i = 0; i < full.known.count; i++) /* cluster by cluster */
        for (size_t j = i + 1; j < full.known.count; j++) {
            if (!is_known_pair(&full.known, full.known.items[i], full.known.items[j])) break;
            listed++;
        }
    assert_true(same > SOME / 8);
    assert_int_equal(listed, same);
    match_free(&match);
    candidates_free(&full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_candidates_find_nearly_all_duplicates),
        cmocka_unit_test(candidates_by_words_find_nearly_all_sure_duplicates),
        cmocka_unit_test(small_samples_leave_nothing_out),
        cmocka_unit_test(only_pairs_below_the_limit_are_excluded),
        cmocka_unit_test(known_pairs_are_those_of_the_memory),
    };
    return cmocka_run_group_tests_name("candidates", tests, setup, teardown);
}
