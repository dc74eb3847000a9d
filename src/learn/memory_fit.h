/* Fits the memory of a decision: its weights, and the threshold of records with them. */
#ifndef LEARN_MEMORY_FIT_H
#define LEARN_MEMORY_FIT_H

#include "learn/out_of_fold.h"

/* MARGIN: per pair, the log-odds of the decision without memory. Where HELD->tried is set, it
 * replaces MARGIN, and the decision's threshold is chosen again with memory. */
film_status memory_fit(const struct learn_input *input, const struct out_of_fold *held,
                       const double *margin, struct decision *decision, film_error *error);

#endif
