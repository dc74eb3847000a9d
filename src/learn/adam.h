/* One step of Adam (Kingma & Ba 2015) with means over 10 and 100 steps. */
#ifndef LEARN_ADAM_H
#define LEARN_ADAM_H

#include <stddef.h>

/* The two running means of an array of COUNT weights; both start at 0. */
struct adam_state {
    float *moment, *square; /* of the gradient and of its square */
};

/* STEP counts from 1: by it the means are corrected for having started at 0. Weights move by
 * rate * moment / (sqrt(square) + 1e-12). */
void adam_step(const struct adam_state *state, double step, double rate, const float *gradient,
               float *weights, size_t count);

#endif
