/* The input as a stream: rows are read from the files repeatedly and are never all in memory.
 *
 * Validation split. Without a dev file some questions are held out for the threshold. A stream
 * cannot know which rows are connected, so every question is assigned to a side by a hash of its
 * tokens. A row is used when all its questions are on the same side: then the two sides share no
 * question. Rows between the sides are dropped. A question is assigned to the dev side with
 * probability q = 1 - train_share^(1/n), for n questions per row, so that the fraction train_share
 * of the rows is used for training. For pairs that leaves q^2 = 1.1 % for the threshold at a share
 * of 0.8. A dev file avoids the loss. With fewer than 200 rows on the dev side nothing is held out,
 * and the threshold is chosen on the sample.
 *
 * Sampling. The vocabulary, the SVD and, if necessary, the threshold come from a sample of whole
 * rows with at most `sample` distinct sentences: all rows while they fit, then those whose hashed
 * number is in the lower half, quarter, ... of the range. The same seed gives the same sample. */
#ifndef LEARN_STREAM_H
#define LEARN_STREAM_H

#include "learn/corpus.h"
#include "learn/questions.h"
#include "learn/rows.h"
#include "learn/training_log.h"
#include "film_io.h"
#include "film_train.h"

enum stream_part { STREAM_LEARN, STREAM_DEV, STREAM_NEITHER };

/* Files read as a stream, and the results of a first pass over them. */
struct stream_source {
    const char *const *paths;
    size_t path_count;
    const film_train_options *options; /* table, seed, share to learn from, sample */
    int holds_out;                     /* some questions are held out for the threshold */
    uint64_t rows;                     /* to train on */
};

/* The first pass: stores a sample of the rows in CORPUS, the held-out rows in DEV (empty with a dev
 * file, or when there are too few), and the source's counts. */
film_status stream_sample(struct stream_source *source, struct corpus *corpus, struct corpus *dev,
                          struct training_log *log, film_error *error);

struct stream {
    const struct stream_source *source;
    struct rows rows;
    struct questions questions; /* initialised only when something is held out */
    double dev_share;           /* q; negative before the first row */
};

/* FILM_USAGE for standard input, which cannot be read twice. STREAM must not be moved; SOURCE must
 * outlive it. */
film_status stream_init(struct stream *stream, const struct stream_source *source,
                        film_error *error);
void stream_free(struct stream *stream);
void stream_rewind(struct stream *stream);

/* The next row and its side; FILM_END after the last file. */
film_status stream_next(struct stream *stream, film_row *row, enum stream_part *part,
                        film_error *error);

#endif
