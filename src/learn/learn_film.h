/* Code shared by the methods FILM and M-FILM. */
#ifndef LEARN_LEARN_FILM_H
#define LEARN_LEARN_FILM_H

#include "learn/film.h"
#include "learn/learn.h"

/* Translates the user's options to the learner's, without a report. */
struct film_learn_options learn_film_options(const struct learn_input *input, size_t dim);

/* *MAP (inputs x dim), computed from what was learned on SVD's U with SIGMA. */
film_status learn_film_map(const struct learn_input *input, const struct svd *svd,
                           const float *sigma, const struct film_learned *learned, float **map,
                           film_error *error);

/* Logs the measures of the training under NAME. */
void learn_film_note(struct training_log *log, const char *name,
                     const struct film_learned *learned);

/* Reports an iteration: objective, gradient, active hinges, step, accuracy on the dev pairs. */
void learn_film_report(const film_progress *progress, const struct film_iteration *now);

#endif
