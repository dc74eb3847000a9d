/* Evaluates the linear model: the contribution of each trait. learn/linear_fit.c fits it. */
#include "pair/linear.h"
#include "base/mem.h"

#include <string.h>

void linear_map(struct linear *linear, const float *rows, size_t count)
{
    linear->count = count;
    linear->weight = rows;
    linear->mean = rows + count;
    linear->low = rows + 2 * count;
    linear->high = rows + 3 * count;
}

void linear_free(struct linear *linear)
{
    mem_free(linear->own);
    memset(linear, 0, sizeof *linear);
}

double linear_term(const struct linear *linear, size_t t, const float *x)
{
    float value = x[t] > linear->low[t] ? x[t] : linear->low[t];
    value = value < linear->high[t] ? value : linear->high[t];
    return (double)linear->weight[t] * ((double)value - (double)linear->mean[t]);
}

double linear_sum(const struct linear *linear, const float *x)
{
    double sum = linear->bias;
    for (size_t t = 0; t < linear->count; t++)
        if (linear->weight[t] != 0) sum += linear_term(linear, t, x);
    return sum;
}
