/* Bytes from a file or standard input, decompressed on the way.
 *
 * Plain, gzip (any number of members) and zstd (any number of frames) are told apart by their first
 * bytes, never by name: files get renamed, and standard input has no name. Memory is fixed. */
#ifndef TEXT_SOURCE_H
#define TEXT_SOURCE_H

#include "base/status.h"

#include <stdint.h>

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

/* How many bytes were handed out (after unpacking), or where a seek went to and what came since. */
uint64_t source_offset(const struct source *source);

/* The bytes of an uncompressed file (or memory), between which one can move; -1 for all others. */
int64_t source_size(const struct source *source);

/* Goes on reading at OFFSET; and COUNT bytes from OFFSET without moving. Only with a
 * source_size. */
film_status source_seek(struct source *source, uint64_t offset, film_error *error);
film_status source_read_at(const struct source *source, uint64_t offset, void *buffer, size_t count,
                           film_error *error);

/* A regular file, or memory: another process sees the same bytes. */
int source_is_file(const struct source *source);

/* What messages call it: the path, or "standard input". */
const char *source_name(const struct source *source);

/* The part of the file (compressed bytes) that was used, 0 to 1; -1 for standard input and pipes.
 */
double source_progress(const struct source *source);

#endif
