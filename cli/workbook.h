/* The module film-workbook.so: reads Excel workbooks. */
#ifndef CLI_WORKBOOK_H
#define CLI_WORKBOOK_H

#include "film_io.h"

/* A film_workbook_fn. Converts the first visible sheet to TSV: line n is row n. Tabs and line ends
 * inside a cell become spaces. */
film_status workbook_read(void *user, const void *bytes, size_t size, film_put_fn put, void *to,
                          film_error *error);

#endif
