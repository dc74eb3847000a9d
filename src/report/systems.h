/* Figures of other systems, read from a CSV file with a header. The user measured them on the same
 * data.
 *
 * Its columns are system (required), model (a model file; marks the row of the reported model),
 * explained (text) and the figures below, in any order. Fields may be empty.
 * docs/explanation/report.md describes the file for users. */
#ifndef REPORT_SYSTEMS_H
#define REPORT_SYSTEMS_H

#include "text/source.h"

enum { SYSTEMS_MOST = 24 }; /* systems; more do not fit into a chart */

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

/* The column name of each figure. */
extern const char *const systems_columns[SYSTEMS_FIGURES];

struct system_figures {
    char *name, *model, *explained; /* "" if the field is empty */
    double figure[SYSTEMS_FIGURES]; /* finite and not negative; NaN: not given */
};

struct systems {
    struct system_figures *list;
    size_t count; /* 0: no table was given */
};

/* Takes ownership of SOURCE. Every row must be valid: a comparison with a missing system would
 * mislead. */
film_status systems_read(struct systems *systems, struct source *source, film_error *error);
void systems_free(struct systems *systems);

#endif
