/* Where learning stands, in a safetensors file (docs/format.md): written from time to time and when
 * learning is stopped, read to go on. What the arrays mean is the learner's business
 * (base/checkpoint_state.h). */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "base/checkpoint_state.h"
#include "train/run.h"
#include "film_train.h"

struct safetensors;

struct checkpoint {
    const char *path;        /* NULL: none is wanted, and nothing below is used */
    const struct comm *comm; /* of the job: the first process writes, all read */
    double every;            /* seconds; 0: only when learning is stopped */
    double written;          /* when it was last, or when learning began */
    char *fingerprint;
    struct safetensors *file; /* what to go on from */
    film_status failed;       /* why it could not be written */
    film_error error;
    struct checkpointer checkpointer;
};

/* Said before anything is read: the options make sense, and there is something to resume. */
film_status checkpoint_check(const film_train_options *options, film_error *error);

/* For the options of RUN, whose learner is about to begin with data of hash START
 * (train/fingerprint.h). Resuming: opens the file and compares. */
film_status checkpoint_open(struct checkpoint *checkpoint, const struct run *run, uint64_t start,
                            film_error *error);
void checkpoint_free(struct checkpoint *checkpoint);

/* For the learner's options; NULL when no checkpoint is wanted. */
const struct checkpointer *checkpoint_interface(const struct checkpoint *checkpoint);

/* Learning was stopped after DONE of TOTAL steps: notes it in RUN, with the reason when the
 * checkpoint could not be written. */
void checkpoint_stopped(const struct checkpoint *checkpoint, struct run *run, size_t done,
                        size_t total, const char *steps);

#endif
