/* Creates a validation set when the user gave none. */
#ifndef TRAIN_HOLD_OUT_H
#define TRAIN_HOLD_OUT_H

#include "learn/corpus.h"

struct held_out {
    size_t rows, dropped; /* rows now in DEV; rows in neither. Both 0: nothing was held out */
};

/* Moves a part of CORPUS that shares no question with the remainder to DEV. The fraction
 * TRAIN_SHARE of the rows stays. Leaves both unchanged when that is impossible. */
film_status hold_out(struct corpus *corpus, struct corpus *dev, double train_share, uint64_t seed,
                     struct held_out *held, film_error *error);

#endif
