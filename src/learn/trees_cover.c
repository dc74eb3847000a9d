/* Computes covers: every row descends every tree and adds its weight to the leaf it reaches. Trees
 * are trained in boosting.c and evaluated in pair/trees.c. */
#include "learn/trees_cover.h"
#include "base/mem.h"
#include "base/threads.h"

struct cover_job {
    const struct trees *trees;
    const struct boosting_data *data;
    size_t features;
    double *sum; /* trees x leaves */
};

/* One thread owns each tree and reads all rows in order: no sum depends on the threads. */
static void cover_some(size_t first, size_t end, void *user)
{
    const struct cover_job *job = user;
    const struct boosting_data *data = job->data;
    for (size_t i = 0; i < data->rows; i++)
        for (size_t t = first; t < end; t++)
            job->sum[TREE_LEAVES * t +
                     trees_leaf(job->trees, t, boosting_row(data, i, job->features))] +=
                data->weight ? (double)data->weight[i] : 1.0;
}

film_status trees_cover(struct trees *trees, const struct boosting_data *data, size_t features,
                        int threads, film_error *error)
{
    size_t n = trees->count;
    double *sum = mem_zeroed(n, TREE_LEAVES * sizeof *sum); /* n x 4 */
    struct cover_job job = {trees, data, features, sum};
    if (!sum) return status_no_memory(error);
    threads = threads_count(threads);
    threads_each(threads, n, n / (size_t)threads + 1, cover_some, &job);
    for (size_t t = 0; t < n; t++) {
        struct tree tree;
        trees_get(trees, t, &tree);
        for (size_t i = 0; i < TREE_LEAVES; i++) tree.cover[i] = (float)sum[TREE_LEAVES * t + i];
        trees_set(trees, t, &tree);
    }
    mem_free(sum);
    return FILM_OK;
}
