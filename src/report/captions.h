/* What hovering says: many short texts, written one after the other. */
#ifndef REPORT_CAPTIONS_H
#define REPORT_CAPTIONS_H

#include "report/parts.h"

struct captions {
    struct markup text; /* all of them, as they are: plot_write escapes */
    size_t *end;        /* where each stops */
    size_t count, capacity;
    film_text *list; /* after captions_list */
};

void captions_free(struct captions *captions);

/* Adds to the caption being written, at most MOST bytes of TEXT, cut between characters. */
void captions_put(struct captions *captions, film_text text, size_t most);
void captions_print(struct captions *captions, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends it. */
void captions_next(struct captions *captions);

/* All of them; NULL when memory ran out on the way. */
const film_text *captions_list(struct captions *captions);

#endif
