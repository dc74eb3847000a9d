/* Method FILM: the corpus's labels to triplets, triplets and V to a map. */
#include "base/mem.h"
#include "base/threads.h"
#include "metric/film.h"
#include "train/checkpoint.h"
#include "train/fingerprint.h"
#include "train/hard.h"
#include "train/judge.h"
#include "train/run.h"

#include <string.h>

/* ---- Labels to triplets ---- */

static film_status from_pairs(const struct corpus *corpus, const struct triplet_options *options,
                              struct triplets *out, film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_pairs labelled = {0};
    struct triplet_pair *pairs = NULL;
    size_t count = 0;
    TRY(labels_to_pairs(corpus, 0, options->seed, &labelled, error));
    TRY_ALLOC(pairs = mem_array(labelled.count, sizeof *pairs), error);
    for (size_t i = 0; i < labelled.count; i++) {
        int same = labels_verdict(corpus, labelled.target[i]);
        if (same >= 0)
            pairs[count++] = (struct triplet_pair){labelled.a[i], labelled.b[i], (uint32_t)same};
    }
    TRY(triplets_from_pairs(corpus->sentences.count, pairs, count, options, out, error));
done:
    labelled_pairs_free(&labelled);
    mem_free(pairs);
    return status;
}

/* A sentence listed under two categories keeps the first; the others are counted. */
static film_status from_categories(const struct corpus *corpus,
                                   const struct triplet_options *options, struct triplets *out,
                                   film_error *error)
{
    size_t sentences = corpus->sentences.count, conflicts = 0;
    uint32_t *category = mem_array(sentences, sizeof *category);
    if (!category) return status_no_memory(error);
    for (size_t i = 0; i < sentences; i++) category[i] = TRIPLETS_NONE;
    for (size_t i = 0; i < corpus->rows; i++) {
        uint32_t *mine = &category[corpus->a[i]];
        if (*mine == TRIPLETS_NONE)
            *mine = corpus->category[i];
        else
            conflicts += *mine != corpus->category[i];
    }
    film_status status = triplets_from_categories(sentences, category, options, out, error);
    out->contradictions += conflicts;
    mem_free(category);
    return status;
}

static film_status from_triplets(const struct corpus *corpus, struct triplets *out,
                                 film_error *error)
{
    uint32_t(*rows)[3] = mem_array(corpus->rows, sizeof *rows);
    if (!rows) return status_no_memory(error);
    for (size_t i = 0; i < corpus->rows; i++) {
        rows[i][0] = corpus->a[i];
        rows[i][1] = corpus->b[i];
        rows[i][2] = corpus->c[i];
    }
    film_status status = triplets_from_triplets(corpus->sentences.count, (const uint32_t(*)[3])rows,
                                                corpus->rows, out, error);
    mem_free(rows);
    return status;
}

/* Neighbours under LSA: the rows of V Sigma, the first HARD_DIM columns. */
enum { HARD_DIM = 100, HARD_CHUNK = 16384, HARD_EXTRA = 8 };

static film_status find_hard(struct run *run, struct triplet_options *options,
                             uint32_t **neighbours, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = run->corpus.sentences.count, rank = run->svd.rank;
    size_t dim = rank < HARD_DIM ? rank : HARD_DIM;
    /* some of the nearest are of the anchor's own cluster and passed over */
    size_t width = options->hard + HARD_EXTRA;
    float *vectors = mem_array(count * dim, sizeof *vectors);
    TRY_ALLOC(vectors && (*neighbours = mem_array(count * width, sizeof **neighbours)), error);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < dim; j++)
            vectors[i * dim + j] = run->svd.v[i * rank + j] * run->svd.sigma[j];
    TRY(hard_neighbours(vectors, count, dim, HARD_CHUNK, width, run->options->seed,
                        threads_use(run->options->threads), &run->options->progress, *neighbours,
                        error));
    options->neighbours = *neighbours;
    options->neighbour_width = width;
    run_note_time(run, "hard negatives");
done:
    mem_free(vectors);
    return status;
}

static film_status make_triplets(struct run *run, struct triplets *out, film_error *error)
{
    const film_solver_options *solver = &run->options->solver;
    struct triplet_options options;
    uint32_t *neighbours = NULL;
    film_status status = FILM_OK;
    triplets_defaults(&options);
    options.positives = solver->positives;
    options.labelled = solver->labelled;
    options.hard = solver->hard;
    options.random = solver->random;
    options.seed = run->options->seed;
    if (options.hard && run->corpus.labels != FILM_LABELS_TRIPLETS)
        TRY(find_hard(run, &options, &neighbours, error));
    if (run->corpus.labels == FILM_LABELS_CATEGORIES)
        TRY(from_categories(&run->corpus, &options, out, error));
    else if (run->corpus.labels == FILM_LABELS_TRIPLETS)
        TRY(from_triplets(&run->corpus, out, error));
    else
        TRY(from_pairs(&run->corpus, &options, out, error));
    run_note(run, "triplets",
             json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "anchors",
                       (json_int_t)out->anchors, "count", (json_int_t)out->count, "clusters",
                       (json_int_t)out->clusters, "largest_cluster", (json_int_t)out->largest,
                       "contradictions", (json_int_t)out->contradictions, "labelled_negatives",
                       (json_int_t)out->labelled, "hard_negatives", (json_int_t)out->hard,
                       "random_negatives", (json_int_t)out->random));
done:
    mem_free(neighbours);
    return status;
}

/* ---- Learning ---- */

struct watch {
    struct run *run;
    size_t limit;
    struct judge judge;
};

static double on_judge(void *user, const double *p, const double *s)
{
    return judge_map(&((struct watch *)user)->judge, p, s);
}

static int on_iteration(void *user, size_t iteration, const struct film_iteration *now)
{
    (void)now;
    struct watch *watch = user;
    return progress_report(&watch->run->options->progress, "film", (double)iteration,
                           (double)watch->limit, NULL) != FILM_OK;
}

static struct film_learn_options learn_options(const struct run *run, struct watch *watch)
{
    const film_solver_options *solver = &run->options->solver;
    struct film_learn_options options;
    film_learn_defaults(&options);
    options.dim = run->dim;
    options.power = solver->power;
    options.margin_ratio = solver->margin_ratio;
    options.start = solver->eigen ? FILM_START_EIGEN : FILM_START_RANDOM;
    options.seed = run->options->seed;
    options.threads = threads_use(run->options->threads);
    options.solver.iterations = solver->iterations;
    options.solver.epsilon = solver->epsilon;
    options.solver.least_change = solver->least_change;
    options.solver.rho = solver->rho;
    options.solver.gamma = solver->gamma;
    options.solver.shrink = solver->shrink;
    options.solver.first_tau = solver->first_tau;
    options.report = on_iteration;
    if (run->dev.rows) options.judge = on_judge;
    options.user = watch;
    return options;
}

static void note_learned(struct run *run, const struct film_learned *learned)
{
    json_t *history = json_array();
    for (size_t i = 0; i < learned->solver.iterations && learned->history; i++) {
        const struct film_iteration *now = &learned->history[i];
        json_array_append_new(history, json_pack("[f, f, I, f, I, f]", now->f, now->gradient,
                                                 (json_int_t)now->active, now->tau,
                                                 (json_int_t)now->backtracks, now->judged));
    }
    run_note(run, "film",
             json_pack("{s:s, s:I, s:f, s:f, s:I, s:I, s:I, s:[s, s, s, s, s, s], s:o}", "stopped",
                       stiefel_stop_name(learned->solver.stop), "iterations",
                       (json_int_t)learned->solver.iterations, "objective", learned->f, "margin",
                       learned->margin, "active_anchors", (json_int_t)learned->active,
                       "dead_columns", (json_int_t)learned->dead, "best_iteration",
                       (json_int_t)learned->best, "history_columns", "objective", "gradient",
                       "active", "step", "backtracks", "accuracy", "history", history));
}

/* P belongs to a basis and to anchors: another machine or thread count may make others. */
static uint64_t hash_start(const struct run *run, const struct triplets *triplets)
{
    const struct svd *svd = &run->svd;
    size_t ids = triplets->count * sizeof(uint32_t);
    uint64_t hash = fingerprint_add(0, svd->sigma, svd->rank * sizeof(float));
    hash = fingerprint_add(hash, svd->v, run->x.rows * svd->rank * sizeof(float));
    hash = fingerprint_add(hash, triplets->anchor, triplets->anchors * sizeof(uint32_t));
    hash = fingerprint_add(hash, triplets->similar, ids);
    return fingerprint_add(hash, triplets->dissimilar, ids);
}

film_status learn_film(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    film_model *model = run->model;
    struct triplets triplets = {0};
    struct film_learned learned = {0};
    struct checkpoint checkpoint = {0};
    struct watch watch = {.run = run, .limit = run->options->solver.iterations};
    TRY(run_factorise(run, error));
    if (run->dim > run->svd.rank) run->dim = run->svd.rank;
    TRY(make_triplets(run, &triplets, error));
    if (run->dev.rows) TRY(judge_init(&watch.judge, run, error));
    run_note_time(run, "triplets");
    struct film_learn_options options = learn_options(run, &watch);
    TRY(checkpoint_open(&checkpoint, run, hash_start(run, &triplets), error));
    options.keeper = checkpoint_keeper(&checkpoint);
    status =
        film_learn(run->svd.v, run->svd.rank, run->svd.sigma, &triplets, &options, &learned, error);
    if (status == FILM_CANCELLED && learned.p) { /* the best so far is a model too */
        checkpoint_stopped(&checkpoint, run, learned.solver.iterations, watch.limit, "iterations");
        status = FILM_OK;
    }
    TRY(status);
    TRY_ALLOC(model->own_map = mem_array(run->x.cols * run->dim, sizeof *model->own_map), error);
    TRY(film_map(&learned, run->svd.u, run->x.cols, run->svd.rank, run->svd.sigma, options.threads,
                 model->own_map, error));
    note_learned(run, &learned);
    run_note_time(run, "film");
done:
    checkpoint_free(&checkpoint);
    judge_free(&watch.judge);
    triplets_free(&triplets);
    film_learned_free(&learned);
    return status;
}
