/* The rows of a training: those trained on, and those the threshold is chosen on. */
#ifndef TRAIN_TRAINING_ROWS_H
#define TRAIN_TRAINING_ROWS_H

#include "learn/corpus.h"
#include "learn/stream.h"
#include "learn/training_log.h"
#include "train/plan.h"
#include "film_train.h"

struct training_rows {
    struct corpus corpus;        /* trained on; for a streaming method, a sample */
    struct corpus dev;           /* the threshold is chosen on these; empty: on the corpus itself */
    const char *dev_name;        /* "dev", "held out" or "train" */
    struct stream_source stream; /* of a streaming method: all rows */
};

/* Reads the files and any other input that the options name. Free after a failure as well. */
film_status training_rows_read(struct training_rows *rows, const char *const *paths, size_t count,
                               const film_train_options *options, struct training_log *log,
                               film_error *error);
void training_rows_free(struct training_rows *rows);

/* Reads the dev file or, when something is learned from labels, holds out a part of the corpus. */
film_status training_rows_choose_dev(struct training_rows *rows, const struct training_plan *plan,
                                     const film_train_options *options, struct training_log *log,
                                     film_error *error);

/* The rows the threshold is chosen on. */
static inline const struct corpus *training_rows_judged(const struct training_rows *rows)
{
    return rows->dev.rows ? &rows->dev : &rows->corpus;
}

#endif
