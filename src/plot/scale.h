/* Maps values to positions, and chooses round ticks and their labels. */
#ifndef PLOT_SCALE_H
#define PLOT_SCALE_H

#include <stddef.h>

enum { SCALE_MOST_TICKS = 16 };

struct scale {
    double low, high; /* values at the two ends; low < high */
    double from, to;  /* their positions */
    int log;          /* logarithmic; low is positive */
    double tick[SCALE_MOST_TICKS];
    size_t ticks;
    int digits; /* decimals of the tick labels */
};

/* The range that a scale must cover. Values that are not finite (or, on a logarithmic scale, not
 * positive) are skipped. */
struct scale_range {
    double low, high; /* low > high: empty */
    int log;
};
struct scale_range scale_nothing(int log);
void scale_include(struct scale_range *range, double value);

/* Makes a scale for RANGE with about WANTED ticks at 1, 2 or 5 times a power of ten. ROUND: the
 * ends are ticks. A range of a single value is widened. */
struct scale scale_make(const struct scale_range *range, double from, double to, size_t wanted,
                        int round);

/* Returns 1 if VALUE has a position on the scale. */
int scale_holds(const struct scale *scale, double value);
double scale_place(const struct scale *scale, double value);

/* Formats a tick label: "0.25", "1,000", "2e+09"; with PERCENT "25 %". */
void scale_label(const struct scale *scale, double tick, int percent, char *out, size_t room);

/* Formats 1234567 as "1,234,567". */
void scale_count(double value, char *out, size_t room);

#endif
