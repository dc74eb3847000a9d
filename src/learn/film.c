/* FILM's training (the algorithm of Tang & Aw 2020): start, margin, solver with early stopping, and
 * L from P and s (34). The objective is in film_problem.c, the solver in la/stiefel.c. */
#include "learn/film.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "la/blas.h"
#include "la/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

void film_learn_defaults(struct film_learn_options *options)
{
    *options = (struct film_learn_options){.dim = 100,
                                           .power = 0.5,
                                           .margin_ratio = 1.0,
                                           .margin_sample = 4096,
                                           .margin_rounds = 10,
                                           .start = FILM_START_RANDOM};
    stiefel_defaults(&options->solver);
    options->solver.iterations = 100;
}

void film_learned_free(struct film_learned *learned)
{
    mem_free(learned->p), mem_free(learned->s), mem_free(learned->k), mem_free(learned->history);
    *learned = (struct film_learned){0};
}

/* ---- Start ---- */

static film_status lapack_status(int info, const char *what, film_error *error)
{
    if (info == 0) return FILM_OK;
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return status_no_memory(error);
    return status_set(error, FILM_BAD_INPUT,
                      "%s does not converge; check that all values are finite", what);
}

film_status film_orthonormalise(size_t rows, size_t cols, double *a, film_error *error)
{
    film_status status = FILM_OK;
    double *scales = NULL, *signs = NULL;
    int m = (int)rows, n = (int)cols;
    TRY_ALLOC(scales = mem_array(cols, sizeof *scales), error);
    TRY_ALLOC(signs = mem_array(cols, sizeof *signs), error);
    TRY(lapack_status(LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, m, n, a, n, scales), "QR", error));
    for (size_t c = 0; c < cols; c++) signs[c] = a[c * cols + c] < 0.0 ? -1.0 : 1.0;
    TRY(lapack_status(LAPACKE_dorgqr(LAPACK_ROW_MAJOR, m, n, n, a, n, scales), "QR", error));
    for (size_t i = 0; i < rows * cols; i++) a[i] *= signs[i % cols];
done:
    mem_free(scales), mem_free(signs);
    return status;
}

/* P = [Q; 0], where Q is the d x d orthonormal factor of a normal random matrix. */
static film_status random_start(size_t r, size_t d, uint64_t seed, double *p, film_error *error)
{
    struct rng rng;
    memset(p, 0, r * d * sizeof *p);
    rng_seed(&rng, seed);
    for (size_t i = 0; i < d * d; i++) p[i] = rng_normal(&rng);
    return film_orthonormalise(d, d, p, error);
}

/* P = the orthonormal factor of a normal random r x d matrix, which is uniform on St(d, r); then s,
 * uniform on [0, 1). The next refresh takes this s. */
static film_status uniform_start(struct film_problem *q, uint64_t seed, double *p,
                                 film_error *error)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < q->rank * q->dim; i++) p[i] = rng_normal(&rng);
    for (size_t c = 0; c < q->dim; c++) q->s[c] = rng_uniform(&rng);
    q->given_s = 1;
    return film_orthonormalise(q->rank, q->dim, p, error);
}

/* P = the eigenvectors of H's d largest eigenvalues: the optimal P while Lambda = I. */
static film_status eigen_start(const struct film_problem *q, double *p, film_error *error)
{
    film_status status = FILM_OK;
    int r = (int)q->rank, d = (int)q->dim, found;
    double *h = NULL, *values = NULL;
    int *support = NULL;
    TRY_ALLOC(h = mem_array(q->rank * q->rank, sizeof *h), error);
    TRY_ALLOC(values = mem_array(q->rank, sizeof *values), error);
    TRY_ALLOC(support = mem_array(2 * q->dim, sizeof *support), error);
    memcpy(h, q->h, q->rank * q->rank * sizeof *h);
    TRY(lapack_status(LAPACKE_dsyevr(LAPACK_ROW_MAJOR, 'V', 'I', 'U', r, h, r, 0.0, 0.0, r - d + 1,
                                     r, 0.0, &found, values, p, d, support),
                      "the eigenvalue problem", error));
    if (found != d)
        TRY(status_set(error, FILM_BAD_INPUT, "found only %d of %d eigenvectors", found, d));
done:
    mem_free(h), mem_free(values), mem_free(support);
    return status;
}

static film_status starting_point(struct film_problem *q, const struct film_learn_options *o,
                                  double *p, film_error *error)
{
    if (o->start_p) memcpy(p, o->start_p, q->rank * q->dim * sizeof *p);
    if (o->start_p) return FILM_OK;
    if (o->start == FILM_START_EIGEN) return eigen_start(q, p, error);
    if (o->start == FILM_START_UNIFORM) return uniform_start(q, o->seed, p, error);
    return random_start(q->rank, q->dim, o->seed, p, error);
}

/* Sets m = ratio * mean |y|^2. |y|^2 depends on s, s on Lambda, and Lambda on m, so the rounds
 * repeat until m is stable. Afterwards Lambda, H and s belong to m. */
static void set_margin(struct film_problem *q, const struct film_learn_options *o, const double *p)
{
    if (o->margin > 0.0) {
        q->margin = o->margin;
        /* else Lambda follows in the first iteration */
        if (!q->given_s) film_problem_refresh(q, p);
        return;
    }
    for (size_t round = 0; round < o->margin_rounds; round++) {
        double before = q->margin;
        q->margin = o->margin_ratio * film_problem_mean_square(q, p, o->margin_sample, o->seed + 1);
        /* refresh computes s from the old K first; so the first Lambda belongs to s = mu(k(I)), not
         * to s = 1. One round later there is no difference. */
        size_t changed = film_problem_refresh(q, p);
        if (changed == 0 || fabs(q->margin - before) < 1e-4 * q->margin) break;
    }
}

/* ---- History ---- */

struct recorder {
    struct film_learned *out;
    struct film_problem *problem;
    const struct film_learn_options *options;
    size_t capacity;
    film_status status; /* of what record did, which can only ask the solver to stop */
    film_error error;
    double *s;   /* d: of the current point */
    double best; /* the judge's accuracy at the best point */
    size_t best_at;
    double *best_p, *best_s; /* r x d; d; NULL without a judge */
};

/* rec->s = the weights of the columns at P. */
static void weigh_columns(struct recorder *rec, const double *p)
{
    film_problem_k(rec->problem, p, rec->s);
    for (size_t c = 0; c < rec->problem->dim; c++)
        rec->s[c] = film_problem_weight(rec->problem, rec->s[c]);
}

/* Validates P and rec->s with the judge and stores them when they are the best so far. */
static double validate_point(struct recorder *rec, size_t iteration, const double *p)
{
    const struct film_learn_options *o = rec->options;
    const struct film_problem *q = rec->problem;
    if (!o->judge || iteration % o->solver.refresh_every != 0) return 0.0;
    double verdict = o->judge(o->user, p, rec->s);
    if (iteration == 0 || verdict > rec->best) {
        memcpy(rec->best_p, p, q->rank * q->dim * sizeof *p);
        memcpy(rec->best_s, rec->s, q->dim * sizeof *p);
        rec->best = verdict;
        rec->best_at = iteration;
    }
    return verdict;
}

/* Adds an iteration to the history. */
static film_status measure_step(struct recorder *rec, const struct stiefel_step *step,
                                struct film_iteration *now, film_error *error)
{
    film_status status = FILM_OK;
    void *history = rec->out->history;
    *now = (struct film_iteration){.f = step->f,
                                   .gradient = step->gradient,
                                   .tau = step->tau,
                                   .active = (double)rec->problem->active_count,
                                   .backtracks = (double)step->backtracks};
    weigh_columns(rec, step->p);
    now->judged = validate_point(rec, step->iteration, step->p);
    TRY(film_hinge_loss_measure(rec->problem, step->p, rec->s, &now->hinge, &now->satisfied,
                                error));
    TRY_ALLOC(mem_grow(&history, &rec->capacity, step->iteration, sizeof *now), error);
    rec->out->history = history;
    rec->out->history[step->iteration - 1] = *now;
done:
    return status;
}

static int record(void *user, const struct stiefel_step *step)
{
    struct recorder *rec = user;
    const struct film_learn_options *o = rec->options;
    struct film_iteration now;
    rec->status = measure_step(rec, step, &now, &rec->error);
    if (rec->status != FILM_OK) return 1;
    return o->report && o->report(o->user, step->iteration, &now);
}

/* Computes the starting point and the margin, and validates the point. */
static film_status prepare_start(struct recorder *rec, film_error *error)
{
    film_status status = FILM_OK;
    const struct film_learn_options *o = rec->options;
    struct film_learned *out = rec->out;
    if (o->judge) {
        TRY_ALLOC(rec->best_p = mem_array(out->rank * out->dim, sizeof *out->p), error);
        TRY_ALLOC(rec->best_s = mem_array(out->dim, sizeof *out->s), error);
    }
    TRY_ALLOC(rec->s = mem_array(out->dim, sizeof *out->s), error);
    TRY(starting_point(rec->problem, o, out->p, error));
    set_margin(rec->problem, o, out->p);
    rec->problem->refreshes = 0;
    weigh_columns(rec, out->p);
    validate_point(rec, 0, out->p);
done:
    return status;
}

static void recorder_free(struct recorder *rec)
{
    mem_free(rec->best_p);
    mem_free(rec->best_s);
    mem_free(rec->s);
}

/* ---- Learning ---- */

film_status film_check(size_t rank, const float *sigma, const struct film_learn_options *o,
                       size_t *usable, film_error *error)
{
    *usable = rank;
    if (sigma)
        for (*usable = 0; *usable < rank && sigma[*usable] > 1e-5f * sigma[0];) ++*usable;
    if (!sigma && o->power != 1.0)
        return status_set(error, FILM_USAGE, "a power other than 1 needs the singular values");
    if (o->dim == 0 || o->dim > *usable)
        return status_set(error, FILM_USAGE,
                          "dim %zu is not possible with data of rank %zu; choose 1 to %zu", o->dim,
                          *usable, *usable);
    return FILM_OK;
}

film_status film_no_triplets(film_error *error)
{
    return status_set(error, FILM_USAGE,
                      "no triplets; add labels of both kinds, same and different");
}

/* Computes the final measures: s from k, dead columns, counts. */
static void compute_measures(struct film_problem *q, struct film_learned *out)
{
    double mean = 0.0;
    film_problem_k(q, out->p, out->k);
    for (size_t c = 0; c < q->dim; c++) {
        out->s[c] = film_problem_weight(q, out->k[c]);
        mean += fabs(out->k[c]) / (double)q->dim;
    }
    for (size_t c = 0; c < q->dim; c++) out->dead += out->k[c] < 0.01 * mean;
    out->f = film_problem_value(q, out->p, NULL);
    out->margin = q->margin;
    out->active = q->active_count;
    out->updates = q->updates;
    out->full_updates = q->full_updates;
}

film_status film_learn_on(struct film_problem *problem, const struct stiefel_problem *view,
                          const struct film_learn_options *options, struct film_learned *out,
                          film_error *error)
{
    film_status status = FILM_OK;
    struct recorder recorder = {.out = out, .problem = problem, .options = options};
    struct stiefel_options solver = options->solver;
    size_t r = out->rank = problem->rank, d = out->dim = problem->dim;
    out->power = options->power;
    TRY_ALLOC(out->p = mem_array(r * d, sizeof *out->p), error);
    TRY_ALLOC(out->s = mem_array(d, sizeof *out->s), error);
    TRY_ALLOC(out->k = mem_array(d, sizeof *out->k), error);
    solver.threads = problem->threads;
    solver.report = record;
    solver.user = &recorder;
    TRY(prepare_start(&recorder, error));
    status = stiefel_minimise(view, &solver, out->p, &out->solver, error);
    if (recorder.status != FILM_OK) {
        if (error) *error = recorder.error;
        status = recorder.status;
    }
    TRY(status);
    compute_measures(problem, out);
    out->best = out->solver.iterations;
    if (options->judge) {
        memcpy(out->p, recorder.best_p, r * d * sizeof *out->p);
        memcpy(out->s, recorder.best_s, d * sizeof *out->s);
        out->best = recorder.best_at;
    }
done:
    recorder_free(&recorder);
    if (status != FILM_OK) film_learned_free(out);
    return status;
}

film_status film_learn(const float *v, size_t rank, const float *sigma,
                       const struct triplets *triplets, const struct film_learn_options *options,
                       struct film_learned *out, film_error *error)
{
    film_status status = FILM_OK;
    struct film_problem problem = {0};
    int threads = threads_count(options->threads);
    size_t r;
    blas_begin();
    *out = (struct film_learned){0};
    TRY(film_check(rank, sigma, options, &r, error));
    struct film_space space = {r,       options->dim,          sigma, options->power,
                               threads, options->hinge_weights};
    TRY(film_problem_init(&problem, &space, v, rank, triplets, error));
    if (problem.anchors == 0) TRY(film_no_triplets(error));
    problem.damped = options->damped;
    out->anchors = problem.anchors;
    struct stiefel_problem view = film_problem_stiefel(&problem);
    status = film_learn_on(&problem, &view, options, out, error);
done:
    film_problem_free(&problem);
    blas_end();
    return status;
}

/* ---- The map of the features ---- */

film_status film_map(const struct film_learned *learned, const struct film_basis *basis,
                     int threads, float *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t r = learned->rank, d = learned->dim;
    float *inner = NULL; /* r x d: Sigma^-p P sqrt(S) */
    threads = threads_count(threads);
    TRY_ALLOC(inner = mem_array(r * d, sizeof *inner), error);
    for (size_t i = 0; i < r; i++)
        for (size_t c = 0; c < d; c++)
            inner[i * d + c] = (float)(pow((double)basis->sigma[i], -learned->power) *
                                       learned->p[i * d + c] * sqrt(learned->s[c]));
    dense_rows_times((struct dense_shape){basis->features, d, r}, basis->u, basis->stride, inner,
                     out, threads);
done:
    mem_free(inner);
    return status;
}
