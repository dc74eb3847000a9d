/* Learning FILM's map: V and triplets in, P and s out, and from them L (Tang & Aw 2020).
 *
 *     X (D x n) = U Sigma V',   y = L x,   L = sqrt(S) P' Sigma^-p U'       p = 1 in the paper
 *
 * Order of events: start P = [orthonormal d x d; 0] by seed (or H's top eigenvectors, or the
 * caller's P), s = 1, Lambda = I; the margin m = ratio * mean |y|^2, repeated with Lambda, H and
 * s = mu(k) until it stands, at most ten rounds; then la/stiefel.h on learn/film_problem.h. Not to
 * be confused with the public film.h; nothing here is exported. */
#ifndef LEARN_FILM_H
#define LEARN_FILM_H

#include "base/checkpoint_state.h"
#include "learn/film_problem.h"

enum film_start { FILM_START_RANDOM, FILM_START_EIGEN };

/* What is kept of every iteration. All doubles, so that a history is a matrix. */
struct film_iteration {
    double f, gradient, tau;
    double judged;             /* what the judge said; 0 without one */
    double active, backtracks; /* counts: anchors inside the margin; shortened steps */
};

struct film_learn_options {
    size_t dim;           /* d */
    double power;         /* p on Sigma */
    double margin_ratio;  /* m / mean |y|^2 */
    size_t margin_sample; /* anchors the mean is taken over */
    size_t margin_rounds; /* at most */
    double margin;        /* positive: this m, no rounds */
    enum film_start start;
    const double *start_p; /* r x d, orthonormal columns: begin here; NULL: by `start` */
    uint64_t seed;
    const struct film_owners
        *owners; /* whose rows V and the triplets are; NULL: one process has all */
    int threads;
    struct stiefel_options solver; /* its threads and report are set by film_learn */
    /* How good is a map by P (r x d) and s (d) on data that is not learned from? The same in all
     * processes of a job. Asked at the start and before every refresh; the best point is what
     * film_learn returns. May be NULL: then it returns the last. The objective goes on falling
     * long after unseen pairs are matched best. */
    double (*judge)(void *user, const double *p, const double *s);
    /* Writes down from time to time, and when cancelled, where learning stands, or lets it go on
     * from there, to the same bytes as without the pause. May be NULL. */
    const struct checkpointer *checkpointer;
    /* After every iteration (counted from 1); non-zero cancels. May be NULL. */
    int (*report)(void *user, size_t iteration, const struct film_iteration *now);
    void *user;
};

/* d 100, p 0.5 (the paper has 1; on Quora's dev set 0.5 gains five points), ratio 1, 4,096 anchors,
 * 10 rounds, random start, stiefel_defaults with at most 100 iterations. */
void film_learn_defaults(struct film_learn_options *options);

struct film_learned {
    size_t rank, dim; /* r: the sigma above 1e-5 of the first; d */
    double power, margin;
    double *p;     /* r x d */
    double *s, *k; /* d: s = mu(k) */
    double f;      /* f2 at the end */
    struct stiefel_result solver;
    size_t anchors, active;         /* of all processes */
    size_t best;                    /* the iteration P and s are from; the last without a judge */
    size_t dead;                    /* columns with k_c below a hundredth of the mean */
    size_t updates, full_updates;   /* of H */
    struct film_iteration *history; /* solver.iterations */
};

/* V is sentences x rank, SIGMA has rank entries (may be NULL when the power is 1: all of V is then
 * used). More dimensions than rank, or triplets without anchors: FILM_USAGE. Cancelled: what was
 * learned so far is in OUT, to be freed as usual. */
film_status film_learn(const float *v, size_t rank, const float *sigma,
                       const struct triplets *triplets, const struct film_learn_options *options,
                       struct film_learned *out, film_error *error);
void film_learned_free(struct film_learned *learned);

/* What film_learn and mfilm_learn share: start, margin, the optimiser on VIEW, which is PROBLEM
 * with the caller's refresh, and what is told about the end. OUT may hold figures of the caller. */
film_status film_learn_on(struct film_problem *problem, const struct stiefel_problem *view,
                          const struct film_learn_options *options, struct film_learned *out,
                          film_error *error);

/* How many of RANK singular values count (*USABLE); FILM_USAGE when the options do not fit them. */
film_status film_check(size_t rank, const float *sigma, const struct film_learn_options *options,
                       size_t *usable, film_error *error);

/* The message for labels of which no triplet can be made. */
film_status film_no_triplets(film_error *error);

/* Q of A = Q R with a positive diagonal of R: the columns of A (rows x cols, rows >= cols) made
 * orthonormal, first to last, in place. */
film_status film_orthonormalise(size_t rows, size_t cols, double *a, film_error *error);

struct film_basis {
    const float *u; /* features x stride (stride >= r) */
    size_t features, stride;
    const float *sigma; /* r */
};

/* OUT: L' (features x d, row-major), the map of a feature. */
film_status film_map(const struct film_learned *learned, const struct film_basis *basis,
                     int threads, float *out, film_error *error);

#endif
