/* Exact confidence bounds of a share (Clopper & Pearson 1934). */
#ifndef LEARN_BINOMIAL_H
#define LEARN_BINOMIAL_H

/* Bounds of the probability behind HITS successes of COUNT trials; each fails with probability
 * ALPHA. COUNT may be an effective number of trials and need not be whole. Without trials the
 * bounds are 0 and 1. */
double binomial_lower(double hits, double count, double alpha);
double binomial_upper(double hits, double count, double alpha);

#endif
