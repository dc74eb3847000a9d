/* The black box: a convolutional network from the token matrix of a BERT encoder to a vector
 * (Hoffer and Ailon's triplet network; docs/explanation/black-box.md).
 *
 *     tokens x dim  -> convolution 5, 2 x 2 max-pooling, ReLU
 *                   -> convolution 3, pooling, ReLU
 *                   -> convolution 3, pooling, ReLU, (in training) dropout
 *                   -> convolution 2                  = the vector, all positions and maps of it
 *
 * The matrix is one map at first; the maps of each layer are an option. A vector depends on its
 * sentence alone, to the last bit: sentences are computed one by one, each by one thread. */
#ifndef BERT_DEEP_H
#define BERT_DEEP_H

#include "base/rng.h"
#include "base/safetensors.h"
#include "bert/deep_layers.h"

enum {
    DEEP_LAYERS = 4,
    DEEP_LEAST = 32,   /* tokens and dim: below, nothing is left for the last layer */
    DEEP_TOKENS = 512, /* limits */
    DEEP_WIDTH = 4096,
    DEEP_MAPS = 1024,
    DEEP_UNFOLDED = 1 << 28 /* numbers of a layer's unfolded input: a gigabyte */
};

struct deep_shape {
    size_t tokens, dim; /* of the matrix */
    size_t maps[DEEP_LAYERS];
};

struct deep {
    struct deep_shape shape;
    struct deep_conv conv[DEEP_LAYERS];
    const float *weight[DEEP_LAYERS]; /* filter x filter x maps before x maps */
    const float *bias[DEEP_LAYERS];
    float *own; /* deep_parameters numbers they lie in one after the other; NULL: elsewhere */
};

/* Sizes of all layers; the weights are still to be set. FILM_USAGE where SHAPE makes no sense. */
film_status deep_plan(struct deep *deep, const struct deep_shape *shape, film_error *error);

/* Numbers of a vector, and of all weights and biases. */
size_t deep_dim(const struct deep *deep);
size_t deep_parameters(const struct deep *deep);

/* Weights and biases lie in OWN from now on: layer by layer, the weights first. */
void deep_use(struct deep *deep, float *own);

/* Random weights to begin with (He: normal, variance 2 / inputs), biases 0. */
film_status deep_start(struct deep *deep, uint64_t seed, film_error *error);
void deep_free(struct deep *deep); /* what it owns */

/* ---- Computing: a trace per sentence, scratch per thread ---- */

/* What backwards needs to know of forwards. */
struct deep_trace {
    float *pooled[DEEP_LAYERS - 1]; /* the input of each layer but the first */
    unsigned char *which[DEEP_LAYERS - 1];
};
film_status deep_trace_init(struct deep_trace *trace, const struct deep *deep, film_error *error);
void deep_trace_free(struct deep_trace *trace);

struct deep_scratch {
    float *unfolded, *before, *after; /* the largest of all layers */
};
film_status deep_scratch_init(struct deep_scratch *scratch, const struct deep *deep,
                              film_error *error);
void deep_scratch_free(struct deep_scratch *scratch);

/* OUT (deep_dim) = the vector of MATRIX (tokens x dim). DROPOUT: the share of the last layer's
 * inputs that are left out at random; 0 but in training. BLAS should be single-threaded
 * (la/dense.h). */
void deep_forward(const struct deep *deep, const float *matrix, double dropout, struct rng *rng,
                  struct deep_trace *trace, struct deep_scratch *scratch, float *out);

/* GRADIENT (deep_parameters, as deep_use lays them out) += what D_OUT, the gradient in the vector,
 * says of the weights. MATRIX and DROPOUT are those of deep_forward, which made TRACE. */
void deep_backward(const struct deep *deep, const float *matrix, double dropout,
                   const struct deep_trace *trace, struct deep_scratch *scratch, const float *d_out,
                   float *gradient);

/* OUT (count x deep_dim) = the vectors of COUNT matrices. FILM_BAD_INPUT where they are not
 * finite. */
film_status deep_vectors(const struct deep *deep, const float *matrices, size_t count, int threads,
                         float *out, film_error *error);

/* ---- As part of a model file (docs/reference/model-file.md) ---- */

enum { DEEP_TENSORS = 2 * DEEP_LAYERS };

/* Its shape as JSON; free with mem_free. OUT gets DEEP_TENSORS entries. */
film_status deep_settings(const struct deep *deep, char **json, film_error *error);
void deep_tensors(const struct deep *deep, struct safetensors_tensor *out);

/* The network of an open file whose encoder's vectors have DIM numbers; its weights stay in the
 * file. NAME is for messages. Nothing is trusted. */
film_status deep_from_file(struct deep *deep, const struct safetensors *file, const char *settings,
                           size_t dim, const char *name, film_error *error);

#endif
