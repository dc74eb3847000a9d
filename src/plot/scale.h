/* Values to places on paper, and the round numbers written beside them. */
#ifndef PLOT_SCALE_H
#define PLOT_SCALE_H

#include <stddef.h>

enum { SCALE_MOST_TICKS = 16 };

struct scale {
    double low, high; /* values at the two ends; low < high */
    double from, to;  /* places of the two */
    int log;          /* by the logarithm; low is positive */
    double tick[SCALE_MOST_TICKS];
    size_t ticks;
    int digits; /* behind the point, of the ticks' labels */
};

/* What a scale has to hold. Values that are not finite (or, on a logarithmic one, not positive)
 * have no place and are passed over. */
struct scale_range {
    double low, high; /* low > high: nothing yet */
    int log;
};
struct scale_range scale_nothing(int log);
void scale_include(struct scale_range *range, double value);

/* A scale over RANGE with about WANTED ticks, at 1, 2 or 5 times a power of ten. ROUND: its ends
 * are ticks too. A range of one value is widened. */
struct scale scale_make(const struct scale_range *range, double from, double to, size_t wanted,
                        int round);

/* 1 when VALUE has a place on it. */
int scale_holds(const struct scale *scale, double value);
double scale_place(const struct scale *scale, double value);

/* The label of a tick: "0.25", "1,000", "2e+09"; PERCENT: of a share, "25 %". */
void scale_label(const struct scale *scale, double tick, int percent, char *out, size_t room);

/* 1234567 as "1,234,567". */
void scale_count(double value, char *out, size_t room);

#endif
