/* Learns what is known already (pair/memory.h) from labelled pairs. */
#ifndef LEARN_MEMORY_BUILD_H
#define LEARN_MEMORY_BUILD_H

#include "pair/memory.h"

/* One labelled pair: the hashes of its two questions. */
struct memory_row {
    uint64_t a, b;
    int same; /* 1 same, 0 different; others are passed over */
};

/* Builds clusters from all rows but those with PART[i] == LEFT_OUT (PART NULL: from all).
 * Weights are 0. */
film_status memory_build(struct memory *memory, const struct memory_row *rows, size_t count,
                         const unsigned char *part, unsigned char left_out, film_error *error);

/* The weight of an answer that brings MARGIN[i] + weight nearest to TARGET[i] (logistic loss,
 * each pair weighing WEIGHT[i]); few pairs move it little. */
double memory_weigh(const double *margin, const float *target, const float *weight, size_t count);

#endif
