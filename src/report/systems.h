/* Other systems, measured on the same data by whoever made the table: a CSV file with a heading,
 * read to be shown.
 *
 * Its columns are system (required), model (the file of the reported model marks its row),
 * explained (in words) and the figures below, in any order; a field may be empty.
 * docs/explanation/report.md documents it for users. */
#ifndef REPORT_SYSTEMS_H
#define REPORT_SYSTEMS_H

#include "text/source.h"

enum { SYSTEMS_MOST = 24 }; /* systems: more have no room in a chart */

enum systems_figure {
    SYSTEMS_ACCURACY,
    SYSTEMS_LOG_LOSS,
    SYSTEMS_TRAINING,
    SYSTEMS_PROCESSOR,
    SYSTEMS_MEMORY,
    SYSTEMS_SIZE,
    SYSTEMS_SPEED,
    SYSTEMS_EXPLAINED,
    SYSTEMS_FIGURES
};

/* The names of their columns. */
extern const char *const systems_columns[SYSTEMS_FIGURES];

struct system_figures {
    char *name, *model, *explained; /* "" where the file says nothing */
    double figure[SYSTEMS_FIGURES]; /* finite and not negative; NaN: not given */
};

struct systems {
    struct system_figures *list;
    size_t count; /* 0: no table was given */
};

/* Takes SOURCE over. Every row must be good: a comparison with a system missing would mislead. */
film_status systems_read(struct systems *systems, struct source *source, film_error *error);
void systems_free(struct systems *systems);

#endif
