/* Builds the memory of known duplicates (pair/memory.h) from labelled pairs. */
#ifndef LEARN_MEMORY_BUILD_H
#define LEARN_MEMORY_BUILD_H

#include "pair/memory.h"

/* One labelled pair: the hashes of its two questions, in the order of the file. */
struct memory_row {
    uint64_t a, b;
    int same; /* 1 positive, 0 negative; other rows are skipped */
};

/* Builds clusters from all rows except those with PART[i] == LEFT_OUT (PART NULL: all rows).
 * Weights are 0. */
film_status memory_build(struct memory *memory, const struct memory_row *rows, size_t count,
                         const unsigned char *part, unsigned char left_out, film_error *error);

/* Marks the records that have a match: memory_find may then return MEMORY_TAKEN. */
void memory_mark_matched(struct memory *memory);

/* Returns the weight of a memory result: the w that minimises the logistic loss of MARGIN[i] + w
 * against TARGET[i], with row weights WEIGHT[i]. It is regularised, so few pairs give a small
 * weight. */
double memory_weigh(const double *margin, const float *target, const float *weight, size_t count);

#endif
