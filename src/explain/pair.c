/* Groups the reasons of a verdict by word and by family, so that they add up to its log-odds, and
 * adds links, facts and examples. pair/reasons.c computes the reasons. */
#include "explain/pair.h"
#include "base/sort.h"
#include "base/mem.h"
#include "pair/reasons.h"
#include "text/record_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void explainer_free(struct explainer *explainer)
{
    words_free(&explainer->words);
    mem_free(explainer->reasons);
    links_free(&explainer->links);
    nearest_free(&explainer->nearest);
    differences_free(&explainer->differences);
    if (explainer->reversals) reversals_free(explainer->reversals);
    mem_free(explainer->reversals);
    memset(explainer, 0, sizeof *explainer);
}

/* ---- Words ---- */

/* Splits the weight of a reason equally over the words of both sentences that it refers to. */
static void share_out(struct words *words, const film_reason *reason)
{
    size_t from[2] = {0, 0}, to[2] = {0, 0};
    words_at(words, reason->side == 'b', reason->start, reason->end, &from[0], &to[0]);
    if (reason->other_side)
        words_at(words, reason->other_side == 'b', reason->other_start, reason->other_end, &from[1],
                 &to[1]);
    double share = reason->weight / (double)(to[0] - from[0] + to[1] - from[1]);
    for (int part = 0; part < 2; part++)
        for (size_t i = from[part]; i < to[part]; i++) words->list[i].weight += share;
}

/* ---- Groups ---- */

/* The group of a family, or of a field of records. */
static size_t group_of(const struct record_fields *fields, const char *name)
{
    size_t f = 0;
    for (int family = 0; family < FAMILIES; family++)
        if (family_name((enum family)family) == name) return (size_t)family;
    while (f + 1 < fields->count && fields->list[f].family != name) f++;
    return FAMILIES + f;
}

static int stronger_group_first(const void *left, const void *right)
{
    const film_reason_group *a = left, *b = right;
    double x = fabs(a->weight), y = fabs(b->weight);
    if (x != y) return x > y ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Adds a REASON without a position to the groups of its families, half to each where there are two.
 * PUT 0: only counts. */
static void sort_in(struct explainer *explainer, const struct record_fields *fields,
                    film_reason **next, const film_reason *reason, int put)
{
    size_t family[2] = {group_of(fields, reason->family), 0};
    if (reason->other_family) family[1] = group_of(fields, reason->other_family);
    int two = reason->other_family && family[1] != family[0];
    for (int i = 0; i <= two; i++) {
        film_reason_group *group = &explainer->groups[family[i]];
        group->reason_count++;
        if (!put) continue;
        film_reason part = *reason;
        if (two) part.weight *= 0.5;
        group->weight += part.weight;
        *next[family[i]]++ = part;
    }
}

/* An empty group: that of a family, or of a field after them. */
static film_reason_group empty_group(const struct record_fields *fields, size_t number)
{
    if (number >= FAMILIES) {
        const char *name = fields->list[number - FAMILIES].family;
        return (film_reason_group){.id = name, .name = name, .title = name};
    }
    enum family family = (enum family)number;
    return (film_reason_group){
        .id = family_id(family), .name = family_name(family), .title = family_title(family)};
}

static film_status gather_groups(struct explainer *explainer, const struct record_fields *fields,
                                 const film_verdict *verdict, size_t *count, film_error *error)
{
    film_reason_group *groups = explainer->groups;
    film_reason *next[FAMILIES + RECORD_FIELDS_MOST] = {NULL};
    size_t all = FAMILIES + fields->count;
    for (int put = 0; put < 2; put++) {
        size_t total = 0;
        for (size_t family = 0; family < all; family++) {
            next[family] = put ? explainer->reasons + total : NULL;
            total += put ? groups[family].reason_count : 0;
            groups[family] = empty_group(fields, family);
            groups[family].reasons = next[family];
        }
        for (size_t i = 0; i < verdict->reason_count; i++)
            if (!verdict->reasons[i].side)
                sort_in(explainer, fields, next, &verdict->reasons[i], put);
        for (size_t family = 0; !put && family < all; family++)
            total += groups[family].reason_count;
        if (!put && !mem_grow((void **)&explainer->reasons, &explainer->reasons_capacity, total + 1,
                              sizeof *explainer->reasons))
            return status_no_memory(error);
    }
    *count = 0;
    for (size_t family = 0; family < all; family++) {
        if (!groups[family].reason_count) continue;
        reasons_sort(next[family] - groups[family].reason_count, groups[family].reason_count);
        groups[(*count)++] = groups[family];
    }
    sort_array(groups, *count, sizeof *groups, stronger_group_first);
    return FILM_OK;
}

/* ---- Fields ---- */

static int stronger_field_first(const void *left, const void *right)
{
    const film_field_share *a = left, *b = right;
    double x = fabs(a->weight), y = fabs(b->weight);
    if (x != y) return x > y ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Returns whether START is a byte of VALUE, a range of TEXT. */
static int is_inside(film_text text, film_text value, size_t start)
{
    size_t from = value.bytes ? (size_t)(value.bytes - text.bytes) : 0;
    return value.bytes && start >= from && start < from + value.length;
}

/* The share of each field: its group and the words of its two values. */
static void sum_fields(struct explainer *explainer, const struct record_fields *fields,
                       film_explanation *out)
{
    const film_text text[2] = {out->a, out->b};
    for (size_t f = 0; f < fields->count; f++) {
        film_text name = film_string(fields->list[f].name), value[2];
        film_field_share *share = &explainer->fields[f];
        for (int s = 0; s < 2; s++)
            value[s] = record_text_is(text[s]) ? record_text_find(text[s], name)
                       : f == 0                ? text[s]
                                               : (film_text){NULL, 0};
        *share = (film_field_share){.name = fields->list[f].name,
                                    .type = field_type_name(fields->list[f].type),
                                    .a = value[0],
                                    .b = value[1]};
        for (size_t i = 0; i < out->word_count; i++) {
            int s = out->words[i].side == 'b';
            if (is_inside(text[s], value[s], out->words[i].start))
                share->words += out->words[i].weight;
        }
        for (size_t g = 0; g < out->group_count; g++)
            if (out->groups[g].name == fields->list[f].family)
                share->traits = out->groups[g].weight;
        share->weight = share->words + share->traits;
    }
    sort_array(explainer->fields, fields->count, sizeof *explainer->fields, stronger_field_first);
    out->fields = explainer->fields;
    out->field_count = fields->count;
}

film_status explain_pair(struct explainer *explainer, struct match *match, film_text a, film_text b,
                         film_explanation *out, film_error *error)
{
    film_status status = FILM_OK;
    struct reading *reading = &match->survey.reading;
    static const struct record_fields none;
    const struct record_fields *fields =
        reading->encoder->fields ? reading->encoder->fields : &none;
    struct words *words = &explainer->words;
    *out = (film_explanation){.a = a, .b = b};
    TRY(match_pair(match, a, b, 0, &out->verdict, error));
    TRY(words_find(words, reading, error));
    for (size_t i = 0; i < out->verdict.reason_count; i++)
        if (out->verdict.reasons[i].side) share_out(words, &out->verdict.reasons[i]);
    TRY(differences_find(&explainer->differences, words, reading, error));
    differences_weigh(&explainer->differences, words, a, b, out->verdict.same);
    TRY(gather_groups(explainer, fields, &out->verdict, &out->group_count, error));
    explainer->links.count = explainer->encoded.count = 0;
    if (reading->encoder->network)
        TRY(encoded_find(&explainer->encoded, words, reading, error));
    else
        TRY(links_find(&explainer->links, words, reading, error));
    int memory = match->rule.full && match->rule.memory;
    explainer->facts.count = 0;
    if (!fields->count) /* numbers and names of records are judged by their fields */
        facts_find(&explainer->facts, reading,
                   memory ? decision_memory(match->decision, &match->survey) : MEMORY_UNKNOWN);
    TRY(nearest_find(&explainer->nearest, reading, error));
    out->words = words->list;
    out->word_count = words->first[2];
    out->groups = explainer->groups;
    out->links = explainer->links.list;
    out->link_count = explainer->links.count;
    out->encoder = explainer->encoded.list;
    out->encoder_count = explainer->encoded.count;
    out->facts = explainer->facts.list;
    out->fact_count = explainer->facts.count;
    out->examples = explainer->nearest.list;
    out->example_count = explainer->nearest.count;
    sum_fields(explainer, fields, out);
    out->differences = explainer->differences.list;
    out->difference_count = explainer->differences.count;
done:
    return status;
}

film_status explain_reversals(struct explainer *explainer, const struct match *match,
                              double threshold, film_explanation *why, film_error *error)
{
    if (!explainer->reversals) explainer->reversals = mem_zeroed(1, sizeof *explainer->reversals);
    if (!explainer->reversals) return status_no_memory(error);
    return reversals_find(explainer->reversals, match, &explainer->words, &explainer->differences,
                          threshold, why, error);
}
