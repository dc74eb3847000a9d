/* One slice of a file of rows: the file is divided into `count` slices of nearly equal size, cut at
 * row ends.
 *
 * A row belongs to the slice that contains its first byte. So every row is in exactly one slice,
 * wherever the cuts fall. Each process finds the start of its slice from the bytes near the cut. */
#ifndef TEXT_SLICE_H
#define TEXT_SLICE_H

#include "text/reader.h"
#include "film_io.h"

struct table_slice {
    uint64_t number, count;
    uint64_t first;       /* where the first row of the file begins */
    uint64_t start, stop; /* the slice has the rows that begin in these bytes */
    int counted;          /* what precedes start is counted: reader.lines_before, rows_before */
    uint64_t rows_before;
};

/* Moves the reader from the first row of the file to the first row of the slice. The rows before
 * are not read, so line numbers start at 1 there. A file that cannot be cut is assigned as a whole
 * to slice NUMBER % count. */
film_status slice_find(struct table_slice *part, const film_table_options *options, size_t number,
                       struct reader *reader, film_error *error);

/* Sets reader.lines_before and part.rows_before to the numbers of lines and rows before the slice,
 * once. BLANK_TOO: a blank line is a row. Only this function reads the file before the slice. */
film_status slice_count_lines(struct table_slice *part, struct reader *reader, int blank_too,
                              film_error *error);

/* As source_progress, for the slice. */
double slice_progress(const struct table_slice *part, const struct source *source);

#endif
