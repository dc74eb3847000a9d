/* Plots as SVG inside a page: axes with round ticks, lines, steps, points, bars, stems.
 *
 * Colours are classes (s1 .. s8) that the page's style sheet fills in for light, dark and paper.
 * Every plot carries its data as a table to download. What is not finite is left out: a line has a
 * gap there. A plot without a single value says so in one line instead. */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "plot/markup.h"

enum plot_kind { PLOT_LINE, PLOT_POINTS, PLOT_BARS, PLOT_STEMS };

struct plot_series {
    const char *name; /* in the legend and the table; NULL: in neither */
    enum plot_kind kind;
    int colour; /* 1 to 8; 0: grey and, as a line, dashed, for what is only a reference */
    const double *x, *y;
    size_t count;
    double width;           /* PLOT_BARS: of a bar, in units of x; 0: 0.7 */
    const film_text *label; /* what hovering over a value says; NULL: its two numbers */
};

struct plot_axis {
    const char *title; /* with its unit: "log loss (nats)" */
    int log, percent;
    int from_zero;    /* zero is on it, whatever the data */
    double low, high; /* fixed ends where low < high; otherwise they follow the data */
};

/* A line across the plot with a word at its top. */
struct plot_mark {
    double x;
    const char *text;
};

struct plot {
    const char *id, *title; /* of the figure; the id is the table's file name, too */
    const char *about;      /* one sentence below the title; may be NULL */
    struct plot_axis x, y;
    const struct plot_series *series;
    size_t count;
    const struct plot_mark *marks;
    size_t mark_count;
    const film_text
        *names; /* of x = 0, 1, 2, ..., written upright instead of numbers; or NULL. On a map:
                             * of the last series' points, written where there is room */
    size_t name_count;
    int small; /* one of several beside each other */
    int bare;  /* a map: no axes, the same unit in both directions */
};

void plot_write(struct markup *out, const struct plot *plot);

/* A grid of values, coloured from one colour (negative) through none (0) to another. */
struct plot_heat {
    const char *id, *title, *about;
    const char *x_title, *y_title, *value_title;
    const double *x_edge, *y_edge; /* columns + 1, rows + 1, rising: the cells' borders */
    size_t columns, rows;
    const double *value; /* rows x columns */
    /* Names of columns and rows instead of edges, with the value written into each cell and the
     * cells off the diagonal in the other colour: a confusion matrix. Or NULL. */
    const char *const *x_names, *const *y_names;
    int small;
};

void plot_heat_write(struct markup *out, const struct plot_heat *heat);

/* For those who draw a figure: <figure> with its title, and the way out with the table between. */
void plot_figure_begin(struct markup *out, const char *id, const char *title, const char *about,
                       int small);
void plot_figure_end(struct markup *out);
/* "title: no values to show". */
void plot_nothing(struct markup *out, const char *id, const char *title);

#endif
