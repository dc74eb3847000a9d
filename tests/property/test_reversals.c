/* Tests what would change a verdict: every reversal is applied by its spans and judged again by
 * film_match, no edit can be left out, and a brute-force search over single words finds nothing
 * smaller. */
#include "random_pairs.h"

#include "film_explain.h"

static film_context *context, *second;

static int set_up(void **state)
{
    (void)state;
    model = faq_shared();
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

static void find(const char *a, const char *b, double threshold, film_explanation *why)
{
    *why = (film_explanation){.size = sizeof *why};
    assert_ok(film_explain_pair(context, film_string(a), film_string(b), why, &error));
    assert_ok(film_explain_reversals(context, threshold, why, &error));
}

static int is_same(const char *a, const char *b, double threshold, double *probability)
{
    film_verdict verdict;
    assert_ok(film_match(second, film_string(a), film_string(b), &verdict, &error));
    if (probability) *probability = verdict.probability;
    return threshold > 0 ? verdict.probability >= threshold : verdict.same;
}

/* ---- Edits, applied here from their spans; from the last to the first ---- */

enum { EDITED = 8 * ROOM };

static void replace(char *text, size_t start, size_t end, const char *by, size_t length)
{
    size_t rest = strlen(text + end) + 1;
    assert_true(start + length + rest < EDITED);
    memmove(text + start + length, text + end, rest);
    memcpy(text + start, by, length);
}

/* SKIPPED: the number of an edit that is left out. */
static void apply(const film_explanation *why, const film_reversal *reversal, size_t skipped,
                  char *a, char *b)
{
    snprintf(a, EDITED, "%.*s", (int)why->a.length, why->a.bytes);
    snprintf(b, EDITED, "%.*s", (int)why->b.length, why->b.bytes);
    for (size_t e = reversal->edit_count; e-- > 0;) {
        const film_text_edit *edit = &reversal->edits[e];
        const char *other = edit->side == 'a' ? why->b.bytes : why->a.bytes;
        if (e != skipped)
            replace(edit->side == 'a' ? a : b, edit->start, edit->end, other + edit->by_start,
                    edit->by_end - edit->by_start);
    }
}

static size_t words_inside(const film_explanation *why, char side, size_t start, size_t end)
{
    size_t count = 0;
    for (size_t i = 0; i < why->word_count; i++)
        count +=
            why->words[i].side == side && why->words[i].start >= start && why->words[i].end <= end;
    return count;
}

static void check_edit(const film_explanation *why, const film_text_edit *edit, size_t *words)
{
    char other = edit->side == 'a' ? 'b' : 'a';
    size_t removed = words_inside(why, edit->side, edit->start, edit->end);
    size_t inserted = edit->by.length ? words_inside(why, other, edit->by_start, edit->by_end) : 0;
    film_text text = edit->side == 'a' ? why->a : why->b;
    assert_ptr_equal(edit->text.bytes, text.bytes + edit->start);
    assert_int_equal(edit->text.length, edit->end - edit->start);
    assert_true(removed >= 1 && removed <= 4 && inserted <= 4);
    *words += removed > inserted ? removed : inserted;
}

static void check_reversal(const film_explanation *why, const film_reversal *reversal,
                           double threshold)
{
    static char a[EDITED], b[EDITED];
    int before = threshold > 0 ? why->verdict.probability >= threshold : why->verdict.same;
    double probability;
    size_t words = 0;
    for (size_t e = 0; e < reversal->edit_count; e++) check_edit(why, &reversal->edits[e], &words);
    assert_true(reversal->edit_count >= 1 && reversal->edit_count <= 3);
    assert_int_equal(words, reversal->words);
    assert_int_equal(is_same(reversal->a.bytes, reversal->b.bytes, threshold, &probability),
                     !before);
    assert_true(probability == reversal->probability);
    apply(why, reversal, SIZE_MAX, a, b); /* up to spaces */
    assert_int_equal(is_same(a, b, threshold, NULL), !before);
    for (size_t e = 0; e < reversal->edit_count && reversal->edit_count > 1; e++) {
        apply(why, reversal, e, a, b);
        assert_int_equal(is_same(a, b, threshold, NULL), before);
    }
}

static void every_reversal_is_judged_again_and_none_of_its_edits_can_be_left_out(void **state)
{
    (void)state;
    static char a[ROOM], b[ROOM];
    struct rng rng;
    size_t found = 0, edits = 0;
    int rounds = long_tests() ? 300 : 90;
    rng_seed(&rng, 21);
    for (int round = 0; round < rounds; round++) {
        film_explanation why;
        double threshold = round % 3 ? 0 : 0.2 + 0.1 * (double)rng_below(&rng, 7);
        random_pair(&rng, a, b);
        find(a, b, threshold, &why);
        assert_true(why.judgements <= 200 && why.reversal_count <= 3);
        for (size_t i = 0; i < why.reversal_count; i++) {
            assert_int_equal(why.reversals[i].words, why.reversals[0].words);
            check_reversal(&why, &why.reversals[i], threshold);
            edits += why.reversals[i].edit_count;
        }
        found += why.reversal_count > 0;
    }
    assert_true(found > (size_t)rounds * 2 / 3);
    assert_true(edits > found); /* some have several */
}

/* ---- Brute force ---- */

static int single_word(const film_explanation *why, const film_word_share *word, const char *by,
                       size_t length)
{
    static char a[EDITED], b[EDITED];
    snprintf(a, sizeof a, "%.*s", (int)why->a.length, why->a.bytes);
    snprintf(b, sizeof b, "%.*s", (int)why->b.length, why->b.bytes);
    replace(word->side == 'a' ? a : b, word->start, word->end, by, length);
    return is_same(a, b, 0, NULL) != why->verdict.same;
}

static int inside(const film_word_share *word, const film_word_difference *difference)
{
    size_t start = word->side == 'a' ? difference->a_start : difference->b_start;
    size_t end = word->side == 'a' ? difference->a_end : difference->b_end;
    return word->start >= start && word->end <= end;
}

/* Returns whether deleting a word reverses the verdict, or replacing it by a word of the other
 * sentence in the same place. */
static int some_word_reverses(const film_explanation *why)
{
    for (size_t i = 0; i < why->word_count; i++) {
        const film_word_share *word = &why->words[i];
        size_t own = words_inside(why, word->side, 0, SIZE_MAX);
        if (own > 1 && single_word(why, word, "", 0)) return 1;
        for (size_t d = 0; d < why->difference_count; d++)
            for (size_t j = 0; j < why->word_count; j++) {
                const film_word_share *other = &why->words[j];
                if (other->side != word->side && inside(word, &why->differences[d]) &&
                    inside(other, &why->differences[d]) &&
                    single_word(why, word, other->text.bytes, other->text.length))
                    return 1;
            }
    }
    return 0;
}

static void where_one_word_reverses_it_one_word_is_found(void **state)
{
    (void)state;
    size_t single = 0, larger = 0;
    for (size_t i = 0; i < faq_count; i += long_tests() ? 3 : 7) {
        film_explanation why;
        find(faq[i].a, faq[i].b, 0, &why);
        if (why.word_count > 12) continue;
        if (some_word_reverses(&why)) {
            assert_true(why.reversal_count > 0);
            assert_int_equal(why.reversals[0].words, 1);
            single++;
        } else {
            assert_true(!why.reversal_count || why.reversals[0].words > 1);
            larger++;
        }
    }
    assert_true(single > 10 && larger > 1);
}

/* Few differences: the sentences can be made equal, and equal sentences are the same. */
static void few_differences_can_always_be_reversed(void **state)
{
    (void)state;
    size_t checked = 0;
    for (size_t i = 0; i < faq_count; i += long_tests() ? 1 : 3) {
        film_explanation why;
        int few = 1;
        find(faq[i].a, faq[i].b, 0, &why);
        for (size_t d = 0; d < why.difference_count; d++)
            few &=
                words_inside(&why, 'a', why.differences[d].a_start, why.differences[d].a_end) <=
                    4 &&
                words_inside(&why, 'b', why.differences[d].b_start, why.differences[d].b_end) <= 4;
        if (why.verdict.same || !few || why.difference_count > 3) continue;
        assert_true(why.reversal_count > 0);
        checked++;
    }
    assert_true(checked > 20);
}

/* ---- Differences and causes ---- */

static void differ(const char *a, const char *b, const char *wanted)
{
    film_explanation why = {.size = sizeof why};
    char got[400] = "";
    assert_ok(film_explain_pair(context, film_string(a), film_string(b), &why, &error));
    /* In the order of the text: the list is sorted by weight. */
    for (size_t from = 0; from <= why.a.length; from++)
        for (size_t i = 0; i < why.difference_count; i++) {
            const film_word_difference *d = &why.differences[i];
            if (d->a_start == from)
                snprintf(got + strlen(got), sizeof got - strlen(got), "[%.*s|%.*s]",
                         (int)d->a.length, d->a.bytes, (int)d->b.length, d->b.bytes);
        }
    assert_string_equal(got, wanted);
}

static void differences_are_those_of_a_reader(void **state)
{
    (void)state;
    differ("I lost my card", "I lost my key", "[card|key]");
    differ("I lost my card", "i LOST my card!", "");
    differ("from London to Paris", "from Paris to London", "[London|Paris][Paris|London]");
    differ("I lost my card", "I lost my card on the train", "[|on the train]");
    differ("please, I lost my card", "I have lost my card", "[please|][|have]");
    differ("", "two words", "[|two words]");
}

static void what_speaks_for_different_is_caused_by_words_that_differ(void **state)
{
    (void)state;
    size_t named = 0;
    for (size_t i = 0; i < faq_count; i += long_tests() ? 2 : 7) {
        film_explanation why;
        find(faq[i].a, faq[i].b, 0, &why);
        for (size_t g = 0; g < why.group_count; g++)
            for (size_t w = 0; w < why.causes[g].word_count; w++) {
                assert_true(why.causes[g].words[w] < why.word_count);
                const film_word_share *word = &why.words[why.causes[g].words[w]];
                size_t places = 0;
                for (size_t d = 0; d < why.difference_count; d++)
                    places += (size_t)inside(word, &why.differences[d]);
                if (why.groups[g].weight < 0) assert_int_equal(places, 1);
                named++;
            }
    }
    assert_true(named > 100);
}

/* ---- Failures ---- */

static film_status find_again(film_error *failure)
{
    film_context *fresh = NULL;
    film_explanation why = {.size = sizeof why};
    film_status status = film_context_new(model, &fresh, failure);
    if (status == FILM_OK)
        status = film_explain_pair(fresh, film_string("how do I close my account"),
                                   film_string("where can I open an account"), &why, failure);
    if (status == FILM_OK) status = film_explain_reversals(fresh, 0, &why, failure);
    film_context_free(fresh);
    return status;
}

static void a_search_survives_every_failure(void **state)
{
    (void)state;
    survives_every_failure(find_again(&error));
}

static void an_explanation_of_another_context_is_refused(void **state)
{
    (void)state;
    film_explanation why = {.size = sizeof why};
    assert_ok(film_explain_pair(context, film_string("a b"), film_string("a c"), &why, &error));
    assert_int_equal(film_explain_reversals(second, 0, &why, &error), FILM_USAGE);
    assert_int_equal(film_explain_reversals(context, 1.5, &why, &error), FILM_USAGE);
    assert_ok(film_explain_reversals(context, 0, &why, &error));
}

/* Long sentences take fewer judgements, and empty ones none. */
static void the_number_of_judgements_is_bounded(void **state)
{
    (void)state;
    enum { LONG = 60000 };
    char *text = malloc(LONG + 1);
    film_explanation why;
    for (size_t i = 0; i < LONG; i++) text[i] = i % 6 == 5 ? ' ' : (char)('a' + (i * i / 7) % 26);
    text[LONG] = 0;
    find(text, text + 6, 0, &why);
    assert_true(why.judgements > 0 && why.judgements <= 2000000 / (2 * LONG - 6));
    find("", "", 0, &why);
    assert_int_equal(why.reversal_count + why.judgements + why.difference_count, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reversal_is_judged_again_and_none_of_its_edits_can_be_left_out),
        cmocka_unit_test(where_one_word_reverses_it_one_word_is_found),
        cmocka_unit_test(few_differences_can_always_be_reversed),
        cmocka_unit_test(differences_are_those_of_a_reader),
        cmocka_unit_test(what_speaks_for_different_is_caused_by_words_that_differ),
        cmocka_unit_test(a_search_survives_every_failure),
        cmocka_unit_test(an_explanation_of_another_context_is_refused),
        cmocka_unit_test(the_number_of_judgements_is_bounded),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
