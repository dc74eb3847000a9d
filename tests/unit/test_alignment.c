/* Tests word order and alignment of a comparison against slow reference implementations: all
 * subsequences, recursion, letter pairs counted one by one. */
#include "vocabulary.h"

#include "pair/comparison.h"

static film_error error;
static struct vocabulary vocabulary;
static struct reading reading;
static struct comparison comparison;

/* Letters as words: few, so that much is shared; the last is not in the vocabulary. Their document
 * frequencies give them different rarities. */
static const char *const words[] = {"aa", "bb", "cc", "dd", "ee", "zz"};
enum { WORDS = sizeof words / sizeof *words, MOST = 8 };

static void compare(const char *a, const char *b)
{
    assert_ok(reading_read(&reading, film_string(a), film_string(b), &error));
    comparison_start(&comparison, &reading);
    comparison_finish(&comparison);
}

/* ---- Order, reference implementation ---- */

struct sequence {
    int word[MOST];
    size_t count;
};

static void draw(struct rng *rng, struct sequence *sequence, char *text)
{
    sequence->count = (size_t)rng_below(rng, MOST + 1);
    text[0] = 0;
    for (size_t i = 0; i < sequence->count; i++) {
        sequence->word[i] = (int)rng_below(rng, WORDS);
        sprintf(text + strlen(text), "%s%s", i ? " " : "", words[sequence->word[i]]);
    }
}

static int is_subsequence(const int *part, size_t n, const struct sequence *whole)
{
    size_t at = 0;
    for (size_t i = 0; i < whole->count && at < n; i++) at += whole->word[i] == part[at];
    return at == n;
}

static double rarity_of(int word)
{
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < reading.side[s].count; i++) {
            film_text text = reading_text(&reading, s, i);
            if (text.length == 2 && memcmp(text.bytes, words[word], 2) == 0)
                return (double)reading.side[s].words[i].rarity;
        }
    return 0;
}

/* Tries every subsequence of A: finds the longest that B has, and the largest rarity. */
static void longest_common(const struct sequence *a, const struct sequence *b, size_t *length,
                           double *rarity)
{
    *length = 0;
    *rarity = 0;
    for (unsigned set = 0; set < 1u << a->count; set++) {
        int part[MOST];
        size_t n = 0;
        double sum = 0;
        for (size_t i = 0; i < a->count; i++)
            if (set >> i & 1) part[n++] = a->word[i];
        if (!is_subsequence(part, n, b)) continue;
        for (size_t i = 0; i < n; i++) sum += rarity_of(part[i]);
        if (n > *length) *length = n;
        if (sum > *rarity) *rarity = sum;
    }
}

static size_t edits_from(const struct sequence *a, size_t i, const struct sequence *b, size_t j)
{
    if (i == a->count) return b->count - j;
    if (j == b->count) return a->count - i;
    if (a->word[i] == b->word[j]) return edits_from(a, i + 1, b, j + 1);
    size_t replace = edits_from(a, i + 1, b, j + 1), remove = edits_from(a, i + 1, b, j),
           insert = edits_from(a, i, b, j + 1);
    size_t best = remove < insert ? remove : insert;
    return 1 + (replace < best ? replace : best);
}

static size_t longest_run(const struct sequence *a, const struct sequence *b)
{
    size_t longest = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            size_t k = 0;
            while (i + k < a->count && j + k < b->count && a->word[i + k] == b->word[j + k]) k++;
            if (k > longest) longest = k;
        }
    return longest;
}

static size_t count_runs(const struct sequence *a, const struct sequence *b)
{
    size_t runs = 0;
    for (size_t i = 0; i + 1 < a->count; i++) {
        int found = 0;
        for (size_t j = 0; j + 1 < b->count; j++)
            found |= a->word[i] == b->word[j] && a->word[i + 1] == b->word[j + 1];
        runs += (size_t)found;
    }
    return runs;
}

static size_t first_place(const struct sequence *sequence, int word)
{
    size_t at = 0;
    while (at < sequence->count && sequence->word[at] != word) at++;
    return at;
}

static size_t count_inversions(const struct sequence *a, const struct sequence *b)
{
    size_t inversions = 0;
    for (int v = 0; v < WORDS; v++)
        for (int w = 0; w < v; w++) {
            size_t va = first_place(a, v), wa = first_place(a, w), vb = first_place(b, v),
                   wb = first_place(b, w);
            if (va == a->count || wa == a->count || vb == b->count || wb == b->count) continue;
            inversions += (va < wa) != (vb < wb);
        }
    return inversions;
}

static size_t same_ends(const struct sequence *a, const struct sequence *b, int from_the_end)
{
    size_t n = 0, shorter = a->count < b->count ? a->count : b->count;
    while (n < shorter && a->word[from_the_end ? a->count - 1 - n : n] ==
                              b->word[from_the_end ? b->count - 1 - n : n])
        n++;
    return n;
}

static void order_is_what_brute_force_finds(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 4000; round++) {
        struct sequence drawn[2], *a = &drawn[0], *b = &drawn[1];
        char text[2][40];
        draw(&rng, a, text[0]);
        draw(&rng, b, text[1]);
        compare(text[0], text[1]);
        size_t common;
        double rarity;
        longest_common(a, b, &common, &rarity);
        assert_int_equal(comparison.common, common);
        assert_close(comparison.common_rarity, rarity, 1e-5);
        assert_int_equal(comparison.edits, edits_from(a, 0, b, 0));
        assert_int_equal(comparison.longest_run, longest_run(a, b));
        /* Adjacent words are counted in the sentence that sorts first. */
        assert_int_equal(comparison.runs, reading.swapped ? count_runs(b, a) : count_runs(a, b));
        assert_int_equal(comparison.inversions, count_inversions(a, b));
        assert_int_equal(comparison.prefix, same_ends(a, b, 0));
        assert_int_equal(comparison.suffix, same_ends(a, b, 1));
    }
}

/* The tables have a fixed size: words past the end are not read. */
static void long_sentences_are_compared_as_far_as_the_tables_reach(void **state)
{
    (void)state;
    for (int length = COMPARISON_MOST - 2; length <= COMPARISON_MOST + 200;
         length += 1 + length / 9) {
        char text[2][4000] = {"", ""};
        for (int i = 0; i < length; i++)
            for (int s = 0; s < 2; s++) sprintf(text[s] + strlen(text[s]), "w%d ", i + s);
        compare(text[0], text[1]);
        size_t read = length < COMPARISON_MOST ? (size_t)length : COMPARISON_MOST;
        assert_int_equal(comparison.side[0].words, read);
        assert_int_equal(comparison.common, read - 1);
        assert_int_equal(comparison.longest_run, read - 1);
        assert_int_equal(comparison.edits, 2);
        assert_int_equal(comparison.shared, read - 1);
    }
}

/* ---- Spelling ---- */

/* 2 |A and B| / (|A| + |B|) of the letter pairs of " word ", with their multiplicity. */
static double naive_dice(const char *a, const char *b)
{
    char padded[2][80];
    int used[80] = {0};
    snprintf(padded[0], 80, " %s ", a);
    snprintf(padded[1], 80, " %s ", b);
    size_t n = strlen(padded[0]) - 1, m = strlen(padded[1]) - 1, both = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            if (!used[j] && memcmp(padded[0] + i, padded[1] + j, 2) == 0) {
                used[j] = 1;
                both++;
                break;
            }
    return 2.0 * (double)both / (double)(n + m);
}

static void spelled_alike_is_dice_of_letter_pairs(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 6);
    for (int round = 0; round < 5000; round++) {
        char word[2][30];
        for (int s = 0; s < 2; s++) {
            size_t length = 1 + (size_t)rng_below(&rng, 22);
            for (size_t i = 0; i < length; i++) word[s][i] = (char)('p' + rng_below(&rng, 3));
            word[s][length] = 0;
        }
        if (strcmp(word[0], word[1]) == 0) continue; /* shared: nothing to align */
        compare(word[0], word[1]);
        double expected = naive_dice(word[0], word[1]);
        if (fabs(comparison.spelled_best - expected) > 1e-12) {
            print_error("%s, %s: %g, expected %g\n", word[0], word[1], comparison.spelled_best,
                        expected);
            fail();
        }
        for (int s = 0; s < 2; s++) /* all words here are unknown: rarity 1 */
            assert_close(comparison.side[s].unspelled, 1 - expected, 1e-12);
    }
}

static void each_word_takes_its_best_partner(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 7);
    for (int round = 0; round < 2000; round++) {
        char word[2][3][12], text[2][60] = {"", ""};
        for (int s = 0; s < 2; s++)
            for (int w = 0; w < 3; w++) {
                size_t length = 2 + (size_t)rng_below(&rng, 6);
                for (size_t i = 0; i < length; i++)
                    word[s][w][i] = (char)((s ? 'a' : 'b') + rng_below(&rng, 3));
                snprintf(word[s][w] + length, 12 - length, "%c%d", s ? 'x' : 'y',
                         w); /* all differ */
                sprintf(text[s] + strlen(text[s]), "%s ", word[s][w]);
            }
        compare(text[0], text[1]);
        for (int s = 0; s < 2; s++) {
            double sum = 0, most = 0;
            for (int w = 0; w < 3; w++) {
                double best = 0;
                for (int v = 0; v < 3; v++) best = fmax(best, naive_dice(word[s][w], word[!s][v]));
                sum += 1 - best;
                most = fmax(most, 1 - best);
            }
            int side = reading.swapped ? !s : s;
            assert_close(comparison.side[side].unspelled, sum, 1e-12);
            assert_close(comparison.side[side].unspelled_most, most, 1e-12);
        }
    }
}

/* Letters after the 24th are not compared; every length around that must be safe. */
static void long_words_are_compared_by_their_beginning(void **state)
{
    (void)state;
    for (int length = 20; length < 120; length++) {
        char word[2][160];
        for (int s = 0; s < 2; s++) {
            memset(word[s], 'q', (size_t)length);
            word[s][length] = s ? 'x' : 'y';
            word[s][length + 1] = 0;
        }
        compare(word[0], word[1]);
        assert_true(comparison.spelled_best > 0.9 && comparison.spelled_best <= 1);
        if (length >= 24) assert_close(comparison.spelled_best, 1, 1e-12);
    }
}

/* ---- Abbreviations ---- */

static void acronyms_and_compounds_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t acronyms, compounds;
    } cases[] = {
        {"usa", "united states america", 1, 0},
        {"the usa now", "the united states america now", 1, 0},
        {"usa", "united states of america", 0, 0}, /* the initials are usoa */
        {"usoa", "united states of america", 1, 0},
        {"usa", "united states", 0, 0},
        {"u", "united", 0, 0},                 /* one letter is none */
        {"abcdef", "ab bb cb db eb fb", 0, 0}, /* six are too many */
        {"abcde", "ab bb cb db eb", 1, 0},
        {"USA", "United States America", 1, 0},
        {"it id", "i think it does", 1, 0}, /* it does; "it" is shared and is not asked */
        {"ai ml", "artificial intelligence machine learning", 2, 0},
        {"creditcard", "credit card", 0, 1},
        {"credit card", "creditcard", 0, 1},
        {"a creditcard debitcard", "a credit card debit card", 0, 2},
        {"creditcards", "credit card", 0, 0},
        {"creditcard", "card credit", 0, 0},
        {"creditcard", "credit my card", 0, 0},
        {"", "credit card", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int turn = 0; turn < 2; turn++) {
            compare(turn ? cases[i].b : cases[i].a, turn ? cases[i].a : cases[i].b);
            if (comparison.acronyms != cases[i].acronyms ||
                comparison.compounds != cases[i].compounds) {
                print_error("%s / %s: %zu acronyms, %zu compounds\n", cases[i].a, cases[i].b,
                            comparison.acronyms, comparison.compounds);
                fail();
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_what_brute_force_finds),
        cmocka_unit_test(long_sentences_are_compared_as_far_as_the_tables_reach),
        cmocka_unit_test(spelled_alike_is_dice_of_letter_pairs),
        cmocka_unit_test(each_word_takes_its_best_partner),
        cmocka_unit_test(long_words_are_compared_by_their_beginning),
        cmocka_unit_test(acronyms_and_compounds_are_found),
    };
    vocabulary_fit(&vocabulary, FILM_WORD, "aa bb\naa cc\naa bb cc\naa dd ee\naa bb dd");
    if (reading_init(&reading, &vocabulary.encoder, &error) != FILM_OK ||
        comparison_init(&comparison, &vocabulary.encoder, &error) != FILM_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comparison_free(&comparison);
    reading_free(&reading);
    vocabulary_free(&vocabulary);
    return failed;
}
