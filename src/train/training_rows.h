/* The rows of a training: those learned from, and those the threshold is chosen on. */
#ifndef TRAIN_TRAINING_ROWS_H
#define TRAIN_TRAINING_ROWS_H

#include "learn/corpus.h"
#include "learn/stream.h"
#include "learn/training_log.h"
#include "train/plan.h"
#include "film_train.h"

struct training_rows {
    struct corpus corpus;        /* learned from; of a method that streams, a sample of it */
    struct corpus dev;           /* the threshold is chosen on these; empty: on the corpus itself */
    const char *dev_name;        /* "dev", "held out" or "train" */
    struct stream_source stream; /* of a method that streams: all rows */
};

/* Reads the files and what else the options name to learn from. Free after a failure as well. */
film_status training_rows_read(struct training_rows *rows, const char *const *paths, size_t count,
                               const film_train_options *options, struct training_log *log,
                               film_error *error);
void training_rows_free(struct training_rows *rows);

/* A dev file, or a part of the corpus held out when something is learned from labels. */
film_status training_rows_choose_dev(struct training_rows *rows, const struct training_plan *plan,
                                     const film_train_options *options, struct training_log *log,
                                     film_error *error);

/* The rows the threshold is chosen on. */
static inline const struct corpus *training_rows_judged(const struct training_rows *rows)
{
    return rows->dev.rows ? &rows->dev : &rows->corpus;
}

#endif
