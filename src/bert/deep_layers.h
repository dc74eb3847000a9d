/* The layers of the black box (bert/deep.h), forward and backward, for one sentence.
 *
 * A plane is rows x cols x maps floats, maps fastest: a position is contiguous in memory, and a
 * filter covers FILTER contiguous ranges. Convolutions have no padding: rows x cols become
 * (rows - filter + 1) x (cols - filter + 1). */
#ifndef BERT_DEEP_LAYERS_H
#define BERT_DEEP_LAYERS_H

#include <stddef.h>

struct deep_plane {
    size_t rows, cols, maps;
};

static inline size_t deep_plane_size(const struct deep_plane *plane)
{
    return plane->rows * plane->cols * plane->maps;
}

struct deep_conv {
    struct deep_plane in, out;
    size_t filter;
};

/* Floats per row of the unfolded input (im2col); also the number of weights of one output map. */
static inline size_t deep_conv_inputs(const struct deep_conv *conv)
{
    return conv->filter * conv->filter * conv->in.maps;
}

/* Floats in the unfolded input: out.rows x out.cols x deep_conv_inputs. */
size_t deep_conv_unfolded(const struct deep_conv *conv);

/* OUT = the convolution of IN; WEIGHT is filter x filter x in.maps x out.maps, BIAS out.maps.
 * UNFOLDED is scratch. */
void deep_conv_forward(const struct deep_conv *conv, const float *weight, const float *bias,
                       const float *in, float *unfolded, float *out);

/* Where gradients are written: those of weights and bias are added to. */
struct deep_conv_gradient {
    float *weight, *bias;
    float *in; /* NULL: not wanted */
};

/* From the gradient in OUT to the others. UNFOLDED is scratch. */
void deep_conv_backward(const struct deep_conv *conv, const float *weight, const float *in,
                        const float *d_out, float *unfolded, struct deep_conv_gradient gradient);

/* 2 x 2 max-pooling followed by ReLU: OUT is rows/2 x cols/2 x maps; an odd last row or column is
 * ignored. WHICH records the winner of each number of OUT: 0 to 3, or DEEP_NONE where the ReLU
 * returned zero. */
enum { DEEP_NONE = 4 };
void deep_pool_forward(const struct deep_plane *in, const float *values, float *out,
                       unsigned char *which);
void deep_pool_backward(const struct deep_plane *in, const float *d_out, const unsigned char *which,
                        float *d_in);

/* The shape of OUT of deep_pool_forward. */
struct deep_plane deep_pooled(const struct deep_plane *in);

#endif
