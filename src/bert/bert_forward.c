/* The forward pass of BERT (Devlin et al. 2019): the sentences of a pack through all layers. There
 * is no backward pass; encoders are never trained here.
 *
 * A pack is one matrix with a row per token, one sentence after the other without padding, so that
 * every matrix product is one call. Only the attention is computed per sentence. OpenBLAS's AVX-512
 * kernels compute the same bits for a row whatever the other rows are, unless the product is so
 * small (below a million multiplications) that a different kernel is chosen; hence the minimum
 * number of rows. Its Haswell kernels do not: there the last digits depend on the row's
 * position. */
#include "bert/bert_parts.h"
#include "bert/bert_kernel.h"
#include "base/mem.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

enum { LEAST_ROWS = 16 };

film_status bert_buffers_init(struct bert_buffers *buffers, const struct bert_config *config,
                              size_t tokens, size_t longest, film_error *error)
{
    film_status status = FILM_OK;
    size_t rows = tokens < LEAST_ROWS ? LEAST_ROWS : tokens, hidden = config->hidden;
    size_t wide = 3 * hidden > config->inner ? 3 * hidden : config->inner;
    size_t scratch = bert_kernel_scratch(longest, hidden / config->heads);
    size_t slack = BERT_LANES; /* read by bert_kernel_attention after the last row */
    size_t bytes =
        BERT_INT8_ROWS * bert_int8_stride(hidden > config->inner ? hidden : config->inner);
    size_t group = (bytes + sizeof(float) - 1) / sizeof(float);
    size_t total = rows * (3 * hidden + wide) + slack + scratch + group;
    memset(buffers, 0, sizeof *buffers);
    /* Zeros: rows after the last token are multiplied too. They must not contain values that slow
     * the processor down or trap. */
    TRY_ALLOC(buffers->states = mem_aligned(total + 5 * BERT_LANES, sizeof(float)), error);
    memset(buffers->states, 0, (total + 5 * BERT_LANES) * sizeof(float));
    float *at = buffers->states;
#define NEXT(count) (at += ((count) + BERT_LANES - 1) / BERT_LANES * BERT_LANES)
    buffers->rows = rows;
    buffers->mixed = NEXT(rows * hidden);
    buffers->more = NEXT(rows * hidden);
    buffers->head = NEXT(rows * hidden);
    buffers->bytes = (int8_t *)NEXT(scratch);
    buffers->wide = NEXT(group);
#undef NEXT
done:
    return status;
}

void bert_buffers_free(struct bert_buffers *buffers)
{
    mem_free_aligned(buffers->states);
    memset(buffers, 0, sizeof *buffers);
}

/* A matrix of a layer. */
struct matrix {
    enum bert_matrix which;
    const float *values; /* inputs x outputs */
    size_t inputs, outputs;
};

/* OUT (rows x outputs) = X (rows x inputs) W, W a matrix of layer I. */
static void multiply_weights(const struct bert_weights *weights, size_t i, const struct matrix *w,
                             const float *x, float *out, size_t tokens,
                             struct bert_buffers *buffers)
{
    if (weights->int8) {
        bert_int8_multiply(&weights->int8[i][w->which], bert_int8_best(), x, tokens, buffers->bytes,
                           out);
        return;
    }
    size_t rows = tokens < LEAST_ROWS ? LEAST_ROWS : tokens;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)rows, (blasint)w->outputs,
                (blasint)w->inputs, 1.0f, x, (blasint)w->inputs, w->values, (blasint)w->outputs,
                0.0f, out, (blasint)w->outputs);
}

static void embed_tokens(const struct bert_config *config, const struct bert_weights *weights,
                         const struct bert_pack *pack, float *states)
{
    size_t hidden = config->hidden;
    for (size_t s = 0; s < pack->sentences; s++)
        for (size_t t = 0; t < pack->lengths[s]; t++, states += hidden) {
            memcpy(states, weights->words + (size_t)pack->ids[s][t] * hidden,
                   hidden * sizeof *states);
            const float *position = weights->positions + t * hidden;
            for (size_t i = 0; i < hidden; i++) states[i] += position[i];
            bert_kernel_norm(states, NULL, NULL, weights->norm, weights->norm_bias, hidden,
                             config->epsilon);
        }
}

/* Computes buffers->mixed (tokens x hidden) from buffers->wide (tokens x 3 hidden). */
static void attend(const struct bert_config *config, const struct bert_layer *layer,
                   const struct bert_pack *pack, struct bert_buffers *buffers)
{
    size_t hidden = config->hidden, size = hidden / config->heads, stride = 3 * hidden, first = 0;
    float scale = 1.0f / sqrtf((float)size);
    for (size_t s = 0; s < pack->sentences; first += pack->lengths[s++])
        for (size_t h = 0; h < hidden; h += size) {
            const float *query = buffers->wide + first * stride + h;
            struct bert_head head = {query,
                                     query + hidden,
                                     query + 2 * hidden,
                                     stride,
                                     layer->query_bias + h,
                                     scale,
                                     pack->lengths[s],
                                     size};
            bert_kernel_attention(&head, buffers->mixed + first * hidden + h, hidden,
                                  buffers->head);
        }
}

static void activate(enum bert_activation activation, float *values, const float *bias, size_t rows,
                     size_t columns)
{
    for (size_t r = 0; r < rows; r++, values += columns) switch (activation) {
        case BERT_GELU:
            bert_kernel_gelu(values, bias, columns);
            break;
        case BERT_GELU_TANH:
            bert_kernel_gelu_tanh(values, bias, columns);
            break;
        case BERT_RELU:
            bert_kernel_relu(values, bias, columns);
            break;
        }
}

static void add_and_norm(float *states, const float *more, const float *bias, const float *weight,
                         const float *shift, size_t tokens, const struct bert_config *config)
{
    size_t hidden = config->hidden;
    for (size_t t = 0; t < tokens; t++)
        bert_kernel_norm(states + t * hidden, more + t * hidden, bias, weight, shift, hidden,
                         config->epsilon);
}

void bert_forward(const struct bert_config *config, const struct bert_weights *weights,
                  const struct bert_pack *pack, struct bert_buffers *buffers)
{
    size_t hidden = config->hidden, inner = config->inner, tokens = pack->tokens;
    float *states = buffers->states, *wide = buffers->wide, *more = buffers->more;
    embed_tokens(config, weights, pack, states);
    for (size_t i = 0; i < config->layers; i++) {
        const struct bert_layer *layer = &weights->layers[i];
        multiply_weights(weights, i, &(struct matrix){BERT_QKV, layer->qkv, hidden, 3 * hidden},
                         states, wide, tokens, buffers);
        attend(config, layer, pack, buffers);
        multiply_weights(weights, i, &(struct matrix){BERT_MIX, layer->mix, hidden, hidden},
                         buffers->mixed, more, tokens, buffers);
        add_and_norm(states, more, layer->mix_bias, layer->norm, layer->norm_bias, tokens, config);
        multiply_weights(weights, i, &(struct matrix){BERT_UP, layer->up, hidden, inner}, states,
                         wide, tokens, buffers);
        activate(config->activation, wide, layer->up_bias, tokens, inner);
        multiply_weights(weights, i, &(struct matrix){BERT_DOWN, layer->down, inner, hidden}, wide,
                         more, tokens, buffers);
        add_and_norm(states, more, layer->down_bias, layer->last_norm, layer->last_norm_bias,
                     tokens, config);
    }
}
