/* Method FILM: turns labels into triplets, and triplets and V into a map (Tang & Aw 2020). The
 * optimisation is in film.c; here are its inputs, progress and measures. */
#include "learn/learn_film.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/threads.h"
#include "learn/corpus_triplets.h"
#include "learn/judge.h"

#include <math.h>
#include <string.h>

static film_status make_triplets(const struct learn_input *input, const struct svd *svd,
                                 struct triplets *out, film_error *error)
{
    struct triplet_recipe recipe = {.solver = &input->options->solver,
                                    .v = svd->v,
                                    .sigma = svd->sigma,
                                    .rank = svd->rank,
                                    .seed = input->options->seed,
                                    .threads = threads_count(input->options->threads),
                                    .progress = input->options->progress};
    corpus_score_range(input->corpus, recipe.range);
    film_status status = FILM_OK;
    TRY(corpus_triplets(input->corpus, &recipe, out, error));
    training_log_note(input->log, "triplets",
                      json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "anchors",
                                (json_int_t)out->anchors, "count", (json_int_t)out->count,
                                "clusters", (json_int_t)out->clusters, "largest_cluster",
                                (json_int_t)out->largest, "contradictions",
                                (json_int_t)out->contradictions, "labelled_negatives",
                                (json_int_t)out->labelled, "hard_negatives", (json_int_t)out->hard,
                                "random_negatives", (json_int_t)out->random));
done:
    return status;
}

/* ---- Learning ---- */

struct watch {
    const film_progress *progress;
    size_t limit;
    struct judge judge;
};

static double on_judge(void *user, const double *p, const double *s)
{
    return judge_map(&((struct watch *)user)->judge, p, s);
}

void learn_film_report(const film_progress *progress, const struct film_iteration *now)
{
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
    learn_film_report(watch->progress, now);
    return progress_report(watch->progress, "film", (double)iteration, (double)watch->limit,
                           NULL) != FILM_OK;
}

struct film_learn_options learn_film_options(const struct learn_input *input, size_t dim)
{
    const film_solver_options *solver = &input->options->solver;
    struct film_learn_options options;
    film_learn_defaults(&options);
    options.dim = dim;
    options.power = solver->power;
    options.margin_ratio = solver->margin_ratio;
    static const enum film_start starts[] = {FILM_START_RANDOM, FILM_START_EIGEN,
                                             FILM_START_UNIFORM, FILM_START_RANDOM};
    options.start = starts[solver->eigen];
    options.margin = input->options->paper.margin;
    options.hinge_weights = input->options->paper.weights == 2;
    options.damped = input->options->paper.damped;
    options.seed = input->options->seed;
    options.threads = threads_count(input->options->threads);
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

void learn_film_note(struct training_log *log, const char *name, const struct film_learned *learned)
{
    json_t *history = json_array();
    size_t count = learned->history ? learned->solver.iterations : 0, stride;
    for (size_t i = training_log_stride(count, &stride); i < count; i += stride) {
        const struct film_iteration *now = &learned->history[i];
        jsonfile_append(history,
                        json_pack("[o, o, I, o, I, o, o, o]", jsonfile_number(now->f),
                                  jsonfile_number(now->gradient), (json_int_t)now->active,
                                  jsonfile_number(now->tau), (json_int_t)now->backtracks,
                                  jsonfile_number(now->judged), jsonfile_number(now->hinge),
                                  jsonfile_number(now->satisfied)));
    }
    double least = learned->s[0], most = learned->s[0];
    for (size_t c = 1; c < learned->dim; c++) {
        least = fmin(least, learned->s[c]);
        most = fmax(most, learned->s[c]);
    }
    training_log_note(
        log, name,
        json_pack("{s:s, s:I, s:o, s:o, s:I, s:I, s:I, s:[o, o], s:[s, s, s, s, s, s, s, s], s:o}",
                  "stopped", stiefel_stop_name(learned->solver.stop), "iterations",
                  (json_int_t)learned->solver.iterations, "objective", jsonfile_number(learned->f),
                  "margin", jsonfile_number(learned->margin), "active_anchors",
                  (json_int_t)learned->active, "dead_columns", (json_int_t)learned->dead,
                  "best_iteration", (json_int_t)learned->best, "weights", jsonfile_number(least),
                  jsonfile_number(most), "history_columns", "objective", "gradient", "active",
                  "step", "backtracks", "accuracy", "hinge", "satisfied", "history", history));
}

film_status learn_film_map(const struct learn_input *input, const struct svd *svd,
                           const float *sigma, const struct film_learned *learned, float **map,
                           film_error *error)
{
    size_t features = learn_inputs(input);
    struct film_basis basis = {svd->u, features, svd->rank, sigma};
    *map = mem_array(features * learned->dim, sizeof **map);
    if (!*map) return status_no_memory(error);
    return film_map(learned, &basis, threads_count(input->options->threads), *map, error);
}

film_status learn_film(const struct learn_input *input, struct learned_map *out, film_error *error)
{
    film_status status = FILM_OK;
    struct svd svd = {0};
    struct triplets triplets = {0};
    struct film_learned learned = {0};
    struct watch watch = {.progress = &input->options->progress,
                          .limit = input->options->solver.iterations};
    TRY(learn_factorise(input, &svd, out, error));
    TRY(make_triplets(input, &svd, &triplets, error));
    int judged = input->dev->rows && input->options->paper.keep == 1;
    if (judged) TRY(judge_init(&watch.judge, input, &svd, out->dim, error));
    training_log_phase(input->log, "triplets");
    struct film_learn_options options = learn_film_options(input, out->dim);
    options.report = on_iteration;
    if (judged) options.judge = on_judge;
    options.user = &watch;
    TRY(film_learn(svd.v, svd.rank, svd.sigma, &triplets, &options, &learned, error));
    TRY(learn_film_map(input, &svd, svd.sigma, &learned, &out->map, error));
    learn_film_note(input->log, "film", &learned);
    training_log_phase(input->log, "film");
done:
    judge_free(&watch.judge);
    triplets_free(&triplets);
    film_learned_free(&learned);
    svd_free(&svd);
    return status;
}
