/* McNemar's test: do two models differ significantly on the same rows? Only rows that exactly one
 * of them got right count. If the models are equally good, either one is right with probability
 * 1/2. */
#ifndef EVAL_MCNEMAR_H
#define EVAL_MCNEMAR_H

#include <stddef.h>

enum { MCNEMAR_EXACT_MOST = 1000 };

struct mcnemar {
    size_t b, c;      /* rows that only the first, only the second got right */
    int exact;        /* b + c <= MCNEMAR_EXACT_MOST: binomial; above: chi-square */
    double statistic; /* max(0, |b - c| - 1)^2 / (b + c), the chi-square; NaN when exact */
    double p;         /* two-sided */
};

struct mcnemar mcnemar_test(size_t b, size_t c);

#endif
