/* Evaluates a sum of depth-2 regression trees stored as plain arrays, and checks arrays from a
 * file. learn/boosting.c learns them. */
#include "pair/trees.h"
#include "base/mem.h"
#include "base/threads.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* Tree t is added to partial sum t % LANES, whatever the vector width of the machine. So one row,
 * many rows and every kernel give the same bits. trees_sum_rows processes ROWS rows together; their
 * values (ROWS x features floats) stay in the first-level cache. */
enum { LANES = 16, ROWS = TREE_ROWS };

/* ---- the arrays ---- */

enum { PLANES = 2 * TREE_SPLITS + 2 * TREE_LEAVES };

static float *own_floats(struct trees *trees, size_t plane)
{
    return (float *)((int32_t *)trees->block + plane * trees->count);
}

film_status trees_init(struct trees *trees, size_t count, film_error *error)
{
    memset(trees, 0, sizeof *trees);
    int32_t *block = mem_zeroed(count, PLANES * sizeof *block);
    if (!block) return status_no_memory(error);
    trees->block = block;
    trees->count = count;
    trees->feature = block;
    trees->cut = own_floats(trees, TREE_SPLITS);
    trees->leaf = own_floats(trees, 2 * TREE_SPLITS);
    trees->cover = own_floats(trees, 2 * TREE_SPLITS + TREE_LEAVES);
    for (size_t i = 0; i < TREE_SPLITS * count; i++) block[i] = -1;
    return FILM_OK;
}

void trees_free(struct trees *trees)
{
    if (trees->block) mem_free(trees->block);
    memset(trees, 0, sizeof *trees);
}

void trees_set(struct trees *trees, size_t number, const struct tree *tree)
{
    size_t n = trees->count;
    int32_t *feature = trees->block;
    float *cut = own_floats(trees, TREE_SPLITS), *leaf = own_floats(trees, 2 * TREE_SPLITS);
    float *cover = leaf + TREE_LEAVES * n;
    for (size_t i = 0; i < TREE_SPLITS; i++) {
        feature[i * n + number] = tree->feature[i];
        cut[i * n + number] = tree->cut[i];
    }
    for (size_t i = 0; i < TREE_LEAVES; i++) {
        leaf[i * n + number] = tree->leaf[i];
        cover[i * n + number] = tree->cover[i];
    }
}

void trees_get(const struct trees *trees, size_t number, struct tree *tree)
{
    size_t n = trees->count;
    for (size_t i = 0; i < TREE_SPLITS; i++) {
        tree->feature[i] = trees->feature[i * n + number];
        tree->cut[i] = trees->cut[i * n + number];
    }
    for (size_t i = 0; i < TREE_LEAVES; i++) {
        tree->leaf[i] = trees->leaf[i * n + number];
        tree->cover[i] = trees->cover[i * n + number];
    }
}

/* ---- checking ---- */

static const char *split_problem(const struct tree *tree, size_t feature_count)
{
    for (int i = 0; i < TREE_SPLITS; i++) {
        int32_t feature = tree->feature[i];
        if (feature < -1 || (feature >= 0 && (size_t)feature >= feature_count))
            return "split on a feature that does not exist";
        if (!isfinite(tree->cut[i])) return "cut is not a finite number";
    }
    if (tree->feature[0] < 0 && (tree->feature[1] >= 0 || tree->feature[2] >= 0))
        return "children without a root";
    return NULL;
}

static const char *leaf_problem(const struct tree *tree)
{
    for (int i = 0; i < TREE_LEAVES; i++) {
        if (!isfinite(tree->leaf[i])) return "leaf is not a finite number";
        if (!isfinite(tree->cover[i]) || tree->cover[i] < 0)
            return "cover is negative or not a finite number";
    }
    /* An unreachable leaf with a cover would distort the means that reasons are relative to. */
    const float *cover = tree->cover;
    if ((tree->feature[1] < 0 && cover[1] > 0) || (tree->feature[2] < 0 && cover[3] > 0) ||
        (tree->feature[0] < 0 && cover[2] > 0))
        return "cover at an unreachable leaf";
    return NULL;
}

film_status trees_check(const struct trees *trees, size_t feature_count, const char *where,
                        film_error *error)
{
    if (feature_count == 0 || feature_count > INT32_MAX)
        return status_set(error, FILM_BAD_INPUT, "%s: trees: invalid feature count %zu", where,
                          feature_count);
    for (size_t i = 0; i < trees->count; i++) {
        struct tree tree;
        trees_get(trees, i, &tree);
        const char *problem = split_problem(&tree, feature_count);
        if (!problem) problem = leaf_problem(&tree);
        if (problem)
            return status_set(error, FILM_BAD_INPUT, "%s: tree %zu: %s; train the model again",
                              where, i, problem);
    }
    return FILM_OK;
}

/* ---- one row ---- */

/* The cut of a missing split: every finite value is below it. A blend, because masking the result
 * of the comparison made gcc 12 branch. */
static inline float cut_value(int32_t feature, float cut)
{
    return feature < 0 ? INFINITY : cut;
}

/* The value that is compared with it; a missing split reads value 0. */
static inline float feature_value(int32_t feature, const float *x)
{
    int32_t at = feature < 0 ? 0 : feature;
    return x[at];
}

unsigned trees_leaf(const struct trees *trees, size_t number, const float *x)
{
    size_t n = trees->count;
    const int32_t *feature = trees->feature + number;
    const float *cut = trees->cut + number;
    unsigned root = !(feature_value(feature[0], x) < cut_value(feature[0], cut[0]));
    unsigned low = !(feature_value(feature[n], x) < cut_value(feature[n], cut[n]));
    unsigned high = !(feature_value(feature[2 * n], x) < cut_value(feature[2 * n], cut[2 * n]));
    return 2 * root + (root & high) + (~root & low);
}

/* Adds the partial sums by halves, in the fixed order that both callers share. */
static inline double add_lanes(double *lane)
{
    for (int half = LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++) lane[i] += lane[i + half];
    return lane[0];
}

/* lane[i] += the leaf of tree START + i, for COUNT <= LANES trees. 400 trees take 0.8 us on a Zen
 * 4. There, vector gathers are no faster than the three loads per tree that the compiler
 * generates. */
static inline __attribute__((always_inline)) void add_trees(const struct trees *trees, size_t start,
                                                            size_t count, const float *x,
                                                            double *lane)
{
    size_t n = trees->count;
    const int32_t *feature0 = trees->feature + start, *feature1 = feature0 + n,
                  *feature2 = feature1 + n;
    const float *cut0 = trees->cut + start, *cut1 = cut0 + n, *cut2 = cut1 + n;
    const float *leaf0 = trees->leaf + start, *leaf1 = leaf0 + n, *leaf2 = leaf1 + n,
                *leaf3 = leaf2 + n;
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        float root = feature_value(feature0[i], x), root_cut = cut_value(feature0[i], cut0[i]);
        float low = feature_value(feature1[i], x), low_cut = cut_value(feature1[i], cut1[i]);
        float high = feature_value(feature2[i], x), high_cut = cut_value(feature2[i], cut2[i]);
        /* All four leaves are read: contiguous loads and blends are cheaper than a gather. */
        float a = leaf0[i], b = leaf1[i], c = leaf2[i], d = leaf3[i];
        float left = low < low_cut ? a : b, right = high < high_cut ? c : d;
        lane[i] += (double)(root < root_cut ? left : right);
    }
}

VEC_KERNEL double trees_sum(const struct trees *trees, const float *x)
{
    double lane[LANES] = {0};
    size_t rest = trees->count % LANES, whole = trees->count - rest;
    for (size_t start = 0; start < whole; start += LANES) add_trees(trees, start, LANES, x, lane);
    add_trees(trees, whole, rest, x, lane);
    return add_lanes(lane);
}

/* ---- many rows ---- */

/* A split over ROWS rows: the values, and the cut; a missing split has an infinite cut. */
struct split {
    const float *x; /* ROWS values of the feature */
    float cut;
};

static inline struct split split_of(const struct trees *trees, size_t place, const float *columns)
{
    int32_t feature = trees->feature[place];
    if (feature < 0) return (struct split){columns, INFINITY};
    return (struct split){columns + (size_t)feature * ROWS, trees->cut[place]};
}

/* COLUMNS is features x ROWS: adjacent rows are adjacent in memory, so no gather is needed. That is
 * why many rows are faster than one. */
VEC_KERNEL static void sum_block(const struct trees *trees, const float *columns, double *out)
{
    double lane[LANES][ROWS] = {{0}};
    size_t n = trees->count;
    for (size_t t = 0; t < n; t++) {
        struct split root = split_of(trees, t, columns), low = split_of(trees, n + t, columns),
                     high = split_of(trees, 2 * n + t, columns);
        const float *leaf = trees->leaf + t;
        float leaf0 = leaf[0], leaf1 = leaf[n], leaf2 = leaf[2 * n], leaf3 = leaf[3 * n];
        double *sum = lane[t % LANES];
#pragma omp simd
        for (size_t i = 0; i < ROWS; i++) {
            float left = low.x[i] < low.cut ? leaf0 : leaf1;
            float right = high.x[i] < high.cut ? leaf2 : leaf3;
            sum[i] += (double)(root.x[i] < root.cut ? left : right);
        }
    }
    for (size_t i = 0; i < ROWS; i++) {
        double one[LANES];
        for (size_t j = 0; j < LANES; j++) one[j] = lane[j][i];
        out[i] = add_lanes(one);
    }
}

void trees_sum_block(const struct trees *trees, const float *x, size_t rows, size_t features,
                     float *columns, double *out)
{
    double sum[ROWS];
    if (rows < 4) { /* a block costs as much as about four single rows */
        for (size_t i = 0; i < rows; i++) out[i] = trees_sum(trees, x + i * features);
        return;
    }
    /* After the last row, the columns hold old values or zeros: computed, but not used. */
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < features; j++) columns[j * ROWS + i] = x[i * features + j];
    sum_block(trees, columns, sum);
    memcpy(out, sum, rows * sizeof *out);
}

/* Rows that several threads sum. */
struct summing {
    const struct trees *trees;
    const float *x;
    size_t features;
    char *scratch; /* ROWS x features floats of each thread */
    double *out;
};

/* A chunk is one block of ROWS. */
static film_status sum_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct summing *job = user;
    size_t features = job->features, begin, end;
    size_t room = features * ROWS * sizeof(float);
    float *columns = (float *)(job->scratch + (size_t)worker->number * room);
    (void)error;
    while (threads_next(worker, &begin, &end))
        trees_sum_block(job->trees, job->x + begin * features, end - begin, features, columns,
                        job->out + begin);
    return FILM_OK;
}

film_status trees_sum_rows(const struct trees *trees, const float *x, size_t rows, size_t features,
                           int threads, double *out, film_error *error)
{
    size_t blocks = rows / ROWS + (rows % ROWS != 0), room;
    threads = threads_count(threads);
    if ((size_t)threads > blocks) threads = blocks ? (int)blocks : 1;
    if (__builtin_mul_overflow(features, ROWS * sizeof(float), &room))
        return status_no_memory(error);
    struct summing job = {trees, x, features, mem_zeroed((size_t)threads, room), out};
    if (!job.scratch) return status_no_memory(error);
    film_status status = threads_for(threads, rows, ROWS, sum_some, &job, error);
    mem_free(job.scratch);
    return status;
}
