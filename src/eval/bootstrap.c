/* Percentile intervals of the bootstrap (Efron). Rows are drawn with replacement by a seeded
 * generator; the result does not depend on the number of threads. */
#include "eval/bootstrap.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int rising(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Interpolates linearly, like numpy.percentile. */
static double percentile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t low = (size_t)at;
    if (low + 1 >= count) return sorted[count - 1];
    return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

/* Ignores resamples in which the figure is undefined (one class only). */
static void take_interval(const double (*value)[MEASURES], size_t resamples, int measure,
                          double *sorted, double interval[2])
{
    size_t count = 0;
    for (size_t r = 0; r < resamples; r++)
        if (!isnan(value[r][measure])) sorted[count++] = value[r][measure];
    interval[0] = interval[1] = NAN;
    if (count == 0) return;
    sort_array(sorted, count, sizeof *sorted, rising);
    interval[0] = percentile(sorted, count, 0.025);
    interval[1] = percentile(sorted, count, 0.975);
}

/* One model, or two to compute the difference of. */
struct subject {
    const struct measures *first, *second;
};

/* Scratch space of one thread: per row of the file, and twice per sorted row. */
struct scratch {
    uint32_t *drawn, *weight;
    double *ranks;
};

static film_status scratch_init(struct scratch *scratch, size_t count, film_error *error)
{
    scratch->drawn = mem_array(count, sizeof *scratch->drawn);
    scratch->weight = mem_array(count, sizeof *scratch->weight);
    scratch->ranks = mem_array(count, sizeof *scratch->ranks);
    return scratch->drawn && scratch->weight && scratch->ranks ? FILM_OK : status_no_memory(error);
}

static void scratch_free(struct scratch *scratch)
{
    mem_free(scratch->drawn);
    mem_free(scratch->weight);
    mem_free(scratch->ranks);
}

/* Computes the figures of one model on the drawn rows. Each model has its own order of rows. */
static void compute_drawn(const struct measures *measures, const struct scratch *scratch,
                          double value[MEASURES])
{
    for (size_t i = 0; i < measures->count; i++)
        scratch->weight[i] = scratch->drawn[measures->row[i]];
    measures_compute(measures, scratch->weight, scratch->ranks, value);
}

static void resample(const struct bootstrap *bootstrap, const struct subject *subject, size_t r,
                     const struct scratch *scratch, double value[MEASURES])
{
    size_t count = subject->first->count;
    double other[MEASURES];
    struct rng rng;
    rng_seed_part(&rng, bootstrap->seed, r);
    memset(scratch->drawn, 0, count * sizeof *scratch->drawn);
    for (size_t i = 0; i < count; i++) scratch->drawn[rng_below(&rng, count)]++;
    compute_drawn(subject->first, scratch, value);
    if (!subject->second) return;
    compute_drawn(subject->second, scratch, other);
    for (int m = 0; m < MEASURES; m++) value[m] -= other[m];
}

struct resampling {
    const struct bootstrap *bootstrap;
    const struct subject *subject;
    double (*value)[MEASURES]; /* by resample */
    size_t done;
};

/* The calling thread reports progress. */
static film_status resample_some(struct threads_worker *worker, void *user, film_error *error)
{
    struct resampling *job = user;
    const struct bootstrap *bootstrap = job->bootstrap;
    struct scratch scratch;
    size_t r, end;
    film_status status = scratch_init(&scratch, job->subject->first->count, error);
    while (status == FILM_OK && threads_next(worker, &r, &end)) {
        size_t count = end - r;
        for (; r < end; r++) resample(bootstrap, job->subject, r, &scratch, job->value[r]);
        size_t done = __atomic_add_fetch(&job->done, count, __ATOMIC_RELAXED);
        if (worker->number == 0)
            status = progress_report(&bootstrap->progress, "intervals", (double)done,
                                     (double)bootstrap->resamples, error);
    }
    scratch_free(&scratch);
    return status;
}

static film_status intervals(const struct bootstrap *bootstrap, const struct subject *subject,
                             double interval[MEASURES][2], film_error *error)
{
    film_status status = FILM_OK;
    double(*value)[MEASURES] = NULL, *sorted = NULL;
    for (int m = 0; m < MEASURES; m++) interval[m][0] = interval[m][1] = NAN;
    if (bootstrap->resamples == 0 || subject->first->count == 0) return FILM_OK;
    TRY_ALLOC(value = mem_array(bootstrap->resamples, sizeof *value), error);
    TRY_ALLOC(sorted = mem_array(bootstrap->resamples, sizeof *sorted), error);
    struct resampling job = {bootstrap, subject, value, 0};
    TRY(threads_for(threads_count(bootstrap->threads), bootstrap->resamples, 8, resample_some, &job,
                    error));
    for (int m = 0; m < MEASURES; m++)
        take_interval((const double(*)[MEASURES])value, bootstrap->resamples, m, sorted,
                      interval[m]);
done:
    mem_free(value);
    mem_free(sorted);
    return status;
}

film_status bootstrap_measures(const struct bootstrap *bootstrap, const struct measures *measures,
                               double interval[MEASURES][2], film_error *error)
{
    const struct subject subject = {measures, NULL};
    return intervals(bootstrap, &subject, interval, error);
}

film_status bootstrap_difference(const struct bootstrap *bootstrap, const struct measures *first,
                                 const struct measures *second, double interval[MEASURES][2],
                                 film_error *error)
{
    const struct subject subject = {first, second};
    return intervals(bootstrap, &subject, interval, error);
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
