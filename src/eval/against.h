/* Compares two models on the same rows: which one is better, and is the difference significant? */
#ifndef EVAL_AGAINST_H
#define EVAL_AGAINST_H

#include "eval/bootstrap.h"

#include "film_train.h"

enum { AGAINST_SENTENCE = 1000 };

/* The answers of one model. */
struct against_side {
    const char *name;
    const double *probability;
    const unsigned char *same;
};

/* The rows, the same for both models. */
struct against_rows {
    const float *label;
    size_t count;
    int graded; /* labels are scores: compares correlations instead of accuracies */
};

/* Fills OUT except for the names, and writes the verdict as a sentence to SENTENCE. */
film_status against_compare(const struct against_side side[2], const struct against_rows *rows,
                            const struct bootstrap *bootstrap, film_comparison *out,
                            char sentence[AGAINST_SENTENCE], film_error *error);

#endif
