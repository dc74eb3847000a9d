/* Vectors in one byte per dimension, with a scale per row.
 *
 * A row is STRIDE bytes: the codes (value + 128, unsigned, because the fastest instruction
 * multiplies unsigned by signed bytes), bytes that no one looks at, and in the last four the scale
 * as a float. The scale lies with the codes so that a random access costs no second cache miss.
 * Products of codes are whole numbers and a score is one of them times a scale, so every kernel on
 * every machine gives the same bits. Scores leave out the query's own scale: it does not change any
 * order. */
#ifndef INDEX_CODES_H
#define INDEX_CODES_H

#include "base/status.h"

#include <stdint.h>

enum {
    CODES_MAX_DIM = 65536, /* 128 * 255 * 65536 is below 2^31 */
    CODES_ZERO = 128       /* the code of 0 */
};

struct codes {
    const uint8_t *rows; /* count x stride, any alignment */
    size_t count, dim, stride;
};

/* A query as the kernels want it; points into memory of the caller. */
struct codes_query {
    const int8_t *values; /* stride rounded up to 64, zeros behind dim */
    int32_t offset;       /* 128 * sum of values: what the rows' +128 adds to a product */
    float scale;
};

/* Bytes of a row: whole cache lines where that costs less than a quarter, else multiples of 16. */
size_t codes_stride(size_t dim);

/* Room that a query's values need. */
size_t codes_query_room(size_t dim);

/* Encodes one vector into ROW. Returns the length of what was lost: |vector - decoded|. A value
 * that is not finite counts as 0. */
float codes_encode_row(const float *vector, size_t dim, uint8_t *row);

/* ROWS (COUNT x dim) into CODES (COUNT x stride). */
void codes_encode(const float *rows, size_t count, size_t dim, uint8_t *codes, int threads);

float codes_scale(const struct codes *codes, size_t row);

/* Makes a query from a vector (VALUES: codes_query_room bytes) or from a row of the codes. */
struct codes_query codes_query_of(const float *vector, size_t dim, int8_t *values);
struct codes_query codes_query_row(const struct codes *codes, size_t row, int8_t *values);

/* OUT[i] = score of row ID[i]. Rows further on are fetched while one is multiplied. */
void codes_score(const struct codes *codes, const struct codes_query *query, const uint32_t *id,
                 size_t count, float *out);

/* OUT[i] = score of row FIRST + i: a scan in memory order. */
void codes_score_range(const struct codes *codes, const struct codes_query *query, size_t first,
                       size_t count, float *out);

/* Whether two rows are the same, byte for byte of codes and scale. */
int codes_equal(const struct codes *codes, size_t a, size_t b);

/* Kernels by name for tests and benchmarks ("plain", "avx2", "vnni"): 0 when this machine lacks it.
 * The choice holds for the whole process; "" puts the best one back. */
int codes_use_kernel(const char *name);

#endif
