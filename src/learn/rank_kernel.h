/* The inner loops of the ranking loss. */
#ifndef LEARN_RANK_KERNEL_H
#define LEARN_RANK_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* out (width) = sum over k of value[k] * base[index[k] * stride ...] */
void rank_gather(const float *base, size_t stride, const uint32_t *index, const float *value,
                 size_t count, size_t width, float *out);

/* gradient *= scale; *PRODUCT and *SQUARE = its products with ROW and with itself. */
void rank_scale(float *gradient, float scale, const float *row, size_t width, double *product,
                double *square);

/* s[j] = exp(t (s[j] - 1)), or 0 where cluster[j] == own. Adds the first PAIRS to SUMS and returns
 * the sum of all. Cosines are at most 1 and t is at most 40, so nothing overflows or underflows,
 * and softmax does not need a pass for the maximum. */
float rank_exponentials(float *s, size_t count, float t, const uint32_t *cluster, uint32_t own,
                        float *sums, size_t pairs);

/* s[j] *= factor * (1 / row_sum + (j < pairs) * inverse[j]) */
void rank_probabilities(float *s, size_t count, size_t pairs, float factor, float row_sum,
                        const float *inverse);

float rank_exp(float x);

#endif
