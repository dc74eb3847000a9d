/* Checkpoints of film_learn: its state between two iterations, as named arrays. */
#ifndef LEARN_FILM_CHECKPOINT_H
#define LEARN_FILM_CHECKPOINT_H

#include "base/checkpoint_state.h"
#include "learn/film.h"

struct film_checkpoint {
    struct stiefel_state solver;
    struct film_problem *problem; /* Lambda, its sum, s and the margin are stored */
    double best;                  /* the judge's accuracy at the best point */
    size_t best_at;
    double *best_p, *best_s;        /* r x d; d; NULL without a judge */
    struct film_iteration *history; /* solver.iteration */
};

/* Returns non-zero when the state could not be saved. */
int film_checkpoint_save(const struct checkpointer *checkpointer,
                         const struct film_checkpoint *kept);

/* Fills KEPT, whose problem is initialised and whose best_p and best_s are allocated. Allocates the
 * solver's arrays and the history; film_checkpoint_free frees them. Impossible values, such as more
 * than LIMIT iterations or a flag that is not 0 or 1, are FILM_BAD_INPUT. */
film_status film_checkpoint_load(const struct checkpointer *checkpointer,
                                 struct film_checkpoint *kept, size_t limit, film_error *error);
void film_checkpoint_free(struct film_checkpoint *kept);

#endif
