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

/* Fills OUT but for the names; its sentence goes to SENTENCE. GRADED: the labels are scores, so
 * that correlations are compared and nothing is right or wrong. */
film_status against_compare(const struct against_side side[2], const float *label, size_t pairs,
                            int graded, const struct bootstrap *bootstrap, film_comparison *out,
                            char sentence[AGAINST_SENTENCE], film_error *error);

#endif
