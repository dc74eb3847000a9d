#include "metric/rank.h"
#include "base/mem.h"
#include "base/threads.h"
#include "la/dense.h"
#include "la/vec.h"
#include "metric/rank_batch.h"
#include "metric/rank_draw.h"

#include <string.h>

void rank_defaults(struct rank_options *options)
{
    *options = (struct rank_options){.dim = 200,
                                     .batch = 1024,
                                     .epochs = 2,
                                     .hard = 1,
                                     .temperature = 14.0,
                                     .decision = 0.5,
                                     .rate = 0.05,
                                     .weight_rate = 0.05,
                                     .ground = 0.1,
                                     .dropout = 0.1,
                                     .mine_from = 1,
                                     .rule = RANK_ADAGRAD_ROW,
                                     .seed = 1,
                                     .report_every = 10};
}

void rank_learned_free(struct rank_learned *learned)
{
    mem_free(learned->map);
    mem_free(learned->gain);
    mem_free(learned->history);
    memset(learned, 0, sizeof *learned);
}

enum { MOST_BATCH = 65536, MOST_HARD = 64 }; /* sizes that BLAS can count in an int */

static film_status check(const struct csr *x, const struct rank_options *o, film_error *error)
{
    if (o->dim == 0 || o->fixed >= o->dim)
        return status_set(error, FILM_USAGE,
                          "%zu dimensions of which %zu are fixed: nothing to learn", o->dim,
                          o->fixed);
    if (o->batch < 2 || o->batch > MOST_BATCH || o->hard > MOST_HARD || o->epochs == 0)
        return status_set(
            error, FILM_USAGE,
            "a batch has 2 to %d pairs with at most %d hard candidates each, training an "
            "epoch or more",
            MOST_BATCH, MOST_HARD);
    if (!(o->temperature > 0.0 && o->temperature <= 40.0))
        return status_set(error, FILM_USAGE, "temperature %g: choose above 0, up to 40",
                          o->temperature);
    if (!(o->rate > 0.0 && o->weight_rate >= 0.0 && o->decision >= 0.0 && o->ground >= 0.0 &&
          o->dropout >= 0.0 && o->dropout < 1.0))
        return status_set(error, FILM_USAGE,
                          "the rate must be positive; weight rate, decision and ground not "
                          "negative; dropout in [0, 1)");
    for (size_t f = 0; o->start_gain && f < x->cols; f++)
        if (!(o->start_gain[f] > 0.0f))
            return status_set(error, FILM_USAGE, "term weight %g of feature %zu: must be positive",
                              (double)o->start_gain[f], f);
    if (x->rows > UINT32_MAX - 1)
        return status_set(error, FILM_USAGE, "%zu sentences are too many", x->rows);
    return FILM_OK;
}

#define BORDER_RATE 0.005 /* plain steps: the border is one number that all pairs vote on */

/* A training run. */
struct run {
    const struct csr *x;
    const struct rank_options *options;
    struct rank_learned *out;
    struct rank_draw draw;
    struct rank_map map;
    struct rank_batch batch;
    struct rank_rows rows;
    size_t opposed; /* of a batch */
    size_t history_room;
    size_t batches, step, steps; /* batches of an epoch; steps done, of all */
    double loss;                 /* since the last report */
    size_t losses;
    int threads;
};

static film_status record(struct run *run, film_error *error)
{
    const struct rank_options *o = run->options;
    size_t every = o->report_every ? o->report_every : 1;
    if (run->step % every && run->step != run->steps) return FILM_OK;
    struct rank_progress now = {run->step, run->steps, (double)run->step / (double)run->batches,
                                run->loss / (double)run->losses};
    run->loss = 0.0;
    run->losses = 0;
    if (!mem_grow((void **)&run->out->history, &run->history_room, run->out->history_count + 1,
                  sizeof now))
        return status_no_memory(error);
    run->out->history[run->out->history_count++] = now;
    if (o->report && o->report(o->user, &now))
        return status_set(error, FILM_CANCELLED, "stopped during ranking");
    return FILM_OK;
}

/* One batch: part NUMBER of the epoch's pairs, all parts of about the same size. */
static film_status train_batch(struct run *run, size_t number, film_error *error)
{
    film_status status = FILM_OK;
    const struct rank_options *o = run->options;
    size_t count = run->draw.pair_count;
    size_t first = count * number / run->batches, end = count * (number + 1) / run->batches;
    double left = 1.0 - (double)run->step / (double)run->steps, loss, by_border;
    struct rank_step step = {.temperature = o->temperature,
                             .rate = o->rate * left,
                             .weight_rate = o->weight_rate * left,
                             .dropout = o->dropout,
                             .decision = o->decision,
                             .border = run->out->border,
                             .seed = o->seed + run->step,
                             .threads = run->threads};
    rank_draw_batch(&run->draw, first, end - first, o->hard, run->opposed, &run->rows);
    TRY(rank_batch_gradient(&run->batch, &run->map, run->x, &run->rows, run->draw.cluster, &step,
                            &loss, &by_border, error));
    rank_batch_update(&run->batch, &run->map, &step);
    run->out->border -= BORDER_RATE * left * by_border;
    run->loss += loss;
    run->losses++;
    run->step++;
    TRY(record(run, error));
done:
    return status;
}

static film_status train(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct rank_options *o = run->options;
    for (size_t epoch = 0; epoch < o->epochs; epoch++) {
        if (o->mine_tries && epoch >= o->mine_from)
            TRY(rank_draw_mine(&run->draw, run->x, &run->map, o->mine_tries, o->seed + epoch,
                               run->threads, error));
        rank_draw_shuffle(&run->draw);
        for (size_t i = 0; i < run->batches; i++) TRY(train_batch(run, i, error));
    }
done:
    return status;
}

/* Folds the term weights into the map and hands both out. */
static void finish(struct run *run)
{
    struct rank_map *map = &run->map;
    struct rank_learned *out = run->out;
    int threads = run->threads;
#pragma omp parallel for num_threads(threads)
    for (size_t f = 0; f < map->features; f++)
        vec_scale(map->rows + f * map->dim, map->gain[f], map->dim);
    out->map = map->rows;
    out->gain = map->gain;
    map->rows = map->gain = NULL;
    out->features = map->features;
    out->dim = map->dim;
    out->pairs = run->draw.pair_count;
    out->clusters = run->draw.clusters;
    out->contradictions = run->draw.contradictions;
    out->labelled = run->draw.labelled_drawn;
    out->mined = run->draw.mined_drawn;
}

film_status rank_learn(const struct csr *x, const struct rank_labels *labels,
                       const struct rank_options *options, struct rank_learned *out,
                       film_error *error)
{
    film_status status = FILM_OK;
    struct run run = {.x = x, .options = options, .out = out};
    *out = (struct rank_learned){.border = 0.6};
    TRY(check(x, options, error));
    run.threads = threads_use(options->threads);
    TRY(rank_draw_init(&run.draw, x->rows, labels, options->seed, error));
    size_t most = run.draw.pair_count < options->batch ? run.draw.pair_count : options->batch;
    run.batches = (run.draw.pair_count + most - 1) / most;
    run.steps = run.batches * options->epochs;
    TRY(rank_map_init(&run.map, x->cols, options->dim, options->fixed, options->rule,
                      options->ground / (double)most, options->seed, run.threads, error));
    if (options->start_gain) rank_map_set_gain(&run.map, options->start_gain);
    if (options->decision > 0.0)
        run.opposed = most < run.draw.opposed_count ? most / 2 : run.draw.opposed_count;
    TRY(rank_batch_init(&run.batch, most, most * options->hard, run.opposed, &run.map, error));
    TRY_ALLOC(run.rows.row =
                  mem_array(most * (2 + options->hard) + 2 * run.opposed, sizeof *run.rows.row),
              error);
    int before = dense_begin();
    status = train(&run, error);
    dense_end(before);
    if (status == FILM_OK || status == FILM_CANCELLED) finish(&run);
done:
    rank_draw_free(&run.draw);
    rank_map_free(&run.map);
    rank_batch_free(&run.batch);
    mem_free(run.rows.row);
    if (status != FILM_OK && status != FILM_CANCELLED) rank_learned_free(out);
    return status;
}
