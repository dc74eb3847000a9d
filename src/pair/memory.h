/* Memory of the training labels: clusters of questions labelled the same, and pairs of clusters
 * labelled different.
 *
 * It returns a result only where both questions are known, word by word, and a chain of labels
 * connects them: they are in the same cluster, or in clusters labelled different. That one question
 * was seen before is never evidence by itself. In collected data it predicts the label, because a
 * question is often in the file since it was found to be a duplicate; in use it does not.
 *
 * Records are different: two tables often have at most one match for each record. Where training
 * found that, a record whose match is known is less likely to match another one. */
#ifndef PAIR_MEMORY_H
#define PAIR_MEMORY_H

#include "base/keytab.h"

enum memory_answer {
    MEMORY_UNKNOWN,
    MEMORY_SAME,
    MEMORY_DIFFERENT,
    MEMORY_TAKEN, /* of records: one of them has another match */
    MEMORY_ANSWERS
};

/* Set in `cluster` for a record that has a match. */
#define MEMORY_MATCHED (1u << 31)

struct memory {
    struct keytab questions;       /* hash of a question (struct reading_side) -> its number */
    const uint32_t *cluster;       /* by number; of records with MEMORY_MATCHED */
    struct keytab different;       /* smaller cluster << 32 | larger */
    double weight[MEMORY_ANSWERS]; /* log-odds of each result; unknown: 0 */
    uint32_t *own_cluster;         /* NULL when mapped */
};

void memory_free(struct memory *memory);

static inline int memory_exists(const struct memory *memory)
{
    return memory->questions.keys != NULL;
}

/* The key of two clusters in `different`. */
static inline uint64_t memory_clusters(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Returns the cluster of a question, without MEMORY_MATCHED; KEYTAB_NONE: it is not known. */
uint32_t memory_cluster(const struct memory *memory, uint64_t hash);

/* Fetches what memory_find of question A and B reads first: the table is larger than the caches. */
void memory_prefetch(const struct memory *memory, uint64_t a, uint64_t b);
enum memory_answer memory_find(const struct memory *memory, uint64_t a, uint64_t b);

#endif
