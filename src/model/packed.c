/* Packs a model: rounds the map and the word evidence, and replaces hash tables by sets of numbers.
 * packed_file.c writes and opens the result. */
#include "model/packed.h"
#include "base/mem.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

enum { MOST = PACKED_MOST };

/* ---- The map ---- */

/* Rows FIRST to END with one step. The error of a sum of rows is then the least for its bytes
 * (reverse water-filling), and a value of a normal distribution takes BITS bits after entropy
 * coding. No code exceeds MOST, and a short row keeps at least BITS - 2, because similarity does
 * not depend on the length of a sentence's vector. */
static void round_rows(const film_model *model, size_t first, size_t end, double bits,
                       int8_t *codes, float *scales, float *row)
{
    size_t dim = model->encoder.dim, rows = 0;
    double logs = 0, share = 4.1327 / exp2(bits); /* sqrt(2 pi e) / 2^bits: step by deviation */
    for (int pass = 0; pass < 2; pass++)
        for (size_t w = first; w < end; w++) {
            word_map_row(&model->encoder.map, (uint32_t)w, row, dim);
            double deviation = sqrt(vec_dot(row, row, dim) / (double)dim);
            if (pass == 0) {
                if (deviation > 0) logs += log2(deviation);
                rows += deviation > 0;
                continue;
            }
            double step = share * fmin(exp2(logs / (double)rows), 4 * deviation);
            word_map_round(row, dim, MOST, codes + w * dim, &scales[w]);
            if (scales[w] < (float)step) {
                scales[w] = (float)step;
                for (size_t i = 0; i < dim; i++)
                    codes[w * dim + i] = (int8_t)lrintf(row[i] / scales[w]);
            }
        }
}

static film_status pack_map(const film_model *model, unsigned bits, film_model *out,
                            film_error *error)
{
    film_status status = FILM_OK;
    const struct word_map *map = &model->encoder.map;
    size_t dim = model->encoder.dim, features = features_count(&model->features);
    size_t words = model->features.first[GROUP_WORD + 1];
    float *row = NULL, *scales = NULL;
    int8_t *codes = NULL;
    if (!word_map_exists(map) || model->bits == bits) return FILM_OK; /* as in MODEL */
    TRY_ALLOC(row = mem_array(dim, sizeof *row), error);
    TRY_ALLOC(out->own_codes = codes = mem_array(features, dim), error);
    TRY_ALLOC(out->own_scales = scales = mem_array(features, sizeof *scales), error);
    if (bits < 8) {
        /* Words alone are compared too. With five n-grams per word, values have BITS on average. */
        round_rows(model, 0, words, bits + 2.0, codes, scales, row);
        round_rows(model, words, features, bits - 0.4, codes, scales, row);
        TRY(pack_grams(model, scales, codes, error));
    }
    for (size_t w = 0; bits == 8 && w < features; w++) {
        word_map_row(map, (uint32_t)w, row, dim);
        word_map_round(row, dim, MOST, codes + w * dim, &scales[w]);
    }
    out->encoder.map = (struct word_map){.codes = codes, .scales = scales};
done:
    mem_free(row);
    return status;
}

/* ---- Decision ---- */

/* Weights of features: one block of two scales and the codes. */
static film_status pack_features(const struct evidence *evidence, struct evidence *out,
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
    out->feature = NULL;
    out->feature_code = code;
    out->feature_scale = scale;
    return FILM_OK;
}

static film_status pack_evidence(const struct evidence *evidence, uint32_t words,
                                 struct evidence *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0, most = (size_t)evidence_places(evidence);
    uint64_t *keys = mem_array(most, sizeof *keys);
    float *weights = mem_array(most, sizeof *weights);
    TRY_ALLOC(keys && weights, error);
    TRY(pack_features(evidence, out, error));
    for (uint64_t place = 0; place < most; place++) {
        keys[count] = evidence_at(evidence, place, &weights[count]);
        count += keys[count] != 0;
    }
    out->items = (struct keytab){.keys = NULL};
    out->item = NULL;
    TRY(item_table_build(&out->table, keys, weights, count, words, error));
done:
    mem_free(keys);
    mem_free(weights);
    return status;
}

film_status model_pack(const film_model *model, unsigned bits, film_model *out, film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *decision = &model->decision;
    *out = *model;
    out->own_codes = NULL;
    out->own_scales = NULL;
    out->packed_from = model;
    if (!packed_bits_exist(bits))
        TRY(status_set(error, FILM_USAGE, "%u bits: the map is packed with 8, 6 or 4 bits", bits));
    if (model->bits && bits > model->bits)
        TRY(status_set(error, FILM_USAGE, "the model is packed with %u bits; it cannot have more",
                       model->bits));
    out->bits = bits;
    out->decision.encoder = &out->encoder;
    TRY(pack_map(model, bits, out, error));
    if (!decision->full || model->bits) goto done;
    out->decision.evidence.own = NULL;
    out->decision.memory.own_cluster = NULL;
    uint32_t words = model->features.first[GROUP_WORD + 1];
    TRY(pack_evidence(&decision->evidence, words, &out->decision.evidence, error));
    if (memory_exists(&decision->memory))
        TRY(memory_pack(&decision->memory, &out->decision.memory, error));
done:
    if (status != FILM_OK) model_pack_free(out);
    return status;
}

void model_pack_free(film_model *packed)
{
    const film_model *from = packed->packed_from;
    mem_free(packed->own_codes);
    mem_free(packed->own_scales);
    if (packed->decision.full && packed->decision.evidence.feature_code && !from->bits) {
        struct evidence *evidence = &packed->decision.evidence;
        item_table_free(&evidence->table);
        if (evidence->own != from->decision.evidence.own) mem_free(evidence->own);
        if (!packed->decision.memory.questions.keys) memory_free(&packed->decision.memory);
    }
    memset(packed, 0, sizeof *packed);
}

film_status model_shrink(film_model *model, unsigned bits, film_error *error)
{
    film_model packed;
    film_status status = model_pack(model, bits, &packed, error);
    if (status != FILM_OK) return status;
    if (packed.own_codes) {
        mem_free(model->own_map);
        model->own_map = NULL;
        model->encoder.map = packed.encoder.map;
        model->own_codes = packed.own_codes;
        model->own_scales = packed.own_scales;
    }
    if (packed.decision.evidence.feature_code && !model->decision.evidence.feature_code) {
        evidence_free(&model->decision.evidence);
        model->decision.evidence = packed.decision.evidence;
        if (memory_exists(&model->decision.memory)) {
            memory_free(&model->decision.memory);
            model->decision.memory = packed.decision.memory;
        }
    }
    model->bits = bits;
    return FILM_OK;
}
