/* The reasons of verdicts in words that a reader understands: the strongest words and groups of a
 * pair, and the section on what decides over all pairs. src/explain computes them. */
#include "report/reasons.h"
#include "base/sort.h"
#include "base/mem.h"
#include "text/record_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

film_status reader_init(struct verdict_reader *reader, const struct decision *decision,
                        film_error *error)
{
    film_status status = FILM_OK;
    struct match_rule rule;
    memset(reader, 0, sizeof *reader);
    TRY(match_rule(&rule, decision, NULL, error));
    TRY(match_init(&reader->match, decision, &rule, error));
    reader->ready = 1;
done:
    return status;
}

void reader_free(struct verdict_reader *reader)
{
    if (reader->ready) match_free(&reader->match);
    explainer_free(&reader->explainer);
    memset(reader, 0, sizeof *reader);
}

/* ---- One pair ---- */

void sentence_write(struct markup *out, film_text text)
{
    film_text name, value;
    markup_raw(out, "<bdi>");
    if (!record_text_is(text)) markup_text(out, text, REPORT_TEXT);
    for (size_t at = 0; record_text_next(text, &at, &name, &value);) {
        markup_raw(out, "<i>");
        markup_text(out, name, REPORT_TEXT);
        markup_raw(out, "</i> ");
        markup_text(out, value, REPORT_TEXT);
        markup_raw(out, at < text.length ? ", " : "");
    }
    markup_raw(out, "</bdi>");
}

struct shared_term {
    double weight;
    film_text text;
    const char *id; /* of a group; NULL: a word */
    char side;
};

static int stronger_share_first(const void *left, const void *right)
{
    double x = fabs(((const struct shared_term *)left)->weight);
    double y = fabs(((const struct shared_term *)right)->weight);
    return x != y ? (x > y ? -1 : 1) : 0;
}

static void write_term(struct markup *out, const struct shared_term *term)
{
    markup_print(out, "<span class=\"%s\"", term->weight >= 0 ? "for" : "against");
    if (term->id) markup_print(out, " title=\"%s\"", term->id);
    markup_print(out, ">%+.2f <bdi>%s", term->weight, term->id ? "" : "\xE2\x80\x9C");
    markup_text(out, term->text, 60);
    markup_raw(out, term->id            ? "</bdi></span>"
                    : term->side == 'a' ? "\xE2\x80\x9D in a</bdi></span>"
                                        : "\xE2\x80\x9D in b</bdi></span>");
}

/* The strongest terms as chips; what speaks for the verdict SAME comes first. */
static void write_chips(struct markup *out, struct shared_term *terms, size_t count, int same)
{
    enum { SHOWN = 6 };
    if (count) sort_array(terms, count, sizeof *terms, stronger_share_first);
    markup_raw(out, "<div class=\"chips\">");
    for (int against = 0; against < 2; against++)
        for (size_t i = 0; i < count && i < SHOWN; i++)
            if (terms[i].weight != 0 && ((terms[i].weight > 0) == same) != against)
                write_term(out, &terms[i]);
    markup_raw(out, "</div>");
}

/* ---- One pair of records: a waterfall over fields ---- */

struct waterfall {
    double low, high, sum;
};

static void extend_waterfall(struct waterfall *fall, double weight)
{
    fall->sum += weight;
    fall->low = fmin(fall->low, fall->sum);
    fall->high = fmax(fall->high, fall->sum);
}

/* A step from the sum before to the sum with WEIGHT. */
static void write_step(struct markup *out, struct waterfall *fall, film_text title, double weight)
{
    double range = fmax(fall->high - fall->low, 1e-9), from = fmin(fall->sum, fall->sum + weight);
    fall->sum += weight;
    markup_raw(out, "<span>");
    markup_text(out, title, 60);
    markup_print(out,
                 "</span><u><i class=\"%s\" style=\"margin-left:%.1f%%;width:%.1f%%\"></i></u>",
                 weight >= 0 ? "for" : "against", 100 * (from - fall->low) / range,
                 100 * fabs(weight) / range);
    markup_print(out, "<b>%+.2f</b>", weight);
}

static int is_inside(film_text value, film_text word)
{
    return value.bytes && word.bytes >= value.bytes && word.bytes < value.bytes + value.length;
}

/* A field's words and traits. TERMS has room for all. */
static void write_field_inside(struct markup *out, const film_explanation *why,
                               const film_field_share *field, struct shared_term *terms)
{
    size_t count = 0;
    for (size_t i = 0; i < why->word_count; i++) {
        const film_word_share *word = &why->words[i];
        if (is_inside(word->side == 'a' ? field->a : field->b, word->text))
            terms[count++] = (struct shared_term){word->weight, word->text, NULL, word->side};
    }
    for (size_t g = 0; g < why->group_count; g++) {
        const film_reason_group *group = &why->groups[g];
        if (strncmp(group->name, "field ", 6) != 0 || strcmp(group->name + 6, field->name) != 0)
            continue;
        for (size_t i = 0; i < group->reason_count; i++)
            terms[count++] =
                (struct shared_term){group->reasons[i].weight,
                                     {group->reasons[i].text, group->reasons[i].text_length},
                                     group->reasons[i].id,
                                     0};
    }
    write_chips(out, terms, count, why->verdict.same);
}

/* The room for terms that write_waterfall needs. */
static size_t waterfall_room(const film_explanation *why)
{
    size_t room = why->word_count + why->group_count;
    for (size_t g = 0; g < why->group_count; g++) room += why->groups[g].reason_count;
    return room;
}

/* Bias, fields and groups as steps to the log-odds; a field opens into its words and traits. */
static void write_waterfall(struct markup *out, const film_explanation *why,
                            struct shared_term *terms)
{
    struct waterfall fall = {0, 0, 0};
    double rest = why->verdict.log_odds - why->verdict.bias;
    for (int draw = 0; draw < 2; draw++) {
        if (draw) {
            fall.sum = 0;
            markup_raw(out, "<div class=\"falls\"><div class=\"fall\">");
            write_step(out, &fall, film_string("Bias"), why->verdict.bias);
            markup_raw(out, "</div>");
        } else
            extend_waterfall(&fall, why->verdict.bias);
        for (size_t f = 0; f < why->field_count; f++) {
            const film_field_share *field = &why->fields[f];
            if (!draw) {
                extend_waterfall(&fall, field->weight);
                rest -= field->weight;
                continue;
            }
            markup_raw(out, "<details><summary class=\"fall\">");
            write_step(out, &fall, film_string(field->name), field->weight);
            markup_raw(out, "</summary>");
            write_field_inside(out, why, field, terms);
            markup_raw(out, "</details>");
        }
        for (size_t g = 0; g < why->group_count; g++) {
            const film_reason_group *group = &why->groups[g];
            if (family_named(group->name) == FAMILIES) continue; /* a field's */
            if (!draw) {
                extend_waterfall(&fall, group->weight);
                rest -= group->weight;
                continue;
            }
            markup_print(out, "<div class=\"fall\" title=\"%s\">", group->id);
            write_step(out, &fall, film_string(group->title), group->weight);
            markup_raw(out, "</div>");
        }
        if (!draw) extend_waterfall(&fall, rest);
    }
    if (fabs(rest) >= 0.005) { /* words of fields beyond the model's */
        markup_raw(out, "<div class=\"fall\">");
        write_step(out, &fall, film_string("Other words"), rest);
        markup_raw(out, "</div>");
    }
    markup_print(out, "<p>log-odds %+.2f</p></div>", why->verdict.log_odds);
}

film_status reasons_write(struct markup *out, struct verdict_reader *reader, film_text a,
                          film_text b, film_error *error)
{
    film_explanation why;
    film_status status = explain_pair(&reader->explainer, &reader->match, a, b, &why, error);
    if (status != FILM_OK) return status;
    size_t count = 0;
    struct shared_term *terms = mem_array(waterfall_room(&why) + 1, sizeof *terms);
    if (!terms) return status_no_memory(error);
    if (why.field_count) {
        write_waterfall(out, &why, terms);
        goto done;
    }
    for (size_t i = 0; i < why.word_count; i++)
        terms[count++] =
            (struct shared_term){why.words[i].weight, why.words[i].text, NULL, why.words[i].side};
    for (size_t i = 0; i < why.group_count; i++)
        terms[count++] = (struct shared_term){
            why.groups[i].weight, film_string(why.groups[i].title), why.groups[i].id, 0};
    write_chips(out, terms, count, why.verdict.same);
done:
    mem_free(terms);
    return FILM_OK;
}

/* ---- All pairs ---- */

struct total {
    const char *title, *id;
    double sum;
    const char *type; /* of a field of records, whose name is the title; NULL: a group */
};

static int larger_total_first(const void *left, const void *right)
{
    const struct total *a = left, *b = right;
    return a->sum != b->sum ? (a->sum > b->sum ? -1 : 1) : strcmp(a->id, b->id);
}

enum { TOTALS = FAMILIES + 1 + RECORD_FIELDS_MOST }; /* families, words, fields of records */

/* Adds the absolute weight of each group, of each field, and of all words outside fields. */
static film_status add_verdict(struct verdict_reader *reader, film_text a, film_text b,
                               struct total totals[TOTALS], film_error *error)
{
    film_explanation why;
    film_status status = explain_pair(&reader->explainer, &reader->match, a, b, &why, error);
    double words = 0;
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < why.word_count; i++) words += why.words[i].weight;
    for (size_t f = 0; f < why.field_count; f++) {
        words -= why.fields[f].words;
        for (int t = FAMILIES + 1; t < TOTALS; t++)
            if (totals[t].type && strcmp(totals[t].title, why.fields[f].name) == 0)
                totals[t].sum += fabs(why.fields[f].weight);
    }
    totals[FAMILIES].sum += fabs(words);
    for (size_t i = 0; i < why.group_count; i++)
        for (int family = 0; family < FAMILIES; family++)
            if (totals[family].id == why.groups[i].id)
                totals[family].sum += fabs(why.groups[i].weight);
    return FILM_OK;
}

static void write_totals(struct markup *out, struct total totals[TOTALS], size_t pairs)
{
    static const char *const heads[] = {"group of reasons", "mean log-odds", ""};
    sort_array(totals, TOTALS, sizeof *totals, larger_total_first);
    table_begin(out, "reasons-groups", heads, 3);
    for (int i = 0; i < TOTALS && totals[i].sum > 0; i++) {
        markup_print(out, "<tr title=\"%s\"><td>%s", totals[i].id, totals[i].type ? "field " : "");
        markup_text(out, film_string(totals[i].title), 60);
        if (totals[i].type) markup_print(out, " (%s)", totals[i].type);
        markup_print(out,
                     "</td><td class=\"figure\">%.2f</td><td><div class=\"balance\"><i "
                     "class=\"k1\" style=\"width:%.1f%%\"></i></div></td></tr>\n",
                     totals[i].sum / (double)pairs, 100 * totals[i].sum / totals[0].sum);
    }
    table_end(out);
}

/* An empty total for each family, for words, and for each field. */
static void name_totals(const struct record_fields *fields, struct total totals[TOTALS])
{
    for (int t = 0; t < TOTALS; t++) totals[t] = (struct total){"", "", 0, NULL};
    for (int family = 0; family < FAMILIES; family++)
        totals[family] = (struct total){family_title((enum family)family),
                                        family_id((enum family)family), 0, NULL};
    totals[FAMILIES] = (struct total){"Single words", "words", 0, NULL};
    for (size_t f = 0; fields && f < fields->count; f++)
        totals[FAMILIES + 1 + f] =
            (struct total){fields->list[f].name, "field", 0, field_type_name(fields->list[f].type)};
}

film_status reasons_section(struct report *report, const struct eval_view *view, film_error *error)
{
    enum { SAMPLE = 300 };
    film_status status = FILM_OK;
    struct verdict_reader reader = {.ready = 0};
    struct labelled pairs = {0};
    struct total totals[TOTALS];
    const struct corpus *corpus = view ? view->corpus : &report->train;
    section_begin(
        report, "reasons", "What decides",
        "Every verdict is a sum of log-odds. The bars show how much each group of reasons "
        "moves the verdict on a pair of the file, in either direction.");
    TRY(labelled_take(&pairs, corpus, error));
    if (!pairs.count || !report->model->decision.full) goto none;
    name_totals(report->model->encoder.fields, totals);
    TRY(reader_init(&reader, &report->model->decision, error));
    size_t stride = (pairs.count + SAMPLE - 1) / SAMPLE, count = 0;
    for (size_t i = 0; i < pairs.count; i += stride, count++)
        TRY(add_verdict(&reader, strtab_get(&corpus->sentences, pairs.a[i]),
                        strtab_get(&corpus->sentences, pairs.b[i]), totals, error));
    write_totals(&report->body, totals, count);
none:
    section_end(report);
done:
    reader_free(&reader);
    labelled_free(&pairs);
    return status;
}
