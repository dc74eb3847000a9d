/* Counts labelled pairs with only one kind of difference: what may be guaranteed. The guarantee
 * itself is a term of pair/decision.c. */
#include "learn/guarantees_fit.h"
#include "pair/guarantees.h"

#include <math.h>

unsigned guarantees_allow(const struct guarantees_rows *rows)
{
    unsigned allowed = 0;
    double sums[GUARANTEES][3] = {{0}}; /* weight of same and different pairs, sum of squares */
    for (size_t i = 0; i < rows->count; i++)
        for (size_t k = 0; k < GUARANTEES; k++) {
            if (rows->x[i * traits_count() + trait_find(guarantees[k].trait)] == 0) continue;
            double weight = (double)rows->weight[i];
            sums[k][rows->target[i] >= 0.5f] += weight;
            sums[k][2] += weight * weight;
        }
    for (size_t k = 0; k < GUARANTEES; k++) /* two standard deviations of a fair coin */
        if (sums[k][1] - sums[k][0] <= 2 * sqrt(sums[k][2])) allowed |= guarantees[k].kind;
    return allowed;
}
