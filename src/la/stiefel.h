/* Minimising a function over the Stiefel manifold St(d, r) = {P (r x d) : P'P = I}.
 *
 * Steps along the Cayley curve (Wen & Yin 2013), Barzilai-Borwein step lengths, Zhang-Hager
 * non-monotone search. The optimiser does not know the problem; but it knows that the problem may
 * change its fixed data between two steps (in FILM: which hinges are active), because exactly that
 * makes line searches go wrong: a value under the new data must never be compared with one under
 * the old. So `refresh` is a call of its own, after which f is computed again at the same point,
 * the reference value is moved by the difference, and both gradients of a Barzilai-Borwein
 * difference are taken under the new data.
 *
 * With G the gradient, A = G P' - P G' (skew), F(P) = A P = G - P G' P:
 *
 *     P(tau) = (I + tau/2 A)^-1 (I - tau/2 A) P                                   r x r form
 *            = P - tau M (I + tau/2 N'M)^-1 N'P,   M = [G, P], N = [P, -G]        2d x 2d form
 *
 * Cost per trial: the problem's value, and O(r d^2 + d^3) or O(r^3). Memory: 8 (10 r d + 8 d^2)
 * bytes, and 8 (2 r^2 + r d) more in the r x r form. */
#ifndef LA_STIEFEL_H
#define LA_STIEFEL_H

#include "base/status.h"

#include <stdint.h>

struct stiefel_problem {
    void *self;
    size_t rows, cols; /* r and d; d <= r */
    /* f(P) with the fixed data as they are, and its gradient (r x d) unless GRADIENT is NULL. */
    film_status (*evaluate)(void *self, const double *p, double *f, double *gradient,
                            film_error *error);
    /* May bring the fixed data up to date at P, the current point; where several processes minimise
     * the same, may put P right in its last bits, so that they stay together. Sets *CHANGED when f
     * may now be another function. FILM_END: there are no more data, this is the end. NULL: the
     * data never change. */
    film_status (*refresh)(void *self, double *p, int *changed, film_error *error);
};

/* All that is needed to go on after a step, as if there had been no pause: plain numbers that a
 * caller may write down. */
struct stiefel_state {
    size_t iteration;            /* steps done, at least 1 */
    size_t still;                /* steps in a row that hardly changed f */
    double f, reference, weight; /* f(P), Zhang-Hager's C and Q */
    double defect;               /* these four: of the result so far */
    size_t evaluations, backtracks, repairs;
    double *p, *p_old; /* r x d each: P and the point before it */
    double *g, *g_old; /* r x d each: their gradients under the present data */
};

/* One iteration, told after it. */
struct stiefel_step {
    size_t iteration; /* from 1 */
    double f;         /* after the step */
    double reference; /* C, which the step had to stay below */
    double gradient;  /* ||F(P)|| where the step started */
    double tau;       /* the step length taken */
    size_t backtracks;
    double defect;                     /* ||P'P - I||, Frobenius, after the step */
    const double *p;                   /* r x d, the new point */
    const struct stiefel_state *state; /* to go on from here; until the report returns */
};

enum stiefel_form { STIEFEL_AUTO, STIEFEL_SMALL, STIEFEL_FULL };

struct stiefel_options {
    double rho;    /* share of the slope a step must gain */
    double gamma;  /* memory of the reference value; 0: monotone */
    double shrink; /* of tau per backtrack */
    /* Steps from one refresh to the next. Where a refresh costs far more than a step, several steps
     * on the same data bring f further down in the same time; 1 in the paper. */
    size_t refresh_every;
    double first_tau; /* before there is a difference to measure */
    double least_tau, most_tau;
    double epsilon;         /* stop when ||F(P)|| is below */
    double least_change;    /* stop when f's relative change is below for WINDOW steps */
    size_t window;          /* one tiny Barzilai-Borwein step is no sign of the end */
    size_t iterations;      /* limit */
    size_t backtracks;      /* limit of one search */
    double most_defect;     /* ||P'P - I|| above this: re-orthonormalise */
    enum stiefel_form form; /* AUTO: small when 2d <= r */
    int persist; /* a search without success ends the step, not the run: for problems whose every
                    refresh brings new data (mini-batches) */
    /* Go on from here, with the problem's data as they were then; the start in P is not looked at.
     * NULL: begin. A state that no run can have left is FILM_BAD_INPUT. */
    const struct stiefel_state *resume;
    int threads;
    /* After every iteration; non-zero cancels. May be NULL. */
    int (*report)(void *user, const struct stiefel_step *step);
    void *user;
};

/* rho 1e-4, gamma 0.85, shrink 0.2, first tau 1e-3, tau in 1e-20 .. 1e20, epsilon 1e-5, least
 * change 1e-7 for 5 steps, 500 iterations, 60 backtracks, defect 1e-11, one thread. */
void stiefel_defaults(struct stiefel_options *options);

enum stiefel_stop {
    STIEFEL_GRADIENT,   /* ||F(P)|| < epsilon */
    STIEFEL_CHANGE,     /* f hardly changes any more */
    STIEFEL_ITERATIONS, /* the limit */
    STIEFEL_SEARCH,     /* no step length gains anything: as good as rounding allows */
    STIEFEL_CANCELLED,
    STIEFEL_DATA /* the refresh said FILM_END */
};
const char *stiefel_stop_name(enum stiefel_stop stop);

struct stiefel_result {
    enum stiefel_stop stop;
    size_t iterations;
    double f, gradient;
    size_t evaluations, backtracks, repairs; /* repairs: re-orthonormalisations */
    double defect;                           /* the largest seen after a step */
};

/* Minimises from P (r x d, row-major, orthonormal columns) and leaves the last point in P.
 * FILM_CANCELLED when the report says so; P is then the point of the last report. */
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
