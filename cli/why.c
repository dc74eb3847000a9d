/* Prints an explanation: the verdict, the sentences with coloured words, and a bar for each of the
 * strongest terms of the log-odds. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define GREEN "\033[32m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

void print_reason(const film_reason *reason)
{
    printf("  %+7.2f  %s: %.*s", reason->weight, reason->kind, (int)reason->text_length,
           reason->text);
    if (reason->other_side) printf(" / %.*s", (int)reason->other_length, reason->other);
    if (reason->side && !reason->other_side) printf(" (%c)", reason->side);
    printf("\n");
}

/* ---- The sentences ---- */

static double strongest_word(const film_explanation *why)
{
    double most = 0;
    for (size_t i = 0; i < why->word_count; i++) most = fmax(most, fabs(why->words[i].weight));
    return most;
}

/* Green for, red against. Weak words have no colour, strong ones are bold. */
static const char *colour_of(double weight, double most)
{
    if (fabs(weight) < 0.1 * most || most == 0) return "";
    if (fabs(weight) >= 0.5 * most) return weight > 0 ? "\033[1;32m" : "\033[1;31m";
    return weight > 0 ? GREEN : RED;
}

static void print_sentence(const film_explanation *why, char side, int colour)
{
    film_text text = side == 'a' ? why->a : why->b;
    double most = strongest_word(why);
    size_t at = 0;
    printf("  %c  ", side);
    for (size_t i = 0; i < why->word_count && colour; i++) {
        const film_word_share *word = &why->words[i];
        if (word->side != side) continue;
        fwrite(text.bytes + at, 1, word->start - at, stdout);
        printf("%s%.*s" PLAIN, colour_of(word->weight, most), (int)word->text.length,
               word->text.bytes);
        at = word->end;
    }
    fwrite(text.bytes + at, 1, text.length - at, stdout);
    printf("\n");
}

/* ---- What differs, and what would change the verdict ---- */

static void print_text(film_text text)
{
    printf("\"%.*s\"", (int)text.length, text.bytes);
}

static void print_differences(const film_explanation *why)
{
    enum { SHOWN = 5 };
    for (size_t i = 0; i < why->difference_count && i < SHOWN; i++) {
        const film_word_difference *difference = &why->differences[i];
        printf(i ? ", " : "  differ: ");
        if (difference->a.length) print_text(difference->a);
        if (difference->a.length && difference->b.length) printf(" / ");
        if (difference->b.length) print_text(difference->b);
        if (!difference->a.length || !difference->b.length)
            printf(" only in %c", difference->a.length ? 'a' : 'b');
    }
    if (why->difference_count > SHOWN) printf(", %zu more", why->difference_count - SHOWN);
    if (why->difference_count) printf("\n");
}

/* would be the same (0.98) with "stolen" for "damaged" in b and without "not" in a */
static void print_reversals(const film_explanation *why)
{
    for (size_t i = 0; i < why->reversal_count; i++) {
        const film_reversal *reversal = &why->reversals[i];
        printf(i ? "  or" : "  would be %s", why->verdict.same ? "different" : "the same");
        printf(" (%.2f)", reversal->probability);
        for (size_t e = 0; e < reversal->edit_count; e++) {
            const film_text_edit *edit = &reversal->edits[e];
            printf(e ? " and %s " : " %s ", edit->by.length ? "with" : "without");
            if (edit->by.length) {
                print_text(edit->by);
                printf(" for ");
            }
            print_text(edit->text);
            printf(" in %c", edit->side);
        }
        printf("\n");
    }
    if (why->causes && !why->reversal_count) printf("  no reversal of at most three edits found\n");
}

/* ---- The sum: the strongest terms, those for the verdict first ---- */

struct term {
    double weight;
    film_text text;
    char side;                     /* of a word: 'a', 'b', or '*' for both; 0: a group */
    const film_group_cause *cause; /* of a group; may be NULL */
};

static int stronger_term_first(const void *left, const void *right)
{
    const struct term *a = left, *b = right;
    double x = fabs(a->weight), y = fabs(b->weight);
    return x != y ? (x > y ? -1 : 1) : 0;
}

/* Adds a word to the terms. Several occurrences of a word are one term. */
static void add_word(struct term *terms, size_t *count, const film_word_share *word)
{
    if (word->weight == 0) return; /* a network gives words no weight */
    for (size_t i = 0; i < *count; i++) {
        struct term *term = &terms[i];
        if (term->text.length == word->text.length &&
            strncasecmp(term->text.bytes, word->text.bytes, word->text.length) == 0) {
            term->weight += word->weight;
            if (term->side != word->side) term->side = '*';
            return;
        }
    }
    terms[(*count)++] = (struct term){word->weight, word->text, word->side, NULL};
}

static void print_bar(double weight, double most, int colour)
{
    enum { WIDTH = 16 };
    double share = most > 0 ? fabs(weight) / most : 0;
    int cells = !(share > 0) ? 0 : share < 1 ? (int)(share * WIDTH + 0.5) : WIDTH;
    printf("  %+7.2f  %s%.*s%s%*s", weight, colour ? (weight > 0 ? GREEN : RED) : "", cells,
           "################", colour ? PLAIN : "", WIDTH - cells + 2, "");
}

/* Prints the words that cause the weight of a group, each once: (stolen, damaged). */
static void print_cause(const film_explanation *why, const film_group_cause *cause)
{
    size_t shown = 0;
    for (size_t i = 0; i < cause->word_count; i++) {
        film_text word = why->words[cause->words[i]].text;
        size_t j = 0;
        while (j < i &&
               (why->words[cause->words[j]].text.length != word.length ||
                strncasecmp(why->words[cause->words[j]].text.bytes, word.bytes, word.length) != 0))
            j++;
        if (j == i) printf("%s%.*s", shown++ ? ", " : " (", (int)word.length, word.bytes);
    }
    if (shown) printf(")");
}

static void print_term(const film_explanation *why, const struct term *term, double most,
                       int colour)
{
    print_bar(term->weight, most, colour);
    if (term->side)
        printf("\"%.*s\"%s\n", (int)term->text.length, term->text.bytes,
               term->side == 'a'   ? " in a"
               : term->side == 'b' ? " in b"
                                   : "");
    else {
        printf("%.*s", (int)term->text.length, term->text.bytes);
        if (term->cause) print_cause(why, term->cause);
        printf("\n");
    }
}

static void print_sum(const film_explanation *why, int colour)
{
    enum { SHOWN = 10 };
    struct term *terms = malloc((why->word_count + why->group_count + 1) * sizeof *terms);
    size_t count = 0, words = 0;
    if (!terms) {
        output_incomplete();
        return;
    }
    for (size_t i = 0; i < why->word_count && i < 1000; i++)
        add_word(terms, &count, &why->words[i]);
    double rest = 0;
    for (size_t i = 1000; i < why->word_count; i++, words++) rest += why->words[i].weight;
    for (size_t i = 0; i < why->group_count; i++)
        terms[count++] = (struct term){why->groups[i].weight, film_string(why->groups[i].title), 0,
                                       why->causes ? &why->causes[i] : NULL};
    qsort(terms, count, sizeof *terms, stronger_term_first);
    double most = count ? fmax(fabs(terms[0].weight), fabs(why->verdict.bias)) : 0;
    printf("log-odds %+.2f =\n", why->verdict.log_odds);
    print_term(
        why,
        &(struct term){why->verdict.bias, film_string("Bias (the same for every pair)"), 0, NULL},
        most, colour);
    for (int against = 0; against < 2; against++)
        for (size_t i = 0; i < count && i < SHOWN; i++)
            if (((terms[i].weight > 0) == why->verdict.same) != against)
                print_term(why, &terms[i], most, colour);
    for (size_t i = SHOWN; i < count; i++, words++) rest += terms[i].weight;
    if (words) {
        print_bar(rest, most, colour);
        printf("%zu more\n", words);
    }
    free(terms);
}

void print_explanation(const film_explanation *why)
{
    int colour = use_colour(stdout);
    const film_verdict *verdict = &why->verdict;
    printf("%s%s%s  probability %.3f, similarity %.3f\n",
           colour ? (verdict->same ? "\033[1;32m" : "\033[1;31m") : "",
           verdict->same ? "same" : "different", colour ? PLAIN : "", verdict->probability,
           verdict->similarity);
    print_sentence(why, 'a', colour);
    print_sentence(why, 'b', colour);
    print_differences(why);
    print_reversals(why);
    for (size_t i = 0; i < why->fact_count; i++) printf("  -  %s\n", why->facts[i].text);
    print_sum(why, colour);
}
