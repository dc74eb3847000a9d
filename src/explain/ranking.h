/* The most of something, best first: for lists of words, dimensions, sentences. */
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

/* The words of a model are the features of its first group that there is: words, where it has
 * them. */
void ranking_words(const struct features *features, uint32_t *first, uint32_t *end);

/* A feature as text; the replacement character where a damaged file has other bytes than UTF-8. */
film_text ranking_name(const struct features *features, uint32_t id);

/* [{"text": word, KEY: score}, ...], best first; SIGN -1 turns the scores back. */
void ranking_write_words(struct ranking *ranking, const struct features *features, const char *key,
                         double sign, struct writer *to);

/* [{"dimension": i, "weight": WEIGHT[i * STRIDE]}, ...], the MOST that weigh most of COUNT. */
film_status ranking_write_dimensions(const float *weight, size_t stride, size_t count, size_t most,
                                     struct writer *to, film_error *error);

#endif
