/* Tests training by ranking in a job. The reference is one process with all rows and the same
 * draws; traffic is compared with the formulas of learn/rank.h. */
#include "testing.h"

#include "base/mem.h"
#include "comm_threads.h"
#include "learn/rank.h"
#include "learn/rank_draw.h"

static film_error error;

#include "random_csr.h"

enum { SENTENCES = 120, FEATURES = 90, POSITIVE = 70, NEGATIVE = 60, DIM = 11, MOST = 4 };

static struct rank_pair positive[POSITIVE], negative[NEGATIVE];
static const struct rank_labels labels = {positive, negative, POSITIVE, NEGATIVE};

/* Random sentences; the first and the second of a pair are not adjacent. */
static struct csr make_problem(void)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (uint32_t i = 0; i < POSITIVE; i++)
        positive[i] = (struct rank_pair){i % 50, (uint32_t)(50 + rng_below(&rng, 50))};
    for (uint32_t i = 0; i < NEGATIVE; i++)
        negative[i] = (struct rank_pair){i, (uint32_t)(60 + rng_below(&rng, 60))};
    return random_matrix(SENTENCES, FEATURES, 6, 3);
}

static struct rank_options some_options(void)
{
    struct rank_options o;
    rank_defaults(&o);
    o.dim = DIM;
    o.batch = 16;
    o.epochs = 3;
    o.hard = 2;
    o.threads = 1;
    o.report_every = 1;
    return o;
}

/* ---- A checkpointer in memory ---- */

/* Like a file, it belongs to the first process. */
struct shelf {
    char *data[32];
    char name[32][24];
    size_t size[32], count;
    size_t due_at; /* the request that is due, counted from 1 */
    int fails;
};

struct shelf_user {
    struct shelf *shelf;
    int rank;
    size_t asked;
};

static size_t size_of(const struct state_array *array)
{
    static const size_t sizes[] = {1, 4, 8, 4, 8};
    return array->count * sizes[array->type];
}

static film_status shelf_load(void *data, const struct state_array *arrays, size_t count,
                              film_error *e)
{
    const struct shelf_user *user = data;
    if (user->rank > 0) return status_set(e, FILM_BAD_INPUT, "only the first process reads");
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < user->shelf->count && strcmp(user->shelf->name[k], arrays[i].name) != 0) k++;
        if (k == user->shelf->count || user->shelf->size[k] != size_of(&arrays[i]))
            return status_set(e, FILM_BAD_INPUT, "no %s of %zu bytes", arrays[i].name,
                              size_of(&arrays[i]));
        memcpy(arrays[i].data, user->shelf->data[k], user->shelf->size[k]);
    }
    return FILM_OK;
}

static int shelf_due(void *data)
{
    struct shelf_user *user = data;
    return ++user->asked == user->shelf->due_at;
}

static void shelf_clear(struct shelf *shelf)
{
    for (size_t k = 0; k < shelf->count; k++) free(shelf->data[k]);
    memset(shelf, 0, sizeof *shelf);
}

static int shelf_save(void *data, const struct state_array *arrays, size_t count)
{
    const struct shelf_user *user = data;
    struct shelf *shelf = user->shelf;
    if (user->rank > 0 || shelf->fails) return 1;
    for (size_t i = 0; i < count; i++) {
        shelf->size[i] = size_of(&arrays[i]);
        shelf->data[i] = malloc(shelf->size[i] + 1);
        memcpy(shelf->data[i], arrays[i].data, shelf->size[i]);
        strcpy(shelf->name[i], arrays[i].name);
    }
    shelf->count = count;
    return 0;
}

/* ---- Training in a job ---- */

struct job {
    const struct csr *x;
    struct rank_options options;
    struct shelf *shelf;
    int going_on, stop_at; /* report number; 0: never */
    int first_is_empty;    /* the first process has no sentence */
    int reports[MOST];
    struct rank_learned learned[MOST];
    film_status status[MOST];
    film_error errors[MOST];
    struct comm_traffic traffic[MOST];
};

struct listener {
    struct job *job;
    int rank;
};

static int on_report(void *user, const struct rank_progress *now)
{
    const struct listener *listener = user;
    (void)now;
    return ++listener->job->reports[listener->rank] == listener->job->stop_at;
}

static size_t first_row(const struct job *job, const struct comm *comm, int rank)
{
    if (!job->first_is_empty || rank == comm->size) return comm_begin(comm, job->x->rows, rank);
    return rank == 0 ? 0 : comm_begin(comm, job->x->rows, rank - 1);
}

/* Rows FIRST .. END - 1 of X. */
static struct csr rows_of(const struct csr *x, size_t first, size_t end, size_t *start)
{
    for (size_t i = first; i <= end; i++) start[i - first] = x->start[i] - x->start[first];
    return (struct csr){end - first, x->cols, start, x->col + x->start[first],
                        x->val + x->start[first]};
}

static void learn(const struct comm *comm, void *user)
{
    struct job *job = user;
    int rank = comm->rank;
    size_t starts[SENTENCES + 1];
    struct csr own =
        rows_of(job->x, first_row(job, comm, rank), first_row(job, comm, rank + 1), starts);
    struct rank_options options = job->options;
    struct listener listener = {job, rank};
    struct shelf_user keeping = {job->shelf, rank, 0};
    struct checkpointer checkpointer = {&keeping, job->going_on, shelf_load, shelf_due, shelf_save};
    options.comm = comm;
    options.report = on_report;
    options.user = &listener;
    if (job->shelf) options.checkpointer = &checkpointer;
    job->status[rank] =
        rank_learn(&own, &labels, &options, &job->learned[rank], &job->errors[rank]);
    if (comm->traffic) job->traffic[rank] = *comm->traffic;
}

static void run_job(struct job *job, int processes)
{
    if (processes == 1)
        learn(&comm_single, job);
    else
        comm_threads_run(processes, learn, job);
}

static void free_job(struct job *job, int processes)
{
    for (int i = 0; i < processes; i++) rank_learned_free(&job->learned[i]);
}

static void assert_same(const struct rank_learned *a, const struct rank_learned *b)
{
    assert_int_equal(a->dim, b->dim);
    assert_memory_equal(a->map, b->map, a->features * a->dim * sizeof(float));
    assert_memory_equal(a->gain, b->gain, a->features * sizeof(float));
    assert_int_equal(a->history_count, b->history_count);
    assert_memory_equal(a->history, b->history, a->history_count * sizeof *a->history);
    assert_true(a->border == b->border);
}

/* All processes have the same result. */
static void assert_agree(const struct job *job, int processes)
{
    for (int i = 0; i < processes; i++) {
        if (job->status[i] != FILM_OK) print_error("%d: %s\n", i, job->errors[i].message);
        assert_int_equal(job->status[i], FILM_OK);
        assert_same(&job->learned[0], &job->learned[i]);
        assert_int_equal(job->reports[i], i == 0 ? job->learned[0].history_count : 0);
    }
}

static void assert_near(const struct rank_learned *one, const struct rank_learned *many,
                        double tolerance)
{
    double apart = 0.0, length = 0.0;
    assert_int_equal(one->history_count, many->history_count);
    for (size_t i = 0; i < 5; i++) {
        assert_close(many->history[i].loss / one->history[i].loss, 1.0, 1e-5);
        assert_close(many->history[i].gradient / one->history[i].gradient, 1.0, 1e-4);
    }
    for (size_t i = 0; i < one->features * one->dim; i++) {
        double difference = (double)one->map[i] - (double)many->map[i];
        apart += difference * difference;
        length += (double)one->map[i] * (double)one->map[i];
    }
    assert_close(sqrt(apart / length), 0.0, tolerance);
    assert_close(many->border, one->border, 1e-5);
    assert_int_equal(many->labelled, one->labelled);
    assert_int_equal(many->clusters, one->clusters);
    assert_int_equal(many->contradictions, one->contradictions);
}

static void several_processes_learn_what_one_learns(void **state)
{
    (void)state;
    struct csr x = make_problem();
    struct job one = {.x = &x, .options = some_options()};
    run_job(&one, 1);
    assert_agree(&one, 1);
    for (int processes = 2; processes <= MOST; processes++) {
        struct job many = {.x = &x, .options = one.options};
        many.first_is_empty = processes == MOST;
        many.options.threads = processes == 3 ? 2 : 1;
        run_job(&many, processes);
        assert_agree(&many, processes);
        assert_near(&one.learned[0], &many.learned[0], 1e-4);
        free_job(&many, processes);
    }
    free_job(&one, 1);
    csr_free(&x);
}

static void fewer_pairs_than_processes_are_enough(void **state)
{
    (void)state;
    struct csr x = make_problem();
    struct job one = {.x = &x, .options = some_options()};
    one.options.batch = 2;
    /* The first step of a term weight has the length of the rate, even when its gradient is only
     * rounding error (as that of a sentence's only word). */
    one.options.weight_rate = 0.0;
    run_job(&one, 1);
    struct job many = {.x = &x, .options = one.options};
    run_job(&many, MOST);
    assert_agree(&many, MOST);
    assert_near(&one.learned[0], &many.learned[0], 1e-3);
    free_job(&many, MOST);
    free_job(&one, 1);
    csr_free(&x);
}

/* ---- Checkpoints ---- */

static void resuming_changes_nothing(void **state)
{
    (void)state;
    struct csr x = make_problem();
    for (int processes = 1; processes <= 3; processes++) {
        struct shelf shelf = {0};
        struct job whole = {.x = &x, .options = some_options()};
        whole.options.report_every = 3;
        struct job paused = whole, rest = whole;
        run_job(&whole, processes);
        paused.shelf = rest.shelf = &shelf;
        shelf.due_at = 7; /* in the middle of the second epoch */
        run_job(&paused, processes);
        assert_true(shelf.count > 10);
        rest.going_on = 1;
        shelf.due_at = 0;
        run_job(&rest, processes);
        for (int i = 0; i < processes; i++) {
            assert_int_equal(paused.status[i], FILM_OK);
            assert_int_equal(rest.status[i], FILM_OK);
            assert_same(&whole.learned[i], &paused.learned[i]);
            assert_same(&whole.learned[i], &rest.learned[i]);
        }
        assert_true(rest.reports[0] < whole.reports[0]);
        free_job(&whole, processes);
        free_job(&paused, processes);
        free_job(&rest, processes);
        shelf_clear(&shelf);
    }
    csr_free(&x);
}

static void all_stop_when_the_first_is_cancelled(void **state)
{
    (void)state;
    struct csr x = make_problem();
    struct shelf shelf = {0};
    struct job whole = {.x = &x, .options = some_options()};
    struct job stopped = whole, rest = whole, broken = whole;
    run_job(&whole, 2);
    stopped.shelf = rest.shelf = &shelf;
    stopped.stop_at = 4;
    run_job(&stopped, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stopped.status[i], FILM_CANCELLED);
        assert_int_equal(stopped.learned[i].steps_done, 4);
        assert_same(&stopped.learned[0], &stopped.learned[i]);
    }
    rest.going_on = 1;
    run_job(&rest, 2);
    assert_agree(&whole, 2);
    assert_same(&whole.learned[0], &rest.learned[0]);
    struct shelf full = {.due_at = 2,
                         .fails = 1}; /* cannot be written: all stop, as if cancelled */
    broken.shelf = &full;
    run_job(&broken, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(broken.status[i], FILM_CANCELLED);
        assert_int_equal(broken.learned[i].steps_done, 2);
    }
    free_job(&whole, 2);
    free_job(&stopped, 2);
    free_job(&rest, 2);
    free_job(&broken, 2);
    shelf_clear(&shelf);
    csr_free(&x);
}

static void a_checkpoint_that_cannot_be_read_ends_the_job(void **state)
{
    (void)state;
    struct csr x = make_problem();
    struct shelf nothing = {0};
    struct job job = {.x = &x, .options = some_options(), .shelf = &nothing, .going_on = 1};
    run_job(&job, 2);
    assert_int_equal(job.status[0], FILM_BAD_INPUT);
    assert_int_equal(job.status[1], FILM_CANCELLED); /* ended because others left */
    assert_null(job.learned[0].map);
    assert_null(job.learned[1].map);
    csr_free(&x);
}

static void more_processes_than_dimensions_are_refused(void **state)
{
    (void)state;
    struct csr x = make_problem();
    struct job job = {.x = &x, .options = some_options()};
    job.options.dim = 2;
    run_job(&job, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(job.status[i], FILM_USAGE);
        assert_non_null(strstr(job.errors[i].message, "processes are too many for"));
    }
    csr_free(&x);
}

/* ---- Traffic ---- */

/* Distinct features of a batch. */
static size_t count_touched(const struct csr *x, const uint32_t *rows, size_t count)
{
    char seen[FEATURES] = {0};
    size_t touched = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = x->start[rows[i]]; k < x->start[rows[i] + 1]; k++) {
            touched += !seen[x->col[k]];
            seen[x->col[k]] = 1;
        }
    return touched;
}

static size_t share_of(const struct comm *comm, size_t total)
{
    return comm_begin(comm, total, comm->rank + 1) - comm_begin(comm, total, comm->rank);
}

/* The bytes that process RANK sends by the formulas of rank.h, with the draws repeated here. */
static struct comm_traffic expected_traffic(const struct job *job, const struct comm *comm)
{
    const struct rank_options *o = &job->options;
    int rank = comm->rank;
    size_t first = first_row(job, comm, rank), end = first_row(job, comm, rank + 1);
    size_t own = share_of(comm, DIM);
    struct comm_traffic sum = {.summed = 8, .gathered = 8 + 4 * FEATURES * own};
    struct rank_draw draw;
    uint32_t numbers[16 * 4 + 2 * NEGATIVE];
    struct rank_rows rows = {.row = numbers};
    assert_ok(rank_draw_init(&draw, SENTENCES, &labels, o->seed, &error));
    size_t batches = (draw.pair_count + o->batch - 1) / o->batch;
    assert_true(draw.opposed_count > o->batch);
    for (size_t step = 0; step < batches * o->epochs; step++) {
        size_t number = step % batches, from = draw.pair_count * number / batches;
        size_t pairs = draw.pair_count * (number + 1) / batches - from, own_rows = 0, entries = 0;
        if (number == 0) rank_draw_shuffle(&draw);
        rank_draw_batch(&draw, from, pairs, o->hard, o->batch / 2, &rows);
        size_t count = 2 * (rows.pairs + rows.opposed) + rows.hard;
        for (size_t i = 0; i < count; i++) {
            if (numbers[i] < first || numbers[i] >= end) continue;
            own_rows++;
            entries += job->x->start[numbers[i] + 1] - job->x->start[numbers[i]];
        }
        size_t candidates = rows.pairs + rows.hard, others = rows.pairs + 2 * rows.opposed;
        size_t share = share_of(comm, rows.pairs) + 2 * share_of(comm, rows.opposed);
        sum.gathered += 4 * own_rows + 8 * entries + 4 * candidates * own;
        sum.exchanged += 4 * (others - share) * own + 4 * share * (DIM - own);
        sum.shared += 4 * candidates * DIM;
        sum.summed += 4 * pairs + 40 + 16 * count_touched(job->x, numbers, count);
        sum.broadcast += rank == 0 ? 4 : 0;
    }
    rank_draw_free(&draw);
    return sum;
}

static void the_bytes_handed_out_are_those_of_the_formula(void **state)
{
    (void)state;
    struct csr x = make_problem();
    for (int processes = 2; processes <= 3; processes++) {
        struct job job = {.x = &x, .options = some_options()};
        job.options.dropout = 0; /* what it drops is not sent */
        run_job(&job, processes);
        for (int i = 0; i < processes; i++) {
            struct comm comm = {.rank = i, .size = processes};
            struct comm_traffic said = expected_traffic(&job, &comm), *was = &job.traffic[i];
            assert_int_equal(was->gathered, said.gathered);
            assert_int_equal(was->shared, said.shared);
            assert_int_equal(was->summed, said.summed);
            assert_int_equal(was->broadcast, said.broadcast);
            assert_int_equal(was->exchanged, said.exchanged);
        }
        free_job(&job, processes);
    }
    csr_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_processes_learn_what_one_learns),
        cmocka_unit_test(fewer_pairs_than_processes_are_enough),
        cmocka_unit_test(resuming_changes_nothing),
        cmocka_unit_test(all_stop_when_the_first_is_cancelled),
        cmocka_unit_test(a_checkpoint_that_cannot_be_read_ends_the_job),
        cmocka_unit_test(more_processes_than_dimensions_are_refused),
        cmocka_unit_test(the_bytes_handed_out_are_those_of_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
