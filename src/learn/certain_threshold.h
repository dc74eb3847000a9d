/* Moves a threshold only as far as labels support it. */
#ifndef LEARN_CERTAIN_THRESHOLD_H
#define LEARN_CERTAIN_THRESHOLD_H

#include <stddef.h>

struct threshold_row {
    double score;
    double gain; /* what is gained by calling the pair the same; below 0 if it is different */
};

/* Returns the threshold whose gain over FROM is most certain: the sum over the pairs that it judges
 * otherwise, minus ERRORS standard errors of that sum. So a threshold that changes more verdicts
 * needs more evidence. The last part of the way must be certain by itself: a few pairs at its end
 * may be exceptions, and what lies beyond the last one is not known at all. Returns FROM where no
 * gain is above 0. Sorts ROWS. */
double certain_threshold(struct threshold_row *rows, size_t count, double from, double errors);

#endif
