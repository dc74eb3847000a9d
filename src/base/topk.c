/* Keeps the k best of a stream of scores in a binary heap. Equal scores are ordered by id, so the
 * result does not depend on the order of arrival. */
#include "base/topk.h"

static int worse(const struct topk *top, size_t a, size_t b)
{
    if (top->score[a] != top->score[b]) return top->score[a] < top->score[b];
    return top->id[a] > top->id[b];
}

static void swap(struct topk *top, size_t a, size_t b)
{
    float score = top->score[a];
    uint32_t id = top->id[a];
    top->score[a] = top->score[b];
    top->id[a] = top->id[b];
    top->score[b] = score;
    top->id[b] = id;
}

static void sift_down(struct topk *top, size_t at, size_t count)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) return;
        if (child + 1 < count && worse(top, child + 1, child)) child++;
        if (!worse(top, child, at)) return;
        swap(top, child, at);
        at = child;
    }
}

void topk_insert(struct topk *top, float score, uint32_t id)
{
    if (top->count < top->limit) {
        size_t at = top->count++;
        top->score[at] = score;
        top->id[at] = id;
        for (; at > 0 && worse(top, at, (at - 1) / 2); at = (at - 1) / 2)
            swap(top, at, (at - 1) / 2);
        return;
    }
    if (score < top->score[0] || (score == top->score[0] && id > top->id[0])) return;
    top->score[0] = score;
    top->id[0] = id;
    sift_down(top, 0, top->count);
}

void topk_finish(struct topk *top)
{
    for (size_t left = top->count; left > 1; left--) { /* move the worst to the end */
        swap(top, 0, left - 1);
        sift_down(top, 0, left - 1);
    }
}
