/* Bytes from a file or standard input, decompressed on the way.
 *
 * Plain, gzip (any number of members) and zstd (any number of frames) are told apart by their first
 * bytes, never by name: files get renamed, and standard input has no name. Memory is fixed. */
#ifndef TEXT_SOURCE_H
#define TEXT_SOURCE_H

#include "base/status.h"

struct source;

/* PATH "-" is standard input. */
film_status source_open(const char *path, struct source **out, film_error *error);

/* Bytes in memory, for tests and fuzzing: kept by the caller until the source is closed. At most
 * CHUNK bytes are taken at a time (0: no limit), as a slow pipe would give them. */
film_status source_open_bytes(const void *bytes, size_t size, const char *name, size_t chunk,
                              struct source **out, film_error *error);

void source_close(struct source *source);

/* Up to CAPACITY bytes (at least one unless at the end); *GOT 0 means the end. Once it failed it
 * goes on failing with the same message. */
film_status source_read(struct source *source, void *buffer, size_t capacity, size_t *got,
                        film_error *error);

/* What messages call it: the path, or "standard input". */
const char *source_name(const struct source *source);

/* The part of the file (compressed bytes) that was used, 0 to 1; -1 for standard input and pipes.
 */
double source_progress(const struct source *source);

#endif
