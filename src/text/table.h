/* Rows of a file: film_table of film.h. What is only for tests and fuzzing stands here. */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include "base/status.h"

/* film_table_open over bytes in memory (kept by the caller), handed out CHUNK at a time (0: all).
 */
film_status table_open_bytes(const void *bytes, size_t size, const char *name, size_t chunk,
                             const film_table_options *options, film_table **out,
                             film_error *error);

#endif
