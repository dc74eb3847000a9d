/* The convolutional network on top of a BERT encoder (the triplet network of Hoffer & Ailon 2015):
 * shape, initialisation, forward and backward pass. Training is in learn/deep_learn.c. */
#include "bert/deep.h"
#include "base/mem.h"
#include "base/threads.h"
#include "embed/vec.h"
#include "la/blas.h"

#include <math.h>
#include <string.h>

static const size_t filters[DEEP_LAYERS] = {5, 3, 3, 2};

/* ---- Shape ---- */

static int shape_fits(const struct deep_shape *shape)
{
    int fits = shape->tokens >= DEEP_LEAST && shape->tokens <= DEEP_TOKENS &&
               shape->dim >= DEEP_LEAST && shape->dim <= DEEP_WIDTH;
    for (int l = 0; l < DEEP_LAYERS; l++)
        fits &= shape->maps[l] >= 1 && shape->maps[l] <= DEEP_MAPS;
    return fits;
}

film_status deep_plan(struct deep *deep, const struct deep_shape *shape, film_error *error)
{
    memset(deep, 0, sizeof *deep);
    if (!shape_fits(shape))
        return status_set(
            error, FILM_USAGE,
            "deep network: supported are %d to %d tokens of %d to %d numbers and 1 to %d maps per "
            "layer, not %zu tokens of %zu numbers and %zu,%zu,%zu,%zu maps",
            DEEP_LEAST, DEEP_TOKENS, DEEP_LEAST, DEEP_WIDTH, DEEP_MAPS, shape->tokens, shape->dim,
            shape->maps[0], shape->maps[1], shape->maps[2], shape->maps[3]);
    deep->shape = *shape;
    struct deep_plane in = {shape->tokens, shape->dim, 1};
    for (int l = 0; l < DEEP_LAYERS; l++) {
        size_t less = filters[l] - 1;
        struct deep_plane out = {in.rows - less, in.cols - less, shape->maps[l]};
        deep->conv[l] = (struct deep_conv){in, out, filters[l]};
        if (deep_conv_unfolded(&deep->conv[l]) > DEEP_UNFOLDED)
            return status_set(error, FILM_USAGE,
                              "a deep network with %zu tokens of %zu numbers and %zu,%zu,%zu,%zu "
                              "maps needs too much memory",
                              shape->tokens, shape->dim, shape->maps[0], shape->maps[1],
                              shape->maps[2], shape->maps[3]);
        in = deep_pooled(&out);
    }
    return FILM_OK;
}

size_t deep_dim(const struct deep *deep)
{
    return deep_plane_size(&deep->conv[DEEP_LAYERS - 1].out);
}

static size_t weights_of(const struct deep_conv *conv)
{
    return deep_conv_inputs(conv) * conv->out.maps;
}

size_t deep_parameters(const struct deep *deep)
{
    size_t count = 0;
    for (int l = 0; l < DEEP_LAYERS; l++)
        count += weights_of(&deep->conv[l]) + deep->conv[l].out.maps;
    return count;
}

void deep_use(struct deep *deep, float *own)
{
    deep->own = own;
    for (int l = 0; l < DEEP_LAYERS; l++) {
        deep->weight[l] = own;
        deep->bias[l] = own += weights_of(&deep->conv[l]);
        own += deep->conv[l].out.maps;
    }
}

film_status deep_start(struct deep *deep, uint64_t seed, film_error *error)
{
    struct rng rng;
    float *own = mem_zeroed(deep_parameters(deep), sizeof *own);
    if (!own) return status_no_memory(error);
    deep_use(deep, own);
    rng_seed(&rng, seed);
    for (int l = 0; l < DEEP_LAYERS; l++) {
        size_t weights = weights_of(&deep->conv[l]);
        double width = sqrt(2.0 / (double)deep_conv_inputs(&deep->conv[l]));
        for (size_t i = 0; i < weights; i++) *own++ = (float)(width * rng_normal(&rng));
        own += deep->conv[l].out.maps;
    }
    return FILM_OK;
}

void deep_free(struct deep *deep)
{
    mem_free(deep->own);
    memset(deep, 0, sizeof *deep);
}

/* ---- Memory ---- */

film_status deep_trace_init(struct deep_trace *trace, const struct deep *deep, film_error *error)
{
    film_status status = FILM_OK;
    memset(trace, 0, sizeof *trace);
    for (int l = 0; l < DEEP_LAYERS - 1; l++) {
        size_t size = deep_plane_size(&deep->conv[l + 1].in);
        TRY_ALLOC((trace->pooled[l] = mem_array(size, sizeof(float))) &&
                      (trace->which[l] = mem_array(size, 1)),
                  error);
    }
done:
    return status;
}

void deep_trace_free(struct deep_trace *trace)
{
    for (int l = 0; l < DEEP_LAYERS - 1; l++) {
        mem_free(trace->pooled[l]);
        mem_free(trace->which[l]);
    }
    memset(trace, 0, sizeof *trace);
}

film_status deep_scratch_init(struct deep_scratch *scratch, const struct deep *deep,
                              film_error *error)
{
    film_status status = FILM_OK;
    size_t unfolded = 0, plane = 0;
    memset(scratch, 0, sizeof *scratch);
    for (int l = 0; l < DEEP_LAYERS; l++) {
        const struct deep_conv *conv = &deep->conv[l];
        size_t in = deep_plane_size(&conv->in), out = deep_plane_size(&conv->out);
        if (deep_conv_unfolded(conv) > unfolded) unfolded = deep_conv_unfolded(conv);
        if (in > plane) plane = in;
        if (out > plane) plane = out;
    }
    TRY_ALLOC((scratch->unfolded = mem_aligned(unfolded, sizeof(float))) &&
                  (scratch->before = mem_aligned(plane, sizeof(float))) &&
                  (scratch->after = mem_aligned(plane, sizeof(float))),
              error);
done:
    return status;
}

void deep_scratch_free(struct deep_scratch *scratch)
{
    mem_free_aligned(scratch->unfolded);
    mem_free_aligned(scratch->before);
    mem_free_aligned(scratch->after);
    memset(scratch, 0, sizeof *scratch);
}

/* ---- Forward and backward ---- */

/* Inverted dropout: dropped values are treated as if ReLU had set them to zero; the others are
 * scaled up so that the expected sum stays the same. */
static void drop_out(float *values, unsigned char *which, size_t count, double share,
                     struct rng *rng)
{
    float scale = (float)(1 / (1 - share));
    for (size_t i = 0; i < count; i++) {
        int out = rng_uniform(rng) < share;
        values[i] = out ? 0.0f : values[i] * scale;
        if (out) which[i] = DEEP_NONE;
    }
}

void deep_forward(const struct deep *deep, const float *matrix, double dropout, struct rng *rng,
                  struct deep_trace *trace, struct deep_scratch *scratch, float *out)
{
    enum { LAST = DEEP_LAYERS - 1 };
    const float *in = matrix;
    for (int l = 0; l < LAST; l++) {
        deep_conv_forward(&deep->conv[l], deep->weight[l], deep->bias[l], in, scratch->unfolded,
                          scratch->after);
        deep_pool_forward(&deep->conv[l].out, scratch->after, trace->pooled[l], trace->which[l]);
        in = trace->pooled[l];
    }
    if (dropout > 0)
        drop_out(trace->pooled[LAST - 1], trace->which[LAST - 1],
                 deep_plane_size(&deep->conv[LAST].in), dropout, rng);
    deep_conv_forward(&deep->conv[LAST], deep->weight[LAST], deep->bias[LAST], in,
                      scratch->unfolded, out);
}

void deep_backward(const struct deep *deep, const float *matrix, double dropout,
                   const struct deep_trace *trace, struct deep_scratch *scratch, const float *d_out,
                   float *gradient)
{
    float *end = gradient + deep_parameters(deep);
    for (int l = DEEP_LAYERS - 1; l >= 0; l--) {
        const struct deep_conv *conv = &deep->conv[l];
        float *d_bias = end - conv->out.maps, *d_weight = d_bias - weights_of(conv);
        deep_conv_backward(
            conv, deep->weight[l], l ? trace->pooled[l - 1] : matrix, d_out, scratch->unfolded,
            (struct deep_conv_gradient){d_weight, d_bias, l ? scratch->before : NULL});
        end = d_weight;
        if (l == 0) return;
        if (l == DEEP_LAYERS - 1)
            vec_scale(scratch->before, (float)(1 / (1 - dropout)), deep_plane_size(&conv->in));
        deep_pool_backward(&deep->conv[l - 1].out, scratch->before, trace->which[l - 1],
                           scratch->after);
        d_out = scratch->after;
    }
}

struct vectors_job {
    const struct deep *deep;
    const float *matrices;
    float *out;
};

static film_status compute_vectors(struct threads_worker *worker, void *user, film_error *error)
{
    const struct vectors_job *job = user;
    const struct deep *deep = job->deep;
    size_t i, end, size = deep->shape.tokens * deep->shape.dim, dim = deep_dim(deep);
    struct deep_trace trace;
    struct deep_scratch scratch = {0};
    film_status status = deep_trace_init(&trace, deep, error);
    if (status == FILM_OK) status = deep_scratch_init(&scratch, deep, error);
    while (status == FILM_OK && threads_next(worker, &i, &end))
        deep_forward(deep, job->matrices + i * size, 0, NULL, &trace, &scratch, job->out + i * dim);
    deep_scratch_free(&scratch);
    deep_trace_free(&trace);
    return status;
}

film_status deep_vectors(const struct deep *deep, const float *matrices, size_t count, int threads,
                         float *out, film_error *error)
{
    struct vectors_job job = {deep, matrices, out};
    size_t dim = deep_dim(deep);
    blas_begin();
    film_status status =
        threads_for(threads_count(threads), count, 1, compute_vectors, &job, error);
    blas_end();
    int finite = 1;
    for (size_t i = 0; i < count * dim && status == FILM_OK; i++) finite &= isfinite(out[i]) != 0;
    return finite ? status
                  : status_set(error, FILM_BAD_INPUT,
                               "deep network: its weights produce values that are not finite");
}
