/* Workbooks (.xlsx): libfilm recognises them, a function of the program converts them to TSV. */
#ifndef TEXT_WORKBOOK_H
#define TEXT_WORKBOOK_H

#include "base/status.h"
#include "film_io.h"

/* The largest file, and the largest sheet as text: 512 MiB. */
enum { WORKBOOK_BYTES = 1 << 29 };

struct workbook_bytes {
    char *bytes;
    size_t used, capacity;
};

/* Appends to the bytes of the file. */
film_status workbook_append(struct workbook_bytes *file, const void *bytes, size_t count,
                            const char *name, film_error *error);

/* Converts a file. *SHEET has *SIZE bytes; free it with mem_free. */
film_status workbook_convert(const struct workbook_bytes *file, const char *name, char **sheet,
                             size_t *size, film_error *error);

/* NULL: workbooks are refused. */
void workbook_set_reader(film_workbook_fn call, void *user);

#endif
