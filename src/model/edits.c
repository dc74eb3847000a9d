/* Edits a model: sets weights of word evidence, adds or removes relations of words, and records
 * each edit with its date and reason. Nothing is learned here. A failed edit changes no verdict. */
#include "model/edits.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "text/relations_edit.h"
#include "text/relations_read.h"
#include "text/value.h"

#include <math.h>
#include <string.h>

static const char *const action_names[FILM_EDIT_ACTION_COUNT] = {"set", "add", "remove"};

/* ---- Words ---- */

film_status model_find_word(const film_model *model, film_text word, uint32_t *id,
                            film_error *error)
{
    film_status status = FILM_OK;
    const struct features *features = &model->features;
    char shown[VALUE_SHOWN];
    struct feature_row row;
    if (!(features->groups & GROUP_BIT(GROUP_WORD)))
        return status_set(error, FILM_USAGE,
                          "this model has no word features; train one with feature group word");
    TRY(feature_row_init(&row, features, error));
    status = features_transform(features, &row, word, error);
    if (status == FILM_OK && row.grams.tokens.count != 1)
        status = status_set(error, FILM_USAGE, "\"%s\" is %zu words; give one word",
                            value_show(word, shown), row.grams.tokens.count);
    if (status == FILM_OK && row.word[0]->id == STRTAB_NONE)
        status = status_set(
            error, FILM_USAGE,
            "the model does not know the word \"%s\"; it occurs in too few training sentences",
            value_show(word, shown));
    if (status == FILM_OK) *id = row.word[0]->id;
    feature_row_free(&row);
done:
    return status;
}

/* ---- Weights ---- */

/* Finds the key (evidence_edit) of what WHAT names: "alone:card", "shared:card" or "stolen /
 * damaged". */
static film_status find_weight(const film_model *model, film_text what, uint64_t *key,
                               film_error *error)
{
    film_status status = FILM_OK;
    static const char *const prefix[2] = {"shared:", "alone:"};
    uint32_t id[2] = {0, 0};
    if (!model->decision.full || !model->decision.evidence.features)
        TRY(status_set(error, FILM_USAGE,
                       "this model has no weights of words; train one with labels and a full "
                       "decision"));
    for (size_t alone = 0; alone < 2; alone++) {
        size_t length = strlen(prefix[alone]);
        if (what.length <= length || memcmp(what.bytes, prefix[alone], length) != 0) continue;
        TRY(model_find_word(model, (film_text){what.bytes + length, what.length - length}, &id[0],
                            error));
        *key = 2 * (uint64_t)id[0] + alone;
        goto done;
    }
    const char *slash = memmem(what.bytes, what.length, " / ", 3);
    if (!slash)
        TRY(status_set(error, FILM_USAGE,
                       "\"%.*s\" is not alone:WORD, shared:WORD, \"A / B\", \"A = B\", \"A ! B\" "
                       "or \"A > B\"",
                       (int)what.length, what.bytes));
    size_t before = (size_t)(slash - what.bytes);
    TRY(model_find_word(model, (film_text){what.bytes, before}, &id[0], error));
    TRY(model_find_word(model, (film_text){slash + 3, what.length - before - 3}, &id[1], error));
    if (id[0] == id[1])
        TRY(status_set(error, FILM_USAGE, "\"%.*s\" names one word twice", (int)what.length,
                       what.bytes));
    *key = item_opposed_key(id[0], id[1]);
done:
    return status;
}

/* A weight that is changed: its key, and both values in log-odds, as film_explain_word shows
 * them. */
struct changed_weight {
    uint64_t key;
    float weight; /* the new one, as the evidence has it */
    double before, after;
};

static film_status plan_weight(const film_model *model, film_text what, const film_edit *edit,
                               struct changed_weight *changed, film_error *error)
{
    film_status status = FILM_OK;
    const struct evidence *evidence = &model->decision.evidence;
    enum { LARGEST = 100 };
    uint64_t key = 0;
    TRY(find_weight(model, what, &key, error));
    double scale = model->decision.margin.scale * evidence->scale;
    if (!(fabs(scale) > 0))
        TRY(status_set(error, FILM_USAGE, "this model gives the weights of words no effect"));
    if (!(fabs(edit->weight) <= LARGEST))
        TRY(status_set(error, FILM_USAGE, "weight %g is not between -%d and %d", edit->weight,
                       LARGEST, LARGEST));
    float weight = key >> ITEM_KIND_SHIFT
                       ? evidence_item(evidence, key)
                       : evidence_feature(evidence, (uint32_t)(key / 2), (int)(key % 2));
    *changed = (struct changed_weight){.key = key, .before = scale * (double)weight};
    if (edit->action != FILM_EDIT_REMOVE)
        changed->after = edit->weight + (edit->action == FILM_EDIT_ADD ? changed->before : 0);
    changed->weight = (float)(changed->after / scale);
done:
    return status;
}

/* ---- Relations ---- */

static film_status edit_relation(film_model *model, const struct relation_line *line,
                                 film_text what, const film_edit *edit, film_error *error)
{
    film_status status = FILM_OK;
    struct relations changed = {.own = NULL};
    size_t removed = 0;
    if (edit->action == FILM_EDIT_REMOVE) {
        TRY(relations_without(&model->relations, line->side[0], line->side[1], line->relation,
                              &changed, &removed, error));
        if (!removed) {
            relations_free(&changed);
            TRY(status_set(error, FILM_USAGE, "the model has no relation \"%.*s\"",
                           (int)what.length, what.bytes));
        }
    } else {
        if (line->relation != RELATION_OPPOSITE &&
            relations_of(&model->relations, line->side[0], line->side[1]) == RELATION_OPPOSITE)
            TRY(status_set(error, FILM_USAGE,
                           "\"%.*s\": the model lists the two as opposites; remove that first",
                           (int)what.length, what.bytes));
        TRY(relations_with(&model->relations, line->side[0], line->side[1], line->relation,
                           &changed, error));
    }
    relations_free(&model->relations);
    model->relations = changed;
    model->encoder.relations = model->relations.words.count ? &model->relations : NULL;
    TRY(lexicon_renew(&model->features, model->encoder.relations, error));
done:
    return status;
}

/* ---- The record ---- */

static film_status check_edit_text(const char *text, const char *name, film_error *error)
{
    return !text || strlen(text) <= EDITS_LONGEST
               ? FILM_OK
               : status_set(error, FILM_USAGE, "%s is longer than %d bytes", name, EDITS_LONGEST);
}

/* Returns the records with one more. CHANGED NULL: a relation. */
static film_status add_edit_record(const film_model *model, const film_edit *edit,
                                   const struct changed_weight *changed, char **out,
                                   film_error *error)
{
    film_status status = FILM_OK;
    json_t *list = model->edits ? json_loads(model->edits, 0, NULL) : json_array();
    json_t *record =
        json_pack("{s:s, s:s, s:s?, s:s?}", "what", edit->what, "action",
                  action_names[edit->action], "date", edit->date, "reason", edit->reason);
    char *text = NULL;
    if (record && changed) {
        json_object_set_new(record, "weight", json_real(edit->weight));
        json_object_set_new(record, "before", json_real(changed->before));
        json_object_set_new(record, "after", json_real(changed->after));
    }
    if (!record) TRY(status_set(error, FILM_USAGE, "what, date or reason is not valid UTF-8"));
    if (json_array_size(list) >= EDITS_MOST_RECORDS)
        TRY(status_set(error, FILM_USAGE, "the model has %d edits; train a new one",
                       EDITS_MOST_RECORDS));
    json_array_append(list, record);
    TRY_ALLOC(text = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17)), error);
    TRY_ALLOC(*out = mem_string(text, strlen(text)), error);
done:
    jsonfile_free_text(text);
    json_decref(record);
    json_decref(list);
    return status;
}

film_status model_edit(film_model *model, const film_edit *edit, film_error *error)
{
    film_status status = FILM_OK;
    struct changed_weight changed;
    struct relation_line line = {.relation = RELATION_NONE};
    char *records = NULL;
    if (!edit->what) TRY(status_missing(error, "what"));
    if (edit->action < 0 || edit->action >= FILM_EDIT_ACTION_COUNT)
        TRY(status_set(error, FILM_USAGE, "unknown action %d", (int)edit->action));
    film_text what = film_string(edit->what);
    TRY(check_edit_text(edit->what, "what", error));
    TRY(check_edit_text(edit->date, "date", error));
    TRY(check_edit_text(edit->reason, "reason", error));
    TRY(relation_line_read(what, &line, error));
    if (line.relation != RELATION_NONE) {
        TRY(add_edit_record(model, edit, NULL, &records, error));
        TRY(edit_relation(model, &line, what, edit, error));
    } else {
        TRY(plan_weight(model, what, edit, &changed, error));
        TRY(add_edit_record(model, edit, &changed, &records, error));
        TRY(evidence_edit(&model->decision.evidence, changed.key, changed.weight, error));
    }
    mem_free(model->edits);
    model->edits = records;
    records = NULL;
done:
    mem_free(records);
    return status;
}

film_status model_take_edits(film_model *model, const film_model *old, size_t *taken,
                             size_t *skipped, film_error *error)
{
    film_status status = FILM_OK;
    size_t i;
    json_t *record, *list = old->edits ? json_loads(old->edits, 0, NULL) : NULL;
    *taken = *skipped = 0;
    json_array_foreach(list, i, record)
    {
        const char *action = json_string_value(json_object_get(record, "action"));
        film_edit edit = {.size = sizeof edit,
                          .what = json_string_value(json_object_get(record, "what")),
                          .weight = json_number_value(json_object_get(record, "weight")),
                          .reason = json_string_value(json_object_get(record, "reason")),
                          .date = json_string_value(json_object_get(record, "date"))};
        for (int a = 0; a < FILM_EDIT_ACTION_COUNT; a++)
            if (action && strcmp(action, action_names[a]) == 0) edit.action = (film_edit_action)a;
        film_status one = model_edit(model, &edit, error);
        if (one != FILM_OK && one != FILM_USAGE) TRY(one);
        ++*(one == FILM_OK ? taken : skipped);
    }
done:
    json_decref(list);
    return status;
}
