/* Do two models that answered the same rows differ by more than chance? McNemar's test: only rows
 * that one of them got right tell anything, and without a difference each is as likely to be the
 * one's as the other's. */
#ifndef EVAL_MCNEMAR_H
#define EVAL_MCNEMAR_H

#include <stddef.h>

enum { MCNEMAR_EXACT_MOST = 1000 };

struct mcnemar {
    size_t b, c;      /* rows only the first got right; only the second */
    int exact;        /* b + c <= MCNEMAR_EXACT_MOST: binomial; above: chi-square */
    double statistic; /* max(0, |b - c| - 1)^2 / (b + c), the chi-square; NaN when exact */
    double p;         /* two-sided */
};

struct mcnemar mcnemar_test(size_t b, size_t c);

#endif
