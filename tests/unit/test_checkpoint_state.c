/* Tests the checkpoint state of the ranking learner with a checkpointer in memory. */
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
struct store {
    struct state_array kept[MOST];
    size_t count;
    struct checkpointer checkpointer;
};

static size_t size_of(const struct state_array *array)
{
    static const size_t sizes[] = {1, 4, 8, 4, 8};
    return sizes[array->type] * array->count;
}

static void clear(struct store *store)
{
    for (size_t i = 0; i < store->count; i++) free(store->kept[i].data);
    store->count = 0;
}

static int store_save(void *user, const struct state_array *arrays, size_t count)
{
    struct store *store = user;
    clear(store);
    assert_true(count <= MOST);
    for (; store->count < count; store->count++) {
        struct state_array copy = arrays[store->count];
        copy.data = malloc(size_of(&copy) + 1);
        memcpy(copy.data, arrays[store->count].data, size_of(&copy));
        store->kept[store->count] = copy;
    }
    return 0;
}

static film_status store_load(void *user, const struct state_array *arrays, size_t count,
                              film_error *e)
{
    struct store *store = user;
    (void)e;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < store->count && strcmp(store->kept[at].name, arrays[i].name) != 0) at++;
        assert_true(at < store->count);
        assert_int_equal(store->kept[at].type, arrays[i].type);
        assert_int_equal(store->kept[at].count, arrays[i].count);
        memcpy(arrays[i].data, store->kept[at].data, size_of(&arrays[i]));
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
    assert_int_equal(a->labelled, b->labelled);
}

static struct rank_options small_options(void)
{
    struct rank_options o;
    rank_defaults(&o);
    o.dim = 8;
    o.batch = 16;
    o.epochs = 3;
    o.hard = 2;
    o.threads = 1;
    return o;
}

static void check_resuming(const struct csr *x, struct rank_options o)
{
    struct store store = {.checkpointer = {&store, 0, store_load, never, store_save}};
    struct rank_learned whole, part;
    o.report = stop_later;
    int left = -1;
    o.user = &left;
    assert_ok(rank_learn(x, &labels, &o, &whole, &error));
    o.checkpointer = &store.checkpointer;
    for (int k = 1; k <= (int)whole.history_count; k++) {
        left = k;
        store.checkpointer.going_on = 0;
        assert_int_equal(rank_learn(x, &labels, &o, &part, &error), FILM_CANCELLED);
        assert_int_equal(part.steps_done, part.history[k - 1].step);
        rank_learned_free(&part);
        left = -1;
        store.checkpointer.going_on = 1;
        assert_ok(rank_learn(x, &labels, &o, &part, &error));
        assert_same(&whole, &part);
        rank_learned_free(&part);
    }
    rank_learned_free(&whole);
    clear(&store);
}

static void ranking_resumes_from_every_report(void **state)
{
    (void)state;
    struct csr x = toy_matrix();
    for (size_t every = 1; every <= 3; every += 2) {
        struct rank_options o = small_options();
        o.report_every = every;
        check_resuming(&x, o);
    }
    csr_free(&x);
}

/* The arrays have the right sizes and finite numbers, but impossible values. */
static void a_checkpoint_with_impossible_numbers_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *array;
        size_t at;
        uint64_t value;
    } wrong[] = {{"step", 0, 1000000}, {"opposed_next", 0, 1000000}, {"history_count", 0, 0}};
    struct csr x = toy_matrix();
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        struct store store = {.checkpointer = {&store, 0, store_load, never, store_save}};
        struct rank_options o = small_options();
        struct rank_learned learned;
        int left = 5;
        o.report = stop_later;
        o.report_every = 1;
        o.user = &left;
        o.checkpointer = &store.checkpointer;
        assert_int_equal(rank_learn(&x, &labels, &o, &learned, &error), FILM_CANCELLED);
        rank_learned_free(&learned);
        for (size_t i = 0; i < store.count; i++)
            if (strcmp(store.kept[i].name, wrong[w].array) == 0)
                ((uint64_t *)store.kept[i].data)[wrong[w].at] = wrong[w].value;
        store.checkpointer.going_on = 1;
        assert_int_equal(rank_learn(&x, &labels, &o, &learned, &error), FILM_BAD_INPUT);
        assert_null(learned.map);
        clear(&store);
    }
    csr_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranking_resumes_from_every_report),
        cmocka_unit_test(a_checkpoint_with_impossible_numbers_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
