/* Rows of a file: film_table of film_io.h. What only the library itself uses stands here. */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include "base/status.h"
#include "film_io.h"

/* film_table_open without its checks of arguments. OPTIONS may be those inside other options. */
film_status table_open(const char *path, const film_table_options *options, film_table **out,
                       film_error *error);

/* film_table_open of file NUMBER of several: one that cannot be cut goes whole to part NUMBER %
 * parts. */
film_status table_open_dealt(const char *path, size_t number, const film_table_options *options,
                             film_table **out, film_error *error);

/* film_table_open over bytes in memory (kept by the caller), handed out CHUNK at a time (0: all).
 */
film_status table_open_bytes(const void *bytes, size_t size, const char *name, size_t chunk,
                             const film_table_options *options, film_table **out,
                             film_error *error);

/* Which column holds what ROLE (COLUMN_A, ... of text/columns.h) asks for, or COLUMN_NONE. */
size_t table_column_of(const film_table *table, int role);

/* What messages call the file. */
const char *table_name(const film_table *table);

#endif
