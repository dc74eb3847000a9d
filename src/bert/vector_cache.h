/* Vectors of an encoder on disk, by content: what was encoded once need not be encoded again.
 *
 * A folder per encoder (its fingerprint), in it files of some thousand vectors each: safetensors
 * with the texts' 128-bit hashes and the vectors, checksummed. A file is written once, atomically,
 * under a name made from its content, and never changed: any number of processes may read and add.
 * What is damaged or of another encoder is passed over, never trusted, and removed where that can
 * be done. Above the limit the oldest files go.
 *
 * A cache is never a reason to fail: where the folder cannot be used, nothing is found and nothing
 * kept, and vector_cache_problem says why. */
#ifndef BERT_VECTOR_CACHE_H
#define BERT_VECTOR_CACHE_H

#include "base/status.h"

#include <stdint.h>

/* A text is told by its hash: 128 bits do not meet by accident. */
struct vector_key {
    uint64_t low, high;
};
struct vector_key vector_key_of(film_text text);

struct vector_cache;

/* FOLDER is made where it is missing. MOST: bytes that may lie in it, all encoders together. The
 * status is only ever that of memory. */
film_status vector_cache_open(const char *folder, uint64_t fingerprint, size_t dim, uint64_t most,
                              struct vector_cache **out, film_error *error);
/* Writes what is left, too. */
void vector_cache_close(struct vector_cache *cache);

/* Copies the vector to OUT (dim) and returns 1, or 0: not there. */
int vector_cache_find(struct vector_cache *cache, struct vector_key key, float *out);
void vector_cache_add(struct vector_cache *cache, struct vector_key key, const float *vector);

size_t vector_cache_hits(const struct vector_cache *cache);
/* NULL: none. */
const char *vector_cache_problem(const struct vector_cache *cache);

#endif
