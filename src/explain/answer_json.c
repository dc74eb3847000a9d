/* Writes verdicts and their reasons as JSON (film_explain.h); explanation_json.c writes
 * explanations. Lists begin with what speaks for the verdict, strongest first; what speaks against
 * it follows. */
#include "explain/answer_json.h"
#include "base/sort.h"
#include "pair/record_fields.h"
#include "text/record_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void write_side(struct writer *to, char side)
{
    writer_key(to, "side");
    if (side)
        writer_text(to, (film_text){&side, 1});
    else
        writer_null(to);
}

struct json_place json_place(film_text sentence, size_t start)
{
    struct json_place place = {.start = 0};
    film_text before = {sentence.bytes, start < sentence.length ? start : sentence.length}, name,
              value;
    if (!record_text_is(before)) return place;
    for (size_t at = 0; record_text_next(before, &at, &name, &value);) {
        place.field = name;
        place.start = (size_t)(value.bytes - before.bytes);
    }
    return place;
}

void write_span(struct writer *to, const struct json_place *place, size_t start, size_t end)
{
    if (place->field.bytes) write_key_text(to, "field", place->field);
    writer_key(to, "span");
    writer_open(to, '[');
    writer_count(to, start - place->start);
    writer_count(to, end - place->start);
    writer_close(to, ']');
}

/* The span of a reason; null where it concerns no words. */
static void write_reason_span(struct writer *to, const film_text *sentences, char side,
                              size_t start, size_t end)
{
    if (side) {
        struct json_place place = {.start = 0};
        if (sentences) place = json_place(sentences[side == 'b'], start);
        write_span(to, &place, start, end);
    } else {
        writer_key(to, "span");
        writer_null(to);
    }
}

void write_key_text(struct writer *to, const char *key, film_text text)
{
    writer_key(to, key);
    writer_text(to, text);
}

void write_key_record(struct writer *to, const char *key, film_text text)
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

static void write_reason(struct writer *to, const film_text *sentences, const film_reason *reason)
{
    writer_open(to, '{');
    write_key_text(to, "kind", film_string(reason->kind));
    write_family(to, "group", "title", reason->family);
    write_family(to, "other_group", "other_title", reason->other_family);
    if (reason->id) write_key_text(to, "id", film_string(reason->id));
    if (reason->other_id) write_key_text(to, "other_id", film_string(reason->other_id));
    write_key_text(to, "text", (film_text){reason->text, reason->text_length});
    write_side(to, reason->side);
    write_reason_span(to, sentences, reason->side, reason->start, reason->end);
    writer_key(to, "weight");
    writer_weight(to, reason->weight);
    if (reason->other_side) {
        writer_key(to, "other");
        writer_open(to, '{');
        write_key_text(to, "text", (film_text){reason->other, reason->other_length});
        write_side(to, reason->other_side);
        write_reason_span(to, sentences, reason->other_side, reason->other_start,
                          reason->other_end);
        writer_close(to, '}');
    }
    writer_close(to, '}');
}

static const char others_text[] = "other reasons";

/* What a sum of all reasons may differ from the log-odds. */
#define ROUNDING 1e-9

int supports(double weight, int same)
{
    return (weight > 0) == (same != 0);
}

void write_reasons(struct writer *to, const film_text *sentences, const film_reason *reasons,
                   size_t count, size_t most, int same)
{
    writer_open(to, '[');
    for (int against = 0; against < 2; against++)
        for (size_t i = 0; i < count && i < most; i++)
            if (supports(reasons[i].weight, same) != against)
                write_reason(to, sentences, &reasons[i]);
    writer_close(to, ']');
}

void write_strongest(struct writer *to, const film_text *sentences, const film_verdict *verdict,
                     size_t most)
{
    double others = verdict->log_odds - verdict->bias;
    writer_open(to, '[');
    for (int against = 0; against < 2; against++)
        for (size_t i = 0; i < verdict->reason_count && i < most; i++) {
            if (supports(verdict->reasons[i].weight, verdict->same) == against) continue;
            write_reason(to, sentences, &verdict->reasons[i]);
            others -= verdict->reasons[i].weight;
        }
    if (most && fabs(others) > ROUNDING)
        write_reason(to, sentences,
                     &(film_reason){.kind = "others",
                                    .id = "others",
                                    .text = others_text,
                                    .text_length = sizeof others_text - 1,
                                    .weight = others});
    writer_close(to, ']');
}

void write_verdict(struct writer *to, film_text a, film_text b, const film_verdict *verdict)
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
    write_strongest(&to, (film_text[]){a, b}, verdict, most);
    writer_close(&to, '}');
    return writer_finish(&to, json, length, error);
}

film_status film_reasons_json(const film_verdict *verdict, size_t most, char **json, size_t *length,
                              film_error *error)
{
    if (!verdict || !json) return status_set(error, FILM_USAGE, "verdict or json is NULL");
    struct writer to = {0};
    write_reasons(&to, NULL, verdict->reasons, verdict->reason_count, most, verdict->same);
    return writer_finish(&to, json, length, error);
}

void write_group_head(struct writer *to, const film_reason_group *group)
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
