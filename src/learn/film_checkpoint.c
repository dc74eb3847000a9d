/* Saves and restores FILM's state as named arrays. The checkpointer stores them
 * (train/checkpoint.c). */
#include "learn/film_checkpoint.h"
#include "base/mem.h"

#include <string.h>

/* The history as a matrix of doubles, one row per iteration. */
enum { HISTORY_COLUMNS = sizeof(struct film_iteration) / sizeof(double), MOST_ARRAYS = 32 };
_Static_assert(HISTORY_COLUMNS * sizeof(double) == sizeof(struct film_iteration),
               "an iteration is doubles only");

struct state_list {
    struct state_array arrays[MOST_ARRAYS];
    size_t count;
};

static void add_array(struct state_list *list, const char *name, enum state_type type, void *data,
                      size_t count)
{
    list->arrays[list->count++] = (struct state_array){name, type, data, count};
}

/* Single numbers; the iteration determines the length of the history. */
static void list_numbers(struct state_list *list, struct film_checkpoint *kept)
{
    struct stiefel_state *s = &kept->solver;
    struct film_problem *q = kept->problem;
    add_array(list, "iteration", STATE_SIZE, &s->iteration, 1);
    add_array(list, "still", STATE_SIZE, &s->still, 1);
    add_array(list, "f", STATE_DOUBLE, &s->f, 1);
    add_array(list, "reference", STATE_DOUBLE, &s->reference, 1);
    add_array(list, "weight", STATE_DOUBLE, &s->weight, 1);
    add_array(list, "defect", STATE_DOUBLE, &s->defect, 1);
    add_array(list, "evaluations", STATE_SIZE, &s->evaluations, 1);
    add_array(list, "backtracks", STATE_SIZE, &s->backtracks, 1);
    add_array(list, "repairs", STATE_SIZE, &s->repairs, 1);
    add_array(list, "margin", STATE_DOUBLE, &q->margin, 1);
    add_array(list, "updates", STATE_SIZE, &q->updates, 1);
    add_array(list, "full_updates", STATE_SIZE, &q->full_updates, 1);
    add_array(list, "since_full", STATE_SIZE, &q->since_full, 1);
    add_array(list, "refreshes", STATE_SIZE, &q->refreshes, 1);
    add_array(list, "hinges", STATE_DOUBLE, &q->hinges, 1);
}

/* ACTIVE has the flags of all processes' anchors. */
static void list_arrays(struct state_list *list, struct film_checkpoint *kept,
                        unsigned char *active)
{
    struct stiefel_state *s = &kept->solver;
    struct film_problem *q = kept->problem;
    size_t size = q->rank * q->dim;
    add_array(list, "P", STATE_DOUBLE, s->p, size);
    add_array(list, "P_old", STATE_DOUBLE, s->p_old, size);
    add_array(list, "gradient", STATE_DOUBLE, s->g, size);
    add_array(list, "gradient_old", STATE_DOUBLE, s->g_old, size);
    add_array(list, "sum", STATE_DOUBLE, q->sum, q->rank * q->rank);
    add_array(list, "s", STATE_DOUBLE, q->s, q->dim);
    if (q->damped) add_array(list, "h", STATE_DOUBLE, q->h, q->rank * q->rank);
    add_array(list, "active", STATE_U8, active, q->all_anchors);
    add_array(list, "history", STATE_DOUBLE, kept->history, s->iteration * HISTORY_COLUMNS);
    if (!kept->best_p) return;
    add_array(list, "best", STATE_DOUBLE, &kept->best, 1);
    add_array(list, "best_at", STATE_SIZE, &kept->best_at, 1);
    add_array(list, "best_P", STATE_DOUBLE, kept->best_p, size);
    add_array(list, "best_s", STATE_DOUBLE, kept->best_s, q->dim);
}

int film_checkpoint_save(const struct checkpointer *checkpointer,
                         const struct film_checkpoint *kept)
{
    /* the list's pointers are not const, as loading writes to them */
    struct film_checkpoint copy = *kept;
    struct state_list list = {.count = 0};
    const struct film_problem *q = kept->problem;
    const struct comm *comm = q->owners.comm;
    void *active = NULL; /* one byte per anchor; all processes gather it, the first writes it */
    size_t *sizes = NULL;
    int failed = comm->size > 1 &&
                 comm_gather_all(comm, q->active, q->anchors, &active, &sizes, NULL) != FILM_OK;
    list_numbers(&list, &copy);
    list_arrays(&list, &copy, active ? active : q->active);
    if (!failed) failed = checkpointer->save(checkpointer->user, list.arrays, list.count);
    mem_free(active);
    mem_free(sizes);
    return failed;
}

void film_checkpoint_free(struct film_checkpoint *kept)
{
    struct stiefel_state *s = &kept->solver;
    mem_free(s->p), mem_free(s->p_old), mem_free(s->g), mem_free(s->g_old);
    mem_free(kept->history);
    s->p = s->p_old = s->g = s->g_old = NULL;
    kept->history = NULL;
}

static film_status allocate_state(struct film_checkpoint *kept, film_error *error)
{
    film_status status = FILM_OK;
    struct stiefel_state *s = &kept->solver;
    size_t size = kept->problem->rank * kept->problem->dim;
    double **arrays[] = {&s->p, &s->p_old, &s->g, &s->g_old};
    for (size_t i = 0; i < 4; i++) TRY_ALLOC(*arrays[i] = mem_array(size, sizeof(double)), error);
    TRY_ALLOC(kept->history = mem_array(s->iteration, sizeof *kept->history), error);
done:
    return status;
}

static film_status refuse_checkpoint(film_error *error, const char *what)
{
    return status_set(error, FILM_BAD_INPUT, "checkpoint: invalid %s", what);
}

static film_status check_arrays(const struct film_checkpoint *kept, film_error *error)
{
    const struct film_problem *q = kept->problem;
    for (size_t a = 0; a < q->anchors; a++)
        if (q->active[a] > 1) return refuse_checkpoint(error, "flags of active anchors");
    for (size_t c = 0; c < q->dim; c++)
        if (!(q->s[c] >= 0.0) || (kept->best_s && !(kept->best_s[c] >= 0.0)))
            return refuse_checkpoint(error, "column weight");
    if (kept->best_p && kept->best_at > kept->solver.iteration)
        return refuse_checkpoint(error, "best iteration");
    for (size_t i = 0; i < kept->solver.iteration; i++) {
        const struct film_iteration *one = &kept->history[i];
        if (!(one->active >= 0.0 && one->active <= (double)q->all_anchors &&
              one->backtracks >= 0.0 && one->backtracks <= 1e9))
            return refuse_checkpoint(error, "history");
    }
    return FILM_OK;
}

/* The index of this process's first anchor among those of all. */
static film_status find_own(const struct film_problem *q, size_t *first, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = q->owners.comm;
    size_t *counts = mem_zeroed((size_t)comm->size, sizeof *counts);
    TRY_ALLOC(counts, error);
    counts[comm->rank] = q->anchors;
    TRY(comm_sum_counts(comm, counts, (size_t)comm->size, error));
    for (int p = 0; p < comm->rank; p++) *first += counts[p];
done:
    mem_free(counts);
    return status;
}

film_status film_checkpoint_load(const struct checkpointer *checkpointer,
                                 struct film_checkpoint *kept, size_t limit, film_error *error)
{
    film_status status = FILM_OK;
    struct film_problem *q = kept->problem;
    struct state_list numbers = {.count = 0}, arrays = {.count = 0};
    const struct comm *comm = q->owners.comm;
    unsigned char *all = NULL;
    size_t first = 0;
    list_numbers(&numbers, kept);
    TRY(checkpointer->load(checkpointer->user, numbers.arrays, numbers.count, error));
    if (kept->solver.iteration == 0 || kept->solver.iteration > limit)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "checkpoint: %zu iterations are done, but the limit is %zu; raise the "
                       "number of iterations",
                       kept->solver.iteration, limit));
    if (!(q->margin >= 0.0)) TRY(refuse_checkpoint(error, "margin"));
    TRY(allocate_state(kept, error));
    if (comm->size > 1) TRY_ALLOC(all = mem_array(q->all_anchors, 1), error);
    list_arrays(&arrays, kept, all ? all : q->active);
    TRY(checkpointer->load(checkpointer->user, arrays.arrays, arrays.count, error));
    if (all) {
        TRY(find_own(q, &first, error));
        memcpy(q->active, all + first, q->anchors);
    }
    TRY(check_arrays(kept, error));
    TRY(film_problem_restored(q, error));
done:
    mem_free(all);
    return status;
}
