/* What a training writes down about itself: figures, which the model keeps, and how long each phase
 * took.
 *
 * A log of NULL is silent: what learns once more for a fold writes nothing down. */
#ifndef LEARN_TRAINING_LOG_H
#define LEARN_TRAINING_LOG_H

#include "base/comm.h"

#include <jansson.h>

struct training_log {
    const struct comm *comm;
    json_t *figures, *seconds;
    double started;              /* the current phase */
    struct comm_traffic traffic; /* as it was then */
};

film_status training_log_init(struct training_log *log, const struct comm *comm, film_error *error);
void training_log_free(struct training_log *log);

/* A figure. VALUE is taken over. */
void training_log_note(struct training_log *log, const char *key, json_t *value);
void training_log_count(struct training_log *log, const char *key, size_t count);
void training_log_forget(struct training_log *log, const char *key);

/* Something about this execution, such as how much came from a cache: reported beside the
 * seconds, not saved. */
void training_log_remark(struct training_log *log, const char *key, json_t *value);

/* The current phase has ended and was called NAME: notes its seconds and, in a job, what this
 * process sent to the others in it: bytes by kind (base/comm.h), and the seconds it waited in
 * the calls. */
void training_log_phase(struct training_log *log, const char *name);

/* Both as texts, to be freed with mem_free. */
film_status training_log_print(const struct training_log *log, char **figures, char **seconds,
                               film_error *error);

/* A history among the figures has at most 500 entries: of a longer one every STRIDE-th, the last
 * among them. Returns the first to take. */
size_t training_log_stride(size_t count, size_t *stride);

#endif
