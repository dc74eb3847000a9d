/* The k best of a stream of (score, id), in the caller's arrays. Equal scores are ordered by
 * ascending id, so the result does not depend on the order of arrival. Scores must be finite. */
#ifndef BASE_TOPK_H
#define BASE_TOPK_H

#include <stddef.h>
#include <stdint.h>

struct topk {
    float *score; /* a heap with the worst on top, until topk_finish */
    uint32_t *id;
    size_t limit, count;
};

/* SCORE and ID have room for LIMIT elements. */
static inline struct topk topk_over(float *score, uint32_t *id, size_t limit)
{
    return (struct topk){score, id, limit, 0};
}

void topk_insert(struct topk *top, float score, uint32_t id);

/* Inserts the item if it is among the best so far. The first comparison rejects nearly all
 * items. */
static inline void topk_offer(struct topk *top, float score, uint32_t id)
{
    if (top->count == top->limit && (top->limit == 0 || score < top->score[0])) return;
    topk_insert(top, score, id);
}

/* Where a search writes the best rows of each query, best first. */
struct nearest {
    uint32_t *id;
    float *score;
    size_t found; /* how many there are: set by searches for one query */
};

/* Sorts what was kept, best first. */
void topk_finish(struct topk *top);

#endif
