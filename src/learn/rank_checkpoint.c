/* The history of a training by ranking, and its state for a checkpoint as named arrays. The
 * checkpointer stores them (train/checkpoint.c). */
#include "base/mem.h"
#include "learn/rank_run.h"

#include <math.h>

/* ---- History ---- */

int rank_history_reserve(struct rank_run *run, size_t count)
{
    return mem_grow((void **)&run->out->history, &run->history_room, count,
                    sizeof *run->out->history) &&
           mem_grow((void **)&run->stored_history, &run->stored_room, count,
                    sizeof *run->stored_history);
}

struct rank_progress rank_history_entry(const struct rank_run *run, size_t number)
{
    size_t step = (number + 1) * rank_report_every(run);
    if (step > run->steps) step = run->steps;
    return (struct rank_progress){step, run->steps, (double)step / (double)run->batches,
                                  run->stored_history[number][0], run->stored_history[number][1]};
}

/* ---- The state ---- */

enum { MOST_ARRAYS = 24 };

struct state_list {
    struct state_array arrays[MOST_ARRAYS];
    /* A process has only its own columns of this array. */
    int by_column[MOST_ARRAYS];
    float *mine[MOST_ARRAYS]; /* own columns; arrays[] then describes the whole, in process 0 */
    size_t count;
};

static void add_array(struct state_list *list, const char *name, enum state_type type, void *data,
                      size_t count)
{
    list->arrays[list->count++] = (struct state_array){name, type, data, count};
}

static void add_columns(struct state_list *list, const char *name, float *data, size_t count)
{
    list->by_column[list->count] = 1;
    add_array(list, name, STATE_FLOAT, data, count);
}

static void list_numbers(struct state_list *list, struct rank_run *run)
{
    add_array(list, "step", STATE_SIZE, &run->step, 1);
    add_array(list, "loss", STATE_DOUBLE, &run->loss, 1);
    add_array(list, "gradient", STATE_DOUBLE, &run->gradient, 1);
    add_array(list, "losses", STATE_SIZE, &run->losses, 1);
    add_array(list, "border", STATE_DOUBLE, &run->out->border, 1);
    add_array(list, "opposed_next", STATE_SIZE, &run->draw.opposed_next, 1);
    add_array(list, "labelled_drawn", STATE_SIZE, &run->draw.labelled_drawn, 1);
    add_array(list, "history_count", STATE_SIZE, &run->out->history_count, 1);
    add_array(list, "random", STATE_SIZE, run->draw.rng.state, 4);
}

static void list_arrays(struct state_list *list, struct rank_run *run)
{
    struct rank_map *map = &run->map;
    struct rank_draw *draw = &run->draw;
    size_t f = map->features;
    add_columns(list, "map", map->rows, f * map->dim);
    add_array(list, "log_gain", STATE_FLOAT, map->log_gain, f);
    add_array(list, "gain", STATE_FLOAT, map->gain, f);
    add_array(list, "gain_squares", STATE_FLOAT, map->gain_squares, f);
    add_array(list, "squares", STATE_FLOAT, map->squares, f);
    add_array(list, "pairs", STATE_U32, draw->pairs, 2 * draw->pair_count);
    add_array(list, "opposed", STATE_U32, draw->opposed, 2 * draw->opposed_count);
    add_array(list, "history", STATE_DOUBLE, run->stored_history, 2 * run->out->history_count);
}

/* ---- Between process 0 and the others ---- */

static size_t array_bytes(const struct state_array *array)
{
    static const size_t sizes[] = {[STATE_U8] = 1,
                                   [STATE_U32] = sizeof(uint32_t),
                                   [STATE_SIZE] = sizeof(size_t),
                                   [STATE_FLOAT] = sizeof(float),
                                   [STATE_DOUBLE] = sizeof(double)};
    return array->count * sizes[array->type];
}

/* Allocates in process 0 the arrays that are split: the columns of one process after those of the
 * preceding one. */
static film_status list_whole(struct state_list *list, const struct rank_run *run,
                              film_error *error)
{
    film_status status = FILM_OK;
    const struct rank_map *map = &run->map;
    for (size_t k = 0; k < list->count && run->comm->size > 1; k++) {
        struct state_array *array = &list->arrays[k];
        if (!list->by_column[k]) continue;
        list->mine[k] = array->data;
        array->data = NULL;
        array->count = map->features * map->all_dim;
        if (run->comm->rank == 0)
            TRY_ALLOC(array->data = mem_array(array->count, sizeof(float)), error);
    }
done:
    return status;
}

static void list_free(struct state_list *list)
{
    for (size_t k = 0; k < list->count; k++)
        if (list->mine[k]) mem_free(list->arrays[k].data);
}

/* Gathers array K, which is split, in the first process, or scatters it from there. */
static film_status move_columns(const struct state_list *list, size_t k, const struct rank_map *map,
                                int to_first, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = map->comm;
    size_t *mine = NULL, *all = NULL; /* bytes sent to and received from each process */
    TRY_ALLOC((mine = mem_zeroed((size_t)comm->size, sizeof *mine)) &&
                  (all = mem_zeroed((size_t)comm->size, sizeof *all)),
              error);
    for (int i = 0; i < comm->size; i++) {
        size_t size = map->features * rank_map_dim(map, i) * sizeof(float);
        if (i == comm->rank) mine[0] = size;
        if (comm->rank == 0) all[i] = size;
    }
    void *whole = list->arrays[k].data;
    TRY(to_first ? comm_exchange(comm, list->mine[k], mine, whole, all, error)
                 : comm_exchange(comm, whole, all, list->mine[k], mine, error));
done:
    mem_free(mine);
    mem_free(all);
    return status;
}

film_status rank_checkpoint_save(struct rank_run *run, int *failed, film_error *error)
{
    film_status status = FILM_OK;
    const struct checkpointer *checkpointer = run->options->checkpointer;
    struct state_list list = {.count = 0};
    list_numbers(&list, run);
    list_arrays(&list, run);
    TRY(list_whole(&list, run, error));
    for (size_t k = 0; k < list.count; k++)
        if (list.mine[k]) TRY(move_columns(&list, k, &run->map, 1, error));
    *failed =
        run->comm->rank == 0 && checkpointer->save(checkpointer->user, list.arrays, list.count);
    TRY(comm_broadcast(run->comm, failed, sizeof *failed, 0, error));
done:
    list_free(&list);
    return status;
}

/* Broadcasts what process 0 reads from the checkpoint. */
static film_status load_arrays(struct rank_run *run, struct state_list *list, film_error *error)
{
    film_status status = FILM_OK;
    const struct checkpointer *checkpointer = run->options->checkpointer;
    TRY(list_whole(list, run, error));
    if (run->comm->rank == 0)
        TRY(checkpointer->load(checkpointer->user, list->arrays, list->count, error));
    for (size_t k = 0; k < list->count; k++) {
        const struct state_array *array = &list->arrays[k];
        TRY(list->mine[k] ? move_columns(list, k, &run->map, 0, error)
                          : comm_broadcast(run->comm, array->data, array_bytes(array), 0, error));
    }
done:
    list_free(list);
    return status;
}

/* ---- Resuming ---- */

static film_status refuse_checkpoint(film_error *error, const char *what)
{
    return status_set(error, FILM_BAD_INPUT, "checkpoint: invalid %s", what);
}

static film_status check_numbers(const struct rank_run *run, film_error *error)
{
    const struct rank_draw *draw = &run->draw;
    const uint64_t *random = draw->rng.state;
    size_t reports = run->step / rank_report_every(run);
    if (run->step == run->steps && run->step % rank_report_every(run)) reports++;
    if (run->step > run->steps) return refuse_checkpoint(error, "step count");
    if (run->losses > run->step || run->out->history_count != reports)
        return refuse_checkpoint(error, "history");
    if (draw->opposed_next > 0 && draw->opposed_next >= draw->opposed_count)
        return refuse_checkpoint(error, "position among the negative pairs");
    if (!(random[0] | random[1] | random[2] | random[3]))
        /* the generator would return zeros forever */
        return refuse_checkpoint(error, "random state");
    return FILM_OK;
}

static int all_below(const struct rank_pair *pairs, size_t count, size_t limit)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].a >= limit || pairs[i].b >= limit) return 0;
    return 1;
}

/* Finite numbers may still overflow when they are multiplied. Training stays far below this. */
static const float LARGEST = 1e6f;

static int all_within(const float *values, size_t count, float limit)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(values[i]) <= limit)) return 0;
    return 1;
}

static film_status check_arrays(const struct rank_run *run, film_error *error)
{
    const struct rank_draw *draw = &run->draw;
    const struct rank_map *map = &run->map;
    if (!all_below(draw->pairs, draw->pair_count, draw->sentences) ||
        !all_below(draw->opposed, draw->opposed_count, draw->sentences))
        return refuse_checkpoint(error, "pairs");
    for (size_t f = 0; f < map->features; f++)
        if (!(map->gain[f] >= 0.0f && map->gain_squares[f] >= 0.0f))
            return refuse_checkpoint(error, "term weights");
    if (!all_within(map->gain, map->features, LARGEST) ||
        !all_within(map->log_gain, map->features, logf(LARGEST)))
        return refuse_checkpoint(error, "term weights");
    if (!all_within(map->rows, map->features * map->dim, LARGEST))
        return refuse_checkpoint(error, "map");
    for (size_t i = 0; i < map->features; i++)
        if (!(map->squares[i] >= 0.0f)) return refuse_checkpoint(error, "sums of squares");
    return FILM_OK;
}

film_status rank_checkpoint_load(struct rank_run *run, film_error *error)
{
    film_status status = FILM_OK;
    struct state_list numbers = {.count = 0}, arrays = {.count = 0};
    list_numbers(&numbers, run);
    TRY(load_arrays(run, &numbers, error));
    TRY(check_numbers(run, error));
    TRY_ALLOC(rank_history_reserve(run, run->out->history_count + 1), error);
    list_arrays(&arrays, run);
    TRY(load_arrays(run, &arrays, error));
    TRY(check_arrays(run, error));
    for (size_t i = 0; i < run->out->history_count; i++)
        run->out->history[i] = rank_history_entry(run, i);
done:
    return status;
}
