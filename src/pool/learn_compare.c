/* The figures that decide whether a learned model goes into service: weighted accuracies, their
 * difference with its interval, and McNemar's test. It trains and judges nothing (learn.c). */
#include "pool/learn_compare.h"
#include "pool/pool.h"

#include <math.h>

/* Narrow where pairs are rarely asked about, wide in the middle, where most are. */
size_t learn_range(double probability)
{
    static const double ends[LEARN_RANGES - 1] = {0.1, 0.3, 0.7, 0.9};
    size_t range = 0;
    while (range < LEARN_RANGES - 1 && probability >= ends[range]) range++;
    return range;
}

/* WEIGHT[range] of the labels there. */
static void range_weights(const struct compared_label *labels, size_t count,
                          double weight[LEARN_RANGES])
{
    double random[LEARN_RANGES] = {0}, all[LEARN_RANGES] = {0}, total = 0;
    for (size_t i = 0; i < count; i++) {
        size_t range = learn_range(labels[i].probability);
        random[range] += labels[i].random != 0;
        all[range] += 1;
        total += labels[i].random != 0;
    }
    for (size_t r = 0; r < LEARN_RANGES; r++)
        weight[r] = total == 0 ? 1 : all[r] > 0 ? random[r] / all[r] : 0;
}

double learn_mcnemar(size_t b, size_t c)
{
    double n = (double)(b + c), tail = 0;
    for (size_t k = 0; k <= (b < c ? b : c); k++)
        tail += exp(lgamma(n + 1) - lgamma((double)k + 1) - lgamma(n - (double)k + 1) -
                    n * 0.693147180559945309);
    return fmin(1, 2 * tail);
}

/* Agresti and Min: half a label is added to each of the four cells. B and C are the shares of
 * labels that only the new, only the old model judged rightly. */
static void set_difference_interval(film_learned *out, double b, double c, double n)
{
    const double z = 1.959963984540054;
    double more = n * b + 0.5, less = n * c + 0.5, all = n + 2, gap = more - less;
    double error = sqrt(more + less - gap * gap / all) / all;
    out->difference_low = fmax(-1, gap / all - z * error);
    out->difference_high = fmin(1, gap / all + z * error);
}

void learn_compare(const struct compared_label *labels, size_t count, film_learned *out)
{
    double weight[LEARN_RANGES], sum = 0, squares = 0, old_right = 0, new_right = 0;
    double only[2] = {0, 0}, interval[2];
    size_t discordant[2] = {0, 0}; /* only the old, only the new is right */
    range_weights(labels, count, weight);
    for (size_t i = 0; i < count; i++) {
        double w = weight[learn_range(labels[i].probability)];
        int was = labels[i].old_right, is = labels[i].new_right;
        sum += w;
        squares += w * w;
        old_right += w * was;
        new_right += w * is;
        if (was != is) {
            only[is] += w;
            discordant[is]++;
        }
    }
    double n = squares > 0 ? sum * sum / squares : 0;
    out->compared = count;
    out->p = learn_mcnemar(discordant[0], discordant[1]);
    if (sum > 0) {
        out->old_accuracy = old_right / sum;
        out->new_accuracy = new_right / sum;
        out->difference = (only[1] - only[0]) / sum;
        only[0] /= sum;
        only[1] /= sum;
    }
    review_interval(out->new_accuracy, n, interval);
    out->new_low = interval[0];
    out->new_high = interval[1];
    set_difference_interval(out, only[1], only[0], n);
}
