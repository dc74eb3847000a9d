/* What a training records about itself: measures, which are stored in the model, and the time of
 * each phase.
 *
 * A NULL log records nothing: repeated trainings for single folds use it. */
#ifndef LEARN_TRAINING_LOG_H
#define LEARN_TRAINING_LOG_H

#include "base/status.h"

#include <jansson.h>

struct training_log {
    json_t *figures, *seconds;
    double started; /* start of the current phase */
};

film_status training_log_init(struct training_log *log, film_error *error);
void training_log_free(struct training_log *log);

/* Records a measure. Takes ownership of VALUE. */
void training_log_note(struct training_log *log, const char *key, json_t *value);
void training_log_count(struct training_log *log, const char *key, size_t count);
void training_log_forget(struct training_log *log, const char *key);

/* Records something about this execution, such as cache hits: reported with the seconds, not stored
 * in the model. */
void training_log_remark(struct training_log *log, const char *key, json_t *value);

/* Ends the current phase under NAME: records its seconds. */
void training_log_phase(struct training_log *log, const char *name);

/* Returns both as texts; free with mem_free. */
film_status training_log_print(const struct training_log *log, char **figures, char **seconds,
                               film_error *error);

/* A stored history has at most 500 entries: a longer one is reduced to every STRIDE-th entry,
 * including the last. Returns the first entry to take. */
size_t training_log_stride(size_t count, size_t *stride);

#endif
