/* Streams rows from files and draws the sample that a streaming method starts from. learn_mfilm.c
 * makes the batches. */
#include "learn/stream.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

/* Rows held out: fewer are useless, more are unnecessary. */
enum { LEAST_DEV = 200, MOST_DEV = 20000 };

void stream_rewind(struct stream *stream)
{
    const struct stream_source *source = stream->source;
    rows_close(&stream->rows);
    rows_start(&stream->rows, source->paths, source->path_count, &source->options->table);
}

film_status stream_init(struct stream *stream, const struct stream_source *source,
                        film_error *error)
{
    memset(stream, 0, sizeof *stream);
    stream->source = source;
    stream->dev_share = -1;
    for (size_t i = 0; i < source->path_count; i++)
        if (strcmp(source->paths[i], "-") == 0)
            return status_set(error, FILM_USAGE,
                              "method mfilm reads its input several times and cannot use standard "
                              "input; save it to a file first");
    stream_rewind(stream);
    return source->holds_out ? questions_init(&stream->questions, error) : FILM_OK;
}

void stream_free(struct stream *stream)
{
    rows_close(&stream->rows);
    if (stream->source && stream->source->holds_out) questions_free(&stream->questions);
    memset(stream, 0, sizeof *stream);
}

static double questions_of(film_labels labels)
{
    return labels == FILM_LABELS_CATEGORIES ? 1 : labels == FILM_LABELS_TRIPLETS ? 3 : 2;
}

/* A pseudo-random number in 0 .. 1 from the seed and a number. */
static double draw_share(uint64_t seed, uint64_t number)
{
    const uint64_t key[2] = {seed, number};
    return (double)strtab_hash((const char *)key, sizeof key) * 0x1p-64;
}

static film_status part_of(struct stream *stream, const film_row *row, enum stream_part *part,
                           film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = stream->source->options;
    const film_text texts[3] = {row->a, row->b, row->c};
    int dev = 0, all = 0;
    *part = STREAM_LEARN;
    if (!stream->source->holds_out) goto done;
    if (stream->dev_share < 0)
        stream->dev_share = 1 - pow(options->train_share, 1 / questions_of(stream->rows.labels));
    for (int i = 0; i < 3; i++) {
        uint64_t hash;
        if (!texts[i].bytes) continue;
        TRY(questions_hash(&stream->questions, texts[i], &hash, error));
        all++;
        dev += draw_share(options->seed, hash) < stream->dev_share;
    }
    *part = dev == 0 ? STREAM_LEARN : dev == all ? STREAM_DEV : STREAM_NEITHER;
done:
    return status;
}

film_status stream_next(struct stream *stream, film_row *row, enum stream_part *part,
                        film_error *error)
{
    film_status status = rows_next(&stream->rows, row, error);
    return status == FILM_OK ? part_of(stream, row, part, error) : status;
}

/* ---- The sample ---- */

struct sampler {
    struct corpus corpus;
    double *key; /* of each row of the corpus, 0 .. 1 */
    size_t key_capacity;
    double limit; /* rows with larger keys are dropped */
    size_t most;  /* limit on rows and on distinct sentences */
};

/* Halves the limit and drops the rows above it. */
static film_status thin(struct sampler *s, film_error *error)
{
    film_status status = FILM_OK;
    struct corpus kept = {0};
    size_t rows = s->corpus.rows, count = 0;
    unsigned char *drop = mem_array(rows, 1);
    TRY_ALLOC(drop, error);
    s->limit /= 2;
    for (size_t i = 0; i < rows; i++) {
        drop[i] = s->key[i] >= s->limit;
        if (!drop[i]) s->key[count++] = s->key[i];
    }
    TRY(corpus_select(&s->corpus, drop, 0, &kept, error));
    corpus_free(&s->corpus);
    s->corpus = kept;
done:
    mem_free(drop);
    return status;
}

static film_status offer_row(struct sampler *s, const film_row *row, double key, film_error *error)
{
    film_status status = FILM_OK;
    if (key >= s->limit) goto done;
    size_t at = s->corpus.rows;
    TRY_ALLOC(mem_grow((void **)&s->key, &s->key_capacity, at + 1, sizeof *s->key), error);
    s->key[at] = key;
    TRY(corpus_add(&s->corpus, row, error));
    /* A single row may exceed the limit; at least one row is kept. */
    while (s->corpus.rows > 1 && (s->corpus.rows > s->most || s->corpus.sentences.count > s->most))
        TRY(thin(s, error));
done:
    return status;
}

/* One pass over the files: sample, dev rows, number of rows. */
static film_status sample_pass(struct stream_source *source, struct corpus *corpus,
                               struct corpus *dev, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = source->options;
    struct sampler sampler = {.limit = 1, .most = options->solver.sample};
    struct stream stream = {0};
    enum stream_part part;
    film_row row;
    uint64_t number = 0;
    source->rows = 0;
    TRY(corpus_init(dev, FILM_LABELS_AUTO, error));
    TRY(corpus_init(&sampler.corpus, FILM_LABELS_AUTO, error));
    TRY(stream_init(&stream, source, error));
    while ((status = stream_next(&stream, &row, &part, error)) == FILM_OK) {
        if (part == STREAM_LEARN) {
            TRY(offer_row(&sampler, &row, draw_share(options->seed + 1, number), error));
            source->rows++;
        } else if (part == STREAM_DEV && dev->rows < MOST_DEV) {
            TRY(corpus_add(dev, &row, error));
        }
        if (++number % 65536 == 0)
            TRY(progress_report(&options->progress, "reading", rows_progress(&stream.rows), 1,
                                error));
    }
    if (status == FILM_END) status = FILM_OK;
    TRY(status);
    if (number == 0) TRY(status_set(error, FILM_BAD_INPUT, "%s: no rows", source->paths[0]));
    *corpus = sampler.corpus;
    sampler.corpus = (struct corpus){0};
    corpus->labels = dev->labels = stream.rows.labels;
    corpus->skipped = stream.rows.skipped;
done:
    corpus_free(&sampler.corpus);
    mem_free(sampler.key);
    stream_free(&stream);
    return status;
}

film_status stream_sample(struct stream_source *source, struct corpus *corpus, struct corpus *dev,
                          struct training_log *log, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = source->options;
    source->holds_out = !options->dev && options->train_share < 1;
    TRY(sample_pass(source, corpus, dev, error));
    if (source->holds_out && (dev->rows < LEAST_DEV || corpus->rows == 0)) {
        source->holds_out = 0;
        corpus_free(corpus);
        corpus_free(dev);
        TRY(sample_pass(source, corpus, dev, error));
    }
    if (!source->holds_out) corpus_free(dev);
    if (source->holds_out) training_log_count(log, "held_out_rows", dev->rows);
    training_log_count(log, "sample_rows", corpus->rows);
done:
    return status;
}
