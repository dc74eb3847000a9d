/* Learns whether the first answer of a search answers the query (pair/answered.h).
 *
 * Queries are training sentences with a duplicate. Each is searched for among a sample of the other
 * sentences: without its duplicates (or its category) the first answer is a negative; with the
 * duplicate, which was measured out of fold, it is a positive. The first answers to made-up
 * queries are negatives too. */
#ifndef LEARN_ANSWERED_FIT_H
#define LEARN_ANSWERED_FIT_H

#include "learn/out_of_fold.h"

/* MARGIN: of each pair of HELD, without memory, as log-odds. DECISION is complete but for this. It
 * is not learned from fewer than 50 positives, without vectors, and with a BERT encoder. */
film_status answered_fit(const struct learn_input *input, const struct out_of_fold *held,
                         const double *margin, struct decision *decision, film_error *error);

#endif
