/* Chooses a threshold whose precision or recall is promised for new pairs.
 *
 * The lower confidence bound (95 %) must reach the target. The best of many thresholds
 * would reach it by luck, so thresholds are tested in a fixed sequence, the safest first, and the
 * first failure ends the test (fixed-sequence testing; Bauer 1991). The chosen threshold then fails
 * its promise with at most the error of a single test.
 *
 * Rows that share a record are not independent. The interval is that of Clopper and Pearson with an
 * effective number of rows (Korn & Graubard 1998): the count divided by the design effect, whose
 * variance sums over all pairs of rows with a common record (dyadic clusters; Fafchamps & Gubert
 * 2007). */
#ifndef LEARN_PROMISE_H
#define LEARN_PROMISE_H

#include "learn/operating.h"

/* For precision the lowest, for recall the highest threshold that keeps the promise. If none does,
 * OUT->reached is 0 and the threshold is the first of the sequence: the strictest for precision,
 * the lowest score for recall. */
film_status promise_choose(const film_operating *wanted, double prior,
                           const struct operating_rows *rows, struct operating_point *out,
                           film_error *error);

/* The probability that a bound fails: each end of an interval holds with 95 % confidence. */
#define PROMISE_ALPHA 0.05

/* The odds of a mixture with PRIOR relative to those of rows of which SHARE are the same. */
double promise_odds(double prior, double share);

/* Measures the precision of ROWS at THRESHOLD where the odds are ODDS times those of the rows: sets
 * OUT's precision, low, high and pairs (those that pass). TARGET is the precision promised for the
 * mixture; rows without a miss cannot show that they are independent. */
film_status promise_precision(const struct operating_rows *rows, double threshold, double target,
                              double odds, struct operating_point *out, film_error *error);

#endif
