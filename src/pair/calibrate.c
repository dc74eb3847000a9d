/* The logistic function without overflow, with the same bits on every machine. Scale, bias and
 * threshold are fitted in learn/calibrate_fit.c. */
#include "pair/calibrate.h"

#include <math.h>

/* Returns e^x for x <= 0 within one unit in the last place. The exp of a C library differs in that
 * place between libraries, and in glibc between processors with and without fused multiply-add. */
static double exponential(double x)
{
    /* ln 2 in two parts: a whole number below 2^20 times the first is exact. */
    static const double ln2_first = 0x1.62e42feep-1, ln2_rest = 0x1.a39ef35793c76p-33;
    if (!(x > -745.2)) return x < 0 ? 0 : x; /* below the smallest number; not a number */
    double halvings = floor(0.5 - x * 1.4426950408889634), sum = 1.0 / 6227020800;
    double r = (x + halvings * ln2_first) + halvings * ln2_rest; /* |r| <= ln 2 / 2 */
    static const double coefficient[] = {
        1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};
    for (unsigned i = 0; i < sizeof coefficient / sizeof *coefficient; i++)
        sum = sum * r + coefficient[i];
    return ldexp(1 + (r + r * r * sum), -(int)halvings);
}

double calibrate_probability(double log_odds)
{
    double e = exponential(-fabs(log_odds));
    return log_odds >= 0 ? 1 / (1 + e) : e / (1 + e);
}
