/* Bytes from a file or standard input, decompressed on the fly.
 *
 * Plain, gzip (any number of members) and zstd (any number of frames) are detected by their first
 * bytes, never by name: files are renamed, and standard input has no name. Memory is constant. */
#ifndef TEXT_SOURCE_H
#define TEXT_SOURCE_H

#include "base/status.h"
#include "text/encoding.h"

#include <stdint.h>

struct source;

/* PATH "-" is standard input. */
film_status source_open(const char *path, struct source **out, film_error *error);

/* A source over bytes in memory, for tests and fuzzing. The caller keeps them until the source is
 * closed. Every read returns at most CHUNK bytes (0: no limit), like a slow pipe. */
film_status source_open_bytes(const void *bytes, size_t size, const char *name, size_t chunk,
                              struct source **out, film_error *error);

/* Converts what is read from now on. Call it before the first read. */
film_status source_set_encoding(struct source *source, enum encoding encoding, film_error *error);

/* Returns whether it is a workbook: its rows are read as TSV, and a line is a row of its sheet. */
int source_is_workbook(const struct source *source);

void source_close(struct source *source);

/* Reads up to CAPACITY bytes, at least one unless at the end; *GOT 0 means the end. After a
 * failure, all further calls fail with the same message. */
film_status source_read(struct source *source, void *buffer, size_t capacity, size_t *got,
                        film_error *error);

/* The name in messages: the path, or "standard input". */
const char *source_name(const struct source *source);

/* The fraction of the file (in compressed bytes) that was read, 0 to 1; -1 for standard input and
 * pipes. */
double source_progress(const struct source *source);

#endif
