/* Two models on the same rows: which is better, and could it be chance? */
#ifndef EVAL_AGAINST_H
#define EVAL_AGAINST_H

#include "eval/bootstrap.h"

#include <jansson.h>

/* What one of them said. */
struct against_side {
    const char *name;
    const double *probability;
    const unsigned char *same;
};

/* What both were asked. */
struct against_rows {
    const float *label;
    size_t count;
    int graded; /* labels are scores: correlations are compared, nothing is right or wrong */
};

/* *OUT is the object `against` of the answer (docs/eval.md). */
film_status against_compare(const struct against_side side[2], const struct against_rows *rows,
                            const struct bootstrap *bootstrap, json_t **out, film_error *error);

#endif
