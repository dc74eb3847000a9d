/* The threshold whose gain is most certain, by a lower bound for each threshold between two scores;
 * then back to where the rest of the way is not certain any more. */
#include "learn/certain_threshold.h"
#include "base/sort.h"

#include <math.h>

/* Of the last part of the way: two pairs that agree are not enough, three are. */
static const double LAST_ERRORS = 1.5;

static int by_threshold_score(const void *a, const void *b)
{
    const struct threshold_row *left = a, *right = b;
    if (left->score != right->score) return left->score < right->score ? -1 : 1;
    return left->gain < right->gain ? -1 : left->gain > right->gain;
}

/* The rows on one side of the present threshold, the nearest first, and what is gained by calling
 * each of them the other way. */
struct threshold_side {
    const struct threshold_row *rows;
    size_t count;
    int up;
};

static double side_score(const struct threshold_side *side, size_t k)
{
    return side->up ? side->rows[k].score : side->rows[side->count - 1 - k].score;
}

static double side_gain(const struct threshold_side *side, size_t k)
{
    return side->up ? -side->rows[k].gain : side->rows[side->count - 1 - k].gain;
}

/* Rows of one score are called the same way: can a threshold be after the first K? */
static int is_border(const struct threshold_side *side, size_t k)
{
    return k == side->count || side_score(side, k) != side_score(side, k - 1);
}

static double border(const struct threshold_side *side, size_t k)
{
    double last = side_score(side, k - 1), beyond = side->up ? 1 : -1;
    return 0.5 * (last + (k < side->count ? side_score(side, k) : last + beyond));
}

/* Sets *BEST to the largest lower bound of a gain, and returns the number of rows up to there. */
static size_t most_certain(const struct threshold_side *side, double errors, double *best)
{
    double sum = 0, squares = 0;
    size_t rows = 0;
    *best = 0;
    for (size_t k = 1; k <= side->count; k++) {
        double gain = side_gain(side, k - 1);
        sum += gain;
        squares += gain * gain;
        double bound = sum - errors * sqrt(squares);
        if (!is_border(side, k) || bound <= *best) continue;
        *best = bound;
        rows = k;
    }
    return rows;
}

/* Returns how many of the first ROWS rows are needed: after them no gain is certain by itself. */
static size_t needed_rows(const struct threshold_side *side, size_t rows)
{
    double sum = 0, squares = 0;
    size_t needed = rows;
    for (size_t k = rows; k > 1; k--) {
        double gain = side_gain(side, k - 1);
        sum += gain;
        squares += gain * gain;
        if (!is_border(side, k - 1)) continue;
        if (sum > LAST_ERRORS * sqrt(squares)) break;
        needed = k - 1;
    }
    return needed;
}

double certain_threshold(struct threshold_row *rows, size_t count, double from, double errors)
{
    size_t at = 0;
    if (count) sort_array(rows, count, sizeof *rows, by_threshold_score);
    while (at < count && rows[at].score < from) at++;
    const struct threshold_side up = {rows + at, count - at, 1}, down = {rows, at, 0};
    double up_best, down_best;
    size_t up_rows = most_certain(&up, errors, &up_best);
    size_t down_rows = most_certain(&down, errors, &down_best);
    const struct threshold_side *side = down_best > up_best ? &down : &up;
    size_t moved = down_best > up_best ? down_rows : up_rows;
    return moved ? border(side, needed_rows(side, moved)) : from;
}
