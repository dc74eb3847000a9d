/* Draws plots as SVG inside a page: axes with round ticks, lines, points, bars, stems.
 *
 * Colours are classes (s1 .. s8), defined by the page's style sheet for light mode, dark mode and
 * print. Every plot has its data as a CSV link. Values that are not finite are skipped: a line has
 * a gap there. A plot without values is not written. */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "plot/markup.h"

enum plot_kind { PLOT_LINE, PLOT_POINTS, PLOT_BARS, PLOT_STEMS };

struct plot_series {
    const char *name; /* in the legend and the CSV table; NULL: in neither */
    enum plot_kind kind;
    int colour; /* 1 to 8; 0: grey (and dashed, for a line), for references */
    const double *x, *y;
    size_t count;
    double width;           /* PLOT_BARS: width of a bar in units of x; 0: 0.7 */
    const film_text *label; /* tooltip of each value; NULL: x and y */
};

struct plot_axis {
    const char *title; /* with its unit: "log loss (nats)" */
    int log, percent;
    int from_zero;    /* the axis includes zero */
    double low, high; /* fixed ends if low < high; otherwise from the data */
};

/* A vertical line with a word at its top. */
struct plot_mark {
    double x;
    const char *text;
};

struct plot {
    const char *id, *title; /* of the figure; the id also names the CSV file */
    const char *about;      /* one sentence below the title; may be NULL */
    struct plot_axis x, y;
    const struct plot_series *series;
    size_t count;
    const struct plot_mark *marks;
    size_t mark_count;
    /* Names of x = 0, 1, 2, ..., drawn instead of numbers; or NULL. On a map (bare): names of the
     * last series' points, drawn where there is room. */
    const film_text *names;
    size_t name_count;
    int small; /* one of several in a row */
    int bare;  /* a map: no axes, the same scale in both directions */
};

void plot_write(struct markup *out, const struct plot *plot);

/* A grid of values. Negative values have one colour, positive ones another; 0 has none. */
struct plot_heat {
    const char *id, *title, *about;
    const char *x_title, *y_title, *value_title;
    const double *x_edge, *y_edge; /* columns + 1, rows + 1, ascending: the cells' borders */
    size_t columns, rows;
    const double *value; /* rows x columns */
    /* For a confusion matrix: names of columns and rows instead of edges. Each cell shows its
     * value, and the cells off the diagonal have the other colour. Or NULL. */
    const char *const *x_names, *const *y_names;
    int small;
};

void plot_heat_write(struct markup *out, const struct plot_heat *heat);

/* For drawing functions: begin and end <figure>. The CSV table goes between them. */
void plot_figure_begin(struct markup *out, const char *id, const char *title, const char *about,
                       int small);
void plot_figure_end(struct markup *out);

#endif
