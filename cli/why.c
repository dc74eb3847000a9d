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

/* ---- Records ---- */

enum { NAME_MARK = 0x1e, VALUE_MARK = 0x1f }; /* of a record's text (film_record_text) */

/* Whether a record has a field that the model compares. */
static int has_known_field(const film_model *model, const char *record)
{
    char name[300];
    for (size_t f = 0; f < film_field_count(model); f++) {
        snprintf(name, sizeof name, "%c%s%c", NAME_MARK, film_field_name(model, f), VALUE_MARK);
        if (strstr(record, name)) return 1;
    }
    return 0;
}

film_status record_argument(const film_model *model, const char *argument, film_text *text,
                            char **own, film_error *error)
{
    *text = film_string(argument);
    if (*argument != '{' || !film_field_count(model)) return FILM_OK;
    film_status status = film_record_json(*text, own, error);
    if (status != FILM_OK) return status;
    *text = film_string(*own);
    if (!**own || has_known_field(model, *own)) return FILM_OK;
    snprintf(error->message, sizeof error->message,
             "%s has no value in a field of the model; film info lists them, such as \"%s\"",
             argument, film_field_name(model, 0));
    return error->status = FILM_BAD_INPUT;
}

/* Prints bytes FROM .. TO, with the marks of a record as signs. */
static void print_between(FILE *out, film_text text, size_t from, size_t to)
{
    int record = text.length && text.bytes[0] == NAME_MARK;
    for (size_t i = from; i < to; i++) {
        char c = text.bytes[i];
        if (record && (c == NAME_MARK || c == VALUE_MARK))
            fputs(c == VALUE_MARK ? ": " : i ? ", " : "", out);
        else
            putc(c, out);
    }
}

void print_record(FILE *to, film_text text)
{
    print_between(to, text, 0, text.length);
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
        print_between(stdout, text, at, word->start);
        const char *begin = colour_of(word->weight, most);
        printf("%s%.*s%s", begin, (int)word->text.length, word->text.bytes, *begin ? PLAIN : "");
        at = word->end;
    }
    print_between(stdout, text, at, text.length);
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
    else if (term->field)
        printf("field %s (%s)\n", term->field->name, term->field->type);
    else {
        printf("%.*s", (int)term->text.length, term->text.bytes);
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

/* Prints the strongest words and traits of a field, below its line. SPACE has room for all. */
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
        printf("  %27s %+6.2f  ", "", space[i].weight);
        printf(space[i].side ? "\"%.*s\"%s\n" : "%.*s%s\n", (int)space[i].text.length,
               space[i].text.bytes,
               space[i].side == 'a'   ? " in a"
               : space[i].side == 'b' ? " in b"
                                      : "");
    }
}

static void print_sum(const film_explanation *why, int colour)
{
    enum { SHOWN = 10 };
    size_t room = why->word_count + why->group_count + why->field_count + 8;
    struct term *terms = malloc(2 * room * sizeof *terms);
    size_t count = 0, words = 0;
    if (!terms) {
        output_incomplete();
        return;
    }
    for (size_t i = 0; i < why->word_count && i < 1000; i++)
        if (!word_field(why, &why->words[i])) add_word_term(terms, &count, &why->words[i]);
    double rest = 0;
    for (size_t i = 1000; i < why->word_count; i++)
        if (!word_field(why, &why->words[i])) {
            rest += why->words[i].weight;
            words++;
        }
    for (size_t i = 0; i < why->group_count; i++)
        if (!why->field_count || !is_field_group(&why->groups[i]))
            terms[count++] = (struct term){.weight = why->groups[i].weight,
                                           .text = film_string(why->groups[i].title),
                                           .cause = why->causes ? &why->causes[i] : NULL};
    for (size_t f = 0; f < why->field_count; f++)
        terms[count++] = (struct term){.weight = why->fields[f].weight, .field = &why->fields[f]};
    sort_terms(terms, count);
    double most = count ? fmax(fabs(terms[0].weight), fabs(why->verdict.bias)) : 0;
    printf("log-odds %+.2f =\n", why->verdict.log_odds);
    print_term(why,
               &(struct term){.weight = why->verdict.bias,
                              .text = film_string("Bias (the same for every pair)")},
               most, colour);
    for (int against = 0; against < 2; against++)
        for (size_t i = 0; i < count && i < SHOWN; i++)
            if (((terms[i].weight > 0) == why->verdict.same) != against) {
                print_term(why, &terms[i], most, colour);
                if (terms[i].field) print_inside(why, terms[i].field, terms + room);
            }
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
