/* An explanation on the terminal: the verdict, the sentences with their words coloured, and a bar
 * for each of the strongest parts of the sum. */
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

/* Green for, red against; what says next to nothing has no colour, what says most is bold. */
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

/* ---- The sum, strongest parts first ---- */

struct part {
    double weight;
    film_text text;
    char side; /* of a word: 'a', 'b', or '*' in both; 0: a group */
};

static int stronger_first(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    double x = fabs(a->weight), y = fabs(b->weight);
    return x != y ? (x > y ? -1 : 1) : 0;
}

/* A word that stands in several places is one part. */
static void add_word(struct part *parts, size_t *count, const film_word_share *word)
{
    if (word->weight == 0) return; /* where words have no share, as of a network */
    for (size_t i = 0; i < *count; i++) {
        struct part *part = &parts[i];
        if (part->text.length == word->text.length &&
            strncasecmp(part->text.bytes, word->text.bytes, word->text.length) == 0) {
            part->weight += word->weight;
            if (part->side != word->side) part->side = '*';
            return;
        }
    }
    parts[(*count)++] = (struct part){word->weight, word->text, word->side};
}

static void print_bar(double weight, double most, int colour)
{
    enum { WIDTH = 16 };
    int cells = most > 0 ? (int)(fabs(weight) / most * WIDTH + 0.5) : 0;
    printf("  %+7.2f  %s%.*s%s%*s", weight, colour ? (weight > 0 ? GREEN : RED) : "", cells,
           "################", colour ? PLAIN : "", WIDTH - cells + 2, "");
}

static void print_part(const struct part *part, double most, int colour)
{
    print_bar(part->weight, most, colour);
    if (part->side)
        printf("\"%.*s\"%s\n", (int)part->text.length, part->text.bytes,
               part->side == 'a'   ? " in a"
               : part->side == 'b' ? " in b"
                                   : "");
    else
        printf("%.*s\n", (int)part->text.length, part->text.bytes);
}

static void print_sum(const film_explanation *why, int colour)
{
    enum { SHOWN = 10 };
    struct part *parts = malloc((why->word_count + why->group_count + 1) * sizeof *parts);
    size_t count = 0, words = 0;
    if (!parts) return; /* the verdict is there already */
    for (size_t i = 0; i < why->word_count && i < 1000; i++)
        add_word(parts, &count, &why->words[i]);
    double rest = 0;
    for (size_t i = 1000; i < why->word_count; i++, words++) rest += why->words[i].weight;
    for (size_t i = 0; i < why->group_count; i++)
        parts[count++] = (struct part){why->groups[i].weight, film_string(why->groups[i].title), 0};
    qsort(parts, count, sizeof *parts, stronger_first);
    double most = count ? fmax(fabs(parts[0].weight), fabs(why->verdict.bias)) : 0;
    printf("log-odds %+.2f =\n", why->verdict.log_odds);
    print_part(&(struct part){why->verdict.bias, film_string("Start: the same for every pair"), 0},
               most, colour);
    for (size_t i = 0; i < count && i < SHOWN; i++) print_part(&parts[i], most, colour);
    for (size_t i = SHOWN; i < count; i++, words++) rest += parts[i].weight;
    if (words) {
        print_bar(rest, most, colour);
        printf("%zu others\n", words);
    }
    free(parts);
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
