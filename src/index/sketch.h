/* Sketches: signs stored beside the links of a row, which estimate the scores of all linked rows
 * from one block of memory (the ideas of RaBitQ and SymphonyQG).
 *
 * For a row u and a linked row v, the sketch has the signs x of w = v - u, folded to half of the
 * dimensions by adding the second half to the first, and two numbers. For a query q,
 * q.v = q.u + u.w + (q - u).w, and the last product is about |w|^2 / |w|_1 times x.(q - u): its
 * error shrinks as the search comes nearer. x.q is a sum of table entries, one per four signs, for
 * 32 links at once. A search computes exact scores only for rows whose estimate is good enough.
 *
 * A wrong sketch can hide a row from a search, but nothing else: its bytes need no check. */
#ifndef INDEX_SKETCH_H
#define INDEX_SKETCH_H

#include "index/codes.h"

enum {
    SKETCH_LINKS = 32,       /* links of a block */
    SKETCH_MOST_SIGNS = 1024 /* more dimensions are folded more often: sums fit 16 bits */
};

/* A query in the layout of the kernels. */
struct sketch_query {
    uint8_t table[4 * SKETCH_MOST_SIGNS]; /* 16 sums for every four signs */
    size_t signs;                         /* per link; 0: rows are too short for sketches */
    size_t block;                         /* bytes of a block */
    float step, base;                     /* x.q = step * (sum of table entries) + base, as codes */
    float unit;                           /* 1 / scale of the query */
};

/* Bytes of the sketch of a row with up to DEGREE links: some blocks; 0 below 64 dimensions. */
size_t sketch_size(size_t dim, size_t degree);

void sketch_query_make(struct sketch_query *sketch, const struct codes_query *query, size_t dim);

/* Writes the sketch of ROW, which has COUNT links, to OUT (sketch_size bytes, zeros before). */
void sketch_make(const struct codes *codes, size_t row, const uint32_t *links, size_t count,
                 uint8_t *out);

/* Bit i of the result: the score of the i-th link of BLOCK is at least LEAST by its estimate. SCORE
 * is that of the row. */
uint32_t sketch_pass(const struct sketch_query *query, const uint8_t *block, float score,
                     float least);

#endif
