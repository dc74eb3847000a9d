/* Relations in a user's own text file (relations_read.c has the format). */
#ifndef TEXT_RELATIONS_READ_H
#define TEXT_RELATIONS_READ_H

#include "text/relations.h"
#include "text/source.h"

/* A line of such a file; the sides are folded. */
struct relation_line {
    enum relation relation;
    film_text side[2]; /* in `room` */
    char room[2][RELATIONS_LONGEST];
};

/* Reads one line. OUT->relation is RELATION_NONE where it has no sign between spaces. */
film_status relation_line_read(film_text line, struct relation_line *out, film_error *error);

/* Adds the relations of SOURCE to BUILDER; closes SOURCE in any case. Errors name file and line. */
film_status relations_read(struct relations_builder *builder, struct source *source,
                           film_error *error);

#endif
