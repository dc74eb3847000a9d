/* Writes explanations as JSON (film_explain.h). pair.c computes them. Lists begin with what speaks
 * for the verdict, strongest first; what speaks against it follows. */
#include "base/sized.h"
#include "explain/answer_json.h"
#include "text/record_text.h"

#include <string.h>

/* The sentence on a side, 'a' or 'b'. */
static film_text sentence_of(const film_explanation *explanation, char side)
{
    return side == 'b' ? explanation->b : explanation->a;
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
        struct json_place place = json_place(sentence_of(explanation, word->side), word->start);
        write_key_text(to, "text", word->text);
        write_side(to, word->side);
        write_span(to, &place, word->start, word->end);
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
            write_reasons(to, (film_text[]){explanation->a, explanation->b}, group->reasons,
                          group->reason_count, most, same);
            writer_close(to, '}');
        }
    writer_close(to, ']');
}

/* Words come in the order of the text: the place is searched once per field. */
static void write_words(struct writer *to, const film_explanation *explanation)
{
    struct json_place place = {.start = 0};
    char side = 0;
    size_t end = 0;
    writer_key(to, "words");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->word_count; i++) {
        const film_word_share *word = &explanation->words[i];
        film_text own = sentence_of(explanation, word->side);
        if (word->side != side || word->start >= end) {
            side = word->side;
            place = json_place(own, word->start);
            const char *mark = memchr(word->text.bytes, FIELD_NAME_MARK, own.length - word->start);
            end = mark && place.field.bytes ? (size_t)(mark - own.bytes) : own.length;
        }
        writer_open(to, '{');
        write_key_text(to, "text", word->text);
        write_side(to, word->side);
        write_span(to, &place, word->start, word->end);
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

static void write_linked(struct writer *to, const char *key, film_text sentence,
                         const film_word_share *word)
{
    writer_key(to, key);
    writer_open(to, '{');
    struct json_place place = json_place(sentence, word->start);
    write_key_text(to, "text", word->text);
    write_span(to, &place, word->start, word->end);
    writer_close(to, '}');
}

static void write_links(struct writer *to, const film_explanation *explanation)
{
    writer_key(to, "links");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->link_count; i++) {
        const film_word_link *link = &explanation->links[i];
        writer_open(to, '{');
        write_linked(to, "a", explanation->a, &explanation->words[link->a]);
        write_linked(to, "b", explanation->b, &explanation->words[link->b]);
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

/* Writes a range that may be empty: that of a missing value is [0, 0]. */
static void write_range(struct writer *to, const char *key, film_text field, film_text sentence,
                        size_t start, size_t end)
{
    struct json_place place = json_place(sentence, start);
    int own = place.field.length == field.length &&
              (!field.length || memcmp(place.field.bytes, field.bytes, field.length) == 0);
    if (!own && start == end) place.start = start;
    writer_key(to, key);
    writer_open(to, '[');
    writer_count(to, start - place.start);
    writer_count(to, end - place.start);
    writer_close(to, ']');
}

static void write_differing(struct writer *to, const film_explanation *explanation, char side,
                            const film_word_difference *of)
{
    const char key[2] = {side, 0};
    int b = side == 'b';
    writer_key(to, key);
    writer_open(to, '{');
    write_key_text(to, "text", b ? of->b : of->a);
    write_range(to, "span", of->field, sentence_of(explanation, side),
                b ? of->b_start : of->a_start, b ? of->b_end : of->a_end);
    writer_close(to, '}');
}

static void write_differences(struct writer *to, const film_explanation *explanation)
{
    writer_key(to, "differences");
    writer_open(to, '[');
    for (size_t i = 0; i < explanation->difference_count; i++) {
        const film_word_difference *of = &explanation->differences[i];
        writer_open(to, '{');
        if (of->field.bytes) write_key_text(to, "field", of->field);
        write_differing(to, explanation, 'a', of);
        write_differing(to, explanation, 'b', of);
        writer_key(to, "weight");
        writer_weight(to, of->weight);
        writer_close(to, '}');
    }
    writer_close(to, ']');
}

static void write_edit(struct writer *to, const film_explanation *explanation,
                       const film_text_edit *edit)
{
    film_text own = sentence_of(explanation, edit->side),
              other = sentence_of(explanation, edit->side == 'b' ? 'a' : 'b');
    writer_open(to, '{');
    write_side(to, edit->side);
    if (edit->field.bytes) {
        write_key_text(to, "field", edit->field);
        writer_key(to, "value");
        writer_truth(to, edit->value);
    }
    write_key_text(to, "text", edit->text);
    write_range(to, "span", edit->field, own, edit->start, edit->end);
    if (edit->by.length) {
        write_key_text(to, "by", edit->by);
        write_range(to, "by_span", edit->field, other, edit->by_start, edit->by_end);
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
        write_key_record(to, "a", reversal->a);
        write_key_record(to, "b", reversal->b);
        writer_key(to, "edits");
        writer_open(to, '[');
        for (size_t e = 0; e < reversal->edit_count; e++)
            write_edit(to, explanation, &reversal->edits[e]);
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
    write_fields(&to, &why);
    writer_key(&to, "reasons");
    write_strongest(&to, (film_text[]){why.a, why.b}, &why.verdict, most);
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
