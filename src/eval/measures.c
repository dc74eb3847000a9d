/* Accuracy, F1, AUC, average precision, log loss, calibration, correlations, from rows sorted
 * once. bootstrap.c draws the samples. */
#include "eval/measures.h"
#include "base/sort.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *measure_name(enum measure measure)
{
    static const char *const names[MEASURES] = {
        "accuracy", "best_accuracy",     "log_loss", "f1",    "precision", "recall",
        "auc",      "average_precision", "ece",      "brier", "pearson",   "spearman"};
    return names[measure];
}

/* ---- Sorting, once ---- */

struct keyed {
    double key;
    uint32_t at;
};

static int rising(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static double row_loss(double score, float label)
{
    double p = fmin(fmax(score, MEASURES_CLIP), 1 - MEASURES_CLIP);
    return label >= 0.5f ? -log(p) : -log(1 - p);
}

film_status measures_init(struct measures *measures, unsigned set, const double *score,
                          const float *label, const unsigned char *same, size_t count,
                          film_error *error)
{
    film_status status = FILM_OK;
    struct keyed *order = mem_array(count, sizeof *order);
    memset(measures, 0, sizeof *measures);
    measures->set = set;
    measures->count = count;
    TRY_ALLOC(order && (measures->score = mem_array(count, sizeof *measures->score)) &&
                  (measures->row = mem_array(count, sizeof *measures->row)) &&
                  (measures->label = mem_array(count, sizeof *measures->label)) &&
                  (measures->same = mem_array(count, sizeof *measures->same)),
              error);
    for (size_t i = 0; i < count; i++) order[i] = (struct keyed){score[i], (uint32_t)i};
    sort_array(order, count, sizeof *order, rising);
    for (size_t i = 0; i < count; i++) {
        uint32_t from = order[i].at;
        measures->score[i] = score[from];
        measures->row[i] = from;
        measures->label[i] = label[from];
        measures->same[i] = same ? same[from] != 0 : score[from] >= 0.5;
    }
    if (set & 1u << MEASURE_LOG_LOSS) {
        TRY_ALLOC(measures->loss = mem_array(count, sizeof *measures->loss), error);
        for (size_t i = 0; i < count; i++)
            measures->loss[i] = row_loss(measures->score[i], measures->label[i]);
    }
    if (set & 1u << MEASURE_SPEARMAN) {
        TRY_ALLOC(measures->by_label = mem_array(count, sizeof *measures->by_label), error);
        for (size_t i = 0; i < count; i++)
            order[i] = (struct keyed){(double)measures->label[i], (uint32_t)i};
        sort_array(order, count, sizeof *order, rising);
        for (size_t i = 0; i < count; i++) measures->by_label[i] = order[i].at;
    }
done:
    mem_free(order);
    if (status != FILM_OK) measures_free(measures);
    return status;
}

void measures_free(struct measures *measures)
{
    mem_free(measures->score);
    mem_free(measures->row);
    mem_free(measures->label);
    mem_free(measures->same);
    mem_free(measures->loss);
    mem_free(measures->by_label);
    memset(measures, 0, sizeof *measures);
}

/* ---- Figures of weighted rows, one pass each ---- */

static double row_weight(const uint32_t *weight, size_t i)
{
    return weight ? (double)weight[i] : 1.0;
}

static double share_or_nan(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* Accuracy, F1, precision, recall, log loss, calibration and Brier score: sums over rows. */
static void sum_weighted_rows(const struct measures *m, const uint32_t *weight,
                              double value[MEASURES])
{
    enum { BINS = MEASURES_CALIBRATION_BINS };
    double total = 0, hits[2][2] = {{0, 0}, {0, 0}}, loss = 0, bin_score[BINS] = {0}, error = 0;
    double bin_label[BINS] = {0}, squares = 0;
    for (size_t i = 0; i < m->count; i++) {
        double w = row_weight(weight, i);
        int label = m->label[i] >= 0.5f;
        int bin = (int)(fmin(fmax(m->score[i], 0), 1) * BINS);
        if (bin == BINS) bin--;
        total += w;
        hits[m->same[i]][label] += w;
        if (m->loss && w > 0) loss += w * m->loss[i];
        bin_score[bin] += w * m->score[i];
        bin_label[bin] += w * label;
        squares += w * (m->score[i] - label) * (m->score[i] - label);
    }
    for (int bin = 0; bin < BINS; bin++) error += fabs(bin_score[bin] - bin_label[bin]);
    double f1_below = 2 * hits[1][1] + hits[1][0] + hits[0][1];
    value[MEASURE_ACCURACY] = share_or_nan(hits[1][1] + hits[0][0], total);
    value[MEASURE_F1] = f1_below > 0 ? 2 * hits[1][1] / f1_below : total > 0 ? 0.0 : NAN;
    value[MEASURE_PRECISION] = share_or_nan(hits[1][1], hits[1][1] + hits[1][0]);
    value[MEASURE_RECALL] = share_or_nan(hits[1][1], hits[1][1] + hits[0][1]);
    value[MEASURE_LOG_LOSS] = share_or_nan(loss, total);
    value[MEASURE_ECE] = share_or_nan(error, total);
    value[MEASURE_BRIER] = share_or_nan(squares, total);
}

/* AUC, average precision and best accuracy: by descending score, equal scores together. */
static void sweep_thresholds(const struct measures *m, const uint32_t *weight,
                             double value[MEASURES])
{
    double positives = 0, negatives = 0, above[2] = {0, 0}, pairs = 0, precision = 0;
    for (size_t i = 0; i < m->count; i++)
        *(m->label[i] >= 0.5f ? &positives : &negatives) += row_weight(weight, i);
    double best = negatives; /* no row passes */
    for (size_t i = m->count; i > 0;) {
        double score = m->score[i - 1], group[2] = {0, 0};
        for (; i > 0 && m->score[i - 1] == score; i--)
            group[m->label[i - 1] >= 0.5f] += row_weight(weight, i - 1);
        pairs += group[0] * (above[1] + 0.5 * group[1]); /* positives above these negatives */
        above[0] += group[0];
        above[1] += group[1];
        if (group[1] > 0) precision += group[1] * above[1] / (above[0] + above[1]);
        best = fmax(best, above[1] + negatives - above[0]);
    }
    value[MEASURE_AUC] = positives > 0 && negatives > 0 ? pairs / (positives * negatives) : NAN;
    value[MEASURE_AVERAGE_PRECISION] = positives > 0 ? precision / positives : NAN;
    value[MEASURE_BEST_ACCURACY] = positives + negatives > 0 ? best / (positives + negatives) : NAN;
}

/* A spread of the size of rounding counts as zero: the correlation with a constant is undefined. */
static double correlation(double xy, double xx, double yy, double scale_xx, double scale_yy)
{
    if (!(xx > 1e-24 * scale_xx) || !(yy > 1e-24 * scale_yy)) return NAN;
    return fmax(-1, fmin(1, xy / sqrt(xx * yy)));
}

static double pearson(const struct measures *m, const uint32_t *weight)
{
    double total = 0, x = 0, y = 0, xy = 0, xx = 0, yy = 0, raw_xx = 0, raw_yy = 0;
    for (size_t i = 0; i < m->count; i++) {
        double w = row_weight(weight, i);
        total += w;
        x += w * m->score[i];
        y += w * (double)m->label[i];
    }
    if (!(total > 0)) return NAN;
    x /= total;
    y /= total;
    for (size_t i = 0; i < m->count; i++) {
        double w = row_weight(weight, i), score = m->score[i], label = (double)m->label[i];
        xy += w * (score - x) * (label - y);
        xx += w * (score - x) * (score - x);
        yy += w * (label - y) * (label - y);
        raw_xx += w * score * score;
        raw_yy += w * label * label;
    }
    return correlation(xy, xx, yy, raw_xx, raw_yy);
}

/* Pearson's correlation of the ranks; equal values get their average rank. Ranks are counted from
 * the middle, so that their mean is 0. */
static double spearman(const struct measures *m, const uint32_t *weight, double *ranks)
{
    double total = 0, before = 0, xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < m->count; i++) total += row_weight(weight, i);
    for (size_t i = 0, end; i < m->count; i = end) {
        double group = 0;
        for (end = i; end < m->count && m->score[end] == m->score[i]; end++)
            group += row_weight(weight, end);
        for (size_t j = i; j < end; j++) ranks[j] = before + 0.5 * (group - total);
        before += group;
    }
    before = 0;
    for (size_t i = 0, end; i < m->count; i = end) {
        double group = 0;
        float label = m->label[m->by_label[i]];
        for (end = i; end < m->count && m->label[m->by_label[end]] == label; end++)
            group += row_weight(weight, m->by_label[end]);
        double rank = before + 0.5 * (group - total);
        before += group;
        for (size_t j = i; j < end; j++) {
            double w = row_weight(weight, m->by_label[j]), other = ranks[m->by_label[j]];
            xy += w * rank * other;
            xx += w * other * other;
            yy += w * rank * rank;
        }
    }
    return correlation(xy, xx, yy, total, total);
}

void measures_compute(const struct measures *measures, const uint32_t *weight, double *ranks,
                      double value[MEASURES])
{
    const unsigned sums = 1 << MEASURE_ACCURACY | 1 << MEASURE_LOG_LOSS | 1 << MEASURE_F1 |
                          1 << MEASURE_PRECISION | 1 << MEASURE_RECALL | 1 << MEASURE_ECE |
                          1 << MEASURE_BRIER;
    const unsigned swept =
        1 << MEASURE_BEST_ACCURACY | 1 << MEASURE_AUC | 1 << MEASURE_AVERAGE_PRECISION;
    if (measures->set & sums) sum_weighted_rows(measures, weight, value);
    if (measures->set & swept) sweep_thresholds(measures, weight, value);
    if (measures->set & 1u << MEASURE_PEARSON) value[MEASURE_PEARSON] = pearson(measures, weight);
    if (measures->set & 1u << MEASURE_SPEARMAN)
        value[MEASURE_SPEARMAN] = spearman(measures, weight, ranks);
    for (int i = 0; i < MEASURES; i++)
        if (!(measures->set >> i & 1)) value[i] = NAN;
}

double measures_best_threshold(const struct measures *measures)
{
    const double *score = measures->score;
    if (measures->count == 0) return NAN;
    /* Gain of accepting all rows at or above a score, compared with accepting none. */
    double gain = 0, best = 0, threshold = nextafter(score[measures->count - 1], INFINITY);
    for (size_t i = measures->count; i > 0; i--) {
        gain += measures->label[i - 1] >= 0.5f ? 1 : -1;
        if ((i > 1 && score[i - 2] == score[i - 1]) || gain <= best) continue;
        best = gain;
        threshold = i > 1 ? 0.5 * (score[i - 1] + score[i - 2]) : score[0];
        if (i > 1 && threshold <= score[i - 2]) threshold = score[i - 1]; /* neighbouring doubles */
    }
    return threshold;
}

struct measures_rates measures_at(const struct measures *measures, double threshold, double prior)
{
    double all[2] = {0, 0}, passed[2] = {0, 0};
    for (size_t i = 0; i < measures->count; i++) {
        int same = measures->label[i] >= 0.5f;
        all[same]++;
        passed[same] += measures->score[i] >= threshold;
    }
    double found = share_or_nan(passed[1], all[1]), wrong = share_or_nan(passed[0], all[0]);
    double called = prior * found + (1 - prior) * wrong;
    return (struct measures_rates){.precision = share_or_nan(prior * found, called),
                                   .recall = isnan(wrong) ? NAN : found,
                                   .called_same = called};
}
