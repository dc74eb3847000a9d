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
    size_t opposed;            /* of a batch */
    double (*kept_history)[2]; /* loss and gradient, as in out->history */
    size_t history_room, kept_room;
    size_t batches, step, steps; /* batches of an epoch; steps done, of all */
    double loss, gradient;       /* sums since the last report */
    size_t losses;
    int threads;
};

/* ---- History ---- */

static size_t report_every(const struct run *run)
{
    return run->options->report_every ? run->options->report_every : 1;
}

static int reserve_history(struct run *run, size_t count)
{
    return mem_grow((void **)&run->out->history, &run->history_room, count,
                    sizeof *run->out->history) &&
           mem_grow((void **)&run->kept_history, &run->kept_room, count, sizeof *run->kept_history);
}

/* Entry NUMBER of the history: everything but what is kept follows from it. */
static struct rank_progress history_entry(const struct run *run, size_t number)
{
    size_t step = (number + 1) * report_every(run);
    if (step > run->steps) step = run->steps;
    return (struct rank_progress){step, run->steps, (double)step / (double)run->batches,
                                  run->kept_history[number][0], run->kept_history[number][1]};
}

/* Tells about the steps since the last time; *CANCEL when the answer was to stop. */
static film_status record(struct run *run, int *cancel, film_error *error)
{
    const struct rank_options *o = run->options;
    size_t number = run->out->history_count;
    if (run->step % report_every(run) && run->step != run->steps) return FILM_OK;
    if (!reserve_history(run, number + 1)) return status_no_memory(error);
    run->kept_history[number][0] = run->loss / (double)run->losses;
    run->kept_history[number][1] = run->gradient / (double)run->losses;
    struct rank_progress now = history_entry(run, number);
    run->loss = run->gradient = 0.0;
    run->losses = 0;
    run->out->history[run->out->history_count++] = now;
    *cancel = o->report && o->report(o->user, &now);
    return FILM_OK;
}

/* ---- Pausing ---- */

enum { MOST_ARRAYS = 24 };

struct list {
    struct keep arrays[MOST_ARRAYS];
    size_t count;
};

static void add(struct list *list, const char *name, enum keep_type type, void *data, size_t count)
{
    list->arrays[list->count++] = (struct keep){name, type, data, count};
}

static void list_numbers(struct list *list, struct run *run)
{
    add(list, "step", KEEP_SIZE, &run->step, 1);
    add(list, "loss", KEEP_DOUBLE, &run->loss, 1);
    add(list, "gradient", KEEP_DOUBLE, &run->gradient, 1);
    add(list, "losses", KEEP_SIZE, &run->losses, 1);
    add(list, "border", KEEP_DOUBLE, &run->out->border, 1);
    add(list, "opposed_next", KEEP_SIZE, &run->draw.opposed_next, 1);
    add(list, "labelled_drawn", KEEP_SIZE, &run->draw.labelled_drawn, 1);
    add(list, "mined_drawn", KEEP_SIZE, &run->draw.mined_drawn, 1);
    add(list, "history_count", KEEP_SIZE, &run->out->history_count, 1);
    add(list, "random", KEEP_SIZE, run->draw.rng.state, 4);
}

/* Whether this epoch began with mining; the next will mine for itself. */
static int mined_now(const struct run *run)
{
    const struct rank_options *o = run->options;
    return o->mine_tries && run->step % run->batches && run->step / run->batches >= o->mine_from;
}

static size_t square_count(const struct rank_map *map)
{
    return map->features * (map->rule == RANK_ADAGRAD_ROW ? 1 : map->learned);
}

static void list_arrays(struct list *list, struct run *run)
{
    struct rank_map *map = &run->map;
    struct rank_draw *draw = &run->draw;
    size_t f = map->features;
    add(list, "map", KEEP_FLOAT, map->rows, f * map->dim);
    add(list, "log_gain", KEEP_FLOAT, map->log_gain, f);
    add(list, "gain", KEEP_FLOAT, map->gain, f);
    add(list, "gain_squares", KEEP_FLOAT, map->gain_squares, f);
    add(list, "squares", KEEP_FLOAT, map->squares, square_count(map));
    if (map->moment) add(list, "moment", KEEP_FLOAT, map->moment, f * map->learned);
    if (map->seen) add(list, "seen", KEEP_U32, map->seen, f);
    add(list, "pairs", KEEP_U32, draw->pairs, 2 * draw->pair_count);
    add(list, "opposed", KEEP_U32, draw->opposed, 2 * draw->opposed_count);
    if (mined_now(run)) add(list, "mined", KEEP_U32, draw->mined, draw->sentences);
    add(list, "history", KEEP_DOUBLE, run->kept_history, 2 * run->out->history_count);
}

static int save(struct run *run)
{
    struct list list = {.count = 0};
    list_numbers(&list, run);
    list_arrays(&list, run);
    return run->options->keeper->save(run->options->keeper->user, list.arrays, list.count);
}

static film_status refuse(film_error *error, const char *what)
{
    return status_set(error, FILM_BAD_INPUT, "the checkpoint's %s cannot be", what);
}

static film_status check_numbers(const struct run *run, film_error *error)
{
    const struct rank_draw *draw = &run->draw;
    const uint64_t *random = draw->rng.state;
    size_t reports = run->step / report_every(run);
    if (run->step == run->steps && run->step % report_every(run)) reports++;
    if (run->step > run->steps) return refuse(error, "number of steps");
    if (run->losses > run->step || run->out->history_count != reports)
        return refuse(error, "history");
    if (draw->opposed_next > 0 && draw->opposed_next >= draw->opposed_count)
        return refuse(error, "place among the negative pairs");
    if (!(random[0] | random[1] | random[2] | random[3]))
        return refuse(error, "random state"); /* zeros give zeros for ever */
    return FILM_OK;
}

static int all_below(const struct rank_pair *pairs, size_t count, size_t limit)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].a >= limit || pairs[i].b >= limit) return 0;
    return 1;
}

static film_status check_arrays(const struct run *run, film_error *error)
{
    const struct rank_draw *draw = &run->draw;
    const struct rank_map *map = &run->map;
    if (!all_below(draw->pairs, draw->pair_count, draw->sentences) ||
        !all_below(draw->opposed, draw->opposed_count, draw->sentences))
        return refuse(error, "pairs");
    for (size_t i = 0; mined_now(run) && i < draw->sentences; i++)
        if (draw->mined[i] >= draw->sentences && draw->mined[i] != UINT32_MAX)
            return refuse(error, "mined sentences");
    for (size_t f = 0; f < map->features; f++)
        if (!(map->gain[f] >= 0.0f && map->gain_squares[f] >= 0.0f))
            return refuse(error, "term weights");
    for (size_t i = 0; i < square_count(map); i++)
        if (!(map->squares[i] >= 0.0f)) return refuse(error, "sums of squares");
    return FILM_OK;
}

/* Everything as it was when learning was paused. */
static film_status load(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct keeper *keeper = run->options->keeper;
    struct rank_draw *draw = &run->draw;
    struct list numbers = {.count = 0}, arrays = {.count = 0};
    list_numbers(&numbers, run);
    TRY(keeper->load(keeper->user, numbers.arrays, numbers.count, error));
    TRY(check_numbers(run, error));
    TRY_ALLOC(reserve_history(run, run->out->history_count + 1), error);
    if (mined_now(run))
        TRY_ALLOC(draw->mined = mem_array(draw->sentences, sizeof *draw->mined), error);
    list_arrays(&arrays, run);
    TRY(keeper->load(keeper->user, arrays.arrays, arrays.count, error));
    TRY(check_arrays(run, error));
    for (size_t i = 0; i < run->out->history_count; i++)
        run->out->history[i] = history_entry(run, i);
done:
    return status;
}

/* ---- Training ---- */

/* One batch: part NUMBER of the epoch's pairs, all parts of about the same size. */
static film_status train_batch(struct run *run, size_t number, film_error *error)
{
    film_status status = FILM_OK;
    const struct rank_options *o = run->options;
    size_t count = run->draw.pair_count;
    size_t first = count * number / run->batches, end = count * (number + 1) / run->batches;
    double left = 1.0 - (double)run->step / (double)run->steps, loss, by_border;
    int cancel = 0;
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
    run->gradient += rank_batch_update(&run->batch, &run->map, &step);
    run->out->border -= BORDER_RATE * left * by_border;
    run->loss += loss;
    run->losses++;
    run->step++;
    TRY(record(run, &cancel, error));
    if (keep_now(o->keeper, cancel)) cancel |= save(run);
    if (cancel) status = status_set(error, FILM_CANCELLED, "stopped during ranking");
done:
    return status;
}

static film_status train(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const struct rank_options *o = run->options;
    while (run->step < run->steps) {
        size_t epoch = run->step / run->batches, number = run->step % run->batches;
        if (number == 0 && o->mine_tries && epoch >= o->mine_from)
            TRY(rank_draw_mine(&run->draw, run->x, &run->map, o->mine_tries, o->seed + epoch,
                               run->threads, error));
        if (number == 0) rank_draw_shuffle(&run->draw);
        TRY(train_batch(run, number, error));
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
    out->steps_done = run->step;
    out->steps = run->steps;
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
    if (options->keeper && options->keeper->going_on) TRY(load(&run, error));
    int before = dense_begin();
    status = train(&run, error);
    dense_end(before);
    if (status == FILM_OK || status == FILM_CANCELLED) finish(&run);
done:
    rank_draw_free(&run.draw);
    rank_map_free(&run.map);
    rank_batch_free(&run.batch);
    mem_free(run.rows.row);
    mem_free(run.kept_history);
    if (status != FILM_OK && status != FILM_CANCELLED) rank_learned_free(out);
    return status;
}
