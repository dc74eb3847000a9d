#include "eval/bootstrap.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static int rising(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Between two values in proportion, as numpy.percentile does. */
static double percentile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t low = (size_t)at;
    if (low + 1 >= count) return sorted[count - 1];
    return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

/* Resamples in which the figure is not defined (one class only) are left out. */
static void take_interval(const double (*value)[MEASURES], size_t resamples, int measure,
                          double *sorted, double interval[2])
{
    size_t count = 0;
    for (size_t r = 0; r < resamples; r++)
        if (!isnan(value[r][measure])) sorted[count++] = value[r][measure];
    interval[0] = interval[1] = NAN;
    if (count == 0) return;
    qsort(sorted, count, sizeof *sorted, rising);
    interval[0] = percentile(sorted, count, 0.025);
    interval[1] = percentile(sorted, count, 0.975);
}

static void resample(const struct bootstrap *bootstrap, const struct measures *measures, size_t r,
                     uint32_t *weight, double *ranks, double value[MEASURES])
{
    struct rng rng;
    rng_seed_part(&rng, bootstrap->seed, r);
    memset(weight, 0, measures->count * sizeof *weight);
    for (size_t i = 0; i < measures->count; i++) weight[rng_below(&rng, measures->count)]++;
    measures_compute(measures, weight, ranks, value);
}

static film_status run(const struct bootstrap *bootstrap, const struct measures *measures,
                       double (*value)[MEASURES], film_error *error)
{
    film_status status = FILM_OK;
    int threads = threads_use(bootstrap->threads), stop = 0;
    size_t done = 0;
    if ((size_t)threads > bootstrap->resamples) threads = (int)bootstrap->resamples;
#pragma omp parallel num_threads(threads)
    {
        film_error own_error;
        film_status own = FILM_OK;
        uint32_t *weight = mem_array(measures->count, sizeof *weight);
        double *ranks = mem_array(measures->count, sizeof *ranks);
        if (!weight || !ranks) own = status_no_memory(&own_error);
        if (own != FILM_OK) __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
#pragma omp for schedule(dynamic, 8)
        for (size_t r = 0; r < bootstrap->resamples; r++) {
            if (__atomic_load_n(&stop, __ATOMIC_RELAXED)) continue;
            resample(bootstrap, measures, r, weight, ranks, value[r]);
            size_t finished = __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
            if (omp_get_thread_num() == 0)
                own = progress_report(&bootstrap->progress, "intervals", (double)finished,
                                      (double)bootstrap->resamples, &own_error);
            if (own != FILM_OK) __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        }
        if (own != FILM_OK) {
#pragma omp critical
            status = status_set(error, own, "%s", own_error.message);
        }
        mem_free(weight);
        mem_free(ranks);
    }
    return status;
}

film_status bootstrap_measures(const struct bootstrap *bootstrap, const struct measures *measures,
                               double interval[MEASURES][2], film_error *error)
{
    film_status status = FILM_OK;
    double(*value)[MEASURES] = NULL, *sorted = NULL;
    for (int m = 0; m < MEASURES; m++) interval[m][0] = interval[m][1] = NAN;
    if (bootstrap->resamples == 0 || measures->count == 0) return FILM_OK;
    TRY_ALLOC(value = mem_array(bootstrap->resamples, sizeof *value), error);
    TRY_ALLOC(sorted = mem_array(bootstrap->resamples, sizeof *sorted), error);
    TRY(run(bootstrap, measures, value, error));
    for (int m = 0; m < MEASURES; m++)
        take_interval((const double(*)[MEASURES])value, bootstrap->resamples, m, sorted,
                      interval[m]);
done:
    mem_free(value);
    mem_free(sorted);
    return status;
}

film_status bootstrap_share(const struct bootstrap *bootstrap, const unsigned char *right,
                            size_t count, double interval[2], film_error *error)
{
    film_status status = FILM_OK;
    struct measures measures = {0};
    double all[MEASURES][2];
    double *score = mem_zeroed(count, sizeof *score);
    float *label = mem_array(count, sizeof *label);
    TRY_ALLOC(score && label, error);
    for (size_t i = 0; i < count; i++) label[i] = 1.0f;
    TRY(measures_init(&measures, 1u << MEASURE_ACCURACY, score, label, right, count, error));
    TRY(bootstrap_measures(bootstrap, &measures, all, error));
    memcpy(interval, all[MEASURE_ACCURACY], sizeof all[MEASURE_ACCURACY]);
done:
    mem_free(score);
    mem_free(label);
    measures_free(&measures);
    return status;
}
