/* Parts of the training data that do not know each other.
 *
 * What was learned from labels (evidence, maps) may enter the next stage of learning only
 * through pairs it has not seen, or that stage would trust it too much. So everything is learned
 * FOLDS times, each time without one fold, and the pairs of that fold are scored by it.
 * Sentences are dealt to folds so that rows connected through questions stay together, as an
 * unseen file shares no question with the training. Where nearly all rows are connected (a FAQ
 * in which every entry is told apart from the next), only positive rows connect. Of categories
 * every question stands by itself: they are used to compare new sentences with known ones. */
#ifndef LEARN_FOLDS_H
#define LEARN_FOLDS_H

#include "learn/corpus.h"

struct folds {
    size_t count;
    unsigned char *of; /* by sentence id */
};

film_status folds_partition(struct folds *folds, const struct corpus *corpus, size_t count,
                            uint64_t seed, film_error *error);
void folds_free(struct folds *folds);

/* A pair is scored by the fold of its first sentence, and learned from by the folds that have
 * neither. */
static inline size_t folds_of_pair(const struct folds *folds, uint32_t a)
{
    return folds->of[a];
}

static inline int folds_touches(const struct folds *folds, size_t fold, uint32_t a, uint32_t b)
{
    return folds->of[a] == fold || folds->of[b] == fold;
}

/* The rows of CORPUS that learn without FOLD, with the same sentences and ids: a view whose rows
 * are its own and whose sentences belong to CORPUS. Free with folds_rest_free. */
film_status folds_rest(const struct folds *folds, const struct corpus *corpus, size_t fold,
                       struct corpus *rest, film_error *error);
void folds_rest_free(struct corpus *rest);

#endif
