/* Explains a dimension of the vectors: its strongest words, and the stored sentences with extreme
 * values. Words are explained in learned_word.c, the whole model in learned_model.c. */
#include "base/mem.h"
#include "explain/learned.h"
#include "explain/ranking.h"

#include <math.h>
#include <stdio.h>

/* The effective number of words of a dimension (participation ratio of the squared weights), and
 * the share of the squares that the ten strongest words have. */
static void write_concentration(const film_model *model, size_t dimension, struct writer *to)
{
    enum { TOP = 10 };
    float score[TOP];
    uint32_t id[TOP], first, end;
    struct topk top = topk_over(score, id, TOP);
    double squares = 0, fourths = 0, strongest = 0;
    ranking_words(&model->features, &first, &end);
    for (uint32_t word = first; word < end; word++) {
        double weight =
            (double)word_map_value(&model->encoder.map, word, dimension, model->encoder.dim);
        squares += weight * weight;
        fourths += weight * weight * weight * weight;
        topk_offer(&top, (float)(weight * weight), word);
    }
    for (size_t i = 0; i < top.count; i++) strongest += (double)score[i];
    writer_key(to, "words");
    writer_count(to, end - first);
    writer_key(to, "effective_words");
    writer_number(to, fourths > 0 ? squares * squares / fourths : 0);
    writer_key(to, "share_of_ten");
    writer_number(to, squares > 0 ? strongest / squares : 0);
}

static film_status write_words(const film_model *model, size_t dimension, size_t most, int sign,
                               struct writer *to, film_error *error)
{
    film_status status = FILM_OK;
    struct ranking ranking;
    uint32_t first, end;
    ranking_words(&model->features, &first, &end);
    TRY(ranking_init(&ranking, most, error));
    for (uint32_t word = first; word < end; word++) {
        float weight =
            (float)sign * word_map_value(&model->encoder.map, word, dimension, model->encoder.dim);
        if (weight > 0) topk_offer(&ranking.top, weight, word);
    }
    writer_key(to, sign > 0 ? "positive" : "negative");
    ranking_write_words(&ranking, &model->features, "weight", sign, to);
    ranking_free(&ranking);
done:
    return status;
}

/* For a map on top of a BERT encoder: the encoder dimensions with the largest weights. */
static film_status write_inputs(const struct encoder *encoder, size_t dimension, size_t most,
                                struct writer *to, film_error *error)
{
    writer_key(to, "encoder");
    return ranking_write_dimensions(encoder->network_map + dimension, encoder->network_dim,
                                    encoder->network->dim, most, to, error);
}

/* The stored sentences with the largest and the smallest value. */
static film_status write_examples(const film_model *model, size_t dimension, size_t most,
                                  struct writer *to, film_error *error)
{
    film_status status = FILM_OK;
    const struct encoder *encoder = &model->encoder;
    size_t sentences = 2 * model->examples.count;
    struct ranking end[2] = {{{0}, NULL, NULL}, {{0}, NULL, NULL}};
    struct feature_row row = {.count = 0};
    struct strtab seen = {.count = 0};
    float *vector = NULL;
    TRY(strtab_init(&seen, error));
    TRY(ranking_init(&end[0], most, error));
    TRY(ranking_init(&end[1], most, error));
    TRY(feature_row_init(&row, encoder->features, error));
    TRY_ALLOC(vector = mem_array(encoder_dim(encoder), sizeof *vector), error);
    for (size_t i = 0; i < sentences; i++) {
        film_text text = examples_text(&model->examples, i / 2, (int)(i % 2));
        uint32_t before = seen.count, id;
        TRY(strtab_add(&seen, text.bytes, text.length, &id, error));
        if (seen.count == before) continue; /* a sentence of several pairs counts once */
        TRY(encoder_embed(encoder, &row, text, vector, error));
        topk_offer(&end[0].top, vector[dimension], (uint32_t)i);
        topk_offer(&end[1].top, -vector[dimension], (uint32_t)i);
    }
    for (int e = 0; e < 2; e++) {
        topk_finish(&end[e].top);
        writer_key(to, e ? "lowest" : "highest");
        writer_open(to, '[');
        for (size_t i = 0; i < end[e].top.count; i++) {
            writer_open(to, '{');
            writer_key(to, "text");
            writer_text(to,
                        examples_text(&model->examples, end[e].id[i] / 2, (int)(end[e].id[i] % 2)));
            writer_key(to, "value");
            writer_weight(to, (double)(e ? -end[e].score[i] : end[e].score[i]));
            writer_close(to, '}');
        }
        writer_close(to, ']');
    }
done:
    ranking_free(&end[0]);
    ranking_free(&end[1]);
    feature_row_free(&row);
    strtab_free(&seen);
    mem_free(vector);
    return status;
}

static void write_feature(struct writer *to, size_t id, const char *group, film_text text,
                          float weight)
{
    writer_open(to, '{');
    writer_key(to, "id");
    writer_count(to, id);
    writer_key(to, "group");
    writer_text(to, film_string(group));
    writer_key(to, "text");
    writer_text(to, text);
    writer_key(to, "weight");
    writer_number(to, (double)weight);
    writer_close(to, '}');
}

/* Every weight of the row of L: of the features or, on top of an encoder, of its dimensions. */
static void write_dimension(const film_model *model, size_t dimension, struct writer *to)
{
    const struct encoder *encoder = &model->encoder;
    const struct features *features = &model->features;
    size_t count = encoder->network ? encoder->network->dim : features_count(features);
    writer_key(to, "features");
    writer_open(to, '[');
    for (size_t id = 0; id < count; id++) {
        char name[40];
        if (encoder->network) {
            snprintf(name, sizeof name, "dimension %zu", id);
            write_feature(to, id, "encoder", film_string(name),
                          encoder->network_map[id * encoder->network_dim + dimension]);
        } else {
            write_feature(to, id, group_name(features_group(features, (uint32_t)id)),
                          ranking_name(features, (uint32_t)id),
                          word_map_value(&encoder->map, (uint32_t)id, dimension, encoder->dim));
        }
    }
    writer_close(to, ']');
}

film_status explain_dimension(const film_model *model, size_t dimension, size_t most, int all,
                              char **json, film_error *error)
{
    film_status status = FILM_OK;
    struct writer to = {0};
    if (!encoder_has_vectors(&model->encoder))
        return status_set(
            error, FILM_USAGE,
            "this model has no dimensions (method tfidf); train one with method svd, film or rank");
    if (dimension >= encoder_dim(&model->encoder))
        return status_set(error, FILM_USAGE,
                          "dimension %zu does not exist; this model has dimensions 0 to %zu",
                          dimension, encoder_dim(&model->encoder) - 1);
    if (model->encoder.network && !model->encoder.network_map)
        return status_set(error, FILM_USAGE,
                          "the dimensions of a black box (method deep) cannot be explained");
    writer_open(&to, '{');
    writer_key(&to, "dimension");
    writer_count(&to, dimension);
    writer_key(&to, "dimensions");
    writer_count(&to, encoder_dim(&model->encoder));
    if (model->encoder.network) {
        TRY(write_inputs(&model->encoder, dimension, most, &to, error));
    } else {
        write_concentration(model, dimension, &to);
        TRY(write_words(model, dimension, most, 1, &to, error));
        TRY(write_words(model, dimension, most, -1, &to, error));
    }
    TRY(write_examples(model, dimension, most, &to, error));
    if (all) write_dimension(model, dimension, &to);
    writer_close(&to, '}');
    TRY(writer_finish(&to, json, NULL, error));
done:
    writer_free(&to);
    return status;
}
