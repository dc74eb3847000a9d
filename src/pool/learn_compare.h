/* Compares two models on the same labels, weighted so that the result holds for random pairs. */
#ifndef POOL_LEARN_COMPARE_H
#define POOL_LEARN_COMPARE_H

#include "film_pool.h"

/* A label that both models judged without having seen it. */
struct compared_label {
    int random;         /* its pair was drawn at random */
    double probability; /* of "same", by the old model */
    int old_right, new_right;
};

/* Fills the figures of OUT. Reviewed pairs are random ones, and others that a model was unsure of.
 * Within a range of the old model's probability both are taken to be alike, so a label counts as
 * the number of random labels in its range divided by the number of all labels there: the inverse
 * of how much more often such pairs were asked (post-stratification). Without random labels all
 * count the same.
 *
 * With weights, an interval uses the effective number of labels, (sum w)^2 / sum w^2: Wilson's for
 * the accuracy, and that of Agresti and Min (2005) for the difference of matched pairs. */
void learn_compare(const struct compared_label *labels, size_t count, film_learned *out);

/* The range of a probability, by which labels are weighted. */
enum { LEARN_RANGES = 5 };
size_t learn_range(double probability);

/* Two-sided exact McNemar test: B and C labels that only one of the models judged rightly. */
double learn_mcnemar(size_t b, size_t c);

#endif
