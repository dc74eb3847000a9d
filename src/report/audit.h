/* Does a file give its labels away? How well labels can be told without reading a word, from how
 * often a question occurs and in whose company.
 *
 * Collected pairs are not drawn at random: a question is often in a file because it was found to be
 * a duplicate, so that its mere frequency predicts the label. A model measured on such a file looks
 * better than it is, and one trained on it may learn the habit of the collector. The audit fits a
 * logistic regression of a handful of counts on one half of the rows and judges the other, both
 * ways round; a handful of weights cannot learn the rows by heart. */
#ifndef REPORT_AUDIT_H
#define REPORT_AUDIT_H

#include "base/status.h"

/* Pairs of question numbers with 0 or 1. */
struct audit_pairs {
    const uint32_t *a, *b;
    const float *label; /* of the judged ones; others need none */
    size_t count;
};

enum { AUDIT_TRAITS = 5, AUDIT_BUCKETS = 6 };

struct audit {
    size_t pairs;
    double accuracy; /* of the regression on rows it has not seen */
    double majority; /* of always saying the more frequent label */
    double auc;      /* 0.5: the counts say nothing */
    /* Share labelled the same, by how often the more frequent question occurs in the file (1, 2, 3,
     * 4 to 5, 6 to 10, more) and by the number of other questions paired with both (0, 1, 2, 3 to
     * 5, 6 to 10, more); and the pairs of each bucket. */
    double by_count[AUDIT_BUCKETS], by_common[AUDIT_BUCKETS];
    size_t count_pairs[AUDIT_BUCKETS], common_pairs[AUDIT_BUCKETS];
};

/* JUDGED: the file; OTHERS (may be NULL): further files whose questions are counted, such as those
 * trained on. QUESTIONS: all numbers lie below it. Fewer than 20 pairs or one label alone: accuracy
 * and AUC are NaN. */
film_status audit_measure(struct audit *audit, const struct audit_pairs *judged,
                          const struct audit_pairs *others, uint32_t questions, uint64_t seed,
                          int threads, film_error *error);

/* Worth a warning? */
int audit_is_telling(const struct audit *audit);

#endif
