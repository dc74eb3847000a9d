/* Files that may be compressed with zstd as a whole: models and tables of words. */
#ifndef BASE_COMPRESSED_H
#define BASE_COMPRESSED_H

#include "base/status.h"

/* Where BYTES are a frame of zstd, *OUT gets what it holds, *OUT_SIZE bytes that the caller frees
 * with mem_free_aligned; otherwise *OUT is NULL. Refused are frames that do not say their size,
 * damaged ones, and those that hold more than 100 times their bytes: a small file must not take all
 * memory. NAME is for messages. */
film_status compressed_expand(const void *bytes, size_t size, const char *name, void **out,
                              size_t *out_size, film_error *error);

#endif
