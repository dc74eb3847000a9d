/* The tooltips of a plot: many short texts, written one after the other. */
#ifndef REPORT_CAPTIONS_H
#define REPORT_CAPTIONS_H

#include "report/parts.h"

struct captions {
    struct markup text; /* all captions, unescaped: plot_write escapes them */
    size_t *end;        /* end of each */
    size_t count, capacity;
    film_text *list; /* after captions_list */
};

void captions_free(struct captions *captions);

/* Appends at most MOST bytes of TEXT to the current caption, cut between characters. */
void captions_put(struct captions *captions, film_text text, size_t most);
void captions_print(struct captions *captions, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the current caption. */
void captions_next(struct captions *captions);

/* Returns all captions; NULL if memory ran out. */
const film_text *captions_list(struct captions *captions);

#endif
