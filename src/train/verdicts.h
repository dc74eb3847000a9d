/* The corpus's labels as two lists of pairs: those that mean the same, and those that do not. */
#ifndef TRAIN_VERDICTS_H
#define TRAIN_VERDICTS_H

#include "learn/rank.h"
#include "train/run.h"

struct verdicts {
    struct rank_pair *positive, *negative;
    struct rank_labels labels; /* a view of them */
};

/* Of categories, some pairs are drawn for each sentence. Free after a failure too. */
film_status verdicts_make(struct verdicts *verdicts, const struct run *run, film_error *error);
void verdicts_free(struct verdicts *verdicts);

/* For a checkpoint's fingerprint. */
uint64_t verdicts_hash(const struct verdicts *verdicts);

#endif
