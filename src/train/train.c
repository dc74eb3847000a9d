#include "train/train.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/clock.h"
#include "la/openmp.h"
#include "la/spread.h"
#include "learn/corpus_share.h"
#include "train/checkpoint.h"
#include "train/learn_decision.h"
#include "train/options.h"
#include "train/pairs.h"
#include "train/run.h"
#include "learn/features_fit.h"

#include <stdlib.h>
#include <string.h>

void run_note(struct run *run, const char *key, json_t *value)
{
    json_object_set_new(run->figures, key, value);
}

/* What this process has handed over in the phase. It goes with the seconds, which are told but not kept in the model:
 * checkpoints are traffic too, and how many there are is a matter of time. */
static void note_traffic(struct run *run, const char *phase)
{
    const struct comm *comm = comm_of(run->options->job);
    const struct comm_traffic *now = comm->traffic, *then = &run->traffic;
    if (comm->size == 1) return;
    run_note(run, "processes", json_integer(comm->size));
    if (!json_object_get(run->seconds, "job"))
        json_object_set_new(run->seconds, "job", json_object());
    json_object_set_new(json_object_get(run->seconds, "job"), phase,
                        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f}", "calls",
                                  (json_int_t)(now->calls - then->calls), "summed",
                                  (json_int_t)(now->summed - then->summed), "shared",
                                  (json_int_t)(now->shared - then->shared), "broadcast",
                                  (json_int_t)(now->broadcast - then->broadcast), "gathered",
                                  (json_int_t)(now->gathered - then->gathered), "exchanged",
                                  (json_int_t)(now->exchanged - then->exchanged), "waited",
                                  now->seconds - then->seconds));
    run->traffic = *now;
}

void run_note_time(struct run *run, const char *phase)
{
    double now = clock_seconds();
    json_object_set_new(run->seconds, phase, json_real(now - run->started));
    run->started = now;
    note_traffic(run, phase);
}

/* In a job each process reads its part of the files, and the first one adds the pairs in memory. */
static film_status read_rows(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = run->options;
    const struct comm *comm = comm_of(options->job);
    film_table_options table = options->table;
    table.part = comm->rank;
    table.parts = comm->size;
    TRY(run->path_count ? corpus_read(&run->corpus, run->paths, run->path_count, &table,
                                      &options->progress, error)
                        : corpus_init(&run->corpus, FILM_LABELS_PAIRS, error));
    if (options->pair_count && comm->rank == 0)
        TRY(pairs_add(&run->corpus, options->pairs, options->pair_count, error));
    TRY(corpus_share(&run->corpus, comm, run->path_count ? run->paths[0] : "the pairs", error));
done:
    return status;
}

static film_status read_corpus(struct run *run, film_error *error)
{
    static const char *const kinds[FILM_LABELS_COUNT] = {"auto",   "none",     "pairs",
                                                         "scores", "triplets", "categories"};
    const film_train_options *options = run->options;
    film_status status = FILM_OK;
    if (options->method == FILM_METHOD_MFILM)
        status = run_sample(run, error);
    else
        status = read_rows(run, error);
    if (status != FILM_OK) return status;
    if (run->rows == 0) run->rows = run->corpus.rows;
    const struct corpus *corpus = &run->corpus;
    run_note(run, "labels", json_string(kinds[corpus->labels]));
    run_note(run, "rows", json_integer((json_int_t)run->rows));
    run_note(run, "sentences", json_integer((json_int_t)corpus_all(corpus)));
    run_note(run, "skipped_rows", json_integer((json_int_t)corpus->skipped));
    run_note_time(run, "read");
    return FILM_OK;
}

static film_status count_features(struct run *run, film_error *error)
{
    const film_train_options *options = run->options;
    struct tokenizer tokenizer;
    film_status status = tokenizer_init(&tokenizer, options->stem, options->stop, error);
    if (status != FILM_OK) return status;
    struct features_options wanted = {run->model->features.groups, options->min_df,
                                      options->max_features,       options->threads,
                                      options->progress,           run->corpus.comm};
    status = features_fit(&run->model->features, &tokenizer, &run->corpus.sentences, &wanted,
                          &run->x, error);
    if (status != FILM_OK) return status;
    size_t entries = run->x.start[run->x.rows];
    status = comm_sum_counts(run->corpus.comm, &entries, 1, error);
    if (status != FILM_OK) return status;
    run_note(run, "entries", json_integer((json_int_t)entries));
    run_note_time(run, "features");
    return FILM_OK;
}

size_t run_inputs(const struct run *run)
{
    return run->network ? run->network->dim : run->x.cols;
}

struct encoder run_project(const struct run *run)
{
    struct encoder words = {
        .features = &run->model->features, .map = run->svd.u, .dim = run->svd.rank};
    struct encoder network = {.features = &run->model->features,
                              .network = run->network,
                              .network_map = run->svd.u,
                              .network_dim = run->svd.rank};
    return run->network ? network : words;
}

film_status run_factorise(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = run->options;
    film_model *model = run->model;
    struct svd_options wanted = {.rank = options->rank,
                                 .seed = options->seed,
                                 .threads = openmp_use(options->threads),
                                 .progress = options->progress,
                                 .comm = run->corpus.comm};
    TRY(run->network ? svd_dense(run->encoded, run->corpus.sentences.count, run_inputs(run),
                                 &wanted, &run->svd, error)
                     : svd_compute(&run->x, &wanted, &run->svd, error));
    TRY_ALLOC(model->own_sigma = mem_array(run->svd.rank, sizeof *model->own_sigma), error);
    memcpy(model->own_sigma, run->svd.sigma, run->svd.rank * sizeof(float));
    model->sigma = model->own_sigma;
    model->rank = run->svd.rank;
    run_note(run, "svd_basis", json_integer((json_int_t)run->svd.basis));
    run_note(run, "svd_residual", json_real(run->svd.residual));
    run_note_time(run, "svd");
done:
    return status;
}

/* L = U': the map onto the strongest directions of the text. */
film_status learn_svd(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct svd *svd = &run->svd;
    float *mine = NULL;
    TRY(run_factorise(run, error));
    size_t features = run_inputs(run);
    if (run->dim > svd->rank) run->dim = svd->rank;
    TRY_ALLOC((run->model->own_map = mem_array(features * run->dim, sizeof(float))) &&
                  (mine = mem_array(svd->u_rows * run->dim, sizeof *mine)),
              error);
    for (size_t i = 0; i < svd->u_rows; i++)
        memcpy(mine + i * run->dim, svd->u + i * svd->rank, run->dim * sizeof *mine);
    TRY(spread_gather(run->corpus.comm, features, run->dim, mine, run->model->own_map, error));
done:
    mem_free(mine);
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
        status = status_set(
            error, FILM_BAD_INPUT,
            "%s: no labels; the dev file needs a label, score, category or triplet columns",
            run->options->dev);
    return status;
}

/* Features alone. */
static film_status learn_nothing(struct run *run, film_error *error)
{
    (void)error;
    run->dim = 0;
    return FILM_OK;
}

/* What a method does where the user left it open. */
struct method {
    const char *name;
    film_status (*learn)(struct run *run, film_error *error);
    unsigned features;
    size_t dim; /* 0: the rank */
};

static const struct method methods[FILM_METHOD_COUNT] = {
    [FILM_METHOD_TFIDF] = {"tfidf", learn_nothing, FILM_WORD, 0},
    [FILM_METHOD_SVD] = {"svd", learn_svd, FILM_WORD, 0},
    [FILM_METHOD_FILM] = {"film", learn_film, FILM_WORD, 100},
    [FILM_METHOD_MFILM] = {"mfilm", learn_mfilm, FILM_WORD, 100},
    [FILM_METHOD_RANK] = {"rank", learn_rank, FILM_WORD | FILM_CHAR, 200},
    [FILM_METHOD_DEEP] = {"deep", learn_deep, FILM_WORD, 0},
};

film_status run_learn(struct run *run, film_error *error)
{
    film_status status = methods[run->method].learn(run, error);
    /* Options were checked before; what a method still refuses are the labels. */
    return status == FILM_USAGE ? FILM_BAD_INPUT : status;
}

/* What a method cannot do with the labels there are, or with the other options. */
static film_status check_method(const struct run *run, film_method method, film_error *error)
{
    const film_train_options *options = run->options;
    int labelled = run->corpus.labels != FILM_LABELS_NONE;
    const char *name = methods[method].name;
    if (!labelled && method != FILM_METHOD_SVD && method != FILM_METHOD_TFIDF)
        return status_set(error, FILM_BAD_INPUT,
                          "method %s learns from labels and the input has none; use method svd "
                          "or add a label, score, category or triplet column",
                          name);
    if (!labelled && options->decision == FILM_DECISION_FULL)
        return status_set(
            error, FILM_BAD_INPUT,
            "a full decision is learned from labels and the input has none; leave it out or "
            "add a label, score, category or triplet column");
    if (!labelled && options->keep_examples)
        return status_set(error, FILM_BAD_INPUT,
                          "examples are labelled pairs and the input has none; keep none, or "
                          "add a label, score, category or triplet column");
    if (options->resume && method != FILM_METHOD_FILM && method != FILM_METHOD_RANK &&
        method != FILM_METHOD_DEEP)
        return status_set(error, FILM_BAD_INPUT, "nothing to resume: method %s cannot be paused",
                          name);
    /* What the decision learns from must not have been seen by the map: learned once for each fold, which a
     * method that streams its rows does not do. */
    if (method == FILM_METHOD_MFILM && options->decision == FILM_DECISION_FULL)
        return status_set(error, FILM_BAD_INPUT,
                          "a full decision is not learned with method mfilm, which streams its "
                          "pairs; use method rank or film, or decision threshold");
    return options_check_dim(options, method, error);
}

static film_status choose_method(struct run *run, film_error *error)
{
    const film_train_options *options = run->options;
    int labelled = run->corpus.labels != FILM_LABELS_NONE;
    film_method with_labels = options->bert ? FILM_METHOD_FILM : FILM_METHOD_RANK;
    run->method = options->method;
    if (run->method == FILM_METHOD_AUTO) run->method = labelled ? with_labels : FILM_METHOD_SVD;
    const struct method *method = &methods[run->method];
    film_status status = check_method(run, run->method, error);
    if (status != FILM_OK) return status;
    run->full = labelled && run->method != FILM_METHOD_MFILM && run->method != FILM_METHOD_DEEP &&
                options->decision != FILM_DECISION_THRESHOLD;
    size_t dim = method->dim ? method->dim : options->rank;
    run->dim = options->dim ? options->dim : dim;
    run->model->settings = (struct model_settings){
        .min_df = options->min_df, .max_features = options->max_features, .seed = options->seed};
    strcpy(run->model->settings.method, method->name);
    if (options->bert) { /* words have a map of their own where a decision reads them */
        run->network_method = run->method;
        run->method = run->full ? FILM_METHOD_RANK : FILM_METHOD_TFIDF;
        method = &methods[run->method];
    }
    run->model->features.groups = options->features ? options->features : method->features;
    return FILM_OK;
}

/* A dev file, or a part of the corpus held out when something is learned from labels. */
static film_status choose_dev(struct run *run, film_error *error)
{
    run->dev_name = "train";
    if (run->options->dev) {
        run->dev_name = "dev";
        return read_dev(run, error);
    }
    if (run->method == FILM_METHOD_MFILM) { /* done while sampling */
        if (run->holds_out) run->dev_name = "held out";
        return FILM_OK;
    }
    /* Where nothing is learned from labels, the training rows are as good as unseen ones. */
    int unlabelled = run->method == FILM_METHOD_SVD || run->method == FILM_METHOD_TFIDF;
    if (run->options->bert) /* what the encoder is worth is told by rows nothing was learned from */
        unlabelled = run->corpus.labels == FILM_LABELS_NONE;
    if (unlabelled || (run->full && !run->options->bert) || run->options->train_share == 1)
        return FILM_OK;
    return run_hold_out(run, error);
}

/* Without enough pairs, or when it is stopped: the map is there, and with a threshold it is a model. */
static film_status decide(struct run *run, film_error *error)
{
    static const char *const undone[] = {"evidence_items", "trees", "memory"};
    struct decision *decision = &run->model->decision;
    film_status status = learn_decision(run, error);
    if (status == FILM_CANCELLED) {
        run->interrupted = status;
        status_set(&run->interruption, status, "stopped before the decision was learned");
    } else if (status != FILM_BAD_INPUT || !run->too_few ||
               run->options->decision != FILM_DECISION_AUTO) {
        return status;
    }
    decision_free(decision);
    decision->encoder = &run->model->encoder;
    for (size_t i = 0; i < sizeof undone / sizeof *undone; i++)
        json_object_del(run->figures, undone[i]);
    if (run->too_few) run_note(run, "too_few_for_full", json_true());
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
    jsonfile_free_text(figures);
    jsonfile_free_text(times);
    return status;
}

/* What is not split over processes. */
static film_status check_job(const film_train_options *options, film_error *error)
{
    if (film_job_size(options->job) == 1) return FILM_OK;
    if (options->bert || options->method == FILM_METHOD_DEEP)
        return status_set(
            error, FILM_USAGE,
            "a BERT encoder is not trained by several processes; start it without mpirun");
    if (options->method == FILM_METHOD_MFILM && options->solver.batch_basis)
        return status_set(
            error, FILM_USAGE,
            "method mfilm with an SVD of every batch cannot run under mpirun; start it "
            "without");
    return FILM_OK;
}

film_status train_files(const char *const *paths, size_t count, const film_train_options *options,
                        film_model **out, film_error *error)
{
    film_status status = FILM_OK;
    struct run run = {
        .options = options, .paths = paths, .path_count = count, .started = clock_seconds()};
    *out = NULL;
    TRY(options_check(options, error));
    TRY(check_job(options, error));
    TRY(checkpoint_check(options, error));
    TRY_ALLOC((run.figures = json_object()) && (run.seconds = json_object()), error);
    TRY_ALLOC(run.model = mem_zeroed(1, sizeof *run.model), error);
    if (options->bert) TRY(run_open_network(&run, error)); /* a bad folder is told at once */
    TRY(read_corpus(&run, error));
    TRY(choose_method(&run, error));
    TRY(choose_dev(&run, error));
    const struct corpus *judged_on = run.dev.rows ? &run.dev : &run.corpus;
    TRY(run_check_operating(&run, judged_on->labels == FILM_LABELS_NONE, error));
    TRY(count_features(&run, error));
    run.model->encoder =
        (struct encoder){.features = &run.model->features, .similarity = options->similarity};
    if (options->bert)
        TRY(run.network_method == FILM_METHOD_DEEP ? learn_deep(&run, error)
                                                   : run_learn_network(&run, error));
    if (run.interrupted == FILM_OK) TRY(run_learn(&run, error));
    run.model->encoder.map = run.model->own_map;
    run.model->encoder.dim = run.model->own_map ? run.dim : 0;
    run.model->encoder.weighs = run.method == FILM_METHOD_RANK;
    run.model->decision.encoder = &run.model->encoder;
    if (run.full && run.interrupted == FILM_OK) TRY(decide(&run, error));
    if (!run.model->decision.full || run.dev.rows || options->bert)
        TRY(run_calibrate(&run, judged_on, error));
    TRY(run_keep_examples(&run, error));
    TRY(finish(&run, error));
done:
    if (run.model && run.model->network) network_use_cache(run.model->network, NULL);
    vector_cache_close(run.cache);
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
    if (status != FILM_OK || run.interrupted == FILM_OK) return status;
    if (error) *error = run.interruption;
    return run.interrupted;
}
