/* Computes covers: every row descends every tree and adds its weight to the leaf it reaches. Trees
 * are trained in boosting.c and evaluated in pair/trees.c. */
#include "learn/trees_cover.h"
#include "base/mem.h"
#include "la/openmp.h"

film_status trees_cover(struct trees *trees, const struct boosting_data *data, size_t features,
                        int threads, film_error *error)
{
    size_t n = trees->count;
    double *sum = mem_zeroed(n, TREE_LEAVES * sizeof *sum); /* n x 4 */
    if (!sum) return status_no_memory(error);
    threads = openmp_use(threads);
    /* One thread owns each tree and reads all rows in order: no sum depends on the threads. */
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int part = 0; part < threads; part++) {
        size_t first = n * (size_t)part / (size_t)threads;
        size_t last = n * (size_t)(part + 1) / (size_t)threads;
        for (size_t i = 0; i < data->rows; i++)
            for (size_t t = first; t < last; t++)
                sum[TREE_LEAVES * t + trees_leaf(trees, t, boosting_row(data, i, features))] +=
                    data->weight ? (double)data->weight[i] : 1.0;
    }
    for (size_t t = 0; t < n; t++) {
        struct tree tree;
        trees_get(trees, t, &tree);
        for (size_t i = 0; i < TREE_LEAVES; i++) tree.cover[i] = (float)sum[TREE_LEAVES * t + i];
        trees_set(trees, t, &tree);
    }
    mem_free(sum);
    return FILM_OK;
}
