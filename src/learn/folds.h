/* Cross-validation folds that share no question.
 *
 * Whatever was learned from labels (evidence, maps) may enter the next stage of learning only
 * through pairs it has not seen (out-of-fold, as in stacking); otherwise that stage would trust it
 * too much. So everything is learned FOLDS times, each time without one fold, and then scores that
 * fold's pairs. Sentences are partitioned so that rows connected through questions stay together,
 * because an unseen file shares no question with the training data. Where nearly all rows are
 * connected (a FAQ with a negative pair between any two neighbouring entries), only positive rows
 * connect. Records whose rows are nearly all connected come from tables that the next pairs come
 * from too: there, pairs are partitioned. (WDC cameras, F1 at the stored threshold, five folds of
 * train: 85.2 by positive rows, 87.0 by pairs.) With categories every question is separate: there,
 * new sentences are compared with known ones. */
#ifndef LEARN_FOLDS_H
#define LEARN_FOLDS_H

#include "learn/corpus.h"

struct folds {
    size_t count;
    unsigned char *of; /* by sentence id */
    int by_pair;       /* pairs are partitioned, not sentences; `of` is not used for them */
};

film_status folds_partition(struct folds *folds, const struct corpus *corpus, size_t count,
                            uint64_t seed, film_error *error);
void folds_free(struct folds *folds);

/* A pair is scored by the fold of its first sentence. It is trained on by the folds that contain
 * neither of its sentences. BY_PAIR: it is scored by its own fold and trained on by all others. */
static inline size_t folds_of_pair(const struct folds *folds, uint32_t a, uint32_t b)
{
    uint64_t pair = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    if (!folds->by_pair) return folds->of[a];
    pair = (pair ^ pair >> 32) * 0xff51afd7ed558ccdu;
    return (pair >> 33) % folds->count;
}

static inline int folds_touches(const struct folds *folds, size_t fold, uint32_t a, uint32_t b)
{
    if (folds->by_pair) return folds_of_pair(folds, a, b) == fold;
    return folds->of[a] == fold || folds->of[b] == fold;
}

/* REST = the rows of CORPUS that train without FOLD, with the same sentences and ids. It is a view:
 * it owns its rows, and CORPUS owns the sentences. Free with folds_rest_free. */
film_status folds_rest(const struct folds *folds, const struct corpus *corpus, size_t fold,
                       struct corpus *rest, film_error *error);
void folds_rest_free(struct corpus *rest);

#endif
