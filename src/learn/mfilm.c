/* M-FILM: FILM on mini-batches. The objective is film_problem.c's, loaded with one batch after the
 * other, with a running average of K. learn_mfilm.c makes the batches. */
#include "learn/mfilm.h"
#include "base/mem.h"
#include "base/threads.h"
#include "la/blas.h"
#include "la/svd.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* The newest batch's share never falls below this, so that K follows P: a batch's Lambda belongs to
 * the P of its time, and after twenty steps P has changed. */
static const double least_share = 0.05;

/* ---- One basis for all batches ---- */

struct learner {
    struct film_problem problem;
    const struct mfilm_source *source;
    size_t batches, anchors; /* included in K */
};

/* Adds the next batch to K. The first one is already in, because the margin was computed with
 * it. */
static film_status next_batch(void *self, const double *p, int *changed, film_error *error)
{
    film_status status = FILM_OK;
    struct learner *l = self;
    struct mfilm_batch batch;
    if (l->batches++ > 0) {
        double share = fmax(1.0 / sqrt((double)l->batches), least_share);
        TRY(l->source->next(l->source->self, &batch, error));
        TRY(film_problem_load(&l->problem, batch.v, l->problem.stride, batch.triplets, batch.weight,
                              share, error));
    }
    film_problem_refresh(&l->problem, p);
    l->anchors += l->problem.anchors;
    *changed = 1;
done:
    return status;
}

static film_status evaluate_mfilm(void *self, const double *p, double *f, double *gradient,
                                  film_error *error)
{
    struct learner *l = self;
    (void)error;
    *f = film_problem_value(&l->problem, p, gradient);
    return FILM_OK;
}

film_status mfilm_learn(const struct mfilm_source *source, size_t rank, const float *sigma,
                        const struct film_learn_options *options, struct film_learned *out,
                        film_error *error)
{
    film_status status = FILM_OK;
    struct learner learner = {.source = source};
    struct film_learn_options mine = *options;
    struct mfilm_batch first;
    int threads = threads_count(options->threads);
    size_t r;
    blas_begin();
    *out = (struct film_learned){0};
    mine.solver.epsilon = mine.solver.least_change = 0.0; /* one batch cannot show convergence */
    mine.solver.persist = 1;
    TRY(film_check(rank, sigma, options, &r, error));
    status = source->next(source->self, &first, error);
    if (status == FILM_END) status = film_no_triplets(error);
    TRY(status);
    struct film_space space = {r,       options->dim,          sigma, options->power,
                               threads, options->hinge_weights};
    TRY(film_problem_init(&learner.problem, &space, first.v, rank, first.triplets, error));
    film_problem_weigh(&learner.problem, first.weight);
    struct stiefel_problem view = {&learner, r, options->dim, evaluate_mfilm, next_batch};
    status = film_learn_on(&learner.problem, &view, &mine, out, error);
    out->anchors = learner.anchors;
done:
    film_problem_free(&learner.problem);
    blas_end();
    return status;
}

/* ---- One basis per batch, as published ---- */

struct averager {
    size_t rank, features, batches; /* batches used so far */
    const struct film_learn_options *options;
    float *map;   /* features x d: the average */
    float *fresh; /* the map of the current batch */
    struct film_iteration *history;
    size_t history_capacity;
    double margin; /* of the first batch */
};

/* Projects the current map into a batch's basis: L = sqrt(S) P' Sigma^-p U' gives P sqrt(S) =
 * Sigma^p U' L', which is then orthonormalised. */
static film_status project_map(const struct averager *m, const struct svd *svd, double **p,
                               film_error *error)
{
    film_status status = FILM_OK;
    size_t r = svd->rank, d = m->options->dim;
    float *product = NULL;
    blas_begin();
    TRY_ALLOC(product = mem_array(r * d, sizeof *product), error);
    TRY_ALLOC(*p = mem_array(r * d, sizeof **p), error);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)r, (int)d, (int)m->features, 1.0f,
                svd->u, (int)r, m->map, (int)d, 0.0f, product, (int)d);
    for (size_t i = 0; i < r * d; i++)
        (*p)[i] = pow((double)svd->sigma[i / d], m->options->power) * (double)product[i];
    TRY(film_orthonormalise(r, d, *p, error));
done:
    blas_end();
    mem_free(product);
    return status;
}

/* Takes one step in the batch's own basis and averages its map in. */
static film_status average_step(struct averager *m, const struct svd *svd,
                                const struct triplets *triplets, struct film_learned *out,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct film_learn_options one = *m->options;
    double *start = NULL;
    one.report = NULL;
    one.judge = NULL; /* it expects P in a different basis */
    one.solver.iterations = 1;
    one.solver.epsilon = 0.0;
    one.margin = m->margin;
    if (m->batches > 0) TRY(project_map(m, svd, &start, error));
    one.start_p = start;
    film_learned_free(out);
    TRY(film_learn(svd->v, svd->rank, svd->sigma, triplets, &one, out, error));
    struct film_basis basis = {svd->u, m->features, svd->rank, svd->sigma};
    TRY(film_map(out, &basis, one.threads, m->fresh, error));
    m->margin = out->margin;
    m->batches++;
    float share = (float)(1.0 / sqrt((double)m->batches));
    for (size_t i = 0; i < m->features * out->dim; i++)
        m->map[i] = (1.0f - share) * m->map[i] + share * m->fresh[i];
    TRY_ALLOC(mem_grow((void **)&m->history, &m->history_capacity, m->batches, sizeof *m->history),
              error);
    m->history[m->batches - 1] =
        out->history ? out->history[0] : (struct film_iteration){.f = out->f};
done:
    mem_free(start);
    return status;
}

static film_status average_batch(struct averager *m, const struct mfilm_batch *batch,
                                 struct film_learned *out, film_error *error)
{
    film_status status = FILM_OK;
    const struct film_learn_options *o = m->options;
    struct svd svd = {0};
    struct svd_options wanted = {
        .rank = m->rank, .seed = o->seed, .threads = threads_count(o->threads)};
    TRY(svd_compute(batch->x, &wanted, &svd, error));
    if (svd.rank < o->dim) goto done;
    TRY(average_step(m, &svd, batch->triplets, out, error));
    if (o->report && o->report(o->user, m->batches, &m->history[m->batches - 1]))
        TRY(status_set(error, FILM_CANCELLED, "stopped during optimisation"));
done:
    svd_free(&svd);
    return status;
}

film_status mfilm_average(const struct mfilm_source *source, size_t rank, size_t features,
                          const struct film_learn_options *options, float *map,
                          struct film_learned *out, film_error *error)
{
    film_status status = FILM_OK;
    struct averager m = {.rank = rank,
                         .features = features,
                         .options = options,
                         .map = map,
                         .margin = options->margin};
    struct mfilm_batch batch;
    size_t anchors = 0;
    *out = (struct film_learned){0};
    memset(map, 0, features * options->dim * sizeof *map);
    TRY_ALLOC(m.fresh = mem_array(features * options->dim, sizeof *m.fresh), error);
    while (m.batches < options->solver.iterations) {
        status = source->next(source->self, &batch, error);
        if (status == FILM_END) break;
        TRY(status);
        anchors += batch.triplets->anchors;
        TRY(average_batch(&m, &batch, out, error));
    }
    status = m.batches ? FILM_OK : film_no_triplets(error);
done:
    mem_free(m.fresh);
    if (status == FILM_OK) {
        mem_free(out->history);
        out->history = m.history;
        out->anchors = anchors;
        out->solver.iterations = m.batches;
        out->solver.stop = STIEFEL_DATA;
    } else {
        mem_free(m.history);
        film_learned_free(out);
    }
    return status;
}
