/* Tests FILM in several processes, played by threads, against one: triplets of a share, the
 * objective, training, checkpoints. */
#include "testing.h"
#include "base/rng.h"
#include "learn/film_checkpoint.h"
#include "learn/mfilm.h"

#include "comm_threads.h"

enum { N = 600, R = 24, D = 5, GROUPS = 120, MOST = 3 };

static film_error error;
static float v[N * R], sigma[R];
static uint32_t group[N];
static struct triplets whole;

/* Uneven: the last of three processes has few sentences, none of them labelled. */
static const size_t starts[MOST + 1][MOST + 1] = {
    [1] = {0, N}, [2] = {0, 200, N}, [3] = {0, 350, N - 20, N}};

static film_status draw(size_t first, size_t own, struct triplets *out)
{
    struct triplet_options options;
    film_error mine;
    uint32_t row[N];
    triplets_defaults(&options);
    for (size_t i = 0; i < N; i++)
        row[i] = i >= first && i - first < own ? (uint32_t)(i - first) : TRIPLETS_NONE;
    options.row = row;
    return triplets_from_categories(N, group, &options, out, &mine);
}

static int make_data(void **state)
{
    (void)state;
    struct rng rng;
    static float centre[GROUPS * R];
    rng_seed(&rng, 5);
    for (size_t i = 0; i < GROUPS * R; i++) centre[i] = (float)rng_normal(&rng);
    for (size_t i = 0; i < N; i++) {
        group[i] = i < N - 20 ? (uint32_t)rng_below(&rng, GROUPS) : TRIPLETS_NONE;
        for (size_t j = 0; j < R; j++)
            v[i * R + j] = (j < 9 && i < N - 20 ? 0.04f * centre[group[i] * R + j] : 0) +
                           0.02f * (float)rng_normal(&rng);
    }
    for (size_t j = 0; j < R; j++) sigma[j] = 9.0f / (float)(j + 1);
    return draw(0, N, &whole) != FILM_OK;
}

static int free_data(void **state)
{
    (void)state;
    triplets_free(&whole);
    return 0;
}

static void shares_together_are_the_triplets_of_one(void **state)
{
    (void)state;
    struct triplets share;
    size_t anchors = 0, count = 0, hard = 0, random = 0;
    for (int p = 0; p < 3; p++) {
        assert_ok(draw(starts[3][p], starts[3][p + 1] - starts[3][p], &share));
        assert_true(triplets_valid(&share));
        assert_memory_equal(share.anchor, whole.anchor + anchors, share.anchors * 4);
        assert_memory_equal(share.similar, whole.similar + count, share.count * 4);
        assert_memory_equal(share.dissimilar, whole.dissimilar + count, share.count * 4);
        assert_int_equal(share.clusters, whole.clusters);
        anchors += share.anchors, count += share.count;
        hard += share.hard, random += share.random;
        triplets_free(&share);
    }
    assert_int_equal(anchors, whole.anchors);
    assert_int_equal(count, whole.count);
    assert_int_equal(hard, whole.hard);
    assert_int_equal(random, whole.random);
    assert_true(whole.anchors > 300);
}

/* ---- One process of a job ---- */

struct play {
    int processes;
    size_t iterations, stop_after; /* the last process's cancellation must be ignored */
    int keep, going_on;
    int damped; /* to the letter, with averaged hinges */
    size_t room;
    struct film_learned learned[MOST];
    double value[MOST], gradient[MOST][R * D];
    float w[N * R]; /* of all anchors */
    struct comm_traffic traffic[MOST];
    film_status status[MOST];
    /* The checkpoint, in the first process. */
    char names[32][20];
    void *kept[32];
    size_t sizes[32], arrays;
};

struct part {
    struct play *play;
    int rank;
};

static void use_share(const struct play *play, int rank, struct triplets *share, const float **rows)
{
    size_t first = starts[play->processes][rank];
    *rows = v + first * R;
    if (draw(first, starts[play->processes][rank + 1] - first, share) != FILM_OK) abort();
}

/* Value and gradient at a fixed point, and W. */
static film_status look(struct play *play, const struct comm *comm, const struct triplets *share,
                        const float *rows, const struct film_owners *owners, film_error *e)
{
    film_status status = FILM_OK;
    struct film_problem q = {0};
    double p[R * D] = {0};
    size_t changed, before = 0;
    for (size_t c = 0; c < D; c++) p[(c + 2) * D + c] = 1;
    TRY(film_problem_init(&q, &(struct film_space){R, D, sigma, 0.5, owners, 1, 0}, rows, R, share,
                          e));
    q.margin = 1e-4;
    for (int round = 0; round < 3; round++) TRY(film_problem_refresh(&q, p, &changed, e));
    play->value[comm->rank] = film_problem_value(&q, p, play->gradient[comm->rank]);
    while (before < whole.anchors && share->anchors && whole.anchor[before] < share->anchor[0])
        before++;
    memcpy(play->w + before * R, q.w, share->anchors * R * sizeof *q.w);
done:
    film_problem_free(&q);
    return status;
}

/* ---- Checkpoints ---- */

static film_status play_load(void *user, const struct state_array *arrays, size_t count,
                             film_error *e)
{
    struct play *play = ((struct part *)user)->play;
    (void)e;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < play->arrays; k++)
            if (strcmp(play->names[k], arrays[i].name) == 0)
                memcpy(arrays[i].data, play->kept[k], play->sizes[k]);
    return FILM_OK;
}

static int never(void *user)
{
    (void)user;
    return 0;
}

static int play_save(void *user, const struct state_array *arrays, size_t count)
{
    static const size_t bytes[] = {1, 4, 8, 4, 8};
    const struct part *part = user;
    struct play *play = part->play;
    if (part->rank > 0) return 0;
    for (size_t i = 0; i < count; i++) {
        strcpy(play->names[i], arrays[i].name);
        play->sizes[i] = arrays[i].count * bytes[arrays[i].type];
        play->kept[i] = malloc(play->sizes[i] + 1);
        memcpy(play->kept[i], arrays[i].data, play->sizes[i]);
    }
    play->arrays = count;
    return 0;
}

static int on_iteration(void *user, size_t iteration, const struct film_iteration *now)
{
    const struct part *part = user;
    (void)now;
    if (part->rank > 0) return 1; /* never called */
    return part->play->stop_after && iteration == part->play->stop_after;
}

static void play_one(const struct comm *comm, void *data)
{
    struct play *play = data;
    struct part part = {play, comm->rank};
    struct triplets share;
    film_error mine = {0};
    const float *rows;
    struct film_owners owners = {comm, starts[play->processes], play->room};
    struct film_learn_options options;
    struct checkpointer checkpointer = {&part, play->going_on, play_load, never, play_save, NULL};
    film_status *status = &play->status[comm->rank];
    use_share(play, comm->rank, &share, &rows);
    film_learn_defaults(&options);
    options.dim = D;
    options.owners = &owners;
    options.threads = 1;
    options.margin_sample = N; /* all anchors: a sample would depend on the processes */
    options.solver.iterations = play->iterations;
    options.solver.epsilon = options.solver.least_change = 0;
    options.report = on_iteration;
    options.user = &part;
    if (play->damped) {
        options.damped = options.hinge_weights = 1;
        options.start = FILM_START_UNIFORM;
        options.margin = 1e-4;
    }
    if (play->keep) options.checkpointer = &checkpointer;
    *status = look(play, comm, &share, rows, &owners, &mine);
    struct comm_traffic before = *comm->traffic;
    if (*status == FILM_OK)
        *status = film_learn(rows, R, sigma, &share, &options, &play->learned[comm->rank], &mine);
    struct comm_traffic *traffic = &play->traffic[comm->rank];
    *traffic = *comm->traffic;
    traffic->summed -= before.summed, traffic->broadcast -= before.broadcast;
    triplets_free(&share);
}

static void run(struct play *play, int processes)
{
    play->processes = processes;
    comm_threads_run(processes, play_one, play);
}

static void play_free(struct play *play)
{
    for (int i = 0; i < MOST; i++) film_learned_free(&play->learned[i]);
    for (size_t k = 0; k < play->arrays; k++) free(play->kept[k]);
}

static void the_objective_is_that_of_one_process(void **state)
{
    (void)state;
    static struct play one, several;
    one = (struct play){.iterations = 1};
    run(&one, 1);
    assert_int_equal(one.status[0], FILM_OK);
    for (int processes = 2; processes <= MOST; processes++) {
        several = (struct play){.iterations = 1, .room = 40 * R * sizeof(float)};
        run(&several, processes);
        for (size_t k = 0; k < whole.anchors * R; k++) assert_close(several.w[k], one.w[k], 1e-7);
        for (int i = 0; i < processes; i++) {
            assert_int_equal(several.status[i], FILM_OK);
            assert_close(several.value[i] / one.value[0], 1, 1e-6);
            assert_memory_equal(several.gradient[i], several.gradient[0], sizeof one.gradient[0]);
            for (size_t k = 0; k < R * D; k++)
                assert_close(several.gradient[i][k], one.gradient[0][k], 1e-7);
        }
        play_free(&several);
    }
    play_free(&one);
}

static void learning_gives_what_one_process_learns(void **state)
{
    (void)state;
    static struct play one, several;
    const size_t iterations = 30;
    one = (struct play){.iterations = iterations};
    run(&one, 1);
    for (int processes = 2; processes <= MOST; processes++) {
        several = (struct play){.iterations = iterations};
        run(&several, processes);
        for (int i = 0; i < processes; i++) {
            const struct film_learned *mine = &several.learned[i], *first = &several.learned[0];
            assert_int_equal(several.status[i], FILM_OK);
            assert_int_equal(mine->anchors, whole.anchors);
            assert_int_equal(mine->active, one.learned[0].active);
            assert_true(mine->active > 50 && mine->active + 50 < mine->anchors);
            assert_close(mine->f / one.learned[0].f, 1, 1e-6);
            assert_close(mine->margin / one.learned[0].margin, 1, 1e-6);
            for (size_t k = 0; k < R * D; k++) assert_close(mine->p[k], one.learned[0].p[k], 1e-5);
            assert_memory_equal(mine->p, first->p, R * D * sizeof *mine->p);
            assert_memory_equal(mine->s, first->s, D * sizeof *mine->s);
            for (size_t k = 0; k < iterations; k++) {
                const struct film_iteration *now = &mine->history[k], *then;
                then = &one.learned[0].history[k];
                assert_close(now->hinge / then->hinge, 1, 1e-5);
                assert_close(now->satisfied, then->satisfied, 3.0 / (double)whole.count);
            }
            assert_true(mine->history[0].satisfied > 0.1 && mine->history[0].satisfied < 0.9);
        }
        assert_true(several.learned[0].updates > several.learned[0].full_updates);
        play_free(&several);
    }
    play_free(&one);
}

/* The formulas of film_problem.h and film_hinge_loss.h: one refresh per iteration; those of the
 * margin are the same in both. */
static void traffic_matches_the_formula(void **state)
{
    (void)state;
    static struct play play[2];
    const size_t iterations[] = {10, 15};
    for (int i = 0; i < 2; i++) {
        play[i] = (struct play){.iterations = iterations[i]};
        run(&play[i], 2);
        assert_int_equal(play[i].status[0], FILM_OK);
    }
    size_t updates = play[1].learned[0].updates - play[0].learned[0].updates;
    assert_true(updates >= 1 && updates <= 5);
    for (int p = 0; p < 2; p++)
        assert_int_equal(play[1].traffic[p].summed - play[0].traffic[p].summed,
                         updates * 8 * R * R + 5 * (16 + 16));
    assert_int_equal(play[1].traffic[0].broadcast - play[0].traffic[0].broadcast,
                     5 * (8 * R * D + sizeof(int)));
    assert_int_equal(play[1].traffic[1].broadcast, 0);
    play_free(&play[0]), play_free(&play[1]);
}

static void a_job_resumes_where_it_stopped(void **state)
{
    (void)state;
    static struct play unpaused, paused;
    for (int kind = 0; kind < 2 * MOST; kind++) {
        int processes = kind / 2 + 1;
        unpaused = (struct play){.iterations = 12, .damped = kind % 2};
        run(&unpaused, processes);
        paused = (struct play){.iterations = 12, .stop_after = 5, .keep = 1, .damped = kind % 2};
        run(&paused, processes);
        for (int i = 0; i < processes; i++) {
            assert_int_equal(paused.status[i], FILM_CANCELLED);
            film_learned_free(&paused.learned[i]);
        }
        paused.stop_after = 0;
        paused.going_on = 1;
        run(&paused, processes);
        for (int i = 0; i < processes; i++) {
            assert_int_equal(paused.status[i], FILM_OK);
            assert_int_equal(paused.learned[i].solver.iterations, 12);
            assert_memory_equal(paused.learned[i].p, unpaused.learned[i].p, R * D * sizeof(double));
            assert_close(paused.learned[i].f, unpaused.learned[i].f, 0);
        }
        play_free(&unpaused), play_free(&paused);
    }
}

/* ---- Batches, each made of one part by every process ---- */

struct stream {
    struct triplets *parts;
    size_t given;
};

static film_status next_part(void *self, struct mfilm_batch *batch, film_error *e)
{
    struct stream *stream = self;
    (void)e;
    if (stream->given == 6) return FILM_END;
    *batch =
        (struct mfilm_batch){.triplets = &stream->parts[stream->given++ % 3], .v = v, .weight = 3};
    return FILM_OK;
}

/* Batch j has the anchors of groups j, j + 3, ...; every process has all rows of V. */
static void play_stream(const struct comm *comm, void *data)
{
    struct play *play = data;
    size_t first = starts[play->processes][comm->rank];
    struct triplets parts[3];
    struct stream stream = {.parts = parts};
    struct mfilm_source source = {&stream, next_part};
    struct film_owners owners = {.comm = comm};
    struct film_learn_options options;
    film_error mine;
    for (uint32_t j = 0; j < 3; j++) {
        uint32_t some[N], row[N];
        struct triplet_options drawn;
        triplets_defaults(&drawn);
        for (size_t i = 0; i < N; i++) {
            some[i] = group[i] % 3 == j && group[i] != TRIPLETS_NONE ? group[i] : TRIPLETS_NONE;
            int own = i >= first && i < starts[play->processes][comm->rank + 1];
            row[i] = own ? 0 : TRIPLETS_NONE;
        }
        drawn.row = row;
        if (triplets_from_categories(N, some, &drawn, &parts[j], &mine) != FILM_OK) abort();
    }
    film_learn_defaults(&options);
    options.dim = D;
    options.owners = &owners;
    options.threads = 1;
    options.margin = 1e-4;
    options.solver.iterations = 100;
    options.solver.refresh_every = 1;
    play->status[comm->rank] =
        mfilm_learn(&source, R, sigma, &options, &play->learned[comm->rank], &mine);
    for (size_t j = 0; j < 3; j++) triplets_free(&parts[j]);
}

static void batches_of_parts_are_batches(void **state)
{
    (void)state;
    static struct play one, several;
    one = (struct play){.processes = 1};
    comm_threads_run(1, play_stream, &one);
    assert_int_equal(one.status[0], FILM_OK);
    assert_int_equal(one.learned[0].solver.iterations, 6);
    for (int processes = 2; processes <= MOST; processes++) {
        several = (struct play){.processes = processes};
        comm_threads_run(processes, play_stream, &several);
        for (int i = 0; i < processes; i++) {
            const struct film_learned *mine = &several.learned[i];
            assert_int_equal(several.status[i], FILM_OK);
            assert_int_equal(mine->anchors, one.learned[0].anchors);
            assert_close(mine->f / one.learned[0].f, 1, 1e-6);
            for (size_t k = 0; k < R * D; k++) assert_close(mine->p[k], one.learned[0].p[k], 1e-5);
        }
        play_free(&several);
    }
    play_free(&one);
}

/* Labels in one process only, and in none. */
static void processes_without_anchors_take_part(void **state)
{
    (void)state;
    static struct play play;
    uint32_t keep[N];
    memcpy(keep, group, sizeof keep);
    for (size_t i = 200; i < N; i++) group[i] = TRIPLETS_NONE;
    play = (struct play){.iterations = 3};
    run(&play, 2);
    assert_int_equal(play.status[0], FILM_OK);
    assert_int_equal(play.status[1], FILM_OK);
    assert_memory_equal(play.learned[0].p, play.learned[1].p, R * D * sizeof(double));
    play_free(&play);
    for (size_t i = 0; i < N; i++) group[i] = TRIPLETS_NONE;
    play = (struct play){.iterations = 3};
    run(&play, 2);
    assert_int_equal(play.status[0], FILM_USAGE);
    assert_int_equal(play.status[1], FILM_USAGE);
    memcpy(group, keep, sizeof keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_together_are_the_triplets_of_one),
        cmocka_unit_test(the_objective_is_that_of_one_process),
        cmocka_unit_test(learning_gives_what_one_process_learns),
        cmocka_unit_test(traffic_matches_the_formula),
        cmocka_unit_test(a_job_resumes_where_it_stopped),
        cmocka_unit_test(batches_of_parts_are_batches),
        cmocka_unit_test(processes_without_anchors_take_part),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}
