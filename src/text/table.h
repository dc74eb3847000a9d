/* The internal interface to the rows of a file; film_io.h has the public one (film_table). */
#ifndef TEXT_TABLE_H
#define TEXT_TABLE_H

#include "base/status.h"
#include "film_io.h"

/* Checks format and labels (io_api.c). */
film_status table_check_options(const film_table_options *options, film_error *error);

/* film_table_open without argument checks. OPTIONS may be embedded in other options. */
film_status table_open(const char *path, const film_table_options *options, film_table **out,
                       film_error *error);

/* film_table_open over bytes in memory, which the caller keeps. Every read returns at most CHUNK
 * bytes (0: all). */
film_status table_open_bytes(const void *bytes, size_t size, const char *name, size_t chunk,
                             const film_table_options *options, film_table **out,
                             film_error *error);

/* Returns the column with ROLE (COLUMN_A, ... of text/columns.h), or COLUMN_NONE. */
size_t table_column_of(const film_table *table, int role);

/* The name of the file in messages. */
const char *table_name(const film_table *table);

#endif
