/* Entropy coding of bytes: each value takes as many bits as its frequency says (range asymmetric
 * numeral systems, Duda 2013). Whole numbers only, so every machine reads the same bytes.
 *
 * The coded bytes are a table of frequencies, which sum to 2^14, and four interleaved streams of
 * 16-bit words. docs/reference/packed-model-file.md describes them. */
#ifndef BASE_RANS_H
#define BASE_RANS_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that rans_encode writes for COUNT values. */
size_t rans_bound(size_t count);

/* Codes the COUNT bytes at BYTES, BYTES + STRIDE, ... to OUT. Returns the number of bytes there. */
size_t rans_encode(const uint8_t *bytes, size_t count, size_t stride, uint8_t *out);

/* Restores COUNT bytes at OUT, OUT + STRIDE, ... from *AT and moves *AT behind them. Returns 0 if
 * the bytes before END are not those of COUNT values. */
int rans_decode(const uint8_t **at, const uint8_t *end, uint8_t *out, size_t count, size_t stride);

#endif
