/* Rival explanations of a pair by judging it with words left out: leave-one-out, sampling as LIME
 * does it (Ribeiro et al. 2016) and KernelSHAP (Lundberg and Lee 2017). Each gives one weight per
 * word; positive: the word speaks for the verdict. */
#ifndef BENCH_SURROGATES_H
#define BENCH_SURROGATES_H

#include "base/rng.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { SURROGATE_WORDS = 64, SURROGATE_SAMPLES = 200 };

/* Returns the probability of the verdict with only the words that KEPT marks. */
struct judged_subset {
    double (*value)(void *user, const unsigned char *kept);
    void *user;
    size_t words;
};

static inline double value_of(const struct judged_subset *pair, const unsigned char *kept)
{
    return pair->value(pair->user, kept);
}

/* Solves A x = B for symmetric positive definite A (n x n, row stride SURROGATE_WORDS + 1) by
 * Cholesky; x replaces B. */
static inline void solve_positive(double (*A)[SURROGATE_WORDS + 1], double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = A[i][j];
            for (size_t k = 0; k < j; k++) sum -= A[i][k] * A[j][k];
            A[i][j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / A[j][j];
        }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) b[i] -= A[i][k] * b[k];
        b[i] /= A[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) b[i] -= A[k][i] * b[k];
        b[i] /= A[i][i];
    }
}

/* A += weight * x x', b += weight * y * x */
static inline void add_row(double (*A)[SURROGATE_WORDS + 1], double *b, const double *x, size_t n,
                           double y, double weight)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) A[i][j] += weight * x[i] * x[j];
        b[i] += weight * y * x[i];
    }
}

static inline void leave_one_out(const struct judged_subset *pair, double *out)
{
    unsigned char kept[SURROGATE_WORDS];
    memset(kept, 1, sizeof kept);
    double all = value_of(pair, kept);
    for (size_t i = 0; i < pair->words; i++) {
        kept[i] = 0;
        out[i] = all - value_of(pair, kept);
        kept[i] = 1;
    }
}

/* Keeps COUNT random words. */
static inline void draw_subset(struct rng *rng, size_t words, size_t count, unsigned char *kept)
{
    memset(kept, 0, SURROGATE_WORDS);
    for (size_t i = 0, left = words; i < words; i++, left--)
        if (rng_below(rng, left) < count) kept[i] = 1, count--;
}

/* Ridge regression (alpha 1) on random subsets, weighted by their cosine distance to the whole
 * pair with the kernel width 25 that LIME has for text. */
static inline void lime_weights(const struct judged_subset *pair, struct rng *rng, double *out)
{
    static double A[SURROGATE_WORDS + 1][SURROGATE_WORDS + 1];
    double b[SURROGATE_WORDS + 1] = {0}, x[SURROGATE_WORDS + 1];
    size_t n = pair->words;
    unsigned char kept[SURROGATE_WORDS];
    memset(A, 0, sizeof A);
    for (size_t s = 0; s < SURROGATE_SAMPLES; s++) {
        size_t count = s ? (size_t)rng_below(rng, n) : n;
        draw_subset(rng, n, count, kept);
        double distance = 100 * (1 - sqrt((double)count / (double)n));
        for (size_t i = 0; i < n; i++) x[i] = kept[i];
        x[n] = 1; /* the intercept */
        add_row(A, b, x, n + 1, value_of(pair, kept), exp(-distance * distance / (25.0 * 25.0)));
    }
    for (size_t i = 0; i < n; i++) A[i][i] += 1;
    solve_positive(A, b, n + 1);
    memcpy(out, b, n * sizeof *out);
}

/* Subset sizes drawn from the Shapley kernel, each with its complement; least squares whose weights
 * add up to the difference between all words and none: the last one is eliminated. */
static inline void kernel_shap(const struct judged_subset *pair, struct rng *rng, double *out)
{
    static double A[SURROGATE_WORDS + 1][SURROGATE_WORDS + 1];
    double b[SURROGATE_WORDS + 1] = {0}, x[SURROGATE_WORDS + 1], mass = 0;
    size_t n = pair->words, size = 1;
    unsigned char kept[SURROGATE_WORDS] = {0}, all[SURROGATE_WORDS];
    memset(A, 0, sizeof A);
    memset(all, 1, sizeof all);
    double none = value_of(pair, kept), gain = value_of(pair, all) - none;
    for (size_t k = 1; k < n; k++) mass += 1.0 / (double)(k * (n - k));
    for (size_t s = 0; s + 2 < SURROGATE_SAMPLES; s++) {
        if (s % 2 == 0) {
            double at = mass * rng_uniform(rng);
            for (size = 1; size + 1 < n && (at -= 1.0 / (double)(size * (n - size))) > 0;) size++;
            draw_subset(rng, n, size, kept);
        } else {
            for (size_t i = 0; i < n; i++) kept[i] = !kept[i];
        }
        for (size_t i = 0; i + 1 < n; i++) x[i] = (double)kept[i] - (double)kept[n - 1];
        add_row(A, b, x, n - 1, value_of(pair, kept) - none - (double)kept[n - 1] * gain, 1);
    }
    for (size_t i = 0; i + 1 < n; i++) A[i][i] += 1e-6;
    solve_positive(A, b, n - 1);
    out[n - 1] = gain;
    for (size_t i = 0; i + 1 < n; i++) out[i] = b[i], out[n - 1] -= b[i];
}

#endif
