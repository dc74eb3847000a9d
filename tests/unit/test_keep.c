/* The learners' own pausing, with a checkpointer in memory: what film_train does not offer (mining,
 * other rules of the steps). */
#include "testing.h"
#include "base/rng.h"
#include "learn/rank.h"

enum { SENTENCES = 120, WORDS = 60, SAID = 5, PAIRS = 50, MOST = 32 };

static film_error error;
static struct rank_pair positive[PAIRS], negative[PAIRS];
static const struct rank_labels labels = {positive, negative, PAIRS, PAIRS};

static struct csr toy_matrix(void)
{
    struct csr x;
    struct rng rng;
    size_t used = 0;
    rng_seed(&rng, 3);
    assert_ok(csr_alloc(&x, SENTENCES, WORDS, SENTENCES * WORDS, &error));
    for (size_t i = 0; i < SENTENCES; i++) {
        char in[WORDS] = {0};
        for (int k = 0; k < SAID; k++) in[rng_below(&rng, WORDS)] = 1;
        for (uint32_t w = 0; w < WORDS; w++) {
            if (!in[w]) continue;
            x.col[used] = w;
            x.val[used++] = 0.4f;
        }
        x.start[i + 1] = used;
    }
    for (uint32_t i = 0; i < PAIRS; i++) {
        positive[i] = (struct rank_pair){2 * i, 2 * i + 1};
        negative[i] = (struct rank_pair){2 * i, (2 * i + 3) % SENTENCES};
    }
    return x;
}

/* Copies of the arrays, by name. */
struct shelf {
    struct state_array kept[MOST];
    size_t count;
    struct checkpointer checkpointer;
};

static size_t size_of(const struct state_array *array)
{
    static const size_t sizes[] = {1, 4, 8, 4, 8};
    return sizes[array->type] * array->count;
}

static void clear(struct shelf *shelf)
{
    for (size_t i = 0; i < shelf->count; i++) free(shelf->kept[i].data);
    shelf->count = 0;
}

static int shelf_save(void *user, const struct state_array *arrays, size_t count)
{
    struct shelf *shelf = user;
    clear(shelf);
    assert_true(count <= MOST);
    for (; shelf->count < count; shelf->count++) {
        struct state_array copy = arrays[shelf->count];
        copy.data = malloc(size_of(&copy) + 1);
        memcpy(copy.data, arrays[shelf->count].data, size_of(&copy));
        shelf->kept[shelf->count] = copy;
    }
    return 0;
}

static film_status shelf_load(void *user, const struct state_array *arrays, size_t count,
                              film_error *e)
{
    struct shelf *shelf = user;
    (void)e;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < shelf->count && strcmp(shelf->kept[at].name, arrays[i].name) != 0) at++;
        assert_true(at < shelf->count);
        assert_int_equal(shelf->kept[at].type, arrays[i].type);
        assert_int_equal(shelf->kept[at].count, arrays[i].count);
        memcpy(arrays[i].data, shelf->kept[at].data, size_of(&arrays[i]));
    }
    return FILM_OK;
}

static int never(void *user)
{
    (void)user;
    return 0;
}

static int stop_later(void *user, const struct rank_progress *now)
{
    (void)now;
    return --*(int *)user == 0;
}

static void assert_same(const struct rank_learned *a, const struct rank_learned *b)
{
    assert_int_equal(a->history_count, b->history_count);
    assert_memory_equal(a->history, b->history, a->history_count * sizeof *a->history);
    assert_memory_equal(a->map, b->map, a->features * a->dim * sizeof *a->map);
    assert_true(a->border == b->border);
    assert_int_equal(a->mined, b->mined);
    assert_int_equal(a->labelled, b->labelled);
}

static void check_pauses(const struct csr *x, struct rank_options o)
{
    struct shelf shelf = {.checkpointer = {&shelf, 0, shelf_load, never, shelf_save}};
    struct rank_learned whole, part;
    o.report = stop_later;
    int left = -1;
    o.user = &left;
    assert_ok(rank_learn(x, &labels, &o, &whole, &error));
    o.checkpointer = &shelf.checkpointer;
    for (int k = 1; k <= (int)whole.history_count; k++) {
        left = k;
        shelf.checkpointer.going_on = 0;
        assert_int_equal(rank_learn(x, &labels, &o, &part, &error), FILM_CANCELLED);
        assert_int_equal(part.steps_done, part.history[k - 1].step);
        rank_learned_free(&part);
        left = -1;
        shelf.checkpointer.going_on = 1;
        assert_ok(rank_learn(x, &labels, &o, &part, &error));
        assert_same(&whole, &part);
        rank_learned_free(&part);
    }
    rank_learned_free(&whole);
    clear(&shelf);
}

static void ranking_can_be_paused_at_every_report(void **state)
{
    (void)state;
    struct csr x = toy_matrix();
    for (int rule = RANK_ADAGRAD; rule <= RANK_ADAM; rule++)
        for (size_t mine = 0; mine < 2; mine++) {
            struct rank_options o;
            rank_defaults(&o);
            o.dim = 8;
            o.batch = 16;
            o.epochs = 3;
            o.hard = 2;
            o.report_every = 1 + 2 * mine;
            o.mine_tries = 3 * mine;
            o.rule = (enum rank_rule)rule;
            o.threads = 1;
            check_pauses(&x, o);
        }
    csr_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranking_can_be_paused_at_every_report)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
