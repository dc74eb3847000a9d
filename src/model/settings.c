/* The settings of a model as JSON: written to the model file, read back and checked, and described
 * for film info. Tensors are in model.c and decision_file.c. */
#include "model/settings.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "model/decision_settings.h"
#include "model/edits.h"
#include "text/value.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static film_status dump_settings(const json_t *object, char **json, film_error *error)
{
    return jsonfile_dump(object, JSON_COMPACT | JSON_REAL_PRECISION(17), json, error);
}

static json_t *group_names(unsigned groups)
{
    json_t *names = json_array();
    for (int g = 0; g < GROUPS; g++)
        if (groups & GROUP_BIT(g)) jsonfile_append(names, json_string(group_name((enum group)g)));
    return names;
}

static json_t *stop_words(const struct strtab *stop)
{
    json_t *words = json_array();
    for (uint32_t i = 0; i < stop->count; i++) {
        film_text word = strtab_get(stop, i);
        jsonfile_append(words, json_stringn(word.bytes, word.length));
    }
    return words;
}

static const char *const similarity_names[FILM_SIMILARITY_COUNT] = {"cosine", "dot", "euclidean"};

/* [["title", "text"], ...]; NULL for a model of sentences. */
static json_t *fields_object(const struct record_fields *fields)
{
    if (!fields->count) return NULL;
    json_t *list = json_array();
    for (size_t f = 0; f < fields->count; f++)
        json_array_append_new(
            list, json_pack("[s, s]", fields->list[f].name, field_type_name(fields->list[f].type)));
    return list;
}

/* NULL without categories. */
static json_t *classifier_object(const struct classifier *classifier)
{
    const struct class_rule *rule = &classifier->rule;
    if (!classifier->categories.count) return NULL;
    json_t *none = json_array();
    for (int s = 0; s <= CLASS_SIGNS; s++) jsonfile_append(none, json_real(rule->none[s]));
    return json_pack("{s:f, s:f, s:f, s:o}", "scale", rule->scale, "neighbours", rule->neighbours,
                     "threshold", rule->threshold, "none", none);
}

static json_t *settings_object(const film_model *model)
{
    const struct tokenizer *tokenizer = &model->features.tokenizer;
    json_t *share = model->decision.share > 0 ? json_real(model->decision.share) : NULL;
    json_t *edits = model->edits ? json_loads(model->edits, 0, NULL) : NULL;
    return json_pack(
        "{s:s, s:s, s:o, s:I, s:I, s:s?, s:o, s:I, s:o, s:o, s:o*, s:o*, s:o*, s:o*}", "method",
        model->settings.method, "similarity", similarity_names[model->encoder.similarity],
        "features", group_names(model->features.groups), "min_df",
        (json_int_t)model->settings.min_df, "max_features",
        (json_int_t)model->settings.max_features, "stem", tokenizer->stem, "stop",
        stop_words(&tokenizer->stop), "seed", (json_int_t)model->settings.seed, "calibration",
        line_settings(&model->decision.similarity), "decision", decision_settings(&model->decision),
        "share", share, "classifier", classifier_object(&model->classifier), "fields",
        fields_object(&model->fields), "edits", edits);
}

film_status settings_write(const film_model *model, char **json, film_error *error)
{
    json_t *object = settings_object(model);
    film_status status = dump_settings(object, json, error);
    json_decref(object);
    return status;
}

/* ---- Reading: the text is not trusted ---- */

static film_status read_groups(json_t *names, const char *path, unsigned *groups, film_error *error)
{
    size_t index;
    json_t *name;
    *groups = 0;
    json_array_foreach(names, index, name)
    {
        int known = 0;
        for (int g = 0; g < GROUPS; g++)
            if (json_is_string(name) &&
                strcmp(json_string_value(name), group_name((enum group)g)) == 0) {
                *groups |= GROUP_BIT(g);
                known = 1;
            }
        if (!known)
            return status_set(error, FILM_BAD_INPUT,
                              "%s: settings: unknown feature group; use a newer version", path);
    }
    return *groups ? FILM_OK
                   : status_set(error, FILM_BAD_INPUT,
                                "%s: settings: no feature groups; the file is damaged", path);
}

static film_status read_similarity(const char *name, const char *path, film_similarity *similarity,
                                   film_error *error)
{
    for (int i = 0; i < FILM_SIMILARITY_COUNT; i++)
        if (strcmp(name, similarity_names[i]) == 0) {
            *similarity = (film_similarity)i;
            return FILM_OK;
        }
    return status_set(error, FILM_BAD_INPUT,
                      "%s: settings: unknown similarity; use a newer version", path);
}

/* Joins the stop words by newlines, for tokenizer_restore. */
static film_status read_tokenizer(json_t *words, const char *stem, const char *path,
                                  struct tokenizer *tokenizer, film_error *error)
{
    film_status status = FILM_OK;
    char *joined = NULL;
    size_t length = 0, capacity = 0, index;
    json_t *word;
    json_array_foreach(words, index, word)
    {
        if (!json_is_string(word))
            TRY(status_set(error, FILM_BAD_INPUT, "%s: settings: a stop word is not a string",
                           path));
        size_t more = json_string_length(word);
        TRY_ALLOC(mem_grow((void **)&joined, &capacity, length + more + 1, 1), error);
        memcpy(joined + length, json_string_value(word), more);
        joined[length + more] = '\n';
        length += more + 1;
    }
    TRY(tokenizer_restore(tokenizer, stem, (film_text){joined ? joined : "", length}, error));
done:
    mem_free(joined);
    return status;
}

/* Only in a model of records. */
static film_status read_fields(const json_t *list, const char *path, film_model *model,
                               film_error *error)
{
    film_status status = FILM_OK;
    if (!list) return FILM_OK;
    for (size_t f = 0; f < json_array_size(list); f++) {
        const json_t *pair = json_array_get(list, f);
        const char *name = json_string_value(json_array_get(pair, 0));
        const char *type = json_string_value(json_array_get(pair, 1));
        enum field_type found = type ? field_type_find(value_of(type)) : FIELD_TYPES;
        if (!name || found == FIELD_TYPES)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: settings: field %zu has an unknown type; use a newer version", path,
                           f + 1));
        TRY(record_fields_add(&model->fields, value_of(name), found, error));
    }
    TRY(record_fields_prepare(&model->fields, error));
    model->encoder.fields = &model->fields;
done:
    return status;
}

/* Only where the model was trained on pairs of both labels. */
static film_status read_share(const json_t *object, const char *path, double *share,
                              film_error *error)
{
    if (!object) return FILM_OK;
    *share = json_number_value(object);
    return *share > 0 && *share < 1
               ? FILM_OK
               : status_set(error, FILM_BAD_INPUT,
                            "%s: settings: a value is out of range; the file is damaged", path);
}

/* Only in a model trained on categories. */
static film_status read_classifier(json_t *object, const char *path, struct class_rule *rule,
                                   film_error *error)
{
    json_error_t problem;
    json_t *none = NULL;
    if (!object) return FILM_OK;
    if (json_unpack_ex(object, &problem, 0, "{s:F, s:F, s:F, s:o}", "scale", &rule->scale,
                       "neighbours", &rule->neighbours, "threshold", &rule->threshold, "none",
                       &none) != 0)
        return status_set(error, FILM_BAD_INPUT, "%s: settings: %s", path, problem.text);
    int valid = isfinite(rule->scale) && isfinite(rule->neighbours) && isfinite(rule->threshold) &&
                json_array_size(none) == CLASS_SIGNS + 1;
    for (size_t s = 0; valid && s <= CLASS_SIGNS; s++) {
        rule->none[s] = json_number_value(json_array_get(none, s));
        valid = isfinite(rule->none[s]);
    }
    return valid ? FILM_OK
                 : status_set(error, FILM_BAD_INPUT,
                              "%s: settings: a value is out of range; the file is damaged", path);
}

/* Only in an edited model: a list of objects. */
static film_status read_edits(json_t *list, const char *path, char **edits, film_error *error)
{
    size_t i;
    json_t *edit;
    int valid = json_is_array(list) && json_array_size(list) <= EDITS_MOST_RECORDS;
    if (!list) return FILM_OK;
    json_array_foreach(list, i, edit) valid = valid &&
                                              json_is_string(json_object_get(edit, "what")) &&
                                              json_is_string(json_object_get(edit, "action"));
    return valid ? dump_settings(list, edits, error)
                 : status_set(error, FILM_BAD_INPUT,
                              "%s: settings: the edits are not a list; the file is damaged", path);
}

film_status settings_read(const char *json, const char *path, film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    json_error_t problem;
    const char *method = NULL, *similarity = NULL;
    json_t *groups = NULL, *words = NULL, *stem = NULL;
    json_int_t min_df = 0, max_features = 0, seed = 0;
    json_t *line = NULL, *decision = NULL;
    json_t *object = json_loads(json, JSON_REJECT_DUPLICATES, &problem);
    if (!object && jsonfile_ran_out_of_memory(&problem, json, strlen(json)))
        TRY(status_no_memory(error));
    if (!object)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: settings: invalid JSON: %s", path,
                       problem.text));
    if (json_unpack_ex(object, &problem, 0, "{s:s, s:s, s:o, s:I, s:I, s:o, s:o, s:I, s:o, s:o}",
                       "method", &method, "similarity", &similarity, "features", &groups, "min_df",
                       &min_df, "max_features", &max_features, "stem", &stem, "stop", &words,
                       "seed", &seed, "calibration", &line, "decision", &decision) != 0)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: settings: %s", path, problem.text));
    if (!(json_is_null(stem) || json_is_string(stem)) || !json_is_array(groups) ||
        !json_is_array(words) || min_df < 0 || max_features < 0 ||
        strlen(method) >= sizeof model->settings.method)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: settings: a value is out of range; the file is damaged", path));
    strcpy(model->settings.method, method);
    model->settings.min_df = (size_t)min_df;
    model->settings.max_features = (size_t)max_features;
    model->settings.seed = (uint64_t)seed;
    TRY(line_settings_read(line, path, &model->decision.similarity, error));
    TRY(read_share(json_object_get(object, "share"), path, &model->decision.share, error));
    TRY(read_fields(json_object_get(object, "fields"), path, model, error));
    TRY(decision_settings_read(decision, path, &model->decision, model->encoder.fields, error));
    TRY(read_classifier(json_object_get(object, "classifier"), path, &model->classifier.rule,
                        error));
    TRY(read_edits(json_object_get(object, "edits"), path, &model->edits, error));
    TRY(read_similarity(similarity, path, &model->encoder.similarity, error));
    TRY(read_groups(groups, path, &model->features.groups, error));
    TRY(read_tokenizer(words, json_string_value(stem), path, &model->features.tokenizer, error));
done:
    json_decref(object);
    return status;
}

/* ---- film info ---- */

static json_t *sizes_object(const film_model *model)
{
    json_t *counts = json_object();
    for (int g = 0; g < GROUPS; g++)
        if (model->features.groups & GROUP_BIT(g))
            jsonfile_put(counts, group_name((enum group)g),
                         json_integer(model->features.vocabulary[g].count));
    return json_pack("{s:I, s:I, s:o, s:f}", "dim", (json_int_t)encoder_dim(&model->encoder),
                     "rank", (json_int_t)model->rank, "features", counts, "largest_singular_value",
                     model->rank ? (double)model->sigma[0] : 0.0);
}

film_status model_describe(const film_model *model, char **json, film_error *error)
{
    json_error_t problem = {.text = ""};
    json_t *figures = json_loads(model->figures, 0, &problem);
    if (!figures && jsonfile_ran_out_of_memory(&problem, model->figures, strlen(model->figures)))
        return status_no_memory(error);
    if (figures && model->seconds)
        jsonfile_put(figures, "seconds", json_loads(model->seconds, 0, NULL));
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:o?}", "film", film_version(), "settings",
                  settings_object(model), "sizes", sizes_object(model), "figures", figures);
    const struct network *network = model->network;
    if (network && network->arithmetic)
        jsonfile_put(object, "encoder",
                     json_pack("{s:I, s:s}", "dim", (json_int_t)network->dim, "arithmetic",
                               network->arithmetic));
    film_status status = dump_settings(object, json, error);
    json_decref(object);
    return status;
}
