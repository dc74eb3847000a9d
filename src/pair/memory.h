/* Memory of the training labels: clusters of questions labelled the same, and pairs of clusters
 * labelled different.
 *
 * It returns a result only where both questions are known, word by word, and a chain of labels
 * connects them: they are in the same cluster, or in clusters labelled different. That one question
 * was seen before is never evidence by itself. In collected data it predicts the label, because a
 * question is often in the file since it was found to be a duplicate; in use it does not. */
#ifndef PAIR_MEMORY_H
#define PAIR_MEMORY_H

#include "base/keytab.h"

enum memory_answer { MEMORY_UNKNOWN, MEMORY_SAME, MEMORY_DIFFERENT, MEMORY_ANSWERS };

struct memory {
    struct keytab questions;       /* hash of a question (struct reading_side) -> its number */
    const uint32_t *cluster;       /* by number */
    struct keytab different;       /* smaller cluster << 32 | larger */
    double weight[MEMORY_ANSWERS]; /* log-odds of each result; unknown: 0 */
    uint32_t *own_cluster;         /* NULL when mapped */
};

void memory_free(struct memory *memory);

/* The key of two clusters in `different`. */
static inline uint64_t memory_clusters(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

enum memory_answer memory_find(const struct memory *memory, uint64_t a, uint64_t b);

#endif
