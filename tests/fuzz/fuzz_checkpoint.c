/* Fuzzes a checkpoint with correct checksums and arbitrary content: it is refused with a message,
 * or training resumes from it to its end. The first byte selects the learner (bit 0); changes to a
 * valid checkpoint follow, 6 bytes each (tests/lib/spoil.h). */
#include "arena.h"
#include "base/mem.h"
#include "changed.h"
#include "learn/film.h"
#include "learn/rank.h"
#include "train/checkpoint.h"

enum { RANKING, SOLVER, LEARNERS, SENTENCES = 8, FEATURES = 6, RANK = 4 };

static struct changed changed[LEARNERS];
static struct csr x;
static float v[SENTENCES * RANK];

film_status __real_fingerprint_make(const struct training_identity *training, uint64_t start,
                                    char **out, film_error *error);
film_status __wrap_fingerprint_make(const struct training_identity *training, uint64_t start,
                                    char **out, film_error *error);

/* Nothing that it depends on changes: made once. */
film_status __wrap_fingerprint_make(const struct training_identity *training, uint64_t start,
                                    char **out, film_error *error)
{
    static char *made;
    film_status status = made ? FILM_OK : __real_fingerprint_make(training, start, &made, error);
    *out = status == FILM_OK ? mem_string(made, strlen(made)) : NULL;
    return status;
}

static void make_input(void)
{
    require(csr_alloc(&x, SENTENCES, FEATURES, 2 * SENTENCES, NULL) == FILM_OK);
    for (uint32_t i = 0; i < SENTENCES; i++) {
        x.col[2 * i] = i % 5;
        x.col[2 * i + 1] = i % 5 + 1;
        x.val[2 * i] = x.val[2 * i + 1] = 0.7f;
        x.start[i + 1] = 2 * i + 2;
        for (uint32_t r = 0; r < RANK; r++) v[i * RANK + r] = (float)((i * 7 + r * 3) % 11) / 11;
    }
}

static int stop_ranking(void *user, const struct rank_progress *now)
{
    return *(int *)user && now->step == 2;
}

static film_status rank_it(const struct checkpointer *checkpointer, int stop, film_error *error)
{
    static const struct rank_pair positive[] = {{0, 5}, {1, 6}, {2, 7}}, negative[] = {{0, 3}};
    const struct rank_labels labels = {positive, negative, 3, 1};
    struct rank_options options;
    struct rank_learned learned = {0};
    rank_defaults(&options);
    options.dim = 3;
    options.batch = 2;
    options.epochs = 2;
    options.threads = 1;
    options.report_every = 1;
    options.checkpointer = checkpointer;
    options.report = stop_ranking;
    options.user = &stop;
    film_status status = rank_learn(&x, &labels, &options, &learned, error);
    rank_learned_free(&learned);
    return status;
}

static int stop_solver(void *user, size_t iteration, const struct film_iteration *now)
{
    (void)now;
    return *(int *)user && iteration == 2;
}

static film_status solve(const struct checkpointer *checkpointer, int stop, film_error *error)
{
    static uint32_t anchor[] = {0, 1, 2}, similar[] = {5, 6, 7}, dissimilar[] = {3, 4, 0};
    static size_t start[] = {0, 1, 2, 3};
    static const float sigma[RANK] = {4, 3, 2, 1};
    const struct triplets triplets = {.sentences = SENTENCES,
                                      .anchors = 3,
                                      .count = 3,
                                      .anchor = anchor,
                                      .start = start,
                                      .similar = similar,
                                      .dissimilar = dissimilar};
    struct film_learn_options options;
    struct film_learned learned = {0};
    film_learn_defaults(&options);
    options.dim = 2;
    options.threads = 1;
    options.solver.iterations = 4;
    options.solver.epsilon = 0;
    options.solver.least_change = 0;
    options.checkpointer = checkpointer;
    options.report = stop_solver;
    options.user = &stop;
    film_status status = film_learn(v, RANK, sigma, &triplets, &options, &learned, error);
    film_learned_free(&learned);
    return status;
}

/* Learns, from the checkpoint at PATH or (STOP) to write it there. */
static film_status learn(int learner, const char *path, int stop, film_error *error)
{
    struct corpus corpus = {.comm = &comm_single}, dev = {.comm = &comm_single};
    film_train_options options = {.size = sizeof options, .checkpoint = path, .resume = !stop};
    const struct training_identity training = {&options, "fuzz", 3, 1, &corpus, &dev, &x};
    const struct checkpointer *checkpointer = NULL;
    struct checkpoint checkpoint;
    const struct checkpointing *opening = checkpoint_prepare(&checkpoint, &training);
    film_status status = opening->open(opening->user, 1, &checkpointer, error);
    if (status == FILM_OK)
        status = (learner == RANKING ? rank_it : solve)(checkpointer, stop, error);
    checkpoint_free(&checkpoint);
    return status;
}

static char folder[100];

static void clean_up(void)
{
    for (int i = 0; i < LEARNERS; i++) unlink(changed[i].path);
    rmdir(folder);
}

static void make_good(void)
{
    char path[120];
    film_error error;
    make_input();
    memory_folder(folder);
    for (int i = 0; i < LEARNERS; i++) {
        snprintf(path, sizeof path, "%s/checkpoint%d", folder, i);
        require(learn(i, path, 1, &error) == FILM_CANCELLED);
        require(spoil_open(&changed[i].good, path));
        changed_start(&changed[i], path);
    }
    atexit(clean_up); /* resuming looks whether they exist */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error = {0};
    struct change change;
    if (size == 0) return 0;
    if (!x.start) make_good();
    int learner = data[0] % LEARNERS;
    changed_begin(&change, &changed[learner], "fingerprint", data + 1, size - 1);
    arena_begin();
    film_status status = learn(learner, changed[learner].path, 0, &error);
    arena_end();
    changed_end(&change, &changed[learner]);
    require(status == FILM_OK || (status == FILM_BAD_INPUT && error.message[0]));
    return 0;
}
