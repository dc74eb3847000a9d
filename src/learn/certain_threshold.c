/* The threshold whose gain is most certain: a lower bound for each threshold between two scores. */
#include "learn/certain_threshold.h"
#include "base/sort.h"

#include <math.h>

static int by_threshold_score(const void *a, const void *b)
{
    const struct threshold_row *left = a, *right = b;
    if (left->score != right->score) return left->score < right->score ? -1 : 1;
    return left->gain < right->gain ? -1 : left->gain > right->gain;
}

/* The best threshold on one side of the present one, and the lower bound of its gain. */
struct threshold_walk {
    double errors, sum, squares, best, threshold;
};

/* Calls one more row the other way. NEXT is the score beyond it: rows of one score go together. */
static void walk_past(struct threshold_walk *walk, const struct threshold_row *row, double gain,
                      double next)
{
    walk->sum += gain;
    walk->squares += gain * gain;
    double bound = walk->sum - walk->errors * sqrt(walk->squares);
    if (next == row->score || bound <= walk->best) return;
    walk->best = bound;
    walk->threshold = 0.5 * (row->score + next);
}

double certain_threshold(struct threshold_row *rows, size_t count, double from, double errors)
{
    struct threshold_walk up = {.errors = errors, .threshold = from}, down = up;
    size_t at = 0;
    if (count) sort_array(rows, count, sizeof *rows, by_threshold_score);
    while (at < count && rows[at].score < from) at++;
    for (size_t i = at; i < count; i++)
        walk_past(&up, &rows[i], -rows[i].gain,
                  i + 1 < count ? rows[i + 1].score : rows[i].score + 1);
    for (size_t i = at; i-- > 0;)
        walk_past(&down, &rows[i], rows[i].gain, i > 0 ? rows[i - 1].score : rows[i].score - 1);
    return down.best > up.best ? down.threshold : up.threshold;
}
