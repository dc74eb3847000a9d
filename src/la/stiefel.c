/* Minimises a function over orthonormal matrices: Cayley curve and Barzilai-Borwein steps (Wen &
 * Yin 2013). It does not know the problem. */
#include "la/stiefel.h"
#include "base/mem.h"
#include "base/threads.h"
#include "la/blas.h"
#include "la/dense.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

void stiefel_defaults(struct stiefel_options *options)
{
    *options = (struct stiefel_options){
        .rho = 1e-4,
        .gamma = 0.85,
        .shrink = 0.2,
        .refresh_every = 1,
        .first_tau = 1e-3,
        .least_tau = 1e-20,
        .most_tau = 1e20,
        .epsilon = 1e-5,
        .least_change = 1e-7,
        .window = 5,
        .iterations = 500,
        .backtracks = 60,
        .most_defect = 1e-11,
        .form = STIEFEL_AUTO,
        .threads = 1,
    };
}

const char *stiefel_stop_name(enum stiefel_stop stop)
{
    static const char *const names[] = {"gradient", "change",    "iterations",
                                        "search",   "cancelled", "end of data"};
    return names[stop];
}

/* ---- The Cayley curve through P against the gradient G ---- */

struct cayley {
    size_t r, d;
    int threads, full;
    double scale;  /* ||G|| / sqrt(d): the blocks below hold G / scale, see cayley_prepare */
    double *m;     /* r x 2d: [G, P]; r x r form: A, r x r */
    double *ntm;   /* 2d x 2d: N'M */
    double *ntp;   /* 2d x d: N'P */
    double *left;  /* the linear system for one tau, overwritten by LAPACK */
    double *right; /* its right-hand side, then its solution */
    double *pg;    /* d x d: P'G */
    double *gg;    /* d x d: G'G */
    int *pivots;
};

static void cayley_free(struct cayley *c)
{
    mem_free(c->m), mem_free(c->ntm), mem_free(c->ntp), mem_free(c->left);
    mem_free(c->right), mem_free(c->pg), mem_free(c->gg), mem_free(c->pivots);
}

static film_status cayley_init(struct cayley *c, size_t r, size_t d, enum stiefel_form form,
                               int threads, film_error *error)
{
    film_status status = FILM_OK;
    *c = (struct cayley){.r = r, .d = d, .threads = threads};
    c->full = form == STIEFEL_FULL || (form == STIEFEL_AUTO && 2 * d > r);
    size_t side = c->full ? r : 2 * d;
    TRY_ALLOC(c->m = mem_array(r * side, sizeof(double)), error);
    TRY_ALLOC(c->left = mem_array(side * side, sizeof(double)), error);
    TRY_ALLOC(c->right = mem_array(side * d, sizeof(double)), error);
    TRY_ALLOC(c->pivots = mem_array(side, sizeof(int)), error);
    if (c->full) goto done;
    TRY_ALLOC(c->ntm = mem_array(side * side, sizeof(double)), error);
    TRY_ALLOC(c->ntp = mem_array(side * d, sizeof(double)), error);
    TRY_ALLOC(c->pg = mem_array(d * d, sizeof(double)), error);
    TRY_ALLOC(c->gg = mem_array(d * d, sizeof(double)), error);
done:
    return status;
}

struct full_curve {
    struct cayley *c;
    const double *p, *g;
};

/* A = G P' - P G', r x r: rows I .. END. Only for small r, so plain loops are fast enough. */
static void prepare_full(size_t i, size_t end, void *user)
{
    const struct full_curve *job = user;
    const double *p = job->p, *g = job->g;
    size_t r = job->c->r, d = job->c->d;
    for (; i < end; i++)
        for (size_t j = 0; j < r; j++)
            job->c->m[i * r + j] =
                dense_dot(g + i * d, p + j * d, d) - dense_dot(p + i * d, g + j * d, d);
}

/* Computes what does not depend on tau. A = GP' - PG' is linear in G, so G / scale with tau * scale
 * gives the same curve. Without scaling, N'M would mix numbers as large as G'G with numbers as
 * large as P'P, and a step would lose half its digits when ||G|| is far from 1. */
static void cayley_prepare(struct cayley *c, const double *p, const double *g)
{
    size_t r = c->r, d = c->d, dd = 2 * d;
    if (c->full) {
        c->scale = 1.0;
        threads_each(c->threads, r, 16, prepare_full, &(struct full_curve){c, p, g});
        return;
    }
    c->scale = sqrt(dense_dot(g, g, r * d) / (double)d);
    if (!(c->scale > 0.0)) c->scale = 1.0;
    double inverse = 1.0 / c->scale;
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < d; j++) {
            c->m[i * dd + j] = inverse * g[i * d + j];
            c->m[i * dd + d + j] = p[i * d + j];
        }
    dense_transposed_times((struct dense_shape){d, d, r}, inverse, p, g, 0.0, c->pg, c->threads);
    dense_transposed_times((struct dense_shape){d, d, r}, inverse * inverse, g, g, 0.0, c->gg,
                           c->threads);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            double one = i == j ? 1.0 : 0.0; /* P'P = I */
            c->ntm[i * dd + j] = c->pg[i * d + j];
            c->ntm[i * dd + d + j] = one;
            c->ntm[(d + i) * dd + j] = -c->gg[i * d + j];
            c->ntm[(d + i) * dd + d + j] = -c->pg[j * d + i];
            c->ntp[i * d + j] = one;
            c->ntp[(d + i) * d + j] = -c->pg[j * d + i]; /* -G'P */
        }
}

static film_status solve(struct cayley *c, size_t side, film_error *error)
{
    int info = LAPACKE_dgesv(LAPACK_ROW_MAJOR, (int)side, (int)c->d, c->left, (int)side, c->pivots,
                             c->right, (int)c->d);
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return status_no_memory(error);
    /* info > 0 means a singular system. With a skew A only an overflow can cause it. The caller
     * sees values that are not finite and shortens the step. */
    if (info != 0) memset(c->right, 0xff, side * c->d * sizeof(double));
    return FILM_OK;
}

/* OUT = P(tau) on the prepared curve. */
static film_status cayley_step(struct cayley *c, const double *p, double tau, double *out,
                               film_error *error)
{
    film_status status = FILM_OK;
    size_t r = c->r, d = c->d, side = c->full ? r : 2 * d;
    double t = tau * c->scale;
    const double *system = c->full ? c->m : c->ntm;
    for (size_t i = 0; i < side * side; i++) c->left[i] = 0.5 * t * system[i];
    for (size_t i = 0; i < side; i++) c->left[i * side + i] += 1.0;
    if (c->full) {
        memcpy(c->right, p, r * d * sizeof *p);
        dense_times((struct dense_shape){r, d, r}, -0.5 * t, c->m, p, 1.0, c->right, c->threads);
        TRY(solve(c, side, error));
        memcpy(out, c->right, r * d * sizeof *out);
    } else {
        memcpy(c->right, c->ntp, side * d * sizeof *c->right);
        TRY(solve(c, side, error));
        memcpy(out, p, r * d * sizeof *out);
        dense_times((struct dense_shape){r, d, side}, -t, c->m, c->right, 1.0, out, c->threads);
    }
done:
    return status;
}

film_status stiefel_cayley(size_t rows, size_t cols, const struct stiefel_line *line,
                           enum stiefel_form form, double *out, film_error *error)
{
    film_status status = FILM_OK;
    struct cayley curve;
    TRY(cayley_init(&curve, rows, cols, form, 1, error));
    cayley_prepare(&curve, line->p, line->gradient);
    TRY(cayley_step(&curve, line->p, line->tau, out, error));
done:
    cayley_free(&curve);
    return status;
}

/* ---- Staying on the manifold ---- */

double stiefel_defect(size_t rows, size_t cols, const double *p, double *scratch, int threads)
{
    dense_transposed_times((struct dense_shape){cols, cols, rows}, 1.0, p, p, 0.0, scratch,
                           threads);
    for (size_t i = 0; i < cols; i++) scratch[i * cols + i] -= 1.0;
    return sqrt(dense_dot(scratch, scratch, cols * cols));
}

/* P <- P (I - E/2), E = P'P - I: the first term of P (P'P)^-1/2, the nearest orthonormal matrix.
 * Each round squares the defect, so one or two are enough. Unlike QR, it does not rotate P. */
static double restore_orthogonality(struct cayley *c, double *p, double *copy, double *scratch)
{
    size_t r = c->r, d = c->d;
    double defect = 1.0;
    for (int round = 0; round < 8; round++) {
        defect = stiefel_defect(r, d, p, scratch, c->threads);
        if (!(defect < 1.0) || defect < 1e-13 * (double)d) break;
        memcpy(copy, p, r * d * sizeof *p);
        dense_times((struct dense_shape){r, d, d}, -0.5, copy, scratch, 1.0, p, c->threads);
    }
    return defect;
}

/* ---- The loop ---- */

struct state {
    const struct stiefel_problem *problem;
    const struct stiefel_options *options;
    struct stiefel_result *result;
    size_t r, d, size;
    struct cayley curve;
    double *p, *p_old;       /* r x d each, like all below */
    double *g, *g_old;       /* gradients under the current data */
    double *flow, *flow_old; /* F(P), F(P_old) */
    double *trial, *g_trial;
    double *small;               /* d x d */
    double f, reference, weight; /* f(P), Zhang-Hager's C and Q */
    size_t still;                /* consecutive steps that hardly changed f */
    double defect;               /* of the last trial */
    int moved;                   /* P_old is set */
};

static film_status evaluate_at(struct state *s, const double *p, double *f, double *g,
                               film_error *error)
{
    s->result->evaluations++;
    return s->problem->evaluate(s->problem->self, p, f, g, error);
}

/* OUT = F(P) = G - P (G'P). */
static void flow_of(struct state *s, const double *p, const double *g, double *out)
{
    dense_transposed_times((struct dense_shape){s->d, s->d, s->r}, 1.0, g, p, 0.0, s->small,
                           s->options->threads);
    memcpy(out, g, s->size * sizeof *out);
    dense_times((struct dense_shape){s->r, s->d, s->d}, -1.0, p, s->small, 1.0, out,
                s->options->threads);
}

/* Lets the problem change its data at P; afterwards f, the reference value and both gradients
 * belong to the new data. */
static film_status refresh_problem(struct state *s, film_error *error)
{
    film_status status = FILM_OK;
    int changed = 0;
    if (s->problem->refresh) TRY(s->problem->refresh(s->problem->self, s->p, &changed, error));
    if (!changed) goto done;
    double before = s->f, unused;
    TRY(evaluate_at(s, s->p, &s->f, s->g, error));
    s->reference += s->f - before;
    if (s->moved) TRY(evaluate_at(s, s->p_old, &unused, s->g_old, error));
done:
    return status;
}

/* Barzilai-Borwein step length: alternates between the two formulas. */
static double step_length(const struct state *s, size_t iteration)
{
    const struct stiefel_options *o = s->options;
    double pp = 0.0, pf = 0.0, ff = 0.0;
    for (size_t i = 0; i < s->size; i++) {
        double dp = s->p[i] - s->p_old[i], df = s->flow[i] - s->flow_old[i];
        pp += dp * dp, pf += dp * df, ff += df * df;
    }
    pf = fabs(pf);
    double tau = iteration % 2 == 0 ? pp / pf : pf / ff;
    if (!isfinite(tau) || tau <= 0.0) return o->first_tau;
    return fmin(fmax(tau, o->least_tau), o->most_tau);
}

/* Shortens *TAU until the trial point satisfies the line search. The point is then in trial,
 * g_trial and *F_TRIAL. */
static film_status line_search(struct state *s, double *tau, double slope, double *f_trial,
                               size_t *backtracks, int *found, film_error *error)
{
    film_status status = FILM_OK;
    const struct stiefel_options *o = s->options;
    cayley_prepare(&s->curve, s->p, s->g);
    *found = 0;
    for (*backtracks = 0; *backtracks <= o->backtracks; ++*backtracks, *tau *= o->shrink) {
        TRY(cayley_step(&s->curve, s->p, *tau, s->trial, error));
        s->defect = stiefel_defect(s->r, s->d, s->trial, s->small, o->threads);
        if (!(s->defect < 0.5)) continue; /* overflow: the step is far too long */
        if (s->defect > o->most_defect) {
            s->defect = restore_orthogonality(&s->curve, s->trial, s->g_trial, s->small);
            s->result->repairs++;
        }
        TRY(evaluate_at(s, s->trial, f_trial, s->g_trial, error));
        if (*f_trial <= s->reference - o->rho * *tau * slope) {
            *found = 1;
            break;
        }
    }
done:
    return status;
}

static void swap_vectors(double **a, double **b)
{
    double *keep = *a;
    *a = *b;
    *b = keep;
}

/* The trial point becomes P, P becomes P_old. */
static void accept(struct state *s, double f_trial)
{
    const struct stiefel_options *o = s->options;
    swap_vectors(&s->p_old, &s->p), swap_vectors(&s->p, &s->trial);
    swap_vectors(&s->g_old, &s->g), swap_vectors(&s->g, &s->g_trial);
    s->still = fabs(f_trial - s->f) < o->least_change * fabs(s->f) ? s->still + 1 : 0;
    s->f = f_trial;
    double weight = o->gamma * s->weight + 1.0;
    s->reference = (o->gamma * s->weight * s->reference + s->f) / weight;
    s->weight = weight;
    s->moved = 1;
    if (s->defect > s->result->defect) s->result->defect = s->defect;
}

/* Returns whether the last step ends the run, and sets the reason in the result. */
static int was_last(struct state *s)
{
    const struct stiefel_options *o = s->options;
    int still = s->still > 0 && s->still >= o->window;
    s->result->stop = still ? STIEFEL_CHANGE : STIEFEL_ITERATIONS;
    return still || s->result->iterations >= o->iterations;
}

/* Runs one iteration. *STOP becomes 1 when it was the last; the result then has the reason. */
static film_status iterate(struct state *s, size_t iteration, int *stop, film_error *error)
{
    film_status status = FILM_OK;
    const struct stiefel_options *o = s->options;
    struct stiefel_step step = {.iteration = iteration};
    int found;
    double f_trial = 0.0;
    *stop = 1;
    s->result->stop = STIEFEL_DATA;
    if ((iteration - 1) % o->refresh_every == 0) status = refresh_problem(s, error);
    if (status == FILM_END) return FILM_OK;
    TRY(status);
    flow_of(s, s->p, s->g, s->flow);
    double slope = dense_dot(s->flow, s->flow, s->size);
    s->result->gradient = step.gradient = sqrt(slope);
    s->result->stop = STIEFEL_GRADIENT;
    if (step.gradient < o->epsilon) goto done;
    step.tau = o->first_tau;
    if (s->moved) {
        flow_of(s, s->p_old, s->g_old, s->flow_old);
        step.tau = step_length(s, iteration);
    }
    step.reference = s->reference;
    TRY(line_search(s, &step.tau, slope, &f_trial, &step.backtracks, &found, error));
    s->result->backtracks += step.backtracks;
    s->result->stop = STIEFEL_SEARCH;
    if (!found && !o->persist) goto done;
    if (found)
        accept(s, f_trial);
    else
        step.tau = 0.0;
    s->result->iterations = iteration;
    step.f = s->f, step.defect = s->defect, step.p = s->p;
    s->result->stop = STIEFEL_CANCELLED;
    if (o->report && o->report(o->user, &step))
        TRY(status_set(error, FILM_CANCELLED, "stopped during optimisation"));
    *stop = was_last(s);
done:
    return status;
}

static film_status state_init(struct state *s, film_error *error)
{
    film_status status = FILM_OK;
    double **arrays[] = {&s->p,    &s->p_old,    &s->g,     &s->g_old,
                         &s->flow, &s->flow_old, &s->trial, &s->g_trial};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        TRY_ALLOC(*arrays[i] = mem_array(s->size, sizeof(double)), error);
    TRY_ALLOC(s->small = mem_array(s->d * s->d, sizeof(double)), error);
    TRY(cayley_init(&s->curve, s->r, s->d, s->options->form, s->options->threads, error));
done:
    return status;
}

static void state_free(struct state *s)
{
    double *arrays[] = {s->p,        s->p_old, s->g,       s->g_old, s->flow,
                        s->flow_old, s->trial, s->g_trial, s->small};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(arrays[i]);
    cayley_free(&s->curve);
}

/* Starts from the caller's P. */
static film_status begin_descent(struct state *s, const double *p, film_error *error)
{
    memcpy(s->p, p, s->size * sizeof *p);
    if (!(restore_orthogonality(&s->curve, s->p, s->trial, s->small) < 1e-10))
        return status_set(error, FILM_USAGE, "start: its columns are not orthonormal");
    s->weight = 1.0;
    film_status status = evaluate_at(s, s->p, &s->f, s->g, error);
    s->reference = s->f;
    return status;
}

film_status stiefel_minimise(const struct stiefel_problem *problem,
                             const struct stiefel_options *options, double *p,
                             struct stiefel_result *result, film_error *error)
{
    film_status status = FILM_OK;
    size_t r = problem->rows, d = problem->cols;
    struct state s = {.problem = problem, .options = options, .result = result, .r = r, .d = d};
    blas_begin();
    *result = (struct stiefel_result){.stop = STIEFEL_ITERATIONS};
    if (d == 0 || d > r || r > 100000)
        TRY(status_set(error, FILM_USAGE, "%zu orthonormal vectors of length %zu do not exist", d,
                       r));
    s.size = r * d;
    TRY(state_init(&s, error));
    TRY(begin_descent(&s, p, error));
    int stop = was_last(&s);
    for (size_t k = 1; !stop && status == FILM_OK; k++) status = iterate(&s, k, &stop, error);
done:
    if (s.p && (status == FILM_OK || status == FILM_CANCELLED)) {
        memcpy(p, s.p, s.size * sizeof *p);
        result->f = s.f;
    }
    state_free(&s);
    blas_end();
    return status;
}
