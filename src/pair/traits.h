/* Traits: named numbers that say something about a pair, read off a comparison.
 *
 * Each is a function of its own with a line that says what it means; the boosted trees read them in this
 * order. None depends on which sentence comes first: what belongs to one sentence enters as the smaller
 * and the larger of the two. What word evidence says is not among them: it is the margin the trees start
 * from, and given to them once more it made unseen pairs worse (84.0 against 84.4 % on Quora). */
#ifndef PAIR_TRAITS_H
#define PAIR_TRAITS_H

#include "pair/comparison.h"

struct trait {
    const char *name;  /* "numbers only one has": also how a reason is called */
    const char *about; /* one line for a user */
    const char *group; /* of traits that belong together: "overlap", "order", ... */
    double (*measure)(const struct comparison *comparison);
};

/* Does it depend on what was learned from labels (the map)? */
int trait_is_learned(const struct trait *trait);

/* All traits, in the order in which models store them. */
size_t traits_count(void);
const struct trait *trait_at(size_t number);

/* OUT[number] for all of them; finite always. */
void traits_measure(const struct comparison *comparison, float *out);

#endif
