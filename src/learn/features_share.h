/* The counts of several processes' features as one vocabulary.
 *
 * Every feature has an owner, who adds up how many sentences of all processes have it and drops what is rare;
 * what stays is told to all. No process sees the rare features of the others, which are most of them: of
 * Quora's words 64 % occur once. Traffic: each process sends the features it has seen once, and those that stay are
 * sent to every process. */
#ifndef LEARN_FEATURES_SHARE_H
#define LEARN_FEATURES_SHARE_H

#include "base/comm.h"
#include "base/strtab.h"

/* SEEN and DF (of its own sentences) of each process to ALL and *ALL_DF of all of them, at least MIN_DF, the same in
 * every process. ALL is an empty table; *ALL_DF is freed with mem_free. */
film_status fit_share_counts(const struct comm *comm, const struct strtab *seen, const uint32_t *df,
                             size_t min_df, struct strtab *all, uint32_t **all_df,
                             film_error *error);

#endif
