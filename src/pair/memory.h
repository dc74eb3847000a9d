/* What is known already: clusters of questions labelled the same, and clusters labelled different.
 *
 * Asked about two questions it answers only where both are known, word by word, and a chain of
 * labels connects them: the same cluster, or clusters that a label told apart. That one of them was
 * seen before is never a reason by itself: in collected data it predicts the label (a question is
 * often in the file because it was found to be a duplicate), and in use it does not. */
#ifndef PAIR_MEMORY_H
#define PAIR_MEMORY_H

#include "base/keytab.h"

enum memory_answer { MEMORY_UNKNOWN, MEMORY_SAME, MEMORY_DIFFERENT, MEMORY_ANSWERS };

struct memory {
    struct keytab questions;       /* a question's hash (struct reading_side) -> its number */
    const uint32_t *cluster;       /* by number */
    struct keytab different;       /* smaller cluster << 32 | larger */
    double weight[MEMORY_ANSWERS]; /* of each answer, in log-odds; unknown: 0 */
    uint32_t *own_cluster;         /* NULL when mapped */
};

void memory_free(struct memory *memory);

/* Two clusters as a key of `different`. */
static inline uint64_t memory_clusters(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

enum memory_answer memory_ask(const struct memory *memory, uint64_t a, uint64_t b);

#endif
