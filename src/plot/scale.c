/* Maps values to positions and chooses round ticks. */
#include "plot/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct scale_range scale_nothing(int log)
{
    return (struct scale_range){INFINITY, -INFINITY, log};
}

void scale_include(struct scale_range *range, double value)
{
    if (!isfinite(value) || (range->log && value <= 0)) return;
    if (value < range->low) range->low = value;
    if (value > range->high) range->high = value;
}

/* Returns the smallest 1, 2 or 5 times a power of ten that is at least SPAN / WANTED. */
static double round_step(double span, size_t wanted)
{
    double raw = span / (double)(wanted ? wanted : 1);
    double power = pow(10, floor(log10(raw)));
    for (int i = 0; i < 3; i++) {
        double step = (double)(i == 0 ? 1 : i == 1 ? 2 : 5) * power;
        if (step >= raw * (1 - 1e-9)) return step;
    }
    return 10 * power;
}

static void linear_ticks(struct scale *scale, size_t wanted, int round)
{
    double step = round_step(scale->high - scale->low, wanted);
    double first = ceil(scale->low / step - 1e-9), last = floor(scale->high / step + 1e-9);
    if (round) {
        first = floor(scale->low / step + 1e-9);
        last = ceil(scale->high / step - 1e-9);
        scale->low = first * step;
        scale->high = last * step;
    }
    for (int i = 0; i < SCALE_MOST_TICKS && first + i <= last; i++)
        scale->tick[scale->ticks++] = first + i == 0 ? 0 : (first + i) * step;
    double digits = -floor(log10(step) + 1e-9);
    scale->digits = digits > 0 ? (int)fmin(digits, 12) : 0;
}

/* Ticks at powers of ten; also at 2 and 5 times them if the range has fewer than two. */
static void log_ticks(struct scale *scale)
{
    double first = floor(log10(scale->low)), last = ceil(log10(scale->high));
    double every = ceil((last - first + 1) / 8);
    int dense = last - first <= 2;
    for (double power = first; power <= last; power += every)
        for (int i = 0; i < (dense ? 3 : 1); i++) {
            double tick = (double)(i == 0 ? 1 : i == 1 ? 2 : 5) * pow(10, power);
            if (tick >= scale->low * (1 - 1e-9) && tick <= scale->high * (1 + 1e-9) &&
                scale->ticks < SCALE_MOST_TICKS)
                scale->tick[scale->ticks++] = tick;
        }
    scale->digits = first < 0 ? (int)fmin(-first, 12) : 0;
}

struct scale scale_make(const struct scale_range *range, double from, double to, size_t wanted,
                        int round)
{
    struct scale scale = {
        .low = range->low, .high = range->high, .from = from, .to = to, .log = range->log};
    if (!(scale.low <= scale.high)) scale.low = scale.high = scale.log ? 1 : 0;
    /* Outside these limits, differences and ratios overflow. */
    scale.low = fmin(fmax(scale.low, scale.log ? 1e-300 : -1e300), 1e300);
    scale.high = fmin(fmax(scale.high, scale.log ? 1e-300 : -1e300), 1e300);
    double least = fmax(fabs(scale.low), fabs(scale.high)) * 1e-9 + (scale.log ? 0 : 1e-290);
    if (scale.high - scale.low <= least) { /* a single value, at the labels' precision: widen */
        double room = fabs(scale.low) < 1e-280 && !scale.log ? 1 : fabs(scale.low) * 0.5;
        scale.low -= room;
        scale.high += room;
    }
    if (scale.log)
        log_ticks(&scale);
    else
        linear_ticks(&scale, wanted, round);
    return scale;
}

int scale_holds(const struct scale *scale, double value)
{
    double least = 1e-9 * (scale->high - scale->low);
    return isfinite(value) && value >= scale->low - least && value <= scale->high + least &&
           (!scale->log || value > 0);
}

double scale_place(const struct scale *scale, double value)
{
    double share = scale->log ? log(value / scale->low) / log(scale->high / scale->low)
                              : (value - scale->low) / (scale->high - scale->low);
    return scale->from + share * (scale->to - scale->from);
}

void scale_count(double value, char *out, size_t room)
{
    char digits[40];
    int length = snprintf(digits, sizeof digits, "%.0f", fabs(value));
    size_t at = 0;
    if (value <= -0.5 && room) out[at++] = '-';
    if (length > 21) length = snprintf(digits, sizeof digits, "%.3g", fabs(value)); /* "1e+30" */
    int grouped = strchr(digits, 'e') == NULL;
    for (int i = 0; i < length && at + 2 < room; i++) {
        if (grouped && i && (length - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    if (room) out[at] = 0;
}

void scale_label(const struct scale *scale, double tick, int percent, char *out, size_t room)
{
    if (percent) {
        int digits = scale->digits > 2 ? scale->digits - 2 : 0;
        snprintf(out, room, "%.*f %%", digits, 100 * tick);
        return;
    }
    double size = fabs(tick);
    if (size != 0 && (size < 1e-4 || size >= 1e7))
        snprintf(out, room, "%.3g", tick);
    else if (scale->digits == 0 || (scale->log && size >= 1))
        scale_count(tick, out, room);
    else
        snprintf(out, room, "%.*f", scale->log ? (int)ceil(-log10(size) - 1e-9) : scale->digits,
                 tick);
}
