/* Top-k lists of words, dimensions and sentences, written as JSON. */
#ifndef EXPLAIN_RANKING_H
#define EXPLAIN_RANKING_H

#include "base/topk.h"
#include "base/writer.h"
#include "embed/features.h"

struct ranking {
    struct topk top;
    float *score;
    uint32_t *id;
};

film_status ranking_init(struct ranking *ranking, size_t most, film_error *error);
void ranking_free(struct ranking *ranking);

/* The id range of the model's words: the first group of features that the model has. */
void ranking_words(const struct features *features, uint32_t *first, uint32_t *end);

/* A feature as text; the replacement character where a damaged file has invalid UTF-8. */
film_text ranking_name(const struct features *features, uint32_t id);

/* Writes [{"text": word, KEY: score}, ...], best first. Scores are multiplied by SIGN. */
void ranking_write_words(struct ranking *ranking, const struct features *features, const char *key,
                         double sign, struct writer *to);

/* Writes [{"dimension": i, "weight": WEIGHT[i * STRIDE]}, ...]: the MOST largest by magnitude out
 * of COUNT. */
film_status ranking_write_dimensions(const float *weight, size_t stride, size_t count, size_t most,
                                     struct writer *to, film_error *error);

#endif
