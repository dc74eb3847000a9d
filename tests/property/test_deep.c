/* Tests the arithmetic of the black box against a convolution as five loops, and against numerical
 * derivatives of every layer and of the losses through the whole network. */
#include "testing.h"

#include "base/mem.h"
#include "embed/vec.h"
#include "bert/deep.h"
#include "learn/deep_loss.h"

static film_error error;
static struct rng rng;

static void fill(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) values[i] = (float)rng_normal(&rng);
}

static float *random_floats(size_t count)
{
    float *values = mem_array(count, sizeof *values);
    assert_non_null(values);
    fill(values, count);
    return values;
}

/* ---- Layers ---- */

static void naive_conv(const struct deep_conv *conv, const float *weight, const float *bias,
                       const float *in, double *out)
{
    const struct deep_plane *i = &conv->in, *o = &conv->out;
    for (size_t r = 0; r < o->rows; r++)
        for (size_t c = 0; c < o->cols; c++)
            for (size_t m = 0; m < o->maps; m++) {
                double sum = bias[m];
                for (size_t fr = 0; fr < conv->filter; fr++)
                    for (size_t fc = 0; fc < conv->filter; fc++)
                        for (size_t k = 0; k < i->maps; k++)
                            sum += (double)in[((r + fr) * i->cols + c + fc) * i->maps + k] *
                                   weight[((fr * conv->filter + fc) * i->maps + k) * o->maps + m];
                out[(r * o->cols + c) * o->maps + m] = sum;
            }
}

static double weighted(const double *values, const float *weight, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i] * weight[i];
    return sum;
}

/* COUNT numbers that are changed, and the gradient in each. */
struct derivative {
    float *changed;
    const float *gradient;
    size_t count;
};

/* The naive convolution is linear in each of its arguments: differences are exact whatever the
 * step. */
static void check_linear(const struct deep_conv *conv, const float *weight, const float *bias,
                         const float *in, const float *d_out, struct derivative of)
{
    size_t size = deep_plane_size(&conv->out);
    double *out = mem_array(size, sizeof *out);
    for (size_t i = 0; i < of.count; i++) {
        float kept = of.changed[i];
        of.changed[i] = kept + 1;
        naive_conv(conv, weight, bias, in, out);
        double up = weighted(out, d_out, size);
        of.changed[i] = kept - 1;
        naive_conv(conv, weight, bias, in, out);
        double down = weighted(out, d_out, size);
        of.changed[i] = kept;
        assert_float_equal(of.gradient[i], 0.5 * (up - down), 2e-4 * (1 + fabs(up - down)));
    }
    mem_free(out);
}

static void convolution_and_its_gradients(void **state)
{
    (void)state;
    static const struct deep_conv shapes[] = {{{7, 9, 1}, {3, 5, 4}, 5},
                                              {{5, 6, 3}, {3, 4, 2}, 3},
                                              {{4, 3, 2}, {3, 2, 5}, 2},
                                              {{2, 2, 1}, {1, 1, 1}, 2}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const struct deep_conv *conv = &shapes[s];
        size_t in_size = deep_plane_size(&conv->in), out_size = deep_plane_size(&conv->out);
        size_t weights = deep_conv_inputs(conv) * conv->out.maps, maps = conv->out.maps;
        rng_seed(&rng, s + 1);
        float *in = random_floats(in_size), *weight = random_floats(weights),
              *bias = random_floats(maps), *out = random_floats(out_size),
              *d_out = random_floats(out_size), *d_in = random_floats(in_size),
              *d_weight = mem_zeroed(weights, sizeof(float)),
              *d_bias = mem_zeroed(maps, sizeof(float)),
              *unfolded = random_floats(deep_conv_unfolded(conv));
        double *naive = mem_array(out_size, sizeof *naive);
        deep_conv_forward(conv, weight, bias, in, unfolded, out);
        naive_conv(conv, weight, bias, in, naive);
        for (size_t i = 0; i < out_size; i++) assert_float_equal(out[i], naive[i], 1e-4);
        deep_conv_backward(conv, weight, in, d_out, unfolded,
                           (struct deep_conv_gradient){d_weight, d_bias, d_in});
        check_linear(conv, weight, bias, in, d_out, (struct derivative){weight, d_weight, weights});
        check_linear(conv, weight, bias, in, d_out, (struct derivative){bias, d_bias, maps});
        check_linear(conv, weight, bias, in, d_out, (struct derivative){in, d_in, in_size});
        deep_conv_backward(conv, weight, in, d_out, unfolded,
                           (struct deep_conv_gradient){d_weight, d_bias, NULL}); /* adds */
        for (size_t i = 0; i < maps; i++) d_bias[i] /= 2;
        check_linear(conv, weight, bias, in, d_out, (struct derivative){bias, d_bias, maps});
        float *blocks[] = {in, weight, bias, out, d_out, d_in, d_weight, d_bias, unfolded};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(blocks[i]);
        mem_free(naive);
    }
}

static void pooling_and_its_gradient(void **state)
{
    (void)state;
    struct deep_plane in = {5, 6, 3}, out = deep_pooled(&in); /* the last row is ignored */
    float values[90], pooled[18], again[18], d_out[18], d_in[90];
    unsigned char which[18];
    rng_seed(&rng, 5);
    assert_int_equal(deep_plane_size(&out), 18);
    fill(values, 90), fill(d_out, 18);
    deep_pool_forward(&in, values, pooled, which);
    for (size_t r = 0; r < 2; r++)
        for (size_t c = 0; c < 3; c++)
            for (size_t m = 0; m < 3; m++) {
                float most = 0;
                for (size_t w = 0; w < 4; w++)
                    most = fmaxf(most, values[((2 * r + w / 2) * 6 + 2 * c + w % 2) * 3 + m]);
                assert_true(pooled[(r * 3 + c) * 3 + m] == most);
            }
    deep_pool_backward(&in, d_out, which, d_in);
    for (size_t i = 0; i < 90; i++) {
        float kept = values[i], step = 1e-3f;
        unsigned char ignored[18];
        double difference = 0;
        values[i] = kept + step;
        deep_pool_forward(&in, values, again, ignored);
        for (size_t o = 0; o < 18; o++) difference += (double)(again[o] - pooled[o]) * d_out[o];
        values[i] = kept;
        assert_float_equal(d_in[i], difference / step, 5e-3);
    }
}

/* ---- The whole network ---- */

static const struct deep_shape small = {32, 35, {2, 3, 4, 5}};

static void shapes_are_checked(void **state)
{
    (void)state;
    struct deep deep;
    struct deep_shape paper = {32, 256, {64, 128, 256, 128}};
    assert_int_equal(deep_plan(&deep, &paper, &error), FILM_OK);
    assert_int_equal(deep_dim(&deep), 29 * 128);
    paper.dim = 32; /* leaves one position, as for the images of Hoffer & Ailon */
    assert_int_equal(deep_plan(&deep, &paper, &error), FILM_OK);
    assert_int_equal(deep_dim(&deep), 128);
    struct deep_shape bad[] = {{31, 32, {1, 1, 1, 1}},       {32, 31, {1, 1, 1, 1}},
                               {513, 32, {1, 1, 1, 1}},      {32, 4097, {1, 1, 1, 1}},
                               {32, 32, {1, 0, 1, 1}},       {32, 32, {1, 1, 1, 1025}},
                               {32, SIZE_MAX, {1, 1, 1, 1}}, {512, 4096, {1024, 1, 1, 1}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(deep_plan(&deep, &bad[i], &error), FILM_USAGE);
}

enum { ROWS = 7, TRIPLETS = 3 };
static const struct deep_triplet triplets[TRIPLETS] = {
    {0, 1, DEEP_NO_ROW}, {2, 3, 4}, {5, 6, DEEP_NO_ROW}};
static const uint32_t clusters[ROWS] = {1, 1, 2, 2, 3, 4, 4};

/* The loss of ROWS random matrices; GRADIENT (may be NULL) is that of the weights. */
static double loss_of(const struct deep *deep, const float *matrices,
                      const struct deep_loss_options *options, double dropout, float *gradient)
{
    size_t size = deep->shape.tokens * deep->shape.dim, dim = deep_dim(deep);
    float *vectors = mem_array(ROWS, dim * sizeof *vectors),
          *slopes = mem_array(ROWS, dim * sizeof *slopes);
    struct deep_trace traces[ROWS];
    struct deep_scratch scratch;
    double loss;
    assert_int_equal(deep_scratch_init(&scratch, deep, &error), FILM_OK);
    for (size_t r = 0; r < ROWS; r++) {
        struct rng own;
        rng_seed_part(&own, 9, r);
        assert_int_equal(deep_trace_init(&traces[r], deep, &error), FILM_OK);
        deep_forward(deep, matrices + r * size, dropout, &own, &traces[r], &scratch,
                     vectors + r * dim);
    }
    struct deep_batch batch = {ROWS, dim, vectors, clusters, triplets, TRIPLETS};
    assert_int_equal(deep_loss(&batch, options, &loss, slopes, &error), FILM_OK);
    if (gradient) memset(gradient, 0, deep_parameters(deep) * sizeof *gradient);
    for (size_t r = 0; r < ROWS; r++) {
        if (gradient)
            deep_backward(deep, matrices + r * size, dropout, &traces[r], &scratch,
                          slopes + r * dim, gradient);
        deep_trace_free(&traces[r]);
    }
    deep_scratch_free(&scratch);
    mem_free(vectors), mem_free(slopes);
    return loss;
}

/* A step along the gradient of each layer's weights and biases changes the loss by its squared
 * norm. */
static void check_loss(const struct deep_loss_options *options, double dropout)
{
    struct deep deep;
    assert_int_equal(deep_plan(&deep, &small, &error), FILM_OK);
    assert_int_equal(deep_start(&deep, 3, &error), FILM_OK);
    size_t parameters = deep_parameters(&deep);
    rng_seed(&rng, 4);
    float *matrices = random_floats(ROWS * 32 * 35);
    float *gradient = random_floats(parameters), *kept = mem_array(parameters, sizeof *kept);
    for (size_t i = 0; i < parameters; i++) deep.own[i] += 0.05f * (float)rng_normal(&rng);
    memcpy(kept, deep.own, parameters * sizeof *kept);
    assert_true(loss_of(&deep, matrices, options, dropout, gradient) > 0.01);
    for (int l = 0; l < DEEP_LAYERS; l++)
        for (int bias = 0; bias < 2; bias++) {
            size_t first = (size_t)((bias ? deep.bias[l] : deep.weight[l]) - deep.own);
            size_t count = bias ? small.maps[l] : deep_conv_inputs(&deep.conv[l]) * small.maps[l];
            double squares = vec_dot(gradient + first, gradient + first, count);
            double step = 4e-4 / sqrt(squares), change = 0;
            assert_true(squares > 1e-12);
            for (int side = -1; side <= 1; side += 2) {
                for (size_t i = first; i < first + count; i++)
                    deep.own[i] = (float)(kept[i] + side * step * gradient[i]);
                change += side * loss_of(&deep, matrices, options, dropout, NULL);
            }
            memcpy(deep.own, kept, parameters * sizeof *kept);
            assert_float_equal(change / (2 * step) / squares, 1, 0.03);
        }
    mem_free(matrices), mem_free(gradient), mem_free(kept);
    deep_free(&deep);
}

static void gradients_of_the_losses(void **state)
{
    (void)state;
    struct deep_loss_options hinge = {.margin = 0.9}, n_pair = {.n_pair = 1, .temperature = 5};
    check_loss(&hinge, 0);
    check_loss(&hinge, 0.3);
    check_loss(&n_pair, 0);
    check_loss(&n_pair, 0.3);
}

/* ---- The loss itself ---- */

static void losses_by_hand(void **state)
{
    (void)state;
    /* Cosines with the anchor: .6, 0 and .8; the last is a duplicate of the anchor. */
    const float vectors[] = {2, 0, 3, 4, 0, 1, 4, 3};
    const uint32_t cluster[] = {0, 0, 1, 0};
    struct deep_triplet nearest = {0, 1, DEEP_NO_ROW};
    struct deep_batch batch = {4, 2, vectors, cluster, &nearest, 1};
    struct deep_loss_options hinge = {.margin = 0.7}, n_pair = {.n_pair = 1, .temperature = 2};
    float gradient[8];
    double loss;
    assert_int_equal(deep_loss(&batch, &hinge, &loss, gradient, &error), FILM_OK);
    assert_float_equal(loss, 0 + 0.7 - 0.6, 1e-6);
    assert_true(gradient[6] == 0 && gradient[7] == 0);
    assert_int_equal(deep_loss(&batch, &n_pair, &loss, gradient, &error), FILM_OK);
    assert_float_equal(loss, log(1 + exp(2 * (0 - 0.6))), 1e-6);
    hinge.margin = 0.5; /* satisfied */
    assert_int_equal(deep_loss(&batch, &hinge, &loss, gradient, &error), FILM_OK);
    assert_true(loss == 0);
    for (int i = 0; i < 8; i++) assert_true(gradient[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolution_and_its_gradients),
        cmocka_unit_test(pooling_and_its_gradient),
        cmocka_unit_test(shapes_are_checked),
        cmocka_unit_test(losses_by_hand),
        cmocka_unit_test(gradients_of_the_losses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
