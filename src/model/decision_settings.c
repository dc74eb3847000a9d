/* The settings of a decision as JSON, written and read back with checks. settings.c has those of
 * the rest of a model; weights and trees are tensors (decision_file.c). */
#include "model/decision_settings.h"
#include "base/jsonfile.h"
#include "base/utf8.h"
#include "pair/guarantees.h"

#include <math.h>
#include <string.h>

json_t *line_settings(const struct calibration *line)
{
    return json_pack("{s:f, s:f, s:f}", "scale", line->scale, "bias", line->bias, "threshold",
                     line->threshold);
}

static json_t *guarantee_names(unsigned kinds)
{
    json_t *names = json_array();
    for (int i = 0; i < GUARANTEES; i++)
        if (kinds & guarantees[i].kind) jsonfile_append(names, json_string(guarantees[i].name));
    return names;
}

/* The traits that may only speak against "the same". */
static json_t *constrained_traits(unsigned kinds)
{
    json_t *ids = json_array();
    for (size_t t = 0; t < traits_count(); t++)
        if (guarantees_direction(kinds, t))
            json_array_append_new(ids, json_string(trait_at(t)->id));
    return ids;
}

static unsigned read_guarantees(const json_t *names)
{
    unsigned kinds = 0;
    for (size_t n = 0; n < json_array_size(names); n++) {
        const char *name = json_string_value(json_array_get(names, n));
        for (int i = 0; i < GUARANTEES; i++)
            if (name && strcmp(name, guarantees[i].name) == 0) kinds |= guarantees[i].kind;
    }
    return kinds;
}

json_t *decision_settings(const struct decision *decision)
{
    if (!decision->full) return json_null();
    json_t *object =
        json_pack("{s:o, s:f, s:f, s:f, s:f, s:f}", "calibration", line_settings(&decision->margin),
                  "line_bias", decision->line.bias, "evidence_scale", decision->evidence.scale,
                  "evidence_bias", decision->evidence.bias, "memory_same",
                  decision->memory.weight[MEMORY_SAME], "memory_different",
                  decision->memory.weight[MEMORY_DIFFERENT]);
    if (decision->memory.weight[MEMORY_TAKEN] != 0)
        jsonfile_put(object, "memory_other_match",
                     json_real(decision->memory.weight[MEMORY_TAKEN]));
    if (decision->guarantees) {
        jsonfile_put(object, "guarantees", guarantee_names(decision->guarantees));
        jsonfile_put(object, "constraints", constrained_traits(decision->guarantees));
    }
    json_t *ids = json_array();
    for (size_t t = 0; t < traits_total(decision->encoder->fields); t++)
        jsonfile_append(ids, json_string(traits_get(decision->encoder->fields, t)->id));
    jsonfile_put(object, "traits", ids);
    jsonfile_put(object, "version", json_string(film_version()));
    const struct answer_rule *answered = &decision->answered;
    if (answered->learned)
        jsonfile_put(object, "answered",
                     json_pack("{s:f, s:f, s:f}", "scale", answered->scale, "bias", answered->bias,
                               "threshold", answered->threshold));
    if (decision->pool.weight > 0) {
        jsonfile_put(object, "pool", line_settings(&decision->pool.outside));
        jsonfile_put(object, "pool_weight", json_real(decision->pool.weight));
    }
    if (decision->encoder->network)
        jsonfile_put(object, "network",
                     json_pack("{s:f, s:f}", "weight", decision->network.weight, "mean",
                               decision->network.mean));
    if (decision->parent.decision)
        jsonfile_put(object, "start", json_pack("{s:f}", "weight", decision->parent.weight));
    return object;
}

film_status line_settings_read(json_t *object, const char *path, struct calibration *line,
                               film_error *error)
{
    json_error_t problem;
    if (json_unpack_ex(object, &problem, 0, "{s:F, s:F, s:F}", "scale", &line->scale, "bias",
                       &line->bias, "threshold", &line->threshold) != 0)
        return status_set(error, FILM_BAD_INPUT, "%s: settings: %s", path, problem.text);
    if (!isfinite(line->scale) || !isfinite(line->bias) || !isfinite(line->threshold))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: settings: a value is out of range; the file is damaged", path);
    return FILM_OK;
}

/* Only where there is a BERT encoder. */
static film_status read_network(json_t *object, const char *path, struct decision_network *network,
                                film_error *error)
{
    json_error_t problem;
    if (!object) return FILM_OK;
    if (json_unpack_ex(object, &problem, 0, "{s:F, s:F}", "weight", &network->weight, "mean",
                       &network->mean) != 0)
        return status_set(error, FILM_BAD_INPUT, "%s: settings: %s", path, problem.text);
    if (!isfinite(network->weight) || !isfinite(network->mean))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: settings: a value is out of range; the file is damaged", path);
    return FILM_OK;
}

/* Only where training began from another model, which is a tensor (parent.c). */
static film_status read_parent(json_t *object, const char *path, double *weight, film_error *error)
{
    if (!object) return FILM_OK;
    *weight = json_number_value(json_object_get(object, "weight"));
    return json_is_number(json_object_get(object, "weight")) && *weight >= 0 && isfinite(*weight)
               ? FILM_OK
               : status_set(error, FILM_BAD_INPUT,
                            "%s: settings: start: invalid weight; the file is damaged", path);
}

/* Only where a full decision learned it. */
static film_status read_answered(json_t *object, const char *path, struct answer_rule *answered,
                                 film_error *error)
{
    json_error_t problem;
    if (!object) return FILM_OK;
    if (json_unpack_ex(object, &problem, 0, "{s:F, s:F, s:F}", "scale", &answered->scale, "bias",
                       &answered->bias, "threshold", &answered->threshold) != 0)
        return status_set(error, FILM_BAD_INPUT, "%s: settings: %s", path, problem.text);
    if (!isfinite(answered->scale) || !isfinite(answered->bias) || !isfinite(answered->threshold))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: settings: a value is out of range; the file is damaged", path);
    answered->learned = 1;
    return FILM_OK;
}

/* Only where labels are few. */
static film_status read_pool_rule(json_t *object, const char *path, struct pool_rule *pool,
                                  film_error *error)
{
    json_t *outside = json_object_get(object, "pool");
    if (!outside) return FILM_OK;
    pool->weight = json_real_value(json_object_get(object, "pool_weight"));
    if (!(pool->weight > 0 && pool->weight < 1))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: settings: a value is out of range; the file is damaged", path);
    return line_settings_read(outside, path, &pool->outside, error);
}

/* The line and the trees number the traits of this program, with those of the model's fields. */
static film_status check_traits(const json_t *decision, const struct record_fields *fields,
                                const char *path, film_error *error)
{
    enum { SHOWN = 60 };
    const json_t *ids = json_object_get(decision, "traits");
    const char *version = json_string_value(json_object_get(decision, "version"));
    size_t count = json_array_size(ids), total = traits_total(fields);
    for (size_t t = 0; t < count || t < total; t++) {
        const char *id = json_string_value(json_array_get(ids, t));
        const char *own = t < total ? traits_get(fields, t)->id : "none";
        if (id && t < total && strcmp(id, own) == 0) continue;
        if (!id) id = "none";
        if (!version) version = "unknown";
        return status_set(error, FILM_BAD_INPUT,
                          "%s: the model was trained by film %.*s, whose trait %zu is %.*s; this "
                          "program, film %s, has %s there; train the model again",
                          path, (int)utf8_cut(version, strlen(version), SHOWN), version, t + 1,
                          (int)utf8_cut(id, strlen(id), SHOWN), id, film_version(), own);
    }
    return FILM_OK;
}

film_status decision_settings_read(json_t *object, const char *path, struct decision *decision,
                                   const struct record_fields *fields, film_error *error)
{
    film_status status = FILM_OK;
    json_error_t problem;
    json_t *line = NULL;
    double *weight = decision->memory.weight;
    if (json_is_null(object)) return FILM_OK;
    if (json_unpack_ex(object, &problem, 0, "{s:o, s:F, s:F, s:F, s:F, s:F}", "calibration", &line,
                       "line_bias", &decision->line.bias, "evidence_scale",
                       &decision->evidence.scale, "evidence_bias", &decision->evidence.bias,
                       "memory_same", &weight[MEMORY_SAME], "memory_different",
                       &weight[MEMORY_DIFFERENT]) != 0)
        return status_set(error, FILM_BAD_INPUT, "%s: settings: %s", path, problem.text);
    weight[MEMORY_TAKEN] = json_number_value(json_object_get(object, "memory_other_match"));
    if (!isfinite(decision->line.bias) || !isfinite(decision->evidence.bias) ||
        !isfinite(decision->evidence.scale) || !isfinite(weight[MEMORY_SAME]) ||
        !isfinite(weight[MEMORY_DIFFERENT]) || !isfinite(weight[MEMORY_TAKEN]))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: settings: a value is out of range; the file is damaged", path);
    TRY(read_network(json_object_get(object, "network"), path, &decision->network, error));
    TRY(read_parent(json_object_get(object, "start"), path, &decision->parent.weight, error));
    TRY(read_answered(json_object_get(object, "answered"), path, &decision->answered, error));
    TRY(read_pool_rule(object, path, &decision->pool, error));
    TRY(line_settings_read(line, path, &decision->margin, error));
    TRY(check_traits(object, fields, path, error));
    decision->guarantees = read_guarantees(json_object_get(object, "guarantees"));
    decision->full = 1;
done:
    return status;
}
