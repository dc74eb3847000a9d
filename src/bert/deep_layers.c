/* Layers of the black box, forward and backward, for one sentence: convolution as one matrix
 * product (im2col), and max-pooling with ReLU. */
#include "bert/deep_layers.h"
#include "embed/vec.h"

#include <cblas.h>
#include <string.h>

size_t deep_conv_unfolded(const struct deep_conv *conv)
{
    return conv->out.rows * conv->out.cols * deep_conv_inputs(conv);
}

/* im2col: one row per position of OUT with the inputs of its filter. */
static void unfold(const struct deep_conv *conv, const float *in, float *unfolded)
{
    size_t span = conv->filter * conv->in.maps, line = conv->in.cols * conv->in.maps;
    for (size_t r = 0; r < conv->out.rows; r++)
        for (size_t c = 0; c < conv->out.cols; c++)
            for (size_t f = 0; f < conv->filter; f++, unfolded += span)
                memcpy(unfolded, in + (r + f) * line + c * conv->in.maps, span * sizeof *unfolded);
}

/* The reverse (col2im): adds every number to the position it was copied from. */
VEC_KERNEL static void fold(const struct deep_conv *conv, const float *unfolded, float *in)
{
    size_t span = conv->filter * conv->in.maps, line = conv->in.cols * conv->in.maps;
    memset(in, 0, deep_plane_size(&conv->in) * sizeof *in);
    for (size_t r = 0; r < conv->out.rows; r++)
        for (size_t c = 0; c < conv->out.cols; c++)
            for (size_t f = 0; f < conv->filter; f++, unfolded += span) {
                float *to = in + (r + f) * line + c * conv->in.maps;
                for (size_t i = 0; i < span; i++) to[i] += unfolded[i];
            }
}

void deep_conv_forward(const struct deep_conv *conv, const float *weight, const float *bias,
                       const float *in, float *unfolded, float *out)
{
    size_t positions = conv->out.rows * conv->out.cols, maps = conv->out.maps;
    size_t inputs = deep_conv_inputs(conv);
    unfold(conv, in, unfolded);
    for (size_t p = 0; p < positions; p++) memcpy(out + p * maps, bias, maps * sizeof *out);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)positions, (int)maps, (int)inputs,
                1.0f, unfolded, (int)inputs, weight, (int)maps, 1.0f, out, (int)maps);
}

void deep_conv_backward(const struct deep_conv *conv, const float *weight, const float *in,
                        const float *d_out, float *unfolded, struct deep_conv_gradient gradient)
{
    size_t positions = conv->out.rows * conv->out.cols, maps = conv->out.maps;
    size_t inputs = deep_conv_inputs(conv);
    unfold(conv, in, unfolded);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)inputs, (int)maps, (int)positions,
                1.0f, unfolded, (int)inputs, d_out, (int)maps, 1.0f, gradient.weight, (int)maps);
    for (size_t p = 0; p < positions; p++)
        vec_add_scaled(gradient.bias, 1.0f, d_out + p * maps, maps);
    if (!gradient.in) return;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)positions, (int)inputs, (int)maps,
                1.0f, d_out, (int)maps, weight, (int)maps, 0.0f, unfolded, (int)inputs);
    fold(conv, unfolded, gradient.in);
}

struct deep_plane deep_pooled(const struct deep_plane *in)
{
    return (struct deep_plane){in->rows / 2, in->cols / 2, in->maps};
}

VEC_KERNEL void deep_pool_forward(const struct deep_plane *in, const float *values, float *out,
                                  unsigned char *which)
{
    struct deep_plane pooled = deep_pooled(in);
    size_t maps = in->maps;
    for (size_t r = 0; r < pooled.rows; r++)
        for (size_t c = 0; c < pooled.cols; c++, out += maps, which += maps) {
            memset(out, 0, maps * sizeof *out);
            memset(which, DEEP_NONE, maps);
            for (unsigned char w = 0; w < DEEP_NONE; w++) {
                const float *from = values + ((2 * r + w / 2) * in->cols + 2 * c + w % 2) * maps;
                for (size_t m = 0; m < maps; m++) {
                    int wins = from[m] > out[m];
                    out[m] = wins ? from[m] : out[m];
                    which[m] = wins ? w : which[m];
                }
            }
        }
}

VEC_KERNEL void deep_pool_backward(const struct deep_plane *in, const float *d_out,
                                   const unsigned char *which, float *d_in)
{
    struct deep_plane pooled = deep_pooled(in);
    size_t maps = in->maps;
    if (in->rows % 2 || in->cols % 2) memset(d_in, 0, deep_plane_size(in) * sizeof *d_in);
    for (size_t r = 0; r < pooled.rows; r++)
        for (size_t c = 0; c < pooled.cols; c++, d_out += maps, which += maps)
            for (unsigned char w = 0; w < DEEP_NONE; w++) {
                float *to = d_in + ((2 * r + w / 2) * in->cols + 2 * c + w % 2) * maps;
                for (size_t m = 0; m < maps; m++) to[m] = which[m] == w ? d_out[m] : 0.0f;
            }
}
