/* Reads the rows of several files with the same kind of labels, one file after the other. Memory
 * does not grow with the files. With parts (film_table_options) each part reads its range of every
 * file; files that cannot be divided are assigned whole, round-robin. Every part opens every file,
 * so all parts know the kind of labels. */
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
    int mixes;          /* files without labels may be mixed with one other kind */
    int plain;          /* the open file has no labels */
    uint64_t skipped;   /* bad rows in the files read so far */
};

/* Opens nothing yet. PATHS and OPTIONS belong to the caller and must outlive ROWS. */
void rows_start(struct rows *rows, const char *const *paths, size_t count,
                const film_table_options *options);
void rows_close(struct rows *rows);

/* Like film_table_next, over all files; FILM_END after the last. A file with a different kind of
 * labels than the preceding ones is an error, except one without labels where rows.mixes is set:
 * rows.labels is then the kind of the others. */
film_status rows_next(struct rows *rows, film_row *row, film_error *error);

/* Fraction of the input that was read, 0 to 1; -1 when unknown. */
double rows_progress(const struct rows *rows);

#endif
