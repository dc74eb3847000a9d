/* Checkpoints of training in a safetensors file (docs/reference/model-file.md): written
 * periodically and when training is stopped, read to resume. Only the learner knows what the arrays
 * mean (base/checkpoint_state.h). */
#ifndef TRAIN_CHECKPOINT_H
#define TRAIN_CHECKPOINT_H

#include "base/checkpoint_state.h"
#include "train/fingerprint.h"
#include "film_train.h"

struct safetensors;

struct checkpoint {
    struct training_identity training;
    const char *path;
    const struct comm *comm; /* of the job: the first process writes, all read */
    double every;            /* seconds; 0: only when training is interrupted */
    double written;          /* time of the last write, or of the start of training */
    char *fingerprint;
    struct safetensors *file; /* the checkpoint to resume from */
    film_status failed;       /* why it could not be written */
    film_error error;
    struct checkpointer checkpointer;
    struct checkpointing checkpointing;
};

/* Validates the options before anything is read, and that there is a file to resume from. */
film_status checkpoint_check(const film_train_options *options, film_error *error);

/* Returns the checkpointing of a learner of TRAINING; NULL when the options want no checkpoint. The
 * learner opens it; to resume, the file is then read and its fingerprint compared. CHECKPOINT must
 * not be moved. */
const struct checkpointing *checkpoint_prepare(struct checkpoint *checkpoint,
                                               const struct training_identity *training);
void checkpoint_free(struct checkpoint *checkpoint);

#endif
