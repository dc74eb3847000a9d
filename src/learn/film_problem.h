/* FILM's optimisation problem (Tang & Aw 2020, equations 36 to 314): the function that la/stiefel.h
 * minimises.
 *
 * With v_i (length r) the anchor's row of V and w_i = sum over its triplets of (v_j - v_k) / (t_i +
 * 1):
 *     z_i    = m - sum_c s_c (p_c'v_i)(p_c'w_i),    lambda_i = z_i > 0       one hinge per anchor
 *     H      = sum_i lambda_i (w_i v_i' + v_i w_i') / 2                      = -(K + K') / 2
 *     k_c    = p_c' H p_c
 *     f2(P)  = -1/2 sum_c k_c mu(k_c) + m sum_i lambda_i,   mu(x) = log(1 + e^x)            (310)
 *     grad   = -H P diag(mu(k) + k mu'(k))                       lambda held fixed          (314)
 * K enters f2 only through its symmetric part, so only H is stored. For a power p != 1 the rows v
 * are scaled by D = diag(sigma^(1-p)). V is not copied: D P enters the hinges and D H D enters f2,
 * which is equivalent.
 *
 * Cost: hinges 4 a r d in float (a anchors); H 2 r^2 per anchor whose lambda changed, in float, the
 * sum over packs in double; f2 and gradient 2 r^2 d. Memory in bytes: 4 a r (W) + 6 a + 16 r^2 + 12
 * r d + 8 PACK r + threads * 4 CHUNK (r + 2 d). V (4 n r) is the caller's. At a = 113,000, r = 500:
 * 244 MB.
 *
 * Mini-batches (learn/mfilm.h) use the same code: the anchors are then those of a batch, and H is a
 * running average over batches.
 *
 * Threads share fixed chunks and tiles, and one thread sums each number in one order: the result
 * does not depend on the number of threads, to the last bit. */
#ifndef LEARN_FILM_PROBLEM_H
#define LEARN_FILM_PROBLEM_H

#include "base/threads.h"
#include "la/stiefel.h"
#include "learn/film_hinge_loss.h"
#include "learn/triplets.h"

/* Anchors per block of a product; the scratch memory of a thread holds one block. */
enum { FILM_CHUNK = 256 };

struct film_problem {
    size_t rank, dim, anchors; /* r, d, a */
    const float *v;            /* sentences x stride; only the first r of each row are used */
    size_t stride;
    const struct triplets *triplets;
    int threads;
    double margin;              /* m */
    size_t full_every;          /* recompute H after this number of updates, to stop drift */
    float *w;                   /* a x r */
    double *scale;              /* r: the scale factors sigma^(1-p); NULL for p = 1 */
    unsigned char *active;      /* a: lambda */
    unsigned char *active_next; /* a */
    size_t active_count;
    size_t capacity; /* anchors that the arrays above have room for */
    /* For mini-batches, otherwise 1 and 1: the weight of an anchor, and the newest batch's share of
     * H and of the number of active anchors. */
    double weight, share;
    int fresh;     /* a batch was loaded and has not entered H yet */
    double hinges; /* sum lambda_i, weighted and averaged over batches as H is */
    /* Damped: H is the running average of the H of all refreshes, the t-th with weight 2 / (t + 1).
     * The 0/1 hinges of successive refreshes need not settle; their average does
     * (docs/explanation/paper-convergence.md). REFRESHES counts them. */
    int damped;
    size_t refreshes;
    int hinge_weights; /* s = max(0, k), as the paper has it, instead of mu(k) */
    int given_s;       /* the next refresh takes s as it is */
    double *s;         /* d: the weights of the last refresh */
    double *k;         /* d: scratch */
    double *sum;       /* r x r: sum lambda_i w_i v_i' = -K, not scaled by D */
    double *h;         /* r x r: D (sum + sum') D / 2 */
    double *hp;        /* r x d: H P */
    float *map;        /* r x d: D P */
    float *pack_w;     /* PACK x r each: buffered anchors that are added to H together */
    float *pack_v;
    float *scratch;    /* per thread FILM_CHUNK x (r + 2 d) */
    uint32_t *changed; /* a: anchors whose lambda changed */
    size_t updates, full_updates, since_full;
    struct film_hinge_loss loss; /* of the loaded anchors; empty until it is measured */
};

/* The space in which P is optimised. */
struct film_space {
    size_t rank, dim;   /* r, d */
    const float *sigma; /* rank; may be NULL when the power is 1 */
    double power;       /* p */
    int threads;
    int hinge_weights; /* see film_problem */
};

/* Builds W and H for Lambda = I, s = 1. */
film_status film_problem_init(struct film_problem *problem, const struct film_space *space,
                              const float *v, size_t stride, const struct triplets *triplets,
                              film_error *error);
void film_problem_free(struct film_problem *problem);

/* Returns the scratch memory of a worker of a loop over at most problem->threads threads. */
float *film_problem_scratch(const struct film_problem *problem,
                            const struct threads_worker *worker);

/* Replaces the current batch of anchors. s and H stay until the next refresh, which sets H =
 * (1 - share) H + share * weight * H of the batch. Call refresh once per batch when the share is
 * below 1. */
film_status film_problem_load(struct film_problem *problem, const float *v, size_t stride,
                              const struct triplets *triplets, double weight, double share,
                              film_error *error);

/* Changes the weight of an anchor, in H too. */
void film_problem_weigh(struct film_problem *problem, double weight);

/* Returns f2 at P and, unless GRADIENT is NULL, its gradient (r x d), with Lambda fixed: equations
 * 310 and 314. */
double film_problem_value(struct film_problem *problem, const double *p, double *gradient);

/* k_c at P, Lambda fixed (d numbers). */
void film_problem_k(struct film_problem *problem, const double *p, double *k);

/* s of a column with k: mu(k), or max(0, k) with hinge weights (39). */
double film_problem_weight(const struct film_problem *problem, double k);

/* Sets s from k, then Lambda from (P, s), then H. Returns the number of lambda that changed; at
 * least 1 when H changed. */
size_t film_problem_refresh(struct film_problem *problem, const double *p);

/* Returns the mean of sum_c s_c (p_c'v)^2 over at most SAMPLE anchors drawn by SEED. */
double film_problem_mean_square(struct film_problem *problem, const double *p, size_t sample,
                                uint64_t seed);

/* The problem as an input of the optimiser. */
struct stiefel_problem film_problem_stiefel(struct film_problem *problem);

/* mu(x) = log(1 + e^x), safe for every x, and its derivative sigma(x). */
double film_mu(double x);
double film_sigma(double x);

#endif
