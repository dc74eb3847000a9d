/* The pairs trees are learned from, brought together: process 0 learns them alone and tells the others. */
#ifndef TRAIN_LESSON_H
#define TRAIN_LESSON_H

#include "train/material.h"

enum { LESSON_COLUMNS = 5 };

/* A row for each pair, in the order of all pairs; in process 0 only. */
struct lesson {
    size_t count;
    const float *x; /* count x traits */
    const float *target, *weight, *base;
    const unsigned char *fold;
    void *own[LESSON_COLUMNS]; /* of these, those that are not the material's */
};

/* All pairs, or of more than MOST about so many, drawn by SEED: the same ones by any number of processes. Every
 * process calls it. Free after a failure as well, before the material. */
film_status lesson_gather(const struct material *material, const struct comm *comm, size_t most,
                          uint64_t seed, struct lesson *lesson, film_error *error);
void lesson_free(struct lesson *lesson);

#endif
