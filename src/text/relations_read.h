/* Relations in a user's own text file (relations_read.c has the format). */
#ifndef TEXT_RELATIONS_READ_H
#define TEXT_RELATIONS_READ_H

#include "text/relations.h"
#include "text/source.h"

/* Adds the relations of SOURCE to BUILDER; closes SOURCE in any case. Errors name file and line. */
film_status relations_read(struct relations_builder *builder, struct source *source,
                           film_error *error);

#endif
