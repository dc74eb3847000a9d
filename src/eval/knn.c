/* The paper's pairwise decision (Tang & Aw 2020): two sentences are similar when they are among
 * each other's k nearest. Sweeps over k. */
#include "eval/knn.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

void knn_free(struct knn *knn)
{
    for (int v = 0; v < FILM_KNN_COUNT; v++) {
        mem_free(knn->curve[v].depth);
        mem_free(knn->curve[v].points);
    }
    memset(knn, 0, sizeof *knn);
}

/* ---- Depths ---- */

/* Returns the rank of TARGET among the neighbours, from 1; k + 1 when it is not among them. */
static uint32_t rank_of(const uint32_t *neighbours, size_t k, uint32_t target)
{
    size_t i = 0;
    while (i < k && neighbours[i] != target) i++;
    return (uint32_t)(i + 1);
}

/* The K nearest neighbours of every sentence. */
struct neighbours {
    uint32_t *of; /* sentences x k */
    size_t k;
};

/* Returns the rank of TO among the neighbours of FROM. It is 0 for a sentence itself, and beyond
 * the last k of the sweep where TO is not among them. */
static uint32_t depth_of(const struct knn *knn, const struct neighbours *near, uint32_t from,
                         uint32_t to)
{
    if (from == to) return 0;
    uint32_t at = rank_of(near->of + from * near->k, near->k, to);
    return at > near->k ? (uint32_t)knn->last + 1 : at; /* k is less than last in a small file */
}

static void find_depths(struct knn *knn, const struct neighbours *near,
                        const struct labelled_ids *pairs)
{
    for (size_t i = 0; i < knn->pairs; i++) {
        uint32_t forth = depth_of(knn, near, pairs->a[i], pairs->b[i]);
        uint32_t back = depth_of(knn, near, pairs->b[i], pairs->a[i]);
        knn->curve[FILM_KNN_MUTUAL].depth[i] = forth > back ? forth : back;
        knn->curve[FILM_KNN_EITHER].depth[i] = forth < back ? forth : back;
    }
}

/* ---- Figures of one k ---- */

static double log_share(uint64_t count, double share)
{
    return count ? (double)count * log(share) : 0;
}

static struct knn_point make_point(size_t k, uint64_t tp, uint64_t fp, uint64_t positives,
                                   uint64_t negatives)
{
    struct knn_point p = {.k = k, .tp = tp, .fp = fp, .tn = negatives - fp, .fn = positives - tp};
    double total = (double)(positives + negatives);
    p.p_similar = (double)(p.tp + 1) / (double)(p.tp + p.fp + 2);
    p.p_other = (double)(p.fn + 1) / (double)(p.fn + p.tn + 2);
    p.cross_entropy = -(log_share(p.tp, p.p_similar) + log_share(p.fp, 1 - p.p_similar) +
                        log_share(p.fn, p.p_other) + log_share(p.tn, 1 - p.p_other)) /
                      total;
    p.accuracy = (double)(p.tp + p.tn) / total;
    p.tpr = positives ? (double)p.tp / (double)positives : NAN;
    p.fnr = positives ? (double)p.fn / (double)positives : NAN;
    p.tnr = negatives ? (double)p.tn / (double)negatives : NAN;
    p.fpr = negatives ? (double)p.fp / (double)negatives : NAN;
    return p;
}

static size_t lowest(const struct knn_point *points, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (points[i].cross_entropy < points[best].cross_entropy) best = i;
    return best;
}

/* The farthest point does not depend on the scale of the axes: the distance to the line is a cross
 * product of two vectors, divided by a constant. */
size_t knn_elbow(const struct knn_point *points, size_t count)
{
    if (count < 3) return lowest(points, count);
    const struct knn_point *first = &points[0], *last = &points[count - 1];
    double run = (double)(last->k - first->k), rise = last->cross_entropy - first->cross_entropy;
    double farthest = 0;
    size_t elbow = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        double x = (double)(points[i].k - first->k);
        double y = points[i].cross_entropy - first->cross_entropy;
        double distance = fabs(run * y - rise * x);
        if (distance > farthest) {
            farthest = distance;
            elbow = i;
        }
    }
    return elbow;
}

static film_status compute_curve(struct knn *knn, struct knn_curve *curve, const float *label,
                                 film_error *error)
{
    film_status status = FILM_OK;
    uint64_t passed[2] = {0, 0}, total[2] = {0, 0};
    uint64_t(*found)[2] = mem_zeroed(knn->last + 2, sizeof *found); /* by depth and label */
    TRY_ALLOC(found, error);
    TRY_ALLOC(curve->points = mem_array(knn->points, sizeof *curve->points), error);
    for (size_t i = 0; i < knn->pairs; i++) {
        int same = label[i] >= 0.5f;
        found[curve->depth[i]][same]++;
        total[same]++;
    }
    for (size_t k = 0; k <= knn->last; k++) {
        passed[0] += found[k][0];
        passed[1] += found[k][1];
        if (k >= knn->first)
            curve->points[k - knn->first] = make_point(k, passed[1], passed[0], total[1], total[0]);
    }
    curve->best = lowest(curve->points, knn->points);
    curve->elbow = knn_elbow(curve->points, knn->points);
done:
    mem_free(found);
    return status;
}

film_status knn_sweep(struct knn *knn, const struct flat *sentences,
                      const struct labelled_ids *pairs, struct knn_range range, int threads,
                      const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    size_t others = sentences->count ? sentences->count - 1 : 0;
    struct flat_queries all = {.count = sentences->count};
    struct neighbours near = {.k = range.last < others ? range.last : others};
    *knn = (struct knn){.pairs = pairs->count, .first = range.first, .last = range.last};
    if (range.first == 0 || range.first > range.last || range.last > UINT32_MAX - 2)
        return status_set(error, FILM_USAGE,
                          "invalid range of k; it starts at 1 or more and does not decrease");
    knn->points = range.last - range.first + 1;
    TRY_ALLOC(near.of = mem_array(sentences->count * near.k, sizeof *near.of), error);
    for (int v = 0; v < FILM_KNN_COUNT; v++)
        TRY_ALLOC(knn->curve[v].depth = mem_array(pairs->count, sizeof(uint32_t)), error);
    TRY(flat_search(sentences, &all, near.k, threads, progress, &(struct nearest){.id = near.of},
                    error));
    find_depths(knn, &near, pairs);
    for (int v = 0; v < FILM_KNN_COUNT; v++)
        TRY(compute_curve(knn, &knn->curve[v], pairs->label, error));
done:
    mem_free(near.of);
    if (status != FILM_OK) knn_free(knn);
    return status;
}
