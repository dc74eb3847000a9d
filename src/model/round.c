/* Rounds what training learned to what a model file has: each row of the map to signed bytes with
 * its own scale, the weights of words to signed bytes with a scale per kind. Trees, line, idf,
 * classifier and encoders keep their values. */
#include "base/mem.h"
#include "model/model.h"

#include <math.h>

enum { MOST = 127 };

static film_status round_map(film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = model->encoder.dim, features = features_count(&model->features);
    const float *row = model->own_map;
    if (!row) return FILM_OK;
    TRY_ALLOC((model->own_codes = mem_array(features, dim)) &&
                  (model->own_scales = mem_array(features, sizeof *model->own_scales)),
              error);
    for (size_t f = 0; f < features; f++, row += dim)
        word_map_round(row, dim, MOST, model->own_codes + f * dim, &model->own_scales[f]);
    mem_free(model->own_map);
    model->own_map = NULL;
    model->encoder.map = (struct word_map){.codes = model->own_codes, .scales = model->own_scales};
done:
    return status;
}

/* The weights of features: one block of two scales and the codes. */
static film_status round_features(const struct evidence *evidence, struct evidence *out,
                                  film_error *error)
{
    size_t count = 2 * evidence->features;
    float *scale = mem_zeroed(2 * sizeof *scale + count, 1);
    if (!scale) return status_no_memory(error);
    int8_t *code = (int8_t *)(scale + 2);
    for (size_t i = 0; i < count; i++)
        scale[i % 2] = fmaxf(scale[i % 2], fabsf(evidence->feature[i]) / MOST);
    for (size_t i = 0; i < count; i++)
        if (scale[i % 2] > 0) code[i] = (int8_t)lrintf(evidence->feature[i] / scale[i % 2]);
    out->own = scale;
    out->feature_code = code;
    out->feature_scale = scale;
    return FILM_OK;
}

static film_status round_evidence(struct evidence *evidence, uint32_t words, film_error *error)
{
    film_status status = FILM_OK;
    const struct keytab *items = &evidence->items;
    size_t count = 0;
    uint64_t *keys = mem_array(items->count, sizeof *keys);
    float *weights = mem_array(items->count, sizeof *weights);
    struct evidence rounded = {
        .bias = evidence->bias, .scale = evidence->scale, .features = evidence->features};
    TRY_ALLOC(keys && weights, error);
    TRY(round_features(evidence, &rounded, error));
    for (uint64_t slot = 0; slot <= items->slot_mask; slot++)
        if (items->keys[slot]) {
            keys[count] = items->keys[slot];
            weights[count++] = evidence->item[slot];
        }
    TRY(item_table_build(&rounded.table, keys, weights, count, words, error));
    evidence_free(evidence);
    *evidence = rounded;
    rounded = (struct evidence){.own = NULL};
done:
    mem_free(keys);
    mem_free(weights);
    evidence_free(&rounded);
    return status;
}

film_status model_round(film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    struct decision *decision = &model->decision;
    TRY(round_map(model, error));
    if (decision->full && decision->evidence.feature)
        TRY(round_evidence(&decision->evidence, model->features.first[GROUP_WORD + 1], error));
done:
    return status;
}
