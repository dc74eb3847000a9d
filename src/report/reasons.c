/* The reasons of verdicts, and what decides over all pairs. src/explain computes them.
 *
 * A pair has `terms`, the strongest first: words {text, side, weight} and groups {id, title,
 * weight}. Records have fields {name, weight, terms} and groups; with the bias and the words
 * outside of the model's fields they add up to the log-odds. */
#include "report/reasons.h"
#include "base/mem.h"
#include "base/sort.h"
#include "film_explain.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static json_t *terms_json(struct shared_term *terms, size_t count)
{
    enum { SHOWN = 6, LONGEST = 60 };
    json_t *list = json_array();
    if (count) sort_array(terms, count, sizeof *terms, stronger_share_first);
    for (size_t i = 0; i < count && i < SHOWN && terms[i].weight != 0; i++) {
        const char *id = terms[i].id;
        jsonfile_append(list, json_pack("{s:o, s:s, s:o}", id ? "title" : "text",
                                        text_json(terms[i].text, LONGEST), id ? "id" : "side",
                                        id                     ? id
                                        : terms[i].side == 'a' ? "a"
                                                               : "b",
                                        "weight", number_json(terms[i].weight)));
    }
    return list;
}

static int is_inside(film_text value, film_text word)
{
    return value.bytes && word.bytes >= value.bytes && word.bytes < value.bytes + value.length;
}

/* Takes the words of a field, or of a sentence; FIELD NULL: all. */
static size_t take_words(const film_explanation *why, const film_field_share *field,
                         struct shared_term *terms)
{
    size_t count = 0;
    for (size_t i = 0; i < why->word_count; i++) {
        const film_word_share *word = &why->words[i];
        if (!field || is_inside(word->side == 'a' ? field->a : field->b, word->text))
            terms[count++] = (struct shared_term){word->weight, word->text, NULL, word->side};
    }
    return count;
}

/* A field with its words and traits. TERMS has room for all. */
static json_t *field_json(const film_explanation *why, const film_field_share *field,
                          struct shared_term *terms)
{
    size_t count = take_words(why, field, terms);
    for (size_t g = 0; g < why->group_count; g++) {
        const film_reason_group *group = &why->groups[g];
        if (strncmp(group->name, "field ", 6) != 0 || strcmp(group->name + 6, field->name) != 0)
            continue;
        for (size_t i = 0; i < group->reason_count; i++) {
            const film_reason *reason = &group->reasons[i];
            terms[count++] = (struct shared_term){
                reason->weight, {reason->text, reason->text_length}, reason->id, 0};
        }
    }
    return json_pack("{s:o, s:o, s:o}", "name", text_json(film_string(field->name), REPORT_TEXT),
                     "weight", number_json(field->weight), "terms", terms_json(terms, count));
}

/* Returns whether a group is not that of a field. */
static int is_family(const film_reason_group *group)
{
    return family_named(group->name) != FAMILIES;
}

static void put_fields(json_t *pair, const film_explanation *why, struct shared_term *terms)
{
    json_t *fields = json_array(), *groups = json_array();
    for (size_t f = 0; f < why->field_count; f++)
        jsonfile_append(fields, field_json(why, &why->fields[f], terms));
    for (size_t g = 0; g < why->group_count; g++)
        if (is_family(&why->groups[g]))
            jsonfile_append(groups, json_pack("{s:s, s:s, s:o}", "id", why->groups[g].id, "title",
                                              why->groups[g].title, "weight",
                                              number_json(why->groups[g].weight)));
    jsonfile_put(pair, "bias", number_json(why->verdict.bias));
    jsonfile_put(pair, "log_odds", number_json(why->verdict.log_odds));
    jsonfile_put(pair, "fields", fields);
    jsonfile_put(pair, "groups", groups);
}

film_status reasons_put(json_t *pair, film_context *context, film_text a, film_text b,
                        film_error *error)
{
    film_explanation why = {.size = sizeof why};
    film_status status = film_explain_pair(context, a, b, &why, error);
    if (status != FILM_OK) return status;
    size_t room = why.word_count + why.group_count;
    for (size_t g = 0; g < why.group_count; g++) room += why.groups[g].reason_count;
    struct shared_term *terms = mem_array(room + 1, sizeof *terms);
    if (!terms) return status_no_memory(error);
    jsonfile_put(pair, "same", json_boolean(why.verdict.same));
    if (why.field_count) {
        put_fields(pair, &why, terms);
    } else {
        size_t count = take_words(&why, NULL, terms);
        for (size_t i = 0; i < why.group_count; i++)
            terms[count++] = (struct shared_term){
                why.groups[i].weight, film_string(why.groups[i].title), why.groups[i].id, 0};
        jsonfile_put(pair, "terms", terms_json(terms, count));
    }
    mem_free(terms);
    return FILM_OK;
}

/* ---- All pairs ---- */

/* Adds a weight to the total of a group, or of a field with its type. */
static void add_total(json_t *totals, const char *id, const char *title, const char *type,
                      double weight)
{
    char key[300];
    snprintf(key, sizeof key, "%.20s%s%.250s", id, type ? " " : "", type ? title : "");
    json_t *total = json_object_get(totals, key), *sum;
    if (!total) {
        total = json_pack("{s:s, s:s, s:s?, s:f}", "id", id, "title", title, "type", type, "weight",
                          0.0);
        jsonfile_put(totals, key, total);
    }
    sum = json_object_get(total, "weight");
    json_real_set(sum, json_real_value(sum) + fabs(weight));
}

/* Adds the absolute weight of each group, of each field, and of all words outside fields. */
static film_status add_verdict(json_t *totals, film_context *context, film_text a, film_text b,
                               film_error *error)
{
    film_explanation why = {.size = sizeof why};
    film_status status = film_explain_pair(context, a, b, &why, error);
    double words = 0;
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < why.word_count; i++) words += why.words[i].weight;
    for (size_t f = 0; f < why.field_count; f++) {
        words -= why.fields[f].words;
        add_total(totals, "field", why.fields[f].name, why.fields[f].type, why.fields[f].weight);
    }
    add_total(totals, "words", "Single words", NULL, words);
    for (size_t i = 0; i < why.group_count; i++)
        if (is_family(&why.groups[i]))
            add_total(totals, why.groups[i].id, why.groups[i].title, NULL, why.groups[i].weight);
    return FILM_OK;
}

/* The totals over a sample of pairs; the page sorts and averages them. */
film_status reasons_part(struct report *report, const struct eval_view *view, film_error *error)
{
    enum { SAMPLE = 300 };
    film_status status = FILM_OK;
    struct labelled pairs = {0};
    film_context *context = NULL;
    json_t *totals = json_object();
    const struct corpus *corpus = view ? view->corpus : &report->train;
    TRY(labelled_take(&pairs, corpus, error));
    TRY(film_context_new(report->model, &context, error));
    size_t stride = (pairs.count + SAMPLE - 1) / SAMPLE, count = 0;
    for (size_t i = 0; report->model->decision.full && i < pairs.count; i += stride, count++)
        TRY(add_verdict(totals, context, strtab_get(&corpus->sentences, pairs.a[i]),
                        strtab_get(&corpus->sentences, pairs.b[i]), error));
    put_json(&report->data, "reasons",
             json_pack("{s:I, s:O}", "pairs", (json_int_t)count, "totals", totals));
done:
    film_context_free(context);
    labelled_free(&pairs);
    json_decref(totals);
    return status;
}
