/* Explains a word: the dimensions it contributes to, its nearest words, its weight as evidence.
 * Words outside the vocabulary have no explanation. */
#include "base/mem.h"
#include "explain/learned.h"
#include "explain/ranking.h"
#include "embed/vec.h"
#include "model/edits.h"
#include "text/value.h"

#include <math.h>

static film_status write_dimensions(const film_model *model, uint32_t id, size_t most,
                                    struct writer *to, film_error *error)
{
    size_t dim = model->encoder.dim;
    float *column = mem_array(dim, sizeof *column);
    if (!column) return status_no_memory(error);
    word_map_row(&model->encoder.map, id, column, dim);
    writer_key(to, "length");
    writer_number(to, sqrt(vec_dot(column, column, dim)));
    writer_key(to, "dimensions");
    film_status status = ranking_write_dimensions(column, 1, dim, most, to, error);
    mem_free(column);
    return status;
}

/* Words whose vectors have a similar direction. Each is embedded as a sentence of its own, so that
 * its letters count too where the model has character features. */
static film_status write_nearest(const film_model *model, uint32_t id, size_t most,
                                 struct writer *to, film_error *error)
{
    film_status status = FILM_OK;
    const struct features *features = &model->features;
    size_t dim = model->encoder.dim;
    float *vector = mem_array(2 * dim, sizeof *vector), *other = vector + dim;
    struct feature_row row = {.count = 0};
    struct ranking ranking = {.score = NULL};
    uint32_t first, end;
    ranking_words(features, &first, &end);
    TRY_ALLOC(vector, error);
    TRY(feature_row_init(&row, features, error));
    TRY(ranking_init(&ranking, most, error));
    TRY(encoder_read_words(&model->encoder, &row, ranking_name(features, id), vector, error));
    double length = vec_dot(vector, vector, dim);
    for (uint32_t word = first; word < end; word++) {
        TRY(encoder_read_words(&model->encoder, &row, ranking_name(features, word), other, error));
        double lengths = sqrt(length * vec_dot(other, other, dim));
        if (word != id && lengths > 0)
            topk_offer(&ranking.top, (float)(vec_dot(vector, other, dim) / lengths), word);
    }
    writer_key(to, "nearest");
    ranking_write_words(&ranking, features, "similarity", 1, to);
done:
    mem_free(vector);
    feature_row_free(&row);
    ranking_free(&ranking);
    return status;
}

/* ---- Evidence ---- */

static double evidence_scale(const struct decision *decision)
{
    return decision->margin.scale * decision->evidence.scale;
}

/* The strongest word pairs with this word, of the kinds whose keys contain the words. */
static film_status write_word_pairs(const film_model *model, uint32_t id, size_t most,
                                    struct writer *to, film_error *error)
{
    film_status status = FILM_OK;
    const struct evidence *evidence = &model->decision.evidence;
    double scale = evidence_scale(&model->decision);
    struct ranking ranking;
    uint32_t words[2];
    float weight;
    TRY(ranking_init(&ranking, most, error));
    for (uint64_t place = 0; place < evidence_places(evidence) && place < UINT32_MAX; place++)
        if (item_key_words(evidence_at(evidence, place, &weight), words) &&
            (words[0] == id || words[1] == id) && isfinite(weight))
            topk_offer(&ranking.top, fabsf(weight), (uint32_t)place);
    topk_finish(&ranking.top);
    writer_key(to, "pairs");
    writer_open(to, '[');
    for (size_t i = 0; i < ranking.top.count; i++) {
        uint64_t key = evidence_at(evidence, ranking.id[i], &weight);
        enum item_kind kind = item_key_words(key, words);
        uint32_t other = words[0] == id ? words[1] : words[0];
        if (other >= features_count(&model->features)) continue; /* a damaged file */
        writer_open(to, '{');
        writer_key(to, "kind");
        writer_text(to, value_of(item_kind_name(kind)));
        writer_key(to, "id");
        writer_text(to, value_of(item_kind_id(kind)));
        writer_key(to, "text");
        writer_text(to, ranking_name(&model->features, other));
        writer_key(to, "weight");
        writer_weight(to, scale * (double)weight);
        writer_close(to, '}');
    }
    writer_close(to, ']');
    ranking_free(&ranking);
done:
    return status;
}

film_status explain_word(const film_model *model, film_text word, size_t most, char **json,
                         film_error *error)
{
    film_status status = FILM_OK;
    struct writer to = {0};
    uint32_t id = 0;
    TRY(model_find_word(model, word, &id, error));
    writer_open(&to, '{');
    writer_key(&to, "word");
    writer_text(&to, ranking_name(&model->features, id));
    writer_key(&to, "idf");
    writer_number(&to, (double)model->features.idf[id]);
    if (word_map_exists(&model->encoder.map)) {
        TRY(write_dimensions(model, id, most, &to, error));
        TRY(write_nearest(model, id, most, &to, error));
    }
    if (model->decision.full) {
        const struct evidence *evidence = &model->decision.evidence;
        double scale = evidence_scale(&model->decision);
        writer_key(&to, "shared");
        writer_weight(&to, scale * (double)evidence_feature(evidence, id, 0));
        writer_key(&to, "alone");
        writer_weight(&to, scale * (double)evidence_feature(evidence, id, 1));
        TRY(write_word_pairs(model, id, most, &to, error));
    }
    writer_close(&to, '}');
    TRY(writer_finish(&to, json, NULL, error));
done:
    writer_free(&to);
    return status;
}
