/* Two models on the same rows: which is better, and could it be chance? */
#ifndef EVAL_AGAINST_H
#define EVAL_AGAINST_H

#include "eval/bootstrap.h"

#include "film_train.h"

enum { AGAINST_SENTENCE = 1000 };

/* What one of them said. */
struct against_side {
    const char *name;
    const double *probability;
    const unsigned char *same;
};

/* The rows that both answered. */
struct against_rows {
    const float *label;
    size_t count;
    int graded; /* labels are scores: correlations are compared, nothing is right or wrong */
};

/* Fills OUT but for the names; its sentence goes to SENTENCE. */
film_status against_compare(const struct against_side side[2], const struct against_rows *rows,
                            const struct bootstrap *bootstrap, film_comparison *out,
                            char sentence[AGAINST_SENTENCE], film_error *error);

#endif
