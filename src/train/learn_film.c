/* Method FILM: the corpus's labels to triplets, triplets and V to a map. */
#include "base/mem.h"
#include "la/openmp.h"
#include "la/spread.h"
#include "train/checkpoint.h"
#include "train/corpus_triplets.h"
#include "train/fingerprint.h"
#include "train/judge.h"
#include "train/learn_film.h"

#include <math.h>
#include <string.h>

static film_status make_triplets(struct run *run, struct triplets *out, film_error *error)
{
    struct triplet_recipe recipe = {.solver = &run->options->solver,
                                    .v = run->svd.v,
                                    .sigma = run->svd.sigma,
                                    .rank = run->svd.rank,
                                    .seed = run->options->seed,
                                    .threads = openmp_use(run->options->threads),
                                    .progress = run->options->progress};
    corpus_score_range(&run->corpus, recipe.range);
    film_status status = FILM_OK;
    TRY(corpus_triplets(&run->corpus, &recipe, out, error));
    size_t all[] = {out->anchors, out->count, out->labelled, out->hard, out->random};
    TRY(comm_sum_counts(run->corpus.comm, all, sizeof all / sizeof *all, error));
    run_note(run, "triplets",
             json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "anchors", (json_int_t)all[0],
                       "count", (json_int_t)all[1], "clusters", (json_int_t)out->clusters,
                       "largest_cluster", (json_int_t)out->largest, "contradictions",
                       (json_int_t)out->contradictions, "labelled_negatives", (json_int_t)all[2],
                       "hard_negatives", (json_int_t)all[3], "random_negatives",
                       (json_int_t)all[4]));
done:
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

void learn_film_tell(const struct run *run, const struct film_iteration *now)
{
    const film_progress *progress = &run->options->progress;
    if (now->judged == 0)
        progress_note(progress, "f %.5g, gradient %.3g, %.0f active, step %.2g", now->f,
                      now->gradient, now->active, now->tau);
    else
        progress_note(progress, "f %.5g, gradient %.3g, %.0f active, step %.2g, dev %.1f %%",
                      now->f, now->gradient, now->active, now->tau, 100 * now->judged);
}

static int on_iteration(void *user, size_t iteration, const struct film_iteration *now)
{
    struct watch *watch = user;
    learn_film_tell(watch->run, now);
    return progress_report(&watch->run->options->progress, "film", (double)iteration,
                           (double)watch->limit, NULL) != FILM_OK;
}

struct film_learn_options learn_film_options(const struct run *run)
{
    const film_solver_options *solver = &run->options->solver;
    struct film_learn_options options;
    film_learn_defaults(&options);
    options.dim = run->dim;
    options.power = solver->power;
    options.margin_ratio = solver->margin_ratio;
    options.start = solver->eigen ? FILM_START_EIGEN : FILM_START_RANDOM;
    options.seed = run->options->seed;
    options.threads = openmp_use(run->options->threads);
    options.solver.iterations = solver->iterations;
    options.solver.refresh_every = solver->inner;
    options.solver.epsilon = solver->epsilon;
    options.solver.least_change = solver->least_change;
    options.solver.rho = solver->rho;
    options.solver.gamma = solver->gamma;
    options.solver.shrink = solver->shrink;
    options.solver.first_tau = solver->first_tau;
    return options;
}

void learn_film_note(struct run *run, const char *name, const struct film_learned *learned)
{
    json_t *history = json_array();
    size_t count = learned->history ? learned->solver.iterations : 0, stride;
    for (size_t i = run_history(count, &stride); i < count; i += stride) {
        const struct film_iteration *now = &learned->history[i];
        json_array_append_new(history, json_pack("[f, f, I, f, I, f]", now->f, now->gradient,
                                                 (json_int_t)now->active, now->tau,
                                                 (json_int_t)now->backtracks, now->judged));
    }
    run_note(run, name,
             json_pack("{s:s, s:I, s:f, s:f, s:I, s:I, s:I, s:[s, s, s, s, s, s], s:o}", "stopped",
                       stiefel_stop_name(learned->solver.stop), "iterations",
                       (json_int_t)learned->solver.iterations, "objective", learned->f, "margin",
                       learned->margin, "active_anchors", (json_int_t)learned->active,
                       "dead_columns", (json_int_t)learned->dead, "best_iteration",
                       (json_int_t)learned->best, "history_columns", "objective", "gradient",
                       "active", "step", "backtracks", "accuracy", "history", history));
}

/* P belongs to a basis and to anchors: another machine or thread count may make others. Of this process's part. */
static uint64_t hash_start(const struct run *run, const struct triplets *triplets)
{
    const struct svd *svd = &run->svd;
    size_t ids = triplets->count * sizeof(uint32_t);
    uint64_t hash = fingerprint_add(0, svd->sigma, svd->rank * sizeof(float));
    hash = fingerprint_add(hash, svd->v, run->corpus.sentences.count * svd->rank * sizeof(float));
    hash = fingerprint_add(hash, triplets->anchor, triplets->anchors * sizeof(uint32_t));
    hash = fingerprint_add(hash, triplets->similar, ids);
    return fingerprint_add(hash, triplets->dissimilar, ids);
}

film_status learn_film_kept(struct run *run, film_status status, const struct film_learned *learned)
{
    if (status != FILM_CANCELLED || !learned->p) return status;
    run->interrupted = status_set(&run->interruption, FILM_CANCELLED, "stopped after %zu steps",
                                  learned->solver.iterations);
    return FILM_OK;
}

film_status learn_film_map(struct run *run, const struct film_learned *learned, const float *sigma,
                           film_error *error)
{
    film_status status = FILM_OK;
    const struct svd *svd = &run->svd;
    size_t features = run_inputs(run), dim = learned->dim;
    float *mine = mem_array(svd->u_rows * dim, sizeof *mine);
    TRY_ALLOC(mine && (run->model->own_map = mem_array(features * dim, sizeof *mine)), error);
    TRY(film_map(learned, svd->u, svd->u_rows, svd->rank, sigma, openmp_use(run->options->threads),
                 mine, error));
    TRY(spread_gather(run->corpus.comm, features, dim, mine, run->model->own_map, error));
done:
    mem_free(mine);
    return status;
}

film_status learn_film(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    struct triplets triplets = {0};
    struct film_learned learned = {0};
    struct checkpoint checkpoint = {0};
    struct watch watch = {.run = run, .limit = run->options->solver.iterations};
    TRY(run_factorise(run, error));
    if (run->dim > run->svd.rank) run->dim = run->svd.rank;
    TRY(make_triplets(run, &triplets, error));
    if (run->dev.rows) TRY(judge_init(&watch.judge, run, error));
    run_note_time(run, "triplets");
    struct film_learn_options options = learn_film_options(run);
    options.report = on_iteration;
    if (run->dev.rows) options.judge = on_judge;
    options.user = &watch;
    struct film_owners owners = {.comm = run->corpus.comm, .starts = run->corpus.starts};
    options.owners = &owners;
    TRY(checkpoint_open(&checkpoint, run, hash_start(run, &triplets), error));
    options.checkpointer = checkpoint_interface(&checkpoint);
    status =
        film_learn(run->svd.v, run->svd.rank, run->svd.sigma, &triplets, &options, &learned, error);
    if (status == FILM_CANCELLED && learned.p) { /* the best so far is a model too */
        checkpoint_stopped(&checkpoint, run, learned.solver.iterations, watch.limit, "iterations");
        status = FILM_OK;
    }
    TRY(status);
    TRY(learn_film_map(run, &learned, run->svd.sigma, error));
    learn_film_note(run, "film", &learned);
    run_note_time(run, "film");
done:
    checkpoint_free(&checkpoint);
    judge_free(&watch.judge);
    triplets_free(&triplets);
    film_learned_free(&learned);
    return status;
}
