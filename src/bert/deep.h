/* The black box: a convolutional network from the token matrix of a BERT encoder to a vector
 * (Hoffer and Ailon's triplet network; docs/explanation/black-box.md).
 *
 *     tokens x dim  -> convolution 5, 2 x 2 max-pooling, ReLU
 *                   -> convolution 3, pooling, ReLU
 *                   -> convolution 3, pooling, ReLU, (in training) dropout
 *                   -> convolution 2                  = the vector, all positions and maps of it
 *
 * The input matrix is one map; the number of maps of each layer is an option. A vector depends on
 * its sentence alone, to the last bit: one thread computes one sentence at a time. */
#ifndef BERT_DEEP_H
#define BERT_DEEP_H

#include "base/rng.h"
#include "base/safetensors.h"
#include "bert/deep_layers.h"

enum {
    DEEP_LAYERS = 4,
    DEEP_LEAST = 32,   /* least tokens and dim: below, the last layer has no input */
    DEEP_TOKENS = 512, /* this and the following are limits */
    DEEP_WIDTH = 4096,
    DEEP_MAPS = 1024,
    DEEP_UNFOLDED = 1 << 28 /* floats in a layer's unfolded input: a gigabyte */
};

struct deep_shape {
    size_t tokens, dim; /* of the input matrix */
    size_t maps[DEEP_LAYERS];
};

struct deep {
    struct deep_shape shape;
    struct deep_conv conv[DEEP_LAYERS];
    const float *weight[DEEP_LAYERS]; /* filter x filter x input maps x output maps */
    const float *bias[DEEP_LAYERS];
    /* The deep_parameters floats that hold weights and biases; NULL when they are stored
     * elsewhere. */
    float *own;
};

/* Computes the sizes of all layers; weights are set later. FILM_USAGE when SHAPE is impossible. */
film_status deep_plan(struct deep *deep, const struct deep_shape *shape, film_error *error);

/* The length of a vector, and the number of all weights and biases. */
size_t deep_dim(const struct deep *deep);
size_t deep_parameters(const struct deep *deep);

/* Makes OWN the storage of weights and biases: layer by layer, weights first. */
void deep_use(struct deep *deep, float *own);

/* Initialises weights at random (He: normal, variance 2 / inputs) and biases to 0. */
film_status deep_start(struct deep *deep, uint64_t seed, film_error *error);
/* Frees what DEEP owns. */
void deep_free(struct deep *deep);

/* ---- Computation: one trace per sentence, one scratch per thread ---- */

/* The activations that the backward pass needs from the forward pass. */
struct deep_trace {
    float *pooled[DEEP_LAYERS - 1]; /* the input of each layer except the first */
    unsigned char *which[DEEP_LAYERS - 1];
};
film_status deep_trace_init(struct deep_trace *trace, const struct deep *deep, film_error *error);
void deep_trace_free(struct deep_trace *trace);

struct deep_scratch {
    float *unfolded, *before, *after; /* sized for the largest layer */
};
film_status deep_scratch_init(struct deep_scratch *scratch, const struct deep *deep,
                              film_error *error);
void deep_scratch_free(struct deep_scratch *scratch);

/* OUT (deep_dim) = the vector of MATRIX (tokens x dim). DROPOUT is the fraction of the last layer's
 * inputs dropped at random; it is 0 outside training. BLAS should be single-threaded
 * (la/dense.h). */
void deep_forward(const struct deep *deep, const float *matrix, double dropout, struct rng *rng,
                  struct deep_trace *trace, struct deep_scratch *scratch, float *out);

/* Backpropagation: GRADIENT (deep_parameters, laid out as by deep_use) += the gradient of the
 * weights, given D_OUT, the gradient of the vector. MATRIX, DROPOUT and TRACE are those of the
 * preceding deep_forward. */
void deep_backward(const struct deep *deep, const float *matrix, double dropout,
                   const struct deep_trace *trace, struct deep_scratch *scratch, const float *d_out,
                   float *gradient);

/* OUT (count x deep_dim) = the vectors of COUNT matrices. FILM_BAD_INPUT when a vector is not
 * finite. */
film_status deep_vectors(const struct deep *deep, const float *matrices, size_t count, int threads,
                         float *out, film_error *error);

/* ---- As part of a model file (docs/reference/model-file.md) ---- */

enum { DEEP_TENSORS = 2 * DEEP_LAYERS };

/* The shape as JSON (free with mem_free), and the DEEP_TENSORS tensors to store. */
film_status deep_settings(const struct deep *deep, char **json, film_error *error);
void deep_tensors(const struct deep *deep, struct safetensors_tensor *out);

/* Reads the network from an open file, for an encoder whose vectors have DIM numbers. The weights
 * stay in the file. NAME is used in messages. Everything is validated. */
film_status deep_from_file(struct deep *deep, const struct safetensors *file, const char *settings,
                           size_t dim, const char *name, film_error *error);

#endif
