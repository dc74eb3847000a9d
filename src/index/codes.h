/* Vectors quantised to one byte per dimension, with a scale per row.
 *
 * A row is STRIDE bytes: the codes (value + 128, unsigned, because the fastest instruction
 * multiplies unsigned by signed bytes), padding, and the scale as a float in the last four bytes.
 * The scale is next to the codes so that a random access costs no second cache miss. Products of
 * codes are integers and a score is one of them times a scale, so every kernel on every machine
 * gives the same bits. Scores omit the scale of the query: it does not change the order. */
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

/* A query in the layout of the kernels; it points into memory of the caller. */
struct codes_query {
    const int8_t *values; /* stride rounded up to 64, zeros after dim */
    int32_t offset;       /* 128 * sum of values: corrects for the +128 of the rows */
    float scale;
};

/* Bytes of a row: whole cache lines if that adds less than a quarter, else a multiple of 16. */
size_t codes_stride(size_t dim);

/* Bytes needed for the values of a query. */
size_t codes_query_room(size_t dim);

/* Encodes one vector into ROW. Returns the quantisation error |vector - decoded|. Values that are
 * not finite count as 0. */
float codes_encode_row(const float *vector, size_t dim, uint8_t *row);

/* Encodes ROWS (COUNT x dim) into CODES (COUNT x stride). */
void codes_encode(const float *rows, size_t count, size_t dim, uint8_t *codes, int threads);

float codes_scale(const struct codes *codes, size_t row);

/* Makes a query from a vector (VALUES: codes_query_room bytes) or from a row of the codes. */
struct codes_query codes_query_of(const float *vector, size_t dim, int8_t *values);
struct codes_query codes_query_row(const struct codes *codes, size_t row, int8_t *values);

/* OUT[i] = score of row ID[i]. Later rows are prefetched. */
void codes_score(const struct codes *codes, const struct codes_query *query, const uint32_t *id,
                 size_t count, float *out);

/* OUT[i] = score of row FIRST + i: a scan in memory order. */
void codes_score_range(const struct codes *codes, const struct codes_query *query, size_t first,
                       size_t count, float *out);

/* Returns whether two rows have the same codes and scale. */
int codes_equal(const struct codes *codes, size_t a, size_t b);

/* Selects a kernel by name ("plain", "avx2", "vnni", "neon"), for tests and benchmarks. Returns 0
 * when this machine lacks it. The choice is process-wide; "" restores the best one. */
int codes_use_kernel(const char *name);

#endif
