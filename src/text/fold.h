/* Text normalised for the model: NFKC, case folded, typographic quotes replaced by plain ones.
 * Every byte records the range of source bytes that it comes from, so that an explanation can point
 * into the original text. */
#ifndef TEXT_FOLD_H
#define TEXT_FOLD_H

#include "base/status.h"

#include <stdint.h>

struct fold {
    char *bytes;
    size_t length, capacity;
    /* Source range of each byte. Filled only when ascii is 0: in ASCII text, byte i comes from byte
     * i. */
    uint32_t *from, *to;
    size_t from_capacity, to_capacity;
    int ascii;
    int32_t *scratch; /* code points of one segment */
    size_t scratch_capacity;
};

/* Folds TEXT into FOLD and replaces its contents. Fails when TEXT is not valid UTF-8.
 * Zero-initialise FOLD before its first use. */
film_status fold_text(struct fold *fold, film_text text, film_error *error);
void fold_free(struct fold *fold);

/* Maximum number of marks in a segment; UAX #15 allows no more in stream-safe text. */
enum { FOLD_MARKS = 30 };

/* Returns the end of the segment at START: a character and what can combine with it. Segments
 * normalise independently. BYTES must be valid UTF-8. */
size_t fold_segment_end(const uint8_t *bytes, size_t start, size_t length);

#endif
