/* One step of the Adam optimiser (Kingma & Ba 2015) with beta1 = 0.9 and beta2 = 0.99. */
#ifndef LEARN_ADAM_H
#define LEARN_ADAM_H

#include <stddef.h>

/* The two moment estimates of an array of COUNT weights; both start at 0. */
struct adam_state {
    float *moment, *square; /* running means of the gradient and of its square */
};

/* STEP counts from 1 and corrects the bias of moments that start at 0. Weights move by
 * rate * moment / (sqrt(square) + 1e-12). */
void adam_step(const struct adam_state *state, double step, double rate, const float *gradient,
               float *weights, size_t count);

#endif
