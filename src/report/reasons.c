/* The reasons of verdicts, and what decides over all pairs. src/explain computes them.
 *
 * A pair has `terms`, the strongest first: words {text, side, weight} and groups {id, title,
 * weight}. Records have fields {name, weight, terms} and groups; with the bias and the words
 * outside of the model's fields they add up to the log-odds. */
#include "report/reasons.h"
#include "base/mem.h"
#include "base/sort.h"

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

struct shared_term {
    double weight;
    film_text text;
    const char *id; /* of a group or trait; NULL: a word */
    char side;
};

static int stronger_share_first(const void *left, const void *right)
{
    double x = fabs(((const struct shared_term *)left)->weight);
    double y = fabs(((const struct shared_term *)right)->weight);
    return x != y ? (x > y ? -1 : 1) : 0;
}

static void put_terms(struct writer *to, struct shared_term *terms, size_t count)
{
    enum { SHOWN = 6, LONGEST = 60 };
    if (count) sort_array(terms, count, sizeof *terms, stronger_share_first);
    put_open(to, "terms", '[');
    for (size_t i = 0; i < count && i < SHOWN && terms[i].weight != 0; i++) {
        put_open(to, NULL, '{');
        put_text(to, terms[i].id ? "title" : "text", terms[i].text, LONGEST);
        if (terms[i].id)
            put_string(to, "id", terms[i].id);
        else
            put_string(to, "side", terms[i].side == 'a' ? "a" : "b");
        put_number(to, "weight", terms[i].weight);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static int is_inside(film_text value, film_text word)
{
    return value.bytes && word.bytes >= value.bytes && word.bytes < value.bytes + value.length;
}

/* A field's words and traits. TERMS has room for all. */
static void put_field(struct writer *to, const film_explanation *why, const film_field_share *field,
                      struct shared_term *terms)
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
    put_open(to, NULL, '{');
    put_string(to, "name", field->name);
    put_number(to, "weight", field->weight);
    put_terms(to, terms, count);
    writer_close(to, '}');
}

static void put_fields(struct writer *to, const film_explanation *why, struct shared_term *terms)
{
    put_number(to, "bias", why->verdict.bias);
    put_number(to, "log_odds", why->verdict.log_odds);
    put_open(to, "fields", '[');
    for (size_t f = 0; f < why->field_count; f++) put_field(to, why, &why->fields[f], terms);
    writer_close(to, ']');
    put_open(to, "groups", '[');
    for (size_t g = 0; g < why->group_count; g++) {
        const film_reason_group *group = &why->groups[g];
        if (family_named(group->name) == FAMILIES) continue; /* a field's */
        put_open(to, NULL, '{');
        put_string(to, "id", group->id);
        put_string(to, "title", group->title);
        put_number(to, "weight", group->weight);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

film_status put_reasons(struct writer *to, struct verdict_reader *reader, film_text a, film_text b,
                        film_error *error)
{
    film_explanation why;
    film_status status = explain_pair(&reader->explainer, &reader->match, a, b, &why, error);
    if (status != FILM_OK) return status;
    size_t count = 0, room = why.word_count + why.group_count;
    for (size_t g = 0; g < why.group_count; g++) room += why.groups[g].reason_count;
    struct shared_term *terms = mem_array(room + 1, sizeof *terms);
    if (!terms) return status_no_memory(error);
    put_truth(to, "same", why.verdict.same);
    for (size_t i = 0; i < why.word_count && !why.field_count; i++)
        terms[count++] =
            (struct shared_term){why.words[i].weight, why.words[i].text, NULL, why.words[i].side};
    for (size_t i = 0; i < why.group_count && !why.field_count; i++)
        terms[count++] = (struct shared_term){
            why.groups[i].weight, film_string(why.groups[i].title), why.groups[i].id, 0};
    if (why.field_count)
        put_fields(to, &why, terms);
    else
        put_terms(to, terms, count);
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

film_status reasons_part(struct report *report, const struct eval_view *view, film_error *error)
{
    enum { SAMPLE = 300 };
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    struct verdict_reader reader = {.ready = 0};
    struct labelled pairs = {0};
    struct total totals[TOTALS];
    const struct corpus *corpus = view ? view->corpus : &report->train;
    put_open(to, "reasons", '[');
    TRY(labelled_take(&pairs, corpus, error));
    if (!pairs.count || !report->model->decision.full) goto none;
    name_totals(report->model->encoder.fields, totals);
    TRY(reader_init(&reader, &report->model->decision, error));
    size_t stride = (pairs.count + SAMPLE - 1) / SAMPLE, count = 0;
    for (size_t i = 0; i < pairs.count; i += stride, count++)
        TRY(add_verdict(&reader, strtab_get(&corpus->sentences, pairs.a[i]),
                        strtab_get(&corpus->sentences, pairs.b[i]), totals, error));
    sort_array(totals, TOTALS, sizeof *totals, larger_total_first);
    for (int i = 0; i < TOTALS && totals[i].sum > 0; i++) {
        put_open(to, NULL, '{');
        put_string(to, "id", totals[i].id);
        put_string(to, "title", totals[i].title);
        put_string(to, "type", totals[i].type);
        put_number(to, "weight", totals[i].sum / (double)count);
        writer_close(to, '}');
    }
none:
    writer_close(to, ']');
done:
    reader_free(&reader);
    labelled_free(&pairs);
    return status;
}
