/* The sentences as TF-IDF rows in a quarter of the memory of struct csr: differences of columns and
 * counts, about 2 bytes per entry. The values are computed when a row is read. */
#ifndef LEARN_PACKED_ROWS_H
#define LEARN_PACKED_ROWS_H

#include "embed/features.h"
#include "la/csr.h"

#include <stdint.h>

struct packed_rows {
    const struct features *features;
    uint8_t *bytes;
    size_t size;
    uint64_t *start; /* rows: of each row in BYTES */
};

void packed_rows_free(struct packed_rows *packed);

/* How often a sentence has a feature. */
struct gram_count {
    uint32_t id, count;
};

/* Packs COUNT entries with ascending ids to OUT, which has room for 2 * VARINT_MOST bytes for each;
 * returns the number of bytes. */
size_t packed_rows_put(uint8_t *out, const struct gram_count *entries, size_t count);
/* The inverse; returns the first byte after the entries. */
const uint8_t *packed_rows_get(const uint8_t *at, struct gram_count *entries, size_t count);

/* Reads row ROW, of COUNT entries, with the same values as in struct csr. */
void packed_rows_read(const struct packed_rows *packed, size_t row, size_t count, uint32_t *col,
                      float *val);

#endif
