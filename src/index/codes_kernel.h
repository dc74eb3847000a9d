/* Inner products of rows of codes with a query, and estimates from sketches: one function of each
 * per instruction set. */
#ifndef INDEX_CODES_KERNEL_H
#define INDEX_CODES_KERNEL_H

#include "index/sketch.h"

/* Rows of STRIDE bytes with DIM codes each. */
struct codes_rows {
    const uint8_t *rows;
    size_t stride, dim;
};

struct codes_kernel {
    const char *name;
    int (*here)(void); /* returns whether this machine has the instructions */
    /* OUT[i] = (row . values - offset) * scale of the row, for rows ID[0 .. count) or, when ID is
     * NULL, the first COUNT rows. */
    void (*score)(const struct codes_rows *codes, const int8_t *values, int32_t offset,
                  const uint32_t *id, size_t count, float *out);
    /* See sketch_pass. */
    uint32_t (*pass)(const struct sketch_query *query, const uint8_t *block, float score,
                     float least);
};

/* Best first. The last is the plain one, which every machine has. */
extern const struct codes_kernel codes_kernels[];
extern const size_t codes_kernel_count;

/* The kernel in use. */
const struct codes_kernel *codes_kernel(void);

#endif
