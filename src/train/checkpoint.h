/* Where learning stands, in a safetensors file (docs/reference/model-file.md): written from time to
 * time and when learning is stopped, read to go on. What the arrays mean is the learner's business
 * (base/checkpoint_state.h). */
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
    double every;            /* seconds; 0: only when learning is stopped */
    double written;          /* when it was last, or when learning began */
    char *fingerprint;
    struct safetensors *file; /* what to go on from */
    film_status failed;       /* why it could not be written */
    film_error error;
    struct checkpointer checkpointer;
    struct checkpointing checkpointing;
};

/* Said before anything is read: the options make sense, and there is something to resume. */
film_status checkpoint_check(const film_train_options *options, film_error *error);

/* What a learner of TRAINING takes; NULL when the options want no checkpoint. The learner opens
 * it: resuming, the file is then read and compared. CHECKPOINT stays where it is. */
const struct checkpointing *checkpoint_prepare(struct checkpoint *checkpoint,
                                               const struct training_identity *training);
void checkpoint_free(struct checkpoint *checkpoint);

#endif
