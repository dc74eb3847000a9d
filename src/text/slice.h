/* A part of a file of rows: PART of PARTS stretches of nearly equal bytes, cut at row ends.
 *
 * A row belongs to the stretch in which its first byte lies, so every row is in exactly one part,
 * wherever the cuts fall and whichever process asks. Each finds its own beginning from the bytes
 * near its cut. */
#ifndef TEXT_SLICE_H
#define TEXT_SLICE_H

#include "text/reader.h"
#include "film_io.h"

struct part {
    uint64_t number, count;
    uint64_t start, stop; /* rows that begin in these bytes of the file are its own */
    int counted;          /* the lines before start: reader.lines_before */
};

/* Moves the reader from where the file's rows begin to where those of a part do; the rows before
 * are not read, so lines are counted from 1 there. A file that cannot be cut goes whole to part
 * NUMBER % parts. */
film_status part_find(struct part *part, const film_table_options *options, size_t number,
                      struct reader *reader, film_error *error);

/* Counts the lines before the part, for reader.lines_before, if that was not done yet: the one
 * thing for which all of the file before it has to be read. */
film_status part_count_lines(struct part *part, struct reader *reader, film_error *error);

/* As source_progress, of the part. */
double part_progress(const struct part *part, const struct source *source);

#endif
