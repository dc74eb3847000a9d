#include "train/train.h"
#include "base/mem.h"
#include "base/threads.h"
#include "la/svd.h"
#include "text/corpus.h"
#include "train/labels.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One training run: what it works on and what it writes down. */
struct run {
    const film_train_options *options;
    film_model *model;
    struct corpus corpus, dev; /* dev stays empty without --dev */
    struct csr x;
    struct svd svd;
    json_t *figures, *seconds;
    double started;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Notes how long the phase took that has just ended. */
static void note_time(struct run *run, const char *phase)
{
    double now = seconds();
    json_object_set_new(run->seconds, phase, json_real(now - run->started));
    run->started = now;
}

static film_status read_corpus(struct run *run, const char *const *paths, size_t count,
                               film_error *error)
{
    static const char *const kinds[FILM_LABELS_COUNT] = {"auto",   "none",     "pairs",
                                                         "scores", "triplets", "categories"};
    film_status status = corpus_read(&run->corpus, paths, count, &run->options->table,
                                     &run->options->progress, error);
    if (status != FILM_OK) return status;
    const struct corpus *corpus = &run->corpus;
    json_object_set_new(run->figures, "labels", json_string(kinds[corpus->labels]));
    json_object_set_new(run->figures, "rows", json_integer((json_int_t)corpus->rows));
    json_object_set_new(run->figures, "sentences", json_integer(corpus->sentences.count));
    json_object_set_new(run->figures, "skipped_rows", json_integer((json_int_t)corpus->skipped));
    note_time(run, "read");
    return FILM_OK;
}

static film_status count_features(struct run *run, film_error *error)
{
    const film_train_options *options = run->options;
    struct tokenizer tokenizer;
    film_status status = tokenizer_init(&tokenizer, options->stem, options->stop, error);
    if (status != FILM_OK) return status;
    struct features_options wanted = {options->features, options->min_df, options->max_features,
                                      options->threads, options->progress};
    status = features_fit(&run->model->features, &tokenizer, &run->corpus.sentences, &wanted,
                          &run->x, error);
    if (status != FILM_OK) return status;
    json_object_set_new(run->figures, "entries",
                        json_integer((json_int_t)run->x.start[run->x.rows]));
    note_time(run, "features");
    return FILM_OK;
}

/* L = U': the map onto the strongest directions of the text. */
static film_status factorise(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = run->options;
    film_model *model = run->model;
    size_t dim = options->dim ? options->dim : options->rank;
    struct svd_options wanted = {.rank = options->rank,
                                 .seed = options->seed,
                                 .threads = threads_use(options->threads),
                                 .progress = options->progress,
                                 .comm = &comm_single};
    TRY(svd_compute(&run->x, &wanted, &run->svd, error));
    if (dim > run->svd.rank) dim = run->svd.rank;
    size_t features = run->x.cols;
    TRY_ALLOC(model->own_map = mem_array(features * dim, sizeof *model->own_map), error);
    for (size_t i = 0; i < features; i++)
        memcpy(model->own_map + i * dim, run->svd.u + i * run->svd.rank, dim * sizeof(float));
    TRY_ALLOC(model->own_sigma = mem_array(run->svd.rank, sizeof *model->own_sigma), error);
    memcpy(model->own_sigma, run->svd.sigma, run->svd.rank * sizeof(float));
    model->sigma = model->own_sigma;
    model->rank = run->svd.rank;
    model->encoder = (struct encoder){&model->features, model->own_map, dim};
    json_object_set_new(run->figures, "svd_basis", json_integer((json_int_t)run->svd.basis));
    json_object_set_new(run->figures, "svd_residual", json_real(run->svd.residual));
    note_time(run, "svd");
done:
    return status;
}

/* Chooses the threshold on LABELLED: the dev file, or the training rows themselves. */
static film_status calibrate(struct run *run, const struct corpus *labelled, const char *name,
                             film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_pairs pairs = {0};
    float *similarity = NULL;
    double threshold, accuracy;
    TRY(labels_to_pairs(labelled, run->options->seed, &pairs, error));
    TRY_ALLOC(similarity = mem_array(pairs.count, sizeof *similarity), error);
    TRY(labels_similarities(labelled, &pairs, &run->model->encoder, run->options->threads,
                            similarity, error));
    if (labelled->labels == FILM_LABELS_NONE) {
        TRY(calibrate_blind(similarity, pairs.count, &run->model->calibration, error));
    } else {
        TRY(calibrate_fit(similarity, pairs.target, pairs.count, &run->model->calibration, error));
        TRY(calibrate_threshold(similarity, pairs.target, pairs.count, &threshold, &accuracy,
                                error));
        json_object_set_new(run->figures, "balanced_accuracy", json_real(accuracy));
    }
    json_object_set_new(run->figures, "threshold_from", json_string(name));
    json_object_set_new(run->figures, "threshold_pairs", json_integer((json_int_t)pairs.count));
    note_time(run, "threshold");
done:
    labelled_pairs_free(&pairs);
    mem_free(similarity);
    return status;
}

/* Read before the training starts, so that a bad dev file is told at once. */
static film_status read_dev(struct run *run, film_error *error)
{
    film_table_options table = run->options->table;
    table.labels = FILM_LABELS_AUTO;
    film_status status =
        corpus_read(&run->dev, &run->options->dev, 1, &table, &run->options->progress, error);
    if (status == FILM_OK && run->dev.labels == FILM_LABELS_NONE)
        status =
            status_set(error, FILM_BAD_INPUT,
                       "%s: no labels; --dev needs a label, score, category or triplet columns",
                       run->options->dev);
    return status;
}

static film_status check_options(const film_train_options *options, film_error *error)
{
    if (options->features == 0 || options->features >= GROUP_BIT(GROUPS))
        return status_set(error, FILM_USAGE, "--features: choose from word, bigram, char");
    if (options->rank == 0) return status_set(error, FILM_USAGE, "--rank must be at least 1");
    if (options->dim > options->rank)
        return status_set(
            error, FILM_USAGE,
            "--dim %zu is more than --rank %zu; a map cannot have more dimensions than "
            "the data it is made from",
            options->dim, options->rank);
    return FILM_OK;
}

static film_status finish(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    char *figures = json_dumps(run->figures, JSON_COMPACT | JSON_REAL_PRECISION(6));
    char *times = json_dumps(run->seconds, JSON_COMPACT | JSON_REAL_PRECISION(6));
    TRY_ALLOC(figures && times, error);
    TRY_ALLOC(run->model->figures = mem_string(figures, strlen(figures)), error);
    TRY_ALLOC(run->model->seconds = mem_string(times, strlen(times)), error);
done:
    free(figures);
    free(times);
    return status;
}

film_status train_files(const char *const *paths, size_t count, const film_train_options *options,
                        film_model **out, film_error *error)
{
    film_status status = FILM_OK;
    struct run run = {.options = options, .started = seconds()};
    *out = NULL;
    TRY(check_options(options, error));
    TRY_ALLOC((run.figures = json_object()) && (run.seconds = json_object()), error);
    TRY_ALLOC(run.model = mem_zeroed(1, sizeof *run.model), error);
    run.model->settings =
        (struct model_settings){"svd", options->min_df, options->max_features, options->seed};
    TRY(read_corpus(&run, paths, count, error));
    if (options->dev) TRY(read_dev(&run, error));
    TRY(count_features(&run, error));
    TRY(factorise(&run, error));
    if (options->dev)
        TRY(calibrate(&run, &run.dev, "dev", error));
    else
        TRY(calibrate(&run, &run.corpus, "train", error));
    TRY(finish(&run, error));
done:
    corpus_free(&run.corpus);
    corpus_free(&run.dev);
    csr_free(&run.x);
    svd_free(&run.svd);
    json_decref(run.figures);
    json_decref(run.seconds);
    if (status != FILM_OK)
        model_free(run.model);
    else
        *out = run.model;
    return status;
}
