/* The logistic function without overflow. Scale, bias and threshold are fitted in
 * learn/calibrate_fit.c. */
#include "pair/calibrate.h"

#include <math.h>

double calibrate_probability(double log_odds)
{
    return log_odds >= 0 ? 1.0 / (1.0 + exp(-log_odds)) : exp(log_odds) / (1.0 + exp(log_odds));
}
