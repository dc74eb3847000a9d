/* What is known already: clusters of questions labelled the same, and clusters labelled different.
 *
 * Asked about two questions it answers only where both are known, word by word, and a chain of
 * labels connects them: the same cluster, or clusters that a label told apart. That one of them was
 * seen before is never a reason by itself: in collected data it predicts the label (a question is
 * often in the file because it was found to be a duplicate), and in use it does not. */
#ifndef PAIR_MEMORY_H
#define PAIR_MEMORY_H

#include "base/keytab.h"

enum memory_answer { MEMORY_UNKNOWN, MEMORY_SAME, MEMORY_DIFFERENT, MEMORY_ANSWERS };

struct memory {
    struct keytab questions;       /* a question's hash (struct reading_side) -> its number */
    const uint32_t *cluster;       /* by number */
    struct keytab different;       /* smaller cluster << 32 | larger */
    double weight[MEMORY_ANSWERS]; /* of each answer, in log-odds; unknown: 0 */
    uint32_t *own_cluster;         /* NULL when mapped */
};

/* One labelled pair: the hashes of its two questions. */
struct memory_row {
    uint64_t a, b;
    int same; /* 1 same, 0 different; others are passed over */
};

/* Builds clusters from all rows but those with PART[i] == LEFT_OUT (PART NULL: from all). Weights
 * are 0. */
film_status memory_build(struct memory *memory, const struct memory_row *rows, size_t count,
                         const unsigned char *part, unsigned char left_out, film_error *error);
void memory_free(struct memory *memory);

enum memory_answer memory_ask(const struct memory *memory, uint64_t a, uint64_t b);

/* The weight of an answer that brings MARGIN[i] + weight nearest to TARGET[i] (logistic loss, each
 * pair weighing WEIGHT[i]); few pairs move it little. */
double memory_weigh(const double *margin, const float *target, const float *weight, size_t count);

#endif
