/* Moves a large array to a temporary file while nothing reads it. */
#ifndef TRAIN_SPILL_H
#define TRAIN_SPILL_H

#include "base/status.h"

#include <stddef.h>

struct spill {
    int file; /* -1: nothing was moved */
    size_t bytes;
};

/* Moves *MEMORY, of BYTES bytes, to an unnamed file in TMPDIR or /tmp; *MEMORY becomes NULL. Where
 * the file cannot be written, or the array is small, it stays in memory. */
void spill_out(struct spill *spill, float **memory, size_t bytes);
/* Brings the array back. */
film_status spill_in(struct spill *spill, float **memory, film_error *error);

#endif
