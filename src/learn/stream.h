/* The input as a stream: its rows again and again from the files, never all in memory.
 *
 * Holding out. Without a dev file some questions are kept for the threshold. A stream cannot know
 * which rows are connected, so every question is dealt by a hash of its tokens, and a row counts
 * when all its questions fell to the same side: then the two parts share no question. Rows between
 * the sides are in neither. A question falls to the dev side with probability
 * q = 1 - train_share^(1/n), n questions to a row, so that the share train_share of the rows is
 * learned from; of pairs that leaves q^2 = 1.1 % for the threshold at a share of 0.8. Give --dev to
 * learn from all rows. Fewer than 200 rows on the dev side: nothing is held out, and the threshold
 * comes from the sample.
 *
 * Sampling. The vocabulary, the SVD and, failing others, the threshold come from a sample of whole
 * rows with at most `sample` distinct sentences: all rows while they fit, then those whose hashed
 * number is in the lower half, quarter, ... of the range. Same seed, same sample.
 *
 * In a job every process streams its own part of the files. They sample alike, each its share,
 * and the sample becomes one corpus of all (learn/corpus_share.h); the rows held out are brought
 * to every one of them. */
#ifndef LEARN_STREAM_H
#define LEARN_STREAM_H

#include "learn/corpus.h"
#include "learn/questions.h"
#include "learn/rows.h"
#include "learn/training_log.h"
#include "film_io.h"
#include "film_train.h"

enum stream_part { STREAM_LEARN, STREAM_DEV, STREAM_NEITHER };

/* Files read as a stream, and what a first pass over them has found. */
struct stream_source {
    const char *const *paths;
    size_t path_count;
    const film_train_options *options; /* table, seed, share to learn from, sample */
    int holds_out;                     /* some questions are kept for the threshold */
    uint64_t rows;                     /* to learn from */
    uint64_t own_rows;                 /* those in this process's part of the files */
};

/* The first pass: a sample of the rows to CORPUS, the rows held out to DEV (empty with a dev
 * file, or when there are too few), and the source's numbers. */
film_status stream_sample(struct stream_source *source, struct corpus *corpus, struct corpus *dev,
                          struct training_log *log, film_error *error);

struct stream {
    const struct stream_source *source;
    film_table_options table; /* in a job, of this process's part of the files */
    struct rows rows;
    struct questions questions; /* made when something is held out */
    double dev_share;           /* q; negative before the first row */
};

/* FILM_USAGE for standard input, which cannot be read twice. STREAM stays where it is, SOURCE
 * outlives it. */
film_status stream_init(struct stream *stream, const struct stream_source *source,
                        film_error *error);
void stream_free(struct stream *stream);
void stream_rewind(struct stream *stream);

/* The next row and where it belongs; FILM_END after the last file. */
film_status stream_next(struct stream *stream, film_row *row, enum stream_part *part,
                        film_error *error);

#endif
