/* Platt scaling (Platt 1999): logistic regression of the label on one or two scores by Newton's
 * method. Thresholds are chosen in learn/operating.c. */
#include "learn/calibrate_fit.h"
#include "base/sort.h"
#include "base/mem.h"
#include "learn/operating.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double class_weight(float target, double positive, double count)
{
    double weight = 0.0; /* a soft target counts partly in each class */
    if (positive > 0) weight += (double)target * 0.5 / positive;
    if (count > positive) weight += (1.0 - (double)target) * 0.5 / (count - positive);
    return weight;
}

/* Newton's method on the weighted logistic loss in (scale, bias), with a small ridge on the scale
 * so that separable data has a finite solution. */
static void fit_line(const float *x, const float *offset, const float *target, size_t count,
                     struct calibration *out)
{
    double positive = 0, scale = 0, bias = 0, ridge = 1e-6;
    for (size_t i = 0; i < count; i++) positive += (double)target[i];
    for (int round = 0; round < 50; round++) {
        double g0 = 0, g1 = ridge * scale, h00 = 1e-12, h01 = 0, h11 = ridge;
        for (size_t i = 0; i < count; i++) {
            double weight = class_weight(target[i], positive, (double)count);
            double known = offset ? (double)offset[i] : 0;
            double p = calibrate_probability(scale * (double)x[i] + bias + known);
            double slope = weight * (p - (double)target[i]), bend = weight * p * (1 - p);
            g0 += slope;
            g1 += slope * (double)x[i];
            h00 += bend;
            h01 += bend * (double)x[i];
            h11 += bend * (double)x[i] * (double)x[i];
        }
        double det = h00 * h11 - h01 * h01;
        if (!(det > 0)) break;
        double step0 = (h11 * g0 - h01 * g1) / det, step1 = (h00 * g1 - h01 * g0) / det;
        double size = fmax(fabs(step0), fabs(step1)), damp = size > 20 ? 20 / size : 1;
        bias -= damp * step0;
        scale -= damp * step1;
        if (size < 1e-10) break;
    }
    out->scale = scale;
    out->bias = bias;
}

film_status calibrate_threshold(const float *similarity, const float *target, size_t count,
                                double *threshold, double *balanced_accuracy, film_error *error)
{
    const film_operating wanted = {.criterion = FILM_ACCURACY};
    struct operating_point point = {0};
    double *score = mem_array(count, sizeof *score);
    if (!score) return status_no_memory(error);
    for (size_t i = 0; i < count; i++) score[i] = (double)similarity[i];
    film_status status = operating_choose(
        &wanted, 0.5, &(struct operating_rows){.score = score, .target = target, .count = count},
        &point, error);
    *threshold = point.threshold;
    *balanced_accuracy = point.balanced_accuracy;
    mem_free(score);
    return status;
}

#define LEAST_SCALE 1e-3

film_status calibrate_fit(const float *similarity, const float *target, size_t count,
                          struct calibration *out, film_error *error)
{
    return calibrate_fit_beside(similarity, NULL, target, count, out, error);
}

film_status calibrate_fit_beside(const float *similarity, const float *offset, const float *target,
                                 size_t count, struct calibration *out, film_error *error)
{
    double accuracy;
    fit_line(similarity, offset, target, count, out);
    film_status status =
        calibrate_threshold(similarity, target, count, &out->threshold, &accuracy, error);
    /* The labels do not depend on similarity, or contradict it (few rows, look-alikes as
     * negatives). A falling line would reverse the decision at the threshold, so a nearly level
     * line is used. */
    if (!(out->scale >= LEAST_SCALE)) {
        out->scale = LEAST_SCALE;
        out->bias = -LEAST_SCALE * out->threshold;
    }
    return status;
}

static int by_value(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

/* Newton's method as in fit_line, in (weight of score, weight of other, bias). */
static void fit_plane(const struct two_scores *pairs, double out[3])
{
    double positive = 0, ridge = 1e-6, *w = out;
    for (size_t i = 0; i < pairs->count; i++) positive += (double)pairs->target[i];
    w[0] = w[1] = w[2] = 0;
    for (int round = 0; round < 50; round++) {
        double g[3] = {ridge * w[0], ridge * w[1], 0};
        double h[3][3] = {{ridge, 0, 0}, {0, ridge, 0}, {0, 0, 1e-12}}, size = 0;
        for (size_t i = 0; i < pairs->count; i++) {
            const double x[3] = {(double)pairs->score[i], (double)pairs->other[i], 1};
            double p =
                calibrate_probability(w[0] * x[0] + w[1] * x[1] + w[2] + (double)pairs->offset[i]);
            double weight = class_weight(pairs->target[i], positive, (double)pairs->count);
            for (int a = 0; a < 3; a++) {
                g[a] += weight * (p - (double)pairs->target[i]) * x[a];
                for (int b = 0; b < 3; b++) h[a][b] += weight * p * (1 - p) * x[a] * x[b];
            }
        }
        for (int a = 0; a < 3; a++) /* h is positive definite: no pivoting */
            for (int b = a + 1; b < 3; b++) {
                double factor = h[b][a] / h[a][a];
                for (int c = a; c < 3; c++) h[b][c] -= factor * h[a][c];
                g[b] -= factor * g[a];
            }
        for (int a = 2; a >= 0; a--) {
            for (int c = a + 1; c < 3; c++) g[a] -= h[a][c] * g[c];
            g[a] /= h[a][a];
            size = fmax(size, fabs(g[a]));
        }
        if (!(size < INFINITY)) break;
        for (int a = 0; a < 3; a++) w[a] -= g[a] * (size > 20 ? 20 / size : 1);
        if (size < 1e-10) break;
    }
}

film_status calibrate_fit_both(const struct two_scores *pairs, struct calibration *out,
                               double *weight, film_error *error)
{
    film_status status = FILM_OK;
    double w[3], accuracy;
    float *sum = mem_array(pairs->count, sizeof *sum);
    TRY_ALLOC(sum, error);
    fit_plane(pairs, w);
    *weight = 0;
    if (!(w[0] >= LEAST_SCALE && w[1] > 0)) {
        TRY(calibrate_fit_beside(pairs->score, pairs->offset, pairs->target, pairs->count, out,
                                 error));
        goto done;
    }
    *weight = w[1] / w[0];
    out->scale = w[0];
    out->bias = w[2];
    for (size_t i = 0; i < pairs->count; i++)
        sum[i] = (float)((double)pairs->score[i] + *weight * (double)pairs->other[i]);
    TRY(calibrate_threshold(sum, pairs->target, pairs->count, &out->threshold, &accuracy, error));
done:
    mem_free(sum);
    return status;
}

film_status calibrate_blind(const float *random, size_t count, struct calibration *out,
                            film_error *error)
{
    enum { SLOPE = 10 }; /* by choice, not measured: 0.1 of similarity is one unit of log-odds */
    float *sorted = mem_array(count, sizeof *sorted);
    if (!sorted) return status_no_memory(error);
    double threshold = 0.5;
    if (count) {
        memcpy(sorted, random, count * sizeof *sorted);
        sort_array(sorted, count, sizeof *sorted, by_value);
        threshold = fmax(threshold, (double)sorted[count - 1 - count / 1000]);
    }
    mem_free(sorted);
    *out = (struct calibration){SLOPE, -SLOPE * threshold, threshold};
    return FILM_OK;
}
