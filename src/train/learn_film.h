/* What the methods FILM and MFILM share. */
#ifndef TRAIN_LEARN_FILM_H
#define TRAIN_LEARN_FILM_H

#include "learn/film.h"
#include "train/run.h"

/* The learner's options from the user's; without a report. */
struct film_learn_options learn_film_options(const struct run *run);

/* STATUS of the learning; cancelled with something learned is no error: the map so far is a model
 * too, and run->interrupted says so. */
film_status learn_film_kept(struct run *run, film_status status,
                            const struct film_learned *learned);

/* The model's map from what was learned on U and SIGMA: whole in every process of a job. */
film_status learn_film_map(struct run *run, const struct film_learned *learned, const float *sigma,
                           film_error *error);

/* The figures of the learning, under NAME. */
void learn_film_note(struct run *run, const char *name, const struct film_learned *learned);

/* Tells what an iteration did: objective, gradient, hinges, step, accuracy on the dev pairs. */
void learn_film_tell(const struct run *run, const struct film_iteration *now);

#endif
