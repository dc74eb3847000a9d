/* Pairwise kNN, the paper's decision: two sentences are similar when each is among the other's k
 * nearest (mutual), or when one of them is (either). Swept over a range of k.
 *
 * One search up to the largest k gives, for each pair, the smallest k from which it counts as
 * similar (its depth). A histogram of the depths by label then holds every k of the sweep. */
#ifndef EVAL_KNN_H
#define EVAL_KNN_H

#include "la/flat.h"
#include "film_train.h"

/* Pairs of sentences, by number, with labels of 0 or 1. */
struct labelled_ids {
    const uint32_t *a, *b;
    const float *label;
    size_t count;
};

/* One k. Rates are NaN where the file has no such pairs. */
struct knn_point {
    size_t k;
    uint64_t tp, fp, tn, fn;
    double p_similar, p_other; /* share of true pairs among those called similar; among the rest */
    double cross_entropy, accuracy, tpr, tnr, fpr, fnr;
};

struct knn_curve {
    uint32_t *depth; /* by pair; above the last k: never similar */
    struct knn_point *points;
    size_t best, elbow; /* indices into points */
};

struct knn {
    size_t pairs, first, last, points; /* k = first .. last */
    struct knn_curve curve[FILM_KNN_COUNT];
};

struct knn_range {
    size_t first, last; /* of k */
};

/* SENTENCES: normalised vectors, each distinct sentence once. A sentence is not its own neighbour;
 * a pair of a sentence with itself has depth 0. */
film_status knn_sweep(struct knn *knn, const struct flat *sentences,
                      const struct labelled_ids *pairs, struct knn_range range, int threads,
                      const film_progress *progress, film_error *error);
void knn_free(struct knn *knn);

/* Returns the point farthest from the straight line between the first and the last; the lowest one
 * with fewer than three points. */
size_t knn_elbow(const struct knn_point *points, size_t count);

#endif
