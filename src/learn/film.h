/* Learns FILM's map: takes V and triplets, returns P and s, and from them L (Tang & Aw 2020).
 *
 *     X (D x n) = U Sigma V',   y = L x,   L = sqrt(S) P' Sigma^-p U'       p = 1 in the paper (34)
 *
 * The steps: P by film_start (or the caller's P) and s = 1, Lambda = I. Then the margin m, given or
 * ratio * mean |y|^2, with Lambda, H and s recomputed until it is stable, at most ten rounds. Then
 * la/stiefel.h minimises learn/film_problem.h. Do not confuse this file with the public film.h;
 * nothing here is exported. */
#ifndef LEARN_FILM_H
#define LEARN_FILM_H

#include "learn/film_problem.h"

/* RANDOM: a random rotation of the first d directions, s = 1. EIGEN: H's top eigenvectors. UNIFORM:
 * uniform on St(d, r), with random s, as the paper starts. */
enum film_start { FILM_START_RANDOM, FILM_START_EIGEN, FILM_START_UNIFORM };

/* The history of one iteration. All fields are doubles, so that a history is a matrix. */
struct film_iteration {
    double f, gradient, tau;
    double judged;             /* validation accuracy from the judge; 0 without one */
    double active, backtracks; /* counts: anchors inside the margin; backtracking steps */
    double hinge, satisfied;   /* film_hinge_loss.h, after the step */
};

struct film_learn_options {
    size_t dim;           /* d */
    double power;         /* p on Sigma */
    double margin_ratio;  /* m / mean |y|^2 */
    size_t margin_sample; /* number of anchors in the mean */
    size_t margin_rounds; /* maximum */
    double margin;        /* if positive: m itself, without rounds */
    enum film_start start;
    const double *start_p; /* r x d, orthonormal columns: the starting point; NULL: by `start` */
    uint64_t seed;
    int hinge_weights; /* s = max(0, k) instead of mu(k) */
    int damped;        /* film_learn: average H over refreshes, see film_problem.h */
    int threads;
    struct stiefel_options solver; /* its threads and report are set by film_learn */
    /* Validation: returns the accuracy of the map given by P (r x d) and s (d) on data that is not
     * trained on. Called at the start and before every refresh.
     * film_learn returns the best point, because the objective keeps falling long after unseen
     * pairs are matched best (early stopping). NULL: it returns the last point. */
    double (*judge)(void *user, const double *p, const double *s);
    /* Called after every iteration (from 1); a non-zero result cancels. May be NULL. */
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
    double *s, *k; /* d: s from k */
    double f;      /* f2 at the end */
    struct stiefel_result solver;
    size_t anchors, active;
    size_t best;                    /* the iteration of P and s; the last one without a judge */
    size_t dead;                    /* columns with k_c below a hundredth of the mean */
    size_t updates, full_updates;   /* of H */
    struct film_iteration *history; /* solver.iterations */
};

/* V is sentences x rank; SIGMA has rank entries (NULL is allowed when the power is 1: then all of V
 * is used). FILM_USAGE when there are more dimensions than rank, or no anchors. After a
 * cancellation OUT holds what was learned so far; free it as usual. */
film_status film_learn(const float *v, size_t rank, const float *sigma,
                       const struct triplets *triplets, const struct film_learn_options *options,
                       struct film_learned *out, film_error *error);
void film_learned_free(struct film_learned *learned);

/* The common part of film_learn and mfilm_learn: start, margin, the optimiser on VIEW (PROBLEM with
 * the caller's refresh), and the final measures. OUT may already contain measures of the caller. */
film_status film_learn_on(struct film_problem *problem, const struct stiefel_problem *view,
                          const struct film_learn_options *options, struct film_learned *out,
                          film_error *error);

/* *USABLE = how many of RANK singular values count. FILM_USAGE when the options do not fit them. */
film_status film_check(size_t rank, const float *sigma, const struct film_learn_options *options,
                       size_t *usable, film_error *error);

/* Sets the error for labels that give no triplet. */
film_status film_no_triplets(film_error *error);

/* A = Q of A = Q R with a positive diagonal of R: orthonormalises the columns of A (rows x cols,
 * rows >= cols) in place, first to last. */
film_status film_orthonormalise(size_t rows, size_t cols, double *a, film_error *error);

struct film_basis {
    const float *u; /* features x stride (stride >= r) */
    size_t features, stride;
    const float *sigma; /* r */
};

/* OUT = L' (features x d, row-major): one row per feature. */
film_status film_map(const struct film_learned *learned, const struct film_basis *basis,
                     int threads, float *out, film_error *error);

#endif
