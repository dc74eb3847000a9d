/* Writes verdicts and explanations as JSON (film_explain.h). pair.c computes them. Lists begin with
 * what speaks for the verdict, strongest first; what speaks against it follows. */
#include "base/writer.h"
#include "base/sort.h"
#include "base/sized.h"
#include "pair/record_fields.h"
#include "text/record_text.h"
#include "film_explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void write_side(struct writer *to, char side)
{
    writer_key(to, "side");
    if (side)
        writer_text(to, (film_text){&side, 1});
    else
        writer_null(to);
}

static void write_span(struct writer *to, char side, size_t start, size_t end)
{
    writer_key(to, "span");
    if (!side) {
        writer_null(to);
        return;
    }
    writer_open(to, '[');
    writer_count(to, start);
    writer_count(to, end);
    writer_close(to, ']');
}

static void write_key_text(struct writer *to, const char *key, film_text text)
{
    writer_key(to, key);
    writer_text(to, text);
}

/* Writes a sentence as a string, a record as an object. */
static void write_key_record(struct writer *to, const char *key, film_text text)
{
    film_text name, value;
    if (!record_text_is(text)) {
        write_key_text(to, key, text);
        return;
    }
    writer_key(to, key);
    writer_open(to, '{');
    for (size_t at = 0; record_text_next(text, &at, &name, &value);) {
        writer_name(to, name);
        writer_text(to, value);
    }
    writer_close(to, '}');
}

/* Writes the group of a reason without a word: its id and its title. */
static void write_family(struct writer *to, const char *id_key, const char *title_key,
                         const char *name)
{
    int family = family_named(name);
    if (family == FAMILIES && name) { /* a field of records */
        write_key_text(to, id_key, film_string(name));
        write_key_text(to, title_key, film_string(name));
    }
    if (family == FAMILIES) return;
    write_key_text(to, id_key, film_string(family_id((enum family)family)));
    write_key_text(to, title_key, film_string(family_title((enum family)family)));
}

static void write_reason(struct writer *to, const film_reason *reason)
{
    writer_open(to, '{');
    write_key_text(to, "kind", film_string(reason->kind));
    write_family(to, "group", "title", reason->family);
    write_family(to, "other_group", "other_title", reason->other_family);
    if (reason->id) write_key_text(to, "id", film_string(reason->id));
    if (reason->other_id) write_key_text(to, "other_id", film_string(reason->other_id));
    write_key_text(to, "text", (film_text){reason->text, reason->text_length});
    write_side(to, reason->side);
    write_span(to, reason->side, reason->start, reason->end);
    writer_key(to, "weight");
    writer_weight(to, reason->weight);
    if (reason->other_side) {
        writer_key(to, "other");
        writer_open(to, '{');
        write_key_text(to, "text", (film_text){reason->other, reason->other_length});
        write_side(to, reason->other_side);
        write_span(to, reason->other_side, reason->other_start, reason->other_end);
        writer_close(to, '}');
    }
    writer_close(to, '}');
}

/* Returns whether a weight speaks for the verdict. */
static int supports(double weight, int same)
{
    return (weight > 0) == (same != 0);
}

/* Writes the first MOST reasons, the strongest ones: those for the verdict, then the others. */
static void write_reasons(struct writer *to, const film_reason *reasons, size_t count, size_t most,
                          int same)
{
    writer_open(to, '[');
    for (int against = 0; against < 2; against++)
        for (size_t i = 0; i < count && i < most; i++)
            if (supports(reasons[i].weight, same) != against) write_reason(to, &reasons[i]);
    writer_close(to, ']');
}

static void write_verdict(struct writer *to, film_text a, film_text b, const film_verdict *verdict)
{
    write_key_record(to, "a", a);
    write_key_record(to, "b", b);
    writer_key(to, "probability");
    writer_number(to, verdict->probability);
    writer_key(to, "same");
    writer_truth(to, verdict->same);
    writer_key(to, "similarity");
    writer_number(to, verdict->similarity);
    writer_key(to, "log_odds");
    writer_number(to, verdict->log_odds);
    writer_key(to, "bias");
    writer_number(to, verdict->bias);
}

film_status film_verdict_json(film_text a, film_text b, const film_verdict *verdict, size_t most,
                              char **json, size_t *length, film_error *error)
{
    if (!verdict || !json) return status_set(error, FILM_USAGE, "verdict or json is NULL");
    struct writer to = {0};
    writer_open(&to, '{');
    write_verdict(&to, a, b, verdict);
    writer_key(&to, "reasons");
    write_reasons(&to, verdict->reasons, verdict->reason_count, most, verdict->same);
    writer_close(&to, '}');
    return writer_finish(&to, json, length, error);
}

film_status film_reasons_json(const film_verdict *verdict, size_t most, char **json, size_t *length,
                              film_error *error)
{
    if (!verdict || !json) return status_set(error, FILM_USAGE, "verdict or json is NULL");
    struct writer to = {0};
    write_reasons(&to, verdict->reasons, verdict->reason_count, most, verdict->same);
    return writer_finish(&to, json, length, error);
}

static void write_group_head(struct writer *to, const film_reason_group *group)
{
    writer_open(to, '{');
    write_key_text(to, "id", film_string(group->id));
    write_key_text(to, "name", film_string(group->name));
    write_key_text(to, "title", film_string(group->title));
    writer_key(to, "weight");
    writer_weight(to, group->weight);
}

static int stronger_group_index_first(const void *left, const void *right)
{
    const film_reason_group *a = left, *b = right;
    double x = fabs(a->weight), y = fabs(b->weight);
    return x != y ? (x > y ? -1 : 1) : strcmp(a->id, b->id);
}

/* The group of a field, after the families; it is added where it is new. */
static int field_group(film_reason_group *groups, int *all, const char *name)
{
    int at = FAMILIES + 1;
    while (at < *all && strcmp(groups[at].name, name) != 0) at++;
    if (at == *all && *all < FAMILIES + 1 + RECORD_FIELDS_MOST)
        groups[(*all)++] = (film_reason_group){.id = name, .name = name, .title = name};
    return at < *all ? at : FAMILIES;
}

film_status film_groups_json(const film_verdict *verdict, char **json, size_t *length,
                             film_error *error)
{
    if (!verdict || !json) return status_set(error, FILM_USAGE, "verdict or json is NULL");
    enum { MOST = FAMILIES + 1 + RECORD_FIELDS_MOST };
    film_reason_group groups[MOST];
    int all = FAMILIES + 1;
    struct writer to = {0};
    for (int family = 0; family < FAMILIES; family++)
        groups[family] = (film_reason_group){.id = family_id((enum family)family),
                                             .name = family_name((enum family)family),
                                             .title = family_title((enum family)family)};
    groups[FAMILIES] = (film_reason_group){.id = "words", .name = "words", .title = "Single words"};
    for (size_t i = 0; i < verdict->reason_count; i++) {
        const film_reason *reason = &verdict->reasons[i];
        int two = reason->other_family != NULL;
        const char *const names[] = {reason->family, reason->other_family};
        for (int part = 0; part <= two; part++) {
            int at = family_named(names[part]);
            if (at == FAMILIES && names[part]) at = field_group(groups, &all, names[part]);
            film_reason_group *group = &groups[at];
            group->weight += reason->weight / (1 + two);
            group->reason_count++;
        }
    }
    sort_array(groups, (size_t)all, sizeof *groups, stronger_group_index_first);
    writer_open(&to, '[');
    for (int against = 0; against < 2; against++)
        for (int i = 0; i < all; i++) {
            if (!groups[i].reason_count || supports(groups[i].weight, verdict->same) == against)
                continue;
            write_group_head(&to, &groups[i]);
            writer_close(&to, '}');
        }
    writer_close(&to, ']');
    return writer_finish(&to, json, length, error);
}

/* The words that cause the weight of a group. */
static void write_cause(struct writer *to, const film_explanation *explanation,
                        const film_group_cause *cause)
{
    writer_key(to, "causes");
    writer_open(to, '[');
    for (size_t i = 0; i < cause->word_count; i++) {
        const film_word_share *word = &explanation->words[cause->words[i]];
        writer_open(to, '{');
        write_key_text(to, "text", word->text);
        write_side(to, word->side);
        write_span(to, word->side, word->start, word->end);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static void write_groups(struct writer *to, const film_explanation *explanation, size_t most)
{
    int same = explanation->verdict.same;
    writer_key(to, "groups");
    writer_open(to, '[');
    for (int against = 0; against < 2; against++)
        for (size_t i = 0; i < explanation->group_count; i++) {
            const film_reason_group *group = &explanation->groups[i];
            if (supports(group->weight, same) == against) continue;
            write_group_head(to, group);
            if (explanation->causes) write_cause(to, explanation, &explanation->causes[i]);
            writer_key(to, "reasons");
            write_reasons(to, group->reasons, group->reason_count, most, same);
            writer_close(to, '}');
        }
    writer_close(to, ']');
}

static void write_words(struct writer *to, const film_explanation *explanation)
{
    writer_key(to, "words");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->word_count; i++) {
        const film_word_share *word = &explanation->words[i];
        writer_open(to, '{');
        write_key_text(to, "text", word->text);
        write_side(to, word->side);
        write_span(to, word->side, word->start, word->end);
        writer_key(to, "weight");
        writer_weight(to, word->weight);
        if (explanation->encoder_count) {
            writer_key(to, "left_out");
            writer_weight(to, word->left_out);
        }
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static void write_fields(struct writer *to, const film_explanation *explanation)
{
    if (!explanation->field_count) return;
    writer_key(to, "fields");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->field_count; i++) {
        const film_field_share *field = &explanation->fields[i];
        const film_text values[2] = {field->a, field->b};
        writer_open(to, '{');
        write_key_text(to, "name", film_string(field->name));
        write_key_text(to, "type", film_string(field->type));
        for (int s = 0; s < 2; s++) {
            writer_key(to, s ? "b" : "a");
            if (values[s].bytes)
                writer_text(to, values[s]);
            else
                writer_null(to);
        }
        writer_key(to, "weight");
        writer_weight(to, field->weight);
        writer_key(to, "words");
        writer_weight(to, field->words);
        writer_key(to, "traits");
        writer_weight(to, field->traits);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static void write_encoder(struct writer *to, const film_explanation *explanation)
{
    if (!explanation->encoder_count) return;
    writer_key(to, "encoder");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->encoder_count; i++) {
        writer_open(to, '{');
        writer_key(to, "dimension");
        writer_count(to, explanation->encoder[i].dimension);
        writer_key(to, "share");
        writer_weight(to, explanation->encoder[i].share);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static void write_linked(struct writer *to, const char *key, const film_word_share *word)
{
    writer_key(to, key);
    writer_open(to, '{');
    write_key_text(to, "text", word->text);
    write_span(to, word->side, word->start, word->end);
    writer_close(to, '}');
}

static void write_links(struct writer *to, const film_explanation *explanation)
{
    writer_key(to, "links");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->link_count; i++) {
        const film_word_link *link = &explanation->links[i];
        writer_open(to, '{');
        write_linked(to, "a", &explanation->words[link->a]);
        write_linked(to, "b", &explanation->words[link->b]);
        writer_key(to, "share");
        writer_weight(to, link->share);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static void write_facts(struct writer *to, const film_explanation *explanation)
{
    writer_key(to, "facts");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->fact_count; i++) {
        writer_open(to, '{');
        write_key_text(to, "name", film_string(explanation->facts[i].name));
        write_key_text(to, "text", film_string(explanation->facts[i].text));
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static void write_examples(struct writer *to, const film_explanation *explanation)
{
    writer_key(to, "examples");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->example_count; i++) {
        const film_example *example = &explanation->examples[i];
        writer_open(to, '{');
        write_key_record(to, "a", example->a);
        write_key_record(to, "b", example->b);
        writer_key(to, "same");
        writer_truth(to, example->same);
        writer_key(to, "similarity");
        writer_weight(to, example->similarity);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static void write_place(struct writer *to, const char *key, film_text text, size_t start,
                        size_t end)
{
    writer_key(to, key);
    writer_open(to, '{');
    write_key_text(to, "text", text);
    write_span(to, 'a', start, end);
    writer_close(to, '}');
}

static void write_differences(struct writer *to, const film_explanation *explanation)
{
    writer_key(to, "differences");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->difference_count; i++) {
        const film_word_difference *difference = &explanation->differences[i];
        writer_open(to, '{');
        write_place(to, "a", difference->a, difference->a_start, difference->a_end);
        write_place(to, "b", difference->b, difference->b_start, difference->b_end);
        writer_key(to, "weight");
        writer_weight(to, difference->weight);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static void write_edit(struct writer *to, const film_text_edit *edit)
{
    writer_open(to, '{');
    write_side(to, edit->side);
    write_key_text(to, "text", edit->text);
    write_span(to, edit->side, edit->start, edit->end);
    if (edit->by.length) {
        write_key_text(to, "by", edit->by);
        writer_key(to, "by_span");
        writer_open(to, '[');
        writer_count(to, edit->by_start);
        writer_count(to, edit->by_end);
        writer_close(to, ']');
    }
    writer_close(to, '}');
}

/* Writes what film_explain_reversals added. */
static void write_reversals(struct writer *to, const film_explanation *explanation)
{
    writer_key(to, "reversals");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->reversal_count; i++) {
        const film_reversal *reversal = &explanation->reversals[i];
        writer_open(to, '{');
        writer_key(to, "words");
        writer_count(to, reversal->words);
        writer_key(to, "probability");
        writer_number(to, reversal->probability);
        write_key_text(to, "a", reversal->a);
        write_key_text(to, "b", reversal->b);
        writer_key(to, "edits");
        writer_open(to, '[');
        for (size_t e = 0; e < reversal->edit_count; e++) write_edit(to, &reversal->edits[e]);
        writer_close(to, ']');
        writer_close(to, '}');
    }
    writer_close(to, ']');
    writer_key(to, "judgements");
    writer_count(to, explanation->judgements);
}

film_status film_match_json(const film_explanation *explanation, size_t most, char **json,
                            size_t *length, film_error *error)
{
    film_explanation why = {0};
    if (!explanation || !json) return status_set(error, FILM_USAGE, "explanation or json is NULL");
    film_status status = sized_options(&why, sizeof why, explanation, "film_explanation", error);
    if (status != FILM_OK) return status;
    struct writer to = {0};
    writer_open(&to, '{');
    write_verdict(&to, why.a, why.b, &why.verdict);
    writer_key(&to, "reasons");
    write_reasons(&to, why.verdict.reasons, why.verdict.reason_count, most, why.verdict.same);
    write_differences(&to, &why);
    if (why.causes) write_reversals(&to, &why);
    writer_close(&to, '}');
    return writer_finish(&to, json, length, error);
}

film_status film_explanation_json(const film_explanation *explanation, size_t most, char **json,
                                  size_t *length, film_error *error)
{
    film_explanation why = {0};
    if (!explanation || !json) return status_set(error, FILM_USAGE, "explanation or json is NULL");
    film_status status = sized_options(&why, sizeof why, explanation, "film_explanation", error);
    if (status != FILM_OK) return status;
    explanation = &why;
    struct writer to = {0};
    writer_open(&to, '{');
    write_verdict(&to, explanation->a, explanation->b, &explanation->verdict);
    write_fields(&to, explanation);
    write_words(&to, explanation);
    write_groups(&to, explanation, most);
    write_links(&to, explanation);
    write_encoder(&to, explanation);
    write_facts(&to, explanation);
    write_examples(&to, explanation);
    write_differences(&to, explanation);
    if (explanation->causes) write_reversals(&to, explanation);
    writer_close(&to, '}');
    return writer_finish(&to, json, length, error);
}
