/* The figures of film eval: how well scores agree with labels. docs/reference/measures.md has the
 * formulas.
 *
 * The rows are sorted once; every figure is then one pass over them with a weight per row. A
 * bootstrap resample is such a set of weights (how often each row was drawn), so it needs no
 * sorting: a thousand resamples of 10,000 rows take a second. */
#ifndef EVAL_MEASURES_H
#define EVAL_MEASURES_H

#include "base/status.h"

#include <stdint.h>

enum measure {
    MEASURE_ACCURACY,
    MEASURE_BEST_ACCURACY,
    MEASURE_LOG_LOSS,
    MEASURE_F1,
    MEASURE_PRECISION,
    MEASURE_RECALL,
    MEASURE_AUC,
    MEASURE_AVERAGE_PRECISION,
    MEASURE_ECE,
    MEASURE_BRIER,
    MEASURE_PEARSON,
    MEASURE_SPEARMAN,
    MEASURES
};
enum {
    MEASURES_OF_PAIRS = (1 << MEASURE_PEARSON) - 1, /* labels 0 and 1 */
    MEASURES_OF_SCORES = 1 << MEASURE_PEARSON | 1 << MEASURE_SPEARMAN,
    MEASURES_CALIBRATION_BINS = 15
};
#define MEASURES_CLIP 1e-15 /* log loss: probabilities are kept this far from 0 and 1 */

/* "accuracy", "best_accuracy", ...: the names in the JSON answer. */
const char *measure_name(enum measure measure);

struct measures {
    unsigned set; /* bits of enum measure: the measures to compute */
    size_t count;
    double *score; /* ascending */
    uint32_t *row; /* index in the caller's arrays; all arrays are in the order of score */
    float *label;
    unsigned char *same; /* the decision */
    double *loss;        /* log loss of the row; NULL unless in the set */
    uint32_t *by_label;  /* positions by ascending label; NULL unless Spearman is in the set */
};

/* SAME is the decision about each row; NULL: score >= 0.5. Labels are 0 or 1 except for Pearson and
 * Spearman. Scores are probabilities for log loss, calibration and the Brier score. */
film_status measures_init(struct measures *measures, unsigned set, const double *score,
                          const float *label, const unsigned char *same, size_t count,
                          film_error *error);
void measures_free(struct measures *measures);

/* Computes VALUE[m] for the measures of the set; NaN for all others and where undefined (AUC with
 * one class, precision of no decision, correlation with a constant). WEIGHT: how often each row
 * counts; NULL: once. RANKS is scratch space of count doubles. */
void measures_compute(const struct measures *measures, const uint32_t *weight, double *ranks,
                      double value[MEASURES]);

/* Returns a threshold at which "score >= threshold" has the best accuracy; midway between two
 * scores if possible. */
double measures_best_threshold(const struct measures *measures);

/* What "score >= threshold" gives when PRIOR of the pairs are the same, whatever their share of the
 * rows. Precision is NaN when nothing passes; all are NaN when the rows have one label only. */
struct measures_rates {
    double precision, recall, called_same;
};
struct measures_rates measures_at(const struct measures *measures, double threshold, double prior);

#endif
