/* The rows of one or several files of the same kind of labels, one file behind the other. Memory
 * does not grow with the files. Of parts (film_table_options), each has its stretch of every
 * file; of files that cannot be cut, each has every so manieth whole. All open every file, so
 * all know the labels. */
#ifndef LEARN_ROWS_H
#define LEARN_ROWS_H

#include "base/status.h"
#include "film_io.h"

struct rows {
    const char *const *paths;
    size_t count, next; /* files; the one to open next */
    const film_table_options *options;
    film_table *table;  /* the open one; NULL between files */
    film_labels labels; /* FILM_LABELS_AUTO until the first file is open */
    uint64_t skipped;   /* bad rows passed over in the files that are done */
};

/* Opens nothing yet. PATHS and OPTIONS stay the caller's and must live as long. */
void rows_start(struct rows *rows, const char *const *paths, size_t count,
                const film_table_options *options);
void rows_close(struct rows *rows);

/* As film_table_next, over all files; FILM_END after the last. A file with another kind of labels
 * than those before it is an error. */
film_status rows_next(struct rows *rows, film_row *row, film_error *error);

/* Share of the input that was read, 0 to 1; -1 when it cannot be known. */
double rows_progress(const struct rows *rows);

#endif
