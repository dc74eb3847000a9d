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

/* ---- The sum: the strongest terms, those for the verdict first ---- */

struct term {
    double weight;
    film_text text;
    char side; /* of a word: 'a', 'b', or '*' for both; 0: a group */
};

/* The strongest first, equal ones in their order. qsort does not promise that. */
static void sort_terms(struct term *terms, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct term term = terms[i];
        size_t at = i;
        for (; at > 0 && fabs(terms[at - 1].weight) < fabs(term.weight); at--)
            terms[at] = terms[at - 1];
        terms[at] = term;
    }
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
    terms[(*count)++] = (struct term){word->weight, word->text, word->side};
}

static void print_bar(double weight, double most, int colour)
{
    enum { WIDTH = 16 };
    double share = most > 0 ? fabs(weight) / most : 0;
    int cells = !(share > 0) ? 0 : share < 1 ? (int)(share * WIDTH + 0.5) : WIDTH;
    printf("  %+7.2f  %s%.*s%s%*s", weight, colour ? (weight > 0 ? GREEN : RED) : "", cells,
           "################", colour ? PLAIN : "", WIDTH - cells + 2, "");
}

static void print_term(const struct term *term, double most, int colour)
{
    print_bar(term->weight, most, colour);
    if (term->side)
        printf("\"%.*s\"%s\n", (int)term->text.length, term->text.bytes,
               term->side == 'a'   ? " in a"
               : term->side == 'b' ? " in b"
                                   : "");
    else
        printf("%.*s\n", (int)term->text.length, term->text.bytes);
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
        terms[count++] = (struct term){why->groups[i].weight, film_string(why->groups[i].title), 0};
    sort_terms(terms, count);
    double most = count ? fmax(fabs(terms[0].weight), fabs(why->verdict.bias)) : 0;
    printf("log-odds %+.2f =\n", why->verdict.log_odds);
    print_term(&(struct term){why->verdict.bias, film_string("Bias (the same for every pair)"), 0},
               most, colour);
    for (int against = 0; against < 2; against++)
        for (size_t i = 0; i < count && i < SHOWN; i++)
            if (((terms[i].weight > 0) == why->verdict.same) != against)
                print_term(&terms[i], most, colour);
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
    for (size_t i = 0; i < why->fact_count; i++) printf("  -  %s\n", why->facts[i].text);
    print_sum(why, colour);
}
