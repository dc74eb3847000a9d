/* Reads files into rows in memory. For a streaming method this reads a sample; its files are read
 * again during training. It does not depend on the method, except for whether it uses labels. */
#include "train/training_rows.h"
#include "train/hold_out.h"
#include "train/pairs.h"

void training_rows_free(struct training_rows *rows)
{
    corpus_free(&rows->corpus);
    corpus_free(&rows->dev);
}

static film_status read_corpus(struct corpus *corpus, const char *const *paths, size_t count,
                               const film_train_options *options, film_error *error)
{
    film_status status = FILM_OK;
    TRY(count ? corpus_read(corpus, paths, count, &options->table, &options->progress, error)
              : corpus_init(corpus, FILM_LABELS_NONE, error));
    if (options->pair_count) TRY(pairs_add(corpus, options->pairs, options->pair_count, error));
    if (options->sentence_count)
        TRY(sentences_add(corpus, options->sentences, options->sentence_count, error));
done:
    return status;
}

film_status training_rows_read(struct training_rows *rows, const char *const *paths, size_t count,
                               const film_train_options *options, struct training_log *log,
                               film_error *error)
{
    static const char *const kinds[FILM_LABELS_COUNT] = {"auto",   "none",     "pairs",
                                                         "scores", "triplets", "categories"};
    const struct corpus *corpus = &rows->corpus;
    int streams = options->method == FILM_METHOD_MFILM;
    *rows = (struct training_rows){.dev_name = "train"};
    rows->stream = (struct stream_source){.paths = paths, .path_count = count, .options = options};
    film_status status = streams
                             ? stream_sample(&rows->stream, &rows->corpus, &rows->dev, log, error)
                             : read_corpus(&rows->corpus, paths, count, options, error);
    if (status != FILM_OK) return status;
    training_log_note(log, "labels", json_string(kinds[corpus->labels]));
    training_log_count(log, "rows", rows->stream.rows ? rows->stream.rows : corpus->rows);
    training_log_count(log, "sentences", corpus->sentences.count);
    training_log_count(log, "skipped_rows", corpus->skipped);
    training_log_phase(log, "read");
    return FILM_OK;
}

/* Reads the dev file before training starts, so that a bad file is reported at once. */
static film_status read_dev(struct corpus *dev, const film_train_options *options,
                            film_error *error)
{
    film_table_options table = options->table;
    table.labels = FILM_LABELS_AUTO;
    film_status status = corpus_read(dev, &options->dev, 1, &table, &options->progress, error);
    if (status == FILM_OK && dev->labels == FILM_LABELS_NONE)
        status = status_set(
            error, FILM_BAD_INPUT,
            "%s: no labels; add a label, score, category or triplet column to the dev file",
            options->dev);
    return status;
}

/* When nothing is learned from labels, the training rows are as good as unseen ones. */
static int needs_unseen_rows(const struct training_rows *rows, const struct training_plan *plan,
                             const film_train_options *options)
{
    if (options->train_share == 1) return 0;
    /* The encoder's weight must be fitted on rows that nothing was trained on. */
    if (options->bert) return rows->corpus.labels != FILM_LABELS_NONE;
    return plan->method != FILM_METHOD_SVD && plan->method != FILM_METHOD_TFIDF && !plan->full;
}

film_status training_rows_choose_dev(struct training_rows *rows, const struct training_plan *plan,
                                     const film_train_options *options, struct training_log *log,
                                     film_error *error)
{
    struct held_out held;
    if (options->dev) {
        rows->dev_name = "dev";
        return read_dev(&rows->dev, options, error);
    }
    if (plan->method == FILM_METHOD_MFILM) { /* already done while sampling */
        if (rows->stream.holds_out) rows->dev_name = "held out";
        return FILM_OK;
    }
    if (!needs_unseen_rows(rows, plan, options)) return FILM_OK;
    film_status status =
        hold_out(&rows->corpus, &rows->dev, options->train_share, options->seed, &held, error);
    if (status != FILM_OK || held.rows == 0) return status;
    rows->dev_name = "held out";
    training_log_count(log, "held_out_rows", held.rows);
    training_log_count(log, "dropped_rows", held.dropped);
    return FILM_OK;
}
