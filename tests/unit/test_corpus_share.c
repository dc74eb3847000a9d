/* A corpus in several processes is the corpus of one, partitioned. */
#include "testing.h"

#include "base/partition.h"
#include "base/mem.h"
#include "base/rng.h"
#include "comm_threads.h"
#include "learn/features_fit.h"
#include "learn/corpus_share.h"

static film_error error;

enum { ROWS = 400, SENTENCES = 150 };

/* Rows of a small data set, the same in every process: sentences recur in several parts. */
static void make_row(size_t i, char text[2][64], char category[16], film_row *row)
{
    struct rng rng;
    rng_seed_part(&rng, 5, i);
    for (int side = 0; side < 2; side++) {
        unsigned long which = (unsigned long)rng_below(&rng, SENTENCES);
        snprintf(text[side], 64, "word%lu is like word%lu or w%lu", which % 17, which % 5, which);
    }
    snprintf(category, 16, "c%lu", (unsigned long)rng_below(&rng, 7));
    *row = (film_row){.a = film_string(text[0]),
                      .b = film_string(text[1]),
                      .category = film_string(category),
                      .label = (double)(i % 3)};
}

static film_status fill(struct corpus *corpus, size_t begin, size_t end, film_error *e)
{
    film_status status = corpus_init(corpus, FILM_LABELS_PAIRS, e);
    for (size_t i = begin; i < end && status == FILM_OK; i++) {
        char text[2][64], category[16];
        film_row row;
        make_row(i, text, category, &row);
        status = corpus_add(corpus, &row, e);
    }
    return status;
}

struct world {
    struct corpus whole;
    unsigned char part[ROWS]; /* for selecting */
    int empty;                /* this process has no rows */
    int failures[COMM_THREADS_MOST];
    struct features features[COMM_THREADS_MOST];
    size_t entries[COMM_THREADS_MOST], owned[COMM_THREADS_MOST];
};

#define CHECK(condition)                                        \
    do {                                                        \
        if (!(condition)) {                                     \
            print_error("line %d: %s\n", __LINE__, #condition); \
            world->failures[comm->rank]++;                      \
        }                                                       \
    } while (0)

static int same_text(film_text a, film_text b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Every row of PARTS is row AT[i] of the whole, whichever process owns its sentences. */
static void check_rows(const struct comm *comm, struct world *world, const struct corpus *mine,
                       const size_t *at)
{
    film_error e;
    uint32_t *ids = malloc(2 * mine->rows * sizeof *ids), *to = malloc(2 * mine->rows * sizeof *to);
    struct strtab texts;
    CHECK(strtab_init(&texts, &e) == FILM_OK);
    for (size_t i = 0; i < mine->rows; i++) {
        ids[2 * i] = mine->a[i];
        ids[2 * i + 1] = mine->b[i];
    }
    CHECK(corpus_fetch(mine, ids, 2 * mine->rows, &texts, to, &e) == FILM_OK);
    for (size_t i = 0; i < mine->rows; i++) {
        size_t row = at[i];
        const struct corpus *whole = &world->whole;
        CHECK(
            same_text(strtab_get(&texts, to[2 * i]), strtab_get(&whole->sentences, whole->a[row])));
        CHECK(same_text(strtab_get(&texts, to[2 * i + 1]),
                        strtab_get(&whole->sentences, whole->b[row])));
        CHECK(mine->label[i] == whole->label[row]);
        CHECK(mine->c[i] == STRTAB_NONE);
        CHECK(same_text(strtab_get(&mine->categories, mine->category[i]),
                        strtab_get(&whole->categories, whole->category[row])));
    }
    strtab_free(&texts);
    free(ids);
    free(to);
}

static void check_selections(const struct comm *comm, struct world *world, struct corpus *mine)
{
    film_error e;
    struct corpus some, dev;
    size_t at[ROWS], count = 0;
    CHECK(corpus_select_shared(mine, world->part, 0, &some, &e) == FILM_OK);
    for (size_t i = 0; i < ROWS; i++)
        if (world->part[i] == 0) at[count++] = i;
    CHECK(some.rows == count);
    check_rows(comm, world, &some, at);
    for (size_t i = 0; i < some.rows; i++) CHECK(some.a[i] < corpus_all(&some));
    CHECK(corpus_select_whole(mine, world->part, 1, &dev, &e) == FILM_OK);
    count = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (world->part[i] == 1) {
            CHECK(same_text(strtab_get(&dev.sentences, dev.a[count]),
                            strtab_get(&world->whole.sentences, world->whole.a[i])));
            count++;
        }
    CHECK(dev.rows == count && dev.comm->size == 1);
    corpus_free(&some);
    corpus_free(&dev);
}

/* The k-th sentence of the rows is sentence k of the whole. */
static void check_order(const struct comm *comm, struct world *world, const struct corpus *mine)
{
    film_error e;
    uint32_t *order = NULL, at[SENTENCES];
    size_t count = corpus_all(mine);
    struct strtab texts;
    CHECK(strtab_init(&texts, &e) == FILM_OK);
    CHECK(corpus_order(mine, &order, &e) == FILM_OK);
    CHECK(corpus_fetch(mine, order, count, &texts, at, &e) == FILM_OK);
    for (uint32_t k = 0; k < count; k++)
        CHECK(same_text(strtab_get(&texts, at[k]), strtab_get(&world->whole.sentences, k)));
    strtab_free(&texts);
    mem_free(order);
}

static void live(const struct comm *comm, void *user)
{
    struct world *world = user;
    struct corpus mine;
    struct csr x = {0};
    film_error e;
    size_t at[ROWS], begin = comm_begin(comm, ROWS, comm->rank),
                     end = comm_begin(comm, ROWS, comm->rank + 1);
    if (world->empty) { /* the last process has no rows, the first has the remaining ones */
        int last = comm->rank == comm->size - 1;
        begin = last ? ROWS : comm_begin(comm, ROWS, comm->rank);
        end = comm->rank >= comm->size - 2 ? ROWS : comm_begin(comm, ROWS, comm->rank + 1);
    }
    CHECK(fill(&mine, begin, end, &e) == FILM_OK);
    CHECK(corpus_share(&mine, comm, "world", &e) == FILM_OK);
    CHECK(mine.rows == ROWS && corpus_all(&mine) == world->whole.sentences.count);
    for (size_t i = 0; i < ROWS; i++) at[i] = i;
    check_rows(comm, world, &mine, at);
    for (uint32_t i = 0; i < mine.sentences.count; i++)
        CHECK(corpus_owner(&mine, (uint32_t)corpus_first(&mine) + i) == comm->rank);
    check_order(comm, world, &mine);
    check_selections(comm, world, &mine);
    struct tokenizer tokenizer;
    struct features_options options = {FILM_WORD | FILM_CHAR, 2, 0, 1, {0}, comm};
    CHECK(tokenizer_init(&tokenizer, NULL, NULL, &e) == FILM_OK);
    CHECK(features_fit(&world->features[comm->rank], &tokenizer, &mine.sentences, &options, &x,
                       &e) == FILM_OK);
    world->entries[comm->rank] = x.start[x.rows];
    world->owned[comm->rank] = mine.sentences.count;
    csr_free(&x);
    corpus_free(&mine);
}

static void check_features(const struct features *one, const struct features *other)
{
    assert_int_equal(features_count(one), features_count(other));
    assert_memory_equal(one->idf, other->idf, features_count(one) * sizeof *one->idf);
    for (int g = 0; g < GROUPS; g++) {
        const struct strtab *a = &one->vocabulary[g], *b = &other->vocabulary[g];
        assert_int_equal(a->count, b->count);
        for (uint32_t i = 0; i < a->count; i++)
            assert_true(same_text(strtab_get(a, i), strtab_get(b, i)));
    }
}

static void several_processes_have_the_corpus_of_one(void **state)
{
    (void)state;
    struct world world;
    struct tokenizer tokenizer;
    struct features alone;
    struct csr x = {0};
    struct features_options options = {FILM_WORD | FILM_CHAR, 2, 0, 1, {0}, NULL};
    memset(&world, 0, sizeof world);
    for (size_t i = 0; i < ROWS; i++) world.part[i] = (unsigned char)(i * 7 % 3);
    assert_ok(fill(&world.whole, 0, ROWS, &error));
    assert_ok(tokenizer_init(&tokenizer, NULL, NULL, &error));
    assert_ok(features_fit(&alone, &tokenizer, &world.whole.sentences, &options, &x, &error));
    for (int size = 2; size <= 5; size++) {
        world.empty = size == 4;
        comm_threads_run(size, live, &world);
        size_t entries = 0, owned = 0;
        for (int p = 0; p < size; p++) {
            assert_int_equal(world.failures[p], 0);
            check_features(&alone, &world.features[p]);
            features_free(&world.features[p]);
            entries += world.entries[p];
            owned += world.owned[p];
        }
        assert_int_equal(entries, x.start[x.rows]);
        assert_int_equal(owned, world.whole.sentences.count); /* each has one owner */
    }
    features_free(&alone);
    csr_free(&x);
    corpus_free(&world.whole);
}

/* ---- No rows, and labels of two kinds ---- */

static film_status reported[COMM_THREADS_MOST];
static film_error said[COMM_THREADS_MOST];

static void come_with_nothing(const struct comm *comm, void *user)
{
    struct corpus mine;
    film_error e = {.message = ""};
    size_t rows = user && comm->rank < 2 ? 3 : 0;
    fill(&mine, 0, rows, &e);
    if (comm->rank == 1) mine.labels = FILM_LABELS_SCORES;
    reported[comm->rank] = corpus_share(&mine, comm, "world.tsv", &e);
    said[comm->rank] = e;
    corpus_free(&mine);
}

static void every_process_gets_the_error(void **state)
{
    (void)state;
    int with_rows = 1;
    comm_threads_run(3, come_with_nothing, NULL);
    for (int p = 0; p < 3; p++) {
        assert_int_equal(reported[p], FILM_BAD_INPUT);
        assert_string_equal(said[p].message, "world.tsv: no rows");
    }
    comm_threads_run(3, come_with_nothing, &with_rows);
    for (int p = 0; p < 3; p++) {
        assert_int_equal(reported[p], FILM_BAD_INPUT);
        assert_non_null(strstr(said[p].message, "different kinds of labels"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_processes_have_the_corpus_of_one),
        cmocka_unit_test(every_process_gets_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
