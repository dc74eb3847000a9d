/* Measures selection bias: how well labels can be predicted without reading the sentences, from how
 * often a question occurs and which questions it is paired with.
 *
 * Collected pairs are not a random sample: a question is often in a file because it was found to be
 * a duplicate, so its frequency alone predicts the label. A model evaluated on such a file looks
 * better than it is, and a model trained on it may learn this bias. The audit fits a logistic
 * regression of five counts on one half of the rows and evaluates it on the other half, both ways;
 * five weights cannot memorise the rows. */
#ifndef REPORT_AUDIT_H
#define REPORT_AUDIT_H

#include "base/status.h"

/* Pairs of question numbers, labelled 0 or 1. */
struct audit_pairs {
    const uint32_t *a, *b;
    const float *label; /* of the evaluated pairs; other pairs need none */
    size_t count;
};

enum { AUDIT_TRAITS = 5, AUDIT_BUCKETS = 6 };

struct audit {
    size_t pairs;
    double accuracy; /* of the regression on held-out rows */
    double majority; /* of always predicting the more frequent label */
    double auc;      /* 0.5: the counts predict nothing */
    /* Share labelled the same, by how often the more frequent question occurs in the file (1, 2, 3,
     * 4 to 5, 6 to 10, more) and by the number of other questions paired with both (0, 1, 2, 3 to
     * 5, 6 to 10, more); and the pairs of each bucket. */
    double by_count[AUDIT_BUCKETS], by_common[AUDIT_BUCKETS];
    size_t count_pairs[AUDIT_BUCKETS], common_pairs[AUDIT_BUCKETS];
};

/* Audits the pairs JUDGED. OTHERS (may be NULL): more pairs whose questions are counted, such as
 * those of the training file. QUESTIONS: upper bound of the question numbers. With fewer than 20
 * pairs or only one label, accuracy and AUC are NaN. */
film_status audit_measure(struct audit *audit, const struct audit_pairs *judged,
                          const struct audit_pairs *others, uint32_t questions, uint64_t seed,
                          int threads, film_error *error);

/* Returns whether the bias is worth a warning. */
int audit_is_biased(const struct audit *audit);

#endif
