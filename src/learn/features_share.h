/* Merges the feature counts of several processes into one vocabulary.
 *
 * Every feature has an owner process, which sums its document frequency over all processes, drops
 * it if it is rare, and otherwise sends it to all. No process sees the rare features of the others,
 * which are the majority: 64 % of Quora's words occur once. Traffic: each process sends each
 * feature it has seen once, and every surviving feature is sent to every process. */
#ifndef LEARN_FEATURES_SHARE_H
#define LEARN_FEATURES_SHARE_H

#include "base/comm.h"
#include "base/strtab.h"

/* Merges SEEN and DF of each process's sentences into ALL and *ALL_DF: the features with a document
 * frequency of at least MIN_DF, the same in every process. ALL is an empty table; free *ALL_DF with
 * mem_free. */
film_status fit_share_counts(const struct comm *comm, const struct strtab *seen, const uint32_t *df,
                             size_t min_df, struct strtab *all, uint32_t **all_df,
                             film_error *error);

#endif
