/* The category of a sentence, or none: a linear model over words (class_row.h) and the nearest
 * stored examples.
 *
 *     logit of category c = scale * (sum over items of value * weight[item][c])
 *                         + neighbours * log(0.01 + c's share among the nearest examples)
 *     probability of "none" = sigmoid(a linear function of the signs below)
 *
 * The first part is exact per word, so that a decision can be explained. learn/classifier_learn.h
 * learns both. */
#ifndef MODEL_CLASSIFIER_H
#define MODEL_CLASSIFIER_H

#include "base/safetensors.h"
#include "embed/encoder.h"
#include "model/class_row.h"

/* What "none of these" is decided by. */
enum class_sign {
    SIGN_BEST,     /* log of the best probability */
    SIGN_MARGIN,   /* log of the best over the second */
    SIGN_ENTROPY,  /* minus the entropy */
    SIGN_NEAREST,  /* similarity of the nearest example */
    SIGN_SHARE,    /* the best category's share among the nearest examples */
    SIGN_STRENGTH, /* its linear part over the mean of all */
    SIGN_KNOWN,    /* share of the words that training knows, by rarity */
    SIGN_NEAR,     /* mean similarity of the five nearest examples */
    SIGN_COVERED,  /* share of the words that the nearest examples have, by squared rarity */
    SIGN_HALVES,   /* mean log probability of the best by halves of the words */
    SIGN_AGREED,   /* share of the halves that have the same best */
    SIGN_TOTAL,    /* linear part of the best */
    SIGN_LENGTH,   /* log of the vector's length: how much of the sentence the map knows */
    SIGN_CENTRE,   /* similarity to the best category's centre, minus that of its examples */
    CLASS_SIGNS
};

enum { CLASS_NEAREST = 30, CLASSIFIER_TENSORS = 11 };

/* The learned numbers that are not tensors. */
struct class_rule {
    double scale, neighbours;
    double none[CLASS_SIGNS + 1]; /* weights of the signs, and the bias */
    double threshold;             /* "none" from this probability of none on */
};

struct classifier {
    struct strtab categories; /* count 0: the model has no classifier */
    struct strtab texts;      /* the examples */
    const uint32_t *category; /* by example */
    /* The examples' vectors under the words' map as bytes (examples x dim), and the factor that
     * makes the length 1; dim 0: there is no map. */
    const int8_t *code;
    const float *code_scale;
    size_t dim;
    struct keytab items;  /* numbered in ascending order */
    const float *idf;     /* by item */
    const int8_t *weight; /* items x categories; times WEIGHT_SCALE of the item */
    const float *weight_scale;
    struct class_rule rule;
    /* Owned when just learned, NULL when mapped: */
    uint32_t *own_category;
    int8_t *own_code, *own_weight;
    float *own_code_scale, *own_idf, *own_weight_scale;
};

void classifier_free(struct classifier *classifier);

/* Appends the tensors to TENSORS; *COUNT grows, but without categories. *KEYS, which one of them
 * uses, is freed by the caller, also after an error. */
film_status classifier_tensors(const struct classifier *classifier, uint8_t **keys,
                               struct safetensors_tensor *tensors, size_t *count,
                               film_error *error);

/* Finds and checks the tensors; DIM is that of the words' map. A BERT encoder is not used. */
film_status classifier_open(struct classifier *classifier, const struct safetensors *file,
                            size_t dim, const char *path, film_error *error);

/* Stores a vector as bytes. Returns the factor that makes its length 1; 0 for a zero vector. */
float classifier_encode(const float *vector, size_t dim, int8_t *code);

/* ---- Answering ---- */

/* Scratch space and result, one per thread. */
struct class_asker {
    const struct classifier *classifier;
    const struct encoder *encoder;
    const struct tokenizer *tokenizer;
    struct class_row row;
    struct feature_row features;
    float *vector; /* of the sentence */
    float *sum;    /* of a category's examples */
    int8_t *code;
    float *linear;       /* by category: value times weight */
    float *half;         /* the same of some words */
    float *share;        /* by category, of the nearest examples */
    double *probability; /* by category; they add up to 1 */
    uint32_t nearest[CLASS_NEAREST];
    float similarity[CLASS_NEAREST];
    size_t nearest_count;
    uint32_t best; /* category */
    float rarest;  /* the largest idf: that of an unknown word */
    /* See SIGN_KNOWN, SIGN_NEAR, SIGN_COVERED, SIGN_HALVES to SIGN_AGREED, SIGN_LENGTH and on. */
    double known, near, covered, halves, agreed, length, centre;
    struct grams example; /* scratch: the words of an example */
    double sign[CLASS_SIGNS];
    double none; /* probability */
};

film_status class_asker_init(struct class_asker *asker, const struct classifier *classifier,
                             const struct encoder *encoder, film_error *error);
void class_asker_free(struct class_asker *asker);

/* Classifies TEXT. */
film_status class_asker_ask(struct class_asker *asker, film_text text, film_error *error);

/* The last step of asking alone: probabilities, signs and none from linear and share. */
void class_asker_decide(struct class_asker *asker);

/* Value times weight of item I of the row, for CATEGORY, minus the mean over all categories. */
double class_asker_weight(const struct class_asker *asker, size_t i, uint32_t category);

#endif
