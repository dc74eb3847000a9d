/* Minimises a function over the Stiefel manifold St(d, r) = {P (r x d) : P'P = I}.
 *
 * Steps follow the Cayley curve (Wen & Yin 2013; equation 313 of the paper), with Barzilai-Borwein
 * step lengths and Zhang & Hager's non-monotone line search. The optimiser does not know the
 * problem, but it knows that the problem's fixed data may change between two steps (in FILM: the
 * active hinges, Lambda). A line search must never compare a value under the new data with one
 * under the old. Therefore `refresh` is a separate call. After it, f is recomputed at the same
 * point, the reference value moves by the difference, and both gradients of a Barzilai-Borwein
 * difference are recomputed under the new data.
 *
 * With G the gradient, A = G P' - P G' (skew), F(P) = A P = G - P G' P:
 *
 *     P(tau) = (I + tau/2 A)^-1 (I - tau/2 A) P                                   r x r form
 *            = P - tau M (I + tau/2 N'M)^-1 N'P,   M = [G, P], N = [P, -G]        2d x 2d form
 *
 * Cost per trial: one evaluation of f, and O(r d^2 + d^3) or O(r^3). Memory: 8 (10 r d + 8 d^2)
 * bytes, and 8 (2 r^2 + r d) more in the r x r form. */
#ifndef LA_STIEFEL_H
#define LA_STIEFEL_H

#include "base/status.h"

#include <stdint.h>

struct stiefel_problem {
    void *self;
    size_t rows, cols; /* r and d; d <= r */
    /* Computes f(P) under the current data and, unless GRADIENT is NULL, its gradient (r x d). */
    film_status (*evaluate)(void *self, const double *p, double *f, double *gradient,
                            film_error *error);
    /* Updates the fixed data at the current point P. Sets *CHANGED when f may now be a different
     * function. Returns FILM_END when there are no more data. NULL means
     * that the data never change. */
    film_status (*refresh)(void *self, const double *p, int *changed, film_error *error);
};

/* One iteration, reported after it. */
struct stiefel_step {
    size_t iteration; /* from 1 */
    double f;         /* after the step */
    double reference; /* C, the bound of the line search */
    double gradient;  /* ||F(P)|| where the step started */
    double tau;       /* the accepted step length */
    size_t backtracks;
    double defect;   /* ||P'P - I||, Frobenius, after the step */
    const double *p; /* r x d, the new point; valid during the report only */
};

enum stiefel_form { STIEFEL_AUTO, STIEFEL_SMALL, STIEFEL_FULL };

struct stiefel_options {
    double rho;    /* fraction of the slope that a step must gain (Armijo) */
    double gamma;  /* memory of the reference value; 0: monotone line search */
    double shrink; /* factor of tau per backtrack */
    /* Steps per refresh. Where a refresh costs much more than a step, several steps on the same
     * data lower f further in the same time. The paper takes 1. */
    size_t refresh_every;
    double first_tau; /* before there is a Barzilai-Borwein difference */
    double least_tau, most_tau;
    double epsilon; /* stop when ||F(P)|| is below this */
    /* Stop when the relative change of f is below this for WINDOW consecutive steps: a single tiny
     * Barzilai-Borwein step does not mean convergence. */
    double least_change;
    size_t window;
    size_t iterations;      /* limit */
    size_t backtracks;      /* limit per line search */
    double most_defect;     /* re-orthonormalise when ||P'P - I|| is above this */
    enum stiefel_form form; /* AUTO: small when 2d <= r */
    /* A failed line search ends the step, not the run. For problems that get new data with every
     * refresh (mini-batches). */
    int persist;
    int threads;
    /* Called after every iteration; a non-zero result cancels. May be NULL. */
    int (*report)(void *user, const struct stiefel_step *step);
    void *user;
};

/* rho 1e-4, gamma 0.85, shrink 0.2, first tau 1e-3, tau in 1e-20 .. 1e20, epsilon 1e-5, least
 * change 1e-7 for 5 steps, 500 iterations, 60 backtracks, defect 1e-11, one thread. */
void stiefel_defaults(struct stiefel_options *options);

enum stiefel_stop {
    STIEFEL_GRADIENT,   /* ||F(P)|| < epsilon */
    STIEFEL_CHANGE,     /* f hardly changes any more */
    STIEFEL_ITERATIONS, /* iteration limit */
    STIEFEL_SEARCH,     /* no step length lowers f: converged up to rounding */
    STIEFEL_CANCELLED,
    STIEFEL_DATA /* refresh returned FILM_END */
};
const char *stiefel_stop_name(enum stiefel_stop stop);

struct stiefel_result {
    enum stiefel_stop stop;
    size_t iterations;
    double f, gradient;
    size_t evaluations, backtracks, repairs; /* repairs: re-orthonormalisations */
    double defect;                           /* the largest after any step */
};

/* Minimises from P (r x d, row-major, orthonormal columns) and leaves the last point in P. Returns
 * FILM_CANCELLED when the report cancels; P is then the last reported point. */
film_status stiefel_minimise(const struct stiefel_problem *problem,
                             const struct stiefel_options *options, double *p,
                             struct stiefel_result *result, film_error *error);

/* Where a step starts, the gradient there and how long the step is. */
struct stiefel_line {
    const double *p, *gradient;
    double tau;
};

/* One Cayley step OUT = P(tau), for tests of the two forms. */
film_status stiefel_cayley(size_t rows, size_t cols, const struct stiefel_line *line,
                           enum stiefel_form form, double *out, film_error *error);

/* ||P'P - I||, Frobenius. SCRATCH holds cols x cols. */
double stiefel_defect(size_t rows, size_t cols, const double *p, double *scratch, int threads);

#endif
