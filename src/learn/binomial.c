/* Clopper-Pearson bounds as quantiles of the beta distribution. The regularised incomplete beta
 * function is evaluated by its continued fraction (modified Lentz), its inverse by bisection. */
#include "learn/binomial.h"

#include <math.h>

/* The continued fraction of I_x(a, b) (DLMF 8.17.22). It converges fast for x < (a+1) / (a+b+2). */
static double beta_fraction(double x, double a, double b)
{
    enum { MOST_TERMS = 10000 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m < MOST_TERMS; m++) {
        double change = 1;
        const double term[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                                -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        for (int i = 0; i < 2; i++) {
            d = 1 + term[i] * d;
            c = 1 + term[i] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            fraction *= change;
        }
        if (fabs(change - 1) < 1e-15) break;
    }
    return fraction;
}

/* I_x(a, b): the probability that a beta variable is at most x. */
static double beta_below(double x, double a, double b)
{
    if (x <= 0 || x >= 1) return x > 0;
    double factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? factor * beta_fraction(x, a, b) / a
                                     : 1 - factor * beta_fraction(1 - x, b, a) / b;
}

static double beta_quantile(double share, double a, double b)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(beta_below(middle, a, b) < share ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

double binomial_lower(double hits, double count, double alpha)
{
    return hits > 0 ? beta_quantile(alpha, hits, count - hits + 1) : 0;
}

double binomial_upper(double hits, double count, double alpha)
{
    return hits < count ? beta_quantile(1 - alpha, hits + 1, count - hits) : 1;
}
