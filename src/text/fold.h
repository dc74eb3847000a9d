/* Text as the model reads it: NFKC, case folded, typographic quotes made plain; every byte knows
 * which bytes of the original it came from, so that an explanation can point into it. */
#ifndef TEXT_FOLD_H
#define TEXT_FOLD_H

#include "base/status.h"

#include <stdint.h>

struct fold {
    char *bytes;
    size_t length, capacity;
    /* Source range of each byte; only filled when ascii is 0 (in ASCII text byte i comes from byte
     * i). */
    uint32_t *from, *to;
    size_t from_capacity, to_capacity;
    int ascii;
    int32_t *scratch; /* code points of one segment */
    size_t scratch_capacity;
};

/* Folds TEXT (refused when not valid UTF-8) into FOLD, replacing what was there. Zero-initialise
 * FOLD before its first use. */
film_status fold_text(struct fold *fold, film_text text, film_error *error);
void fold_free(struct fold *fold);

#endif
