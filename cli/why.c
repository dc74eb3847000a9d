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
    print_clean(stdout, "  %+7.2f  %s: %.*s", reason->weight, reason->kind,
                (int)reason->text_length, reason->text);
    if (reason->other_side)
        print_clean(stdout, " / %.*s", (int)reason->other_length, reason->other);
    if (reason->side && !reason->other_side) printf(" (%c)", reason->side);
    printf("\n");
}

/* ---- Records ---- */

film_status record_argument(const film_model *model, const char *argument, film_text *text,
                            char **own, film_error *error)
{
    *text = film_string(argument);
    if (*argument != '{' || !film_field_count(model)) return FILM_OK;
    film_status status = film_record_json(*text, own, error);
    if (status != FILM_OK) return status;
    *text = film_string(*own);
    return film_record_check(model, *text, error);
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
        print_range(stdout, text, at, word->start);
        const char *begin = colour_of(word->weight, most);
        fputs(begin, stdout);
        print_text(stdout, word->text);
        fputs(*begin ? PLAIN : "", stdout);
        at = word->end;
    }
    print_range(stdout, text, at, text.length);
    printf("\n");
}

/* ---- What differs, and what would change the verdict ---- */

/* Quotes a text; of a long value only the beginning. */
static void print_quoted(film_text text)
{
    enum { MOST = 80 };
    size_t length = film_text_cut(text, MOST);
    print_clean(stdout, "\"%.*s%s\"", (int)length, text.bytes, length < text.length ? "..." : "");
}

/* title "5D" / "6D", or brand "Canon" only in a */
static void print_differences(const film_explanation *why)
{
    enum { SHOWN = 5 };
    for (size_t i = 0; i < why->difference_count && i < SHOWN; i++) {
        const film_word_difference *difference = &why->differences[i];
        printf(i ? ", " : "  differ: ");
        if (difference->field.length)
            print_clean(stdout, "%.*s ", (int)difference->field.length, difference->field.bytes);
        if (difference->a.length) print_quoted(difference->a);
        if (difference->a.length && difference->b.length) printf(" / ");
        if (difference->b.length) print_quoted(difference->b);
        if (!difference->a.length || !difference->b.length)
            printf(" only in %c", difference->a.length ? 'a' : 'b');
    }
    if (why->difference_count > SHOWN) printf(", %zu more", why->difference_count - SHOWN);
    if (why->difference_count) printf("\n");
}

/* with "stolen" for "damaged" in b; in a record: with price "10" for "12" in b, with price "10" in
 * b, without price in b, and with "5D" for "6D" in title of b */
static void print_edit_of(const film_text_edit *edit)
{
    printf("%s ", edit->by.length ? "with" : "without");
    if (edit->value) print_text(stdout, edit->field);
    if (edit->value && edit->by.length) printf(" ");
    if (edit->by.length) print_quoted(edit->by);
    if (edit->by.length && edit->text.length) printf(" for ");
    if (edit->text.length && (!edit->value || edit->by.length)) print_quoted(edit->text);
    if (!edit->value && edit->field.length)
        print_clean(stdout, " in %.*s of %c", (int)edit->field.length, edit->field.bytes,
                    edit->side);
    else
        printf(" in %c", edit->side);
}

/* would be the same (0.98) with "stolen" for "damaged" in b and without "not" in a */
static void print_reversals(const film_explanation *why)
{
    for (size_t i = 0; i < why->reversal_count; i++) {
        const film_reversal *reversal = &why->reversals[i];
        printf(i ? "  or" : "  would be %s", why->verdict.same ? "different" : "the same");
        printf(" (%.2f)", reversal->probability);
        for (size_t e = 0; e < reversal->edit_count; e++) {
            printf(e ? " and " : " ");
            print_edit_of(&reversal->edits[e]);
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
    const film_field_share *field; /* of records: its words and traits */
    const film_group_cause *cause; /* of a group; may be NULL */
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
static void add_word_term(struct term *terms, size_t *count, const film_word_share *word)
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
    terms[(*count)++] =
        (struct term){.weight = word->weight, .text = word->text, .side = word->side};
}

/* What the bars show: for sentences the size of each weight, for records a waterfall, each weight
 * where the sum of those above it ends. */
struct chart {
    double low, high; /* the range of the sums; equal: no waterfall */
    double sum, most; /* the largest weight */
    int colour;
};

enum { BAR = 16, WATERFALL = 32 };

static size_t waterfall_cell(const struct chart *chart, double sum)
{
    double share = (sum - chart->low) / (chart->high - chart->low);
    return share > 0 ? (share < 1 ? (size_t)(share * WATERFALL + 0.5) : WATERFALL) : 0;
}

/* A bar of + or - from the sum before to the sum after; | is zero. */
static void print_step(struct chart *chart, double weight)
{
    char row[WATERFALL + 2];
    size_t from = waterfall_cell(chart, chart->sum),
           to = waterfall_cell(chart, chart->sum += weight);
    size_t low = from < to ? from : to, high = from < to ? to : from;
    memset(row, ' ', WATERFALL + 1);
    row[WATERFALL + 1] = '\0';
    row[waterfall_cell(chart, 0)] = '|';
    if (low == high && high < WATERFALL) high++;
    memset(row + low, weight > 0 ? '+' : '-', high - low);
    printf("  %+7.2f  %.*s%s%.*s%s%s  ", weight, (int)low, row,
           chart->colour ? (weight > 0 ? GREEN : RED) : "", (int)(high - low), row + low,
           chart->colour ? PLAIN : "", row + high);
}

static void print_bar(struct chart *chart, double weight)
{
    if (chart->low < chart->high) {
        print_step(chart, weight);
        return;
    }
    double share = chart->most > 0 ? fabs(weight) / chart->most : 0;
    int cells = !(share > 0) ? 0 : share < 1 ? (int)(share * BAR + 0.5) : BAR;
    printf("  %+7.2f  %s%.*s%s%*s", weight, chart->colour ? (weight > 0 ? GREEN : RED) : "", cells,
           "################", chart->colour ? PLAIN : "", BAR - cells + 2, "");
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
        if (j != i) continue;
        fputs(shown++ ? ", " : " (", stdout);
        print_text(stdout, word);
    }
    if (shown) printf(")");
}

static void print_term(const film_explanation *why, const struct term *term, struct chart *chart)
{
    print_bar(chart, term->weight);
    if (term->side)
        print_clean(stdout, "\"%.*s\"%s\n", (int)term->text.length, term->text.bytes,
                    term->side == 'a'   ? " in a"
                    : term->side == 'b' ? " in b"
                                        : "");
    else if (term->field)
        print_clean(stdout, "field %s (%s)\n", term->field->name, term->field->type);
    else {
        print_text(stdout, term->text);
        if (term->cause) print_cause(why, term->cause);
        printf("\n");
    }
}

/* Returns the field whose value has the word, or NULL. */
static const film_field_share *word_field(const film_explanation *why, const film_word_share *word)
{
    for (size_t f = 0; f < why->field_count; f++) {
        film_text value = word->side == 'a' ? why->fields[f].a : why->fields[f].b;
        if (value.bytes && word->text.bytes >= value.bytes &&
            word->text.bytes < value.bytes + value.length)
            return &why->fields[f];
    }
    return NULL;
}

static int is_field_group(const film_reason_group *group)
{
    return strncmp(group->name, "field ", 6) == 0;
}

/* Prints the strongest words and traits of a field, below its line. SPACE has room for all. A trait
 * is named without the name of the field. */
static void print_inside(const film_explanation *why, const film_field_share *field,
                         struct term *space)
{
    enum { SHOWN = 4, MOST = 1000 };
    size_t count = 0;
    for (size_t i = 0; i < why->word_count && i < MOST; i++)
        if (word_field(why, &why->words[i]) == field) add_word_term(space, &count, &why->words[i]);
    for (size_t g = 0; g < why->group_count; g++) {
        const film_reason_group *group = &why->groups[g];
        if (!is_field_group(group) || strcmp(group->name + 6, field->name) != 0) continue;
        for (size_t i = 0; i < group->reason_count && i < SHOWN; i++)
            space[count++] =
                (struct term){.weight = group->reasons[i].weight,
                              .text = {group->reasons[i].text, group->reasons[i].text_length}};
    }
    sort_terms(space, count);
    for (size_t i = 0; i < count && i < SHOWN && fabs(space[i].weight) >= 0.005; i++) {
        printf("  %*s %+6.2f  ", 9 + WATERFALL + 2, "", space[i].weight);
        const char *quote = space[i].side ? "\"" : "";
        print_clean(stdout, "%s%.*s%s%s\n", quote, (int)space[i].text.length, space[i].text.bytes,
                    quote,
                    space[i].side == 'a'   ? " in a"
                    : space[i].side == 'b' ? " in b"
                                           : "");
    }
}

/* Collects the terms of the sum: words outside fields, groups, and fields. Words after the first
 * 1,000 are only counted and added to *REST. */
static size_t collect_terms(const film_explanation *why, struct term *terms, size_t *words,
                            double *rest)
{
    enum { MOST = 1000 };
    size_t count = 0;
    for (size_t i = 0; i < why->word_count; i++) {
        if (word_field(why, &why->words[i])) continue;
        if (i < MOST)
            add_word_term(terms, &count, &why->words[i]);
        else
            *rest += why->words[i].weight, ++*words;
    }
    for (size_t i = 0; i < why->group_count; i++)
        if (!why->field_count || !is_field_group(&why->groups[i]))
            terms[count++] = (struct term){.weight = why->groups[i].weight,
                                           .text = film_string(why->groups[i].title),
                                           .cause = why->causes ? &why->causes[i] : NULL};
    for (size_t f = 0; f < why->field_count; f++)
        terms[count++] = (struct term){.weight = why->fields[f].weight, .field = &why->fields[f]};
    sort_terms(terms, count);
    return count;
}

/* Returns whether the term has its own line: the strongest do, and every field that matters. */
static int has_own_line(const struct term *terms, size_t i)
{
    enum { SHOWN = 10 };
    return i < SHOWN || (terms[i].field && fabs(terms[i].weight) >= 0.02 * fabs(terms[0].weight));
}

/* Extends the range of a waterfall by a weight. */
static void reach(struct chart *chart, double weight)
{
    chart->sum += weight;
    chart->low = fmin(chart->low, chart->sum);
    chart->high = fmax(chart->high, chart->sum);
}

static void print_sum(const film_explanation *why, int colour)
{
    size_t room = why->word_count + why->group_count + why->field_count + 8;
    struct term *terms = malloc(2 * room * sizeof *terms);
    double bias = why->verdict.bias, rest = 0;
    size_t words = 0;
    if (!terms) {
        output_incomplete();
        return;
    }
    size_t count = collect_terms(why, terms, &words, &rest);
    struct chart chart = {.most = count ? fmax(fabs(terms[0].weight), fabs(bias)) : 0,
                          .colour = colour};
    for (int draw = !why->field_count; draw < 2; draw++) { /* first the range of the waterfall */
        chart.sum = 0;
        if (draw) printf("log-odds %+.2f =\n", why->verdict.log_odds);
        if (draw)
            print_term(why,
                       &(struct term){.weight = bias,
                                      .text = film_string("Bias (the same for every pair)")},
                       &chart);
        else
            reach(&chart, bias);
        for (int against = 0; against < 2; against++)
            for (size_t i = 0; i < count; i++) {
                if (!has_own_line(terms, i) ||
                    ((terms[i].weight > 0) == why->verdict.same) == against)
                    continue;
                if (draw)
                    print_term(why, &terms[i], &chart);
                else
                    reach(&chart, terms[i].weight);
                if (draw && terms[i].field) print_inside(why, terms[i].field, terms + room);
            }
    }
    for (size_t i = 0; i < count; i++)
        if (!has_own_line(terms, i)) rest += terms[i].weight, words++;
    if (words) {
        print_bar(&chart, rest);
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
