/* Implements one Adam update of an array of weights (Kingma & Ba, "Adam: a method for stochastic
 * optimization", 2015). The caller chooses the learning rate and decides when to stop. */
#include "learn/adam.h"
#include "embed/vec.h"

#include <math.h>

#define MOMENT_DECAY 0.9
#define SQUARE_DECAY 0.99

/* CORRECT: 1 - decay^step of both moments. */
VEC_KERNEL static void move(float *restrict weights, float *restrict moment, float *restrict square,
                            const float *restrict g, float rate, const float correct[2], size_t n)
{
    float c1 = correct[0], c2 = correct[1];
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        moment[i] = 0.9f * moment[i] + 0.1f * g[i];
        square[i] = 0.99f * square[i] + 0.01f * g[i] * g[i];
        weights[i] -= rate * (moment[i] / c1) / (sqrtf(square[i] / c2) + 1e-12f);
    }
}

void adam_step(const struct adam_state *state, double step, double rate, const float *gradient,
               float *weights, size_t count)
{
    const float correct[2] = {(float)(1 - pow(MOMENT_DECAY, step)),
                              (float)(1 - pow(SQUARE_DECAY, step))};
    move(weights, state->moment, state->square, gradient, (float)rate, correct, count);
}
