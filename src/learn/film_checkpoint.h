/* Pausing film_learn: all that it must remember between two iterations, as named arrays. */
#ifndef LEARN_FILM_CHECKPOINT_H
#define LEARN_FILM_CHECKPOINT_H

#include "base/checkpoint_state.h"
#include "learn/film.h"

struct film_kept {
    struct stiefel_state solver;
    struct film_problem *problem; /* Lambda, its sum, s and the margin are kept */
    double best;                  /* what the judge said of the best point */
    size_t best_at;
    double *best_p, *best_s;        /* r x d; d; NULL without a judge */
    struct film_iteration *history; /* solver.iteration */
};

/* Non-zero: could not be saved. */
int film_keep_save(const struct checkpointer *checkpointer, const struct film_kept *kept);

/* Fills KEPT, whose problem is initialised and whose best_p and best_s have room. Solver arrays and
 * history are allocated here; film_kept_free frees them. More than LIMIT iterations, flags that are
 * not 0 or 1 and the like: FILM_BAD_INPUT. */
film_status film_keep_load(const struct checkpointer *checkpointer, struct film_kept *kept,
                           size_t limit, film_error *error);
void film_kept_free(struct film_kept *kept);

#endif
