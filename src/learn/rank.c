/* Training by ranking: epochs, batches, and the final map with its term weights multiplied in. The
 * loss is in rank_batch.c; rank_draw.c draws the batches. */
#include "learn/rank.h"
#include "base/mem.h"
#include "base/threads.h"
#include "embed/vec.h"
#include "la/blas.h"
#include "learn/rank_batch.h"
#include "learn/rank_draw.h"

#include <string.h>

struct rank_run {
    const struct csr *x;
    const struct rank_options *options;
    struct rank_learned *out;
    struct rank_draw draw;
    struct rank_map map;
    struct rank_batch batch;
    struct rank_rows rows;
    size_t opposed; /* per batch */
    size_t history_room;
    size_t batches, step, steps; /* batches per epoch; steps completed, total */
    double loss, gradient;       /* sums since the last report */
    size_t losses;
    int threads;
};

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

/* Limits of sizes that BLAS counts in an int. */
enum { MOST_BATCH = 65536, MOST_HARD = 64 };

static film_status check_rank_options(size_t sentences, const struct rank_options *o,
                                      film_error *error)
{
    if (o->dim == 0) return status_set(error, FILM_USAGE, "dim must be at least 1");
    if (o->batch < 2 || o->batch > MOST_BATCH || o->hard > MOST_HARD || o->epochs == 0)
        return status_set(error, FILM_USAGE,
                          "choose a batch of 2 to %d pairs, at most %d hard candidates per pair "
                          "and at least one epoch",
                          MOST_BATCH, MOST_HARD);
    if (!(o->temperature > 0.0 && o->temperature <= 40.0))
        return status_set(error, FILM_USAGE, "temperature %g: choose above 0, up to 40",
                          o->temperature);
    if (!(o->rate > 0.0 && o->weight_rate >= 0.0 && o->decision >= 0.0 && o->ground >= 0.0 &&
          o->dropout >= 0.0 && o->dropout < 1.0))
        return status_set(error, FILM_USAGE,
                          "rate must be positive; weight rate, decision and ground must not be "
                          "negative; dropout must be in [0, 1)");
    if (sentences > UINT32_MAX - 1)
        return status_set(error, FILM_USAGE, "%zu sentences are too many", sentences);
    return FILM_OK;
}

/* Plain gradient steps for the border: it is one number that depends on all pairs. */
#define BORDER_RATE 0.005

/* ---- Training ---- */

/* Reports the steps since the last report. FILM_CANCELLED when the callback cancels. */
static film_status record(struct rank_run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct rank_options *o = run->options;
    struct rank_learned *out = run->out;
    void *history = out->history;
    size_t every = o->report_every ? o->report_every : 1;
    if (run->step % every && run->step != run->steps) return FILM_OK;
    TRY_ALLOC(mem_grow(&history, &run->history_room, out->history_count + 1, sizeof *out->history),
              error);
    out->history = history;
    struct rank_progress *now = &out->history[out->history_count++];
    *now = (struct rank_progress){run->step, run->steps, (double)run->step / (double)run->batches,
                                  run->loss / (double)run->losses,
                                  run->gradient / (double)run->losses};
    run->loss = run->gradient = 0.0;
    run->losses = 0;
    if (o->report && o->report(o->user, now))
        status = status_set(error, FILM_CANCELLED, "stopped during ranking");
done:
    return status;
}

/* Trains on one batch: part NUMBER of the epoch's pairs; all parts have about the same size. */
static film_status train_batch(struct rank_run *run, size_t number, film_error *error)
{
    film_status status = FILM_OK;
    const struct rank_options *o = run->options;
    size_t count = run->draw.pair_count;
    size_t first = count * number / run->batches, end = count * (number + 1) / run->batches;
    double left = 1.0 - (double)run->step / (double)run->steps;
    struct rank_loss loss;
    struct rank_step step = {.temperature = o->temperature,
                             .rate = o->rate * left,
                             .weight_rate = o->weight_rate * left,
                             .dropout = o->dropout,
                             .decision = o->decision,
                             .border = run->out->border,
                             .seed = o->seed + run->step,
                             .threads = run->threads};
    rank_draw_batch(&run->draw, first, end - first, o->hard, run->opposed, &run->rows);
    TRY(rank_batch_gradient(&run->batch, &run->map, run->x, &run->rows, &step, &loss, error));
    run->gradient += rank_batch_update(&run->batch, &run->map, &step);
    run->out->border -= BORDER_RATE * left * loss.by_border;
    run->loss += loss.value;
    run->losses++;
    run->step++;
    TRY(record(run, error));
done:
    return status;
}

static film_status train(struct rank_run *run, film_error *error)
{
    film_status status = FILM_OK;
    while (run->step < run->steps) {
        size_t number = run->step % run->batches;
        if (number == 0) rank_draw_shuffle(&run->draw);
        TRY(train_batch(run, number, error));
    }
done:
    return status;
}

static void multiply_gains(size_t f, size_t end, void *user)
{
    struct rank_map *map = user;
    for (; f < end; f++) vec_scale(map->rows + f * map->dim, map->gain[f], map->dim);
}

/* Multiplies the term weights into the map and moves both to the result. */
static void finish_map(struct rank_run *run)
{
    struct rank_map *map = &run->map;
    struct rank_learned *out = run->out;
    threads_each(run->threads, map->features, 1024, multiply_gains, map);
    out->map = map->rows;
    out->gain = map->gain;
    map->rows = map->gain = NULL;
    out->features = map->features;
    out->dim = map->dim;
    out->pairs = run->draw.pair_count;
    out->clusters = run->draw.clusters;
    out->contradictions = run->draw.contradictions;
    out->labelled = run->draw.labelled_drawn;
    out->steps = run->steps;
}

/* Initialises everything before the first step. */
static film_status prepare_run(struct rank_run *run, const struct rank_labels *labels,
                               film_error *error)
{
    film_status status = FILM_OK;
    const struct rank_options *o = run->options;
    size_t sentences = run->x->rows;
    TRY(check_rank_options(sentences, o, error));
    run->threads = threads_count(o->threads);
    TRY(rank_draw_init(&run->draw, sentences, labels, o->seed, error));
    size_t most = run->draw.pair_count < o->batch ? run->draw.pair_count : o->batch;
    run->batches = (run->draw.pair_count + most - 1) / most;
    run->steps = run->batches * o->epochs;
    struct rank_start start = {.features = run->x->cols,
                               .dim = o->dim,
                               .ground = o->ground / (double)most,
                               .seed = o->seed,
                               .threads = run->threads};
    TRY(rank_map_init(&run->map, &start, error));
    if (o->decision > 0.0)
        run->opposed = most < run->draw.opposed_count ? most / 2 : run->draw.opposed_count;
    TRY(rank_batch_init(&run->batch, most, most * o->hard, run->opposed, &run->map, error));
    TRY_ALLOC(run->rows.row =
                  mem_array(most * (2 + o->hard) + 2 * run->opposed, sizeof *run->rows.row),
              error);
    run->rows.cluster = run->draw.cluster;
done:
    return status;
}

film_status rank_learn(const struct csr *x, const struct rank_labels *labels,
                       const struct rank_options *options, struct rank_learned *out,
                       film_error *error)
{
    film_status status = FILM_OK;
    struct rank_run run = {.x = x, .options = options, .out = out};
    *out = (struct rank_learned){.border = 0.6};
    TRY(prepare_run(&run, labels, error));
    blas_begin();
    status = train(&run, error);
    blas_end();
    if (status == FILM_OK) finish_map(&run);
done:
    rank_draw_free(&run.draw);
    rank_map_free(&run.map);
    rank_batch_free(&run.batch);
    mem_free(run.rows.row);
    if (status != FILM_OK) rank_learned_free(out);
    return status;
}
