/* McNemar's test of two paired classifiers: exact for few discordant rows, with the corrected
 * chi-square for many. */
#include "eval/mcnemar.h"

#include <math.h>

/* Twice the chance of min(b, c) or fewer heads in b + c throws. Binomial
 * coefficients are logarithms: 1000 over 500 nearly overflows a double. */
static double exact_probability(size_t low, size_t count)
{
    double log_term = -(double)count * log(2.0), sum = 0;
    for (size_t i = 0; i <= low; i++) {
        sum += exp(log_term);
        log_term += log((double)(count - i)) - log((double)(i + 1));
    }
    return fmin(1.0, 2 * sum);
}

struct mcnemar mcnemar_test(size_t b, size_t c)
{
    struct mcnemar test = {b, c, b + c <= MCNEMAR_EXACT_MOST, NAN, 1.0};
    if (test.exact) {
        /* With b = c, doubling would count the middle twice. */
        if (b != c) test.p = exact_probability(b < c ? b : c, b + c);
        return test;
    }
    double apart = fmax(0.0, fabs((double)b - (double)c) - 1);
    test.statistic = apart * apart / (double)(b + c);
    test.p = erfc(sqrt(test.statistic / 2)); /* the upper tail with one degree of freedom */
    return test;
}
