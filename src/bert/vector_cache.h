/* A content-addressed cache on disk for the vectors of an encoder: no sentence is encoded twice.
 *
 * There is one folder per encoder, named by its fingerprint, with files of a few thousand vectors
 * each: safetensors with the 128-bit hashes of the texts and the vectors, checksummed. A file is
 * written once, atomically, under a name derived from its content, and never changed. So any number
 * of processes may read and add. Files that are damaged or belong to another encoder are skipped
 * and, if possible, removed. Above the size limit the oldest files are deleted.
 *
 * The cache never causes a failure: when the folder is unusable, nothing is found or stored, and
 * vector_cache_problem returns the reason. */
#ifndef BERT_VECTOR_CACHE_H
#define BERT_VECTOR_CACHE_H

#include "base/status.h"

#include <stdint.h>

/* A text is identified by its hash: 128 bits do not collide by accident. */
struct vector_key {
    uint64_t low, high;
};
struct vector_key vector_key_of(film_text text);

struct vector_cache;

/* Creates FOLDER if it is missing. MOST limits its size in bytes, for all encoders together. Fails
 * only when memory runs out. */
film_status vector_cache_open(const char *folder, uint64_t fingerprint, size_t dim, uint64_t most,
                              struct vector_cache **out, film_error *error);
/* Also writes vectors that are not yet stored. */
void vector_cache_close(struct vector_cache *cache);

/* Copies the vector to OUT (dim) and returns 1; returns 0 when it is not cached. */
int vector_cache_find(struct vector_cache *cache, struct vector_key key, float *out);
void vector_cache_add(struct vector_cache *cache, struct vector_key key, const float *vector);

size_t vector_cache_hits(const struct vector_cache *cache);
/* Why the folder is unusable, or NULL. */
const char *vector_cache_problem(const struct vector_cache *cache);

#endif
