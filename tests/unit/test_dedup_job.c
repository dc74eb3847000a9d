/* Tests that film_dedup and film_link in a job report the same lines in the same order as one
 * process. */
#include "pools.h"
#include "base/mailbox.h"
#include "base/rng.h"
#include "comm_threads.h"

enum { MOST = 150, LABELS = 25, JOBS = 4 };
static const int sizes[JOBS] = {1, 2, 3, 7};

static film_error error;
static film_model *model;

static const char *const WORDS[] = {"I",   "lost", "my",    "card",  "where", "is",     "parcel",
                                    "can", "pay",  "in",    "euro",  "order", "a",      "new",
                                    "how", "do",   "card?", "Order", "PAY",   "parcel!"};
static char texts[MOST][100], ids[MOST][24];
static film_record records[MOST];
static film_dedup_label labels[LABELS];

static void make_records(size_t count, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++) {
        texts[i][0] = 0;
        for (size_t words = 1 + rng_below(&rng, 4); words > 0; words--) {
            strcat(texts[i], WORDS[rng_below(&rng, 20)]);
            if (words > 1) strcat(texts[i], " ");
        }
        snprintf(ids[i], sizeof ids[i], "r%zu", i);
        /* Some records have no id. */
        records[i] = (film_record){i % 5 ? film_string(ids[i]) : (film_text){NULL, 0},
                                   film_string(texts[i])};
    }
    for (size_t i = 0; i < LABELS; i++)
        labels[i] = (film_dedup_label){rng_below(&rng, count), rng_below(&rng, count),
                                       rng_below(&rng, 2) == 0};
}

static int setup(void **state)
{
    (void)state;
    const char *path = scratch("dedup_job.film");
    save_model(path, FILM_METHOD_SVD);
    int failed = film_open(path, &model, &error) != FILM_OK;
    unlink(path);
    return failed;
}

static int teardown(void **state)
{
    (void)state;
    film_close(model);
    return 0;
}

/* ---- One call in jobs of several sizes ---- */

struct heard {
    char lines[1 << 18]; /* what the first process received */
    size_t used;
    size_t stop_after; /* lines; 0: never */
    size_t told;
};

struct question {
    film_dedup_options dedup;
    film_link_options link;
    size_t count, b_count; /* b_count: for film_link, the records after `count` */
    const char *path, *path_b, *pool;
    struct heard *heard;
    film_status status[COMM_THREADS_MOST];
    film_error error[COMM_THREADS_MOST];
    film_dedup_result result[COMM_THREADS_MOST];
    film_link_result linked[COMM_THREADS_MOST];
};

static int hear(struct heard *heard, const char *what, size_t a, size_t b, film_record first,
                film_record second, double probability)
{
    heard->used += (size_t)snprintf(heard->lines + heard->used, sizeof heard->lines - heard->used,
                                    "%s %zu %zu %.*s=%.*s %.*s=%.*s %.9g\n", what, a, b,
                                    (int)first.id.length, first.id.bytes ? first.id.bytes : "",
                                    (int)first.text.length, first.text.bytes, (int)second.id.length,
                                    second.id.bytes ? second.id.bytes : "", (int)second.text.length,
                                    second.text.bytes ? second.text.bytes : "", probability);
    if (heard->used > sizeof heard->lines - 1000) abort(); /* an error of the test */
    return ++heard->told == heard->stop_after;
}

static int on_pair(void *user, const film_duplicate *pair)
{
    return hear(user, "pair", pair->a, pair->b, pair->first, pair->second, pair->probability);
}

static int on_near(void *user, const film_duplicate *pair)
{
    return hear(user, "near", pair->a, pair->b, pair->first, pair->second, pair->probability);
}

static int on_member(void *user, const film_member *member)
{
    film_record none = {{NULL, 0}, {NULL, 0}};
    return hear(user, member->representative ? "face" : "member",
                member->cluster * 1000 + member->cluster_size, member->at, member->record, none,
                member->probability);
}

static int on_match(void *user, const film_link_match *match)
{
    return hear(user, "match", match->a, match->b, match->first, match->second, match->probability);
}

static void work(const struct comm *comm, void *user)
{
    struct question *question = user;
    int me = comm->rank;
    film_job job = {*comm};
    film_dedup_options dedup = question->dedup;
    film_link_options link = question->link;
    film_pool *pool = NULL;
    dedup.job = link.job = &job;
    question->result[me].size = sizeof question->result[me];
    question->linked[me].size = sizeof question->linked[me];
    if (question->path_b)
        question->status[me] = film_link_files(model, question->path, question->path_b, &link,
                                               &question->linked[me], &question->error[me]);
    else if (question->b_count)
        question->status[me] =
            film_link(model, records, question->count, records + question->count, question->b_count,
                      &link, &question->linked[me], &question->error[me]);
    else if (question->path)
        question->status[me] = film_dedup_file(model, question->path, &dedup, &question->result[me],
                                               &question->error[me]);
    else if (question->pool) {
        question->status[me] = film_pool_open(question->pool, &pool, &question->error[me]);
        if (question->status[me] == FILM_OK)
            question->status[me] =
                film_pool_dedup(pool, &dedup, &question->result[me], &question->error[me]);
        film_pool_close(pool);
    } else
        question->status[me] = film_dedup(model, records, question->count, &dedup,
                                          &question->result[me], &question->error[me]);
}

static struct question ask(struct heard *heard)
{
    struct question question = {.count = MOST, .heard = heard};
    question.dedup = (film_dedup_options){.size = sizeof question.dedup};
    question.link = (film_link_options){.size = sizeof question.link};
    question.dedup.threshold = question.link.threshold = 0.5;
    question.dedup.candidates = question.link.candidates = 6;
    question.dedup.answer.threads = question.link.answer.threads = 1;
    question.dedup.member = on_member;
    question.dedup.user = question.link.user = heard;
    question.link.match = on_match;
    return question;
}

/* Reports and figures are those of one process, in jobs of all sizes and in every process. */
static void same_in_all_jobs(struct question *question, size_t least_lines)
{
    struct heard *heard = question->heard;
    char *alone = calloc(1, sizeof heard->lines);
    assert_non_null(alone);
    for (int i = 0; i < JOBS; i++) {
        film_dedup_result first = question->result[0];
        film_link_result first_linked = question->linked[0];
        memset(heard, 0, sizeof *heard);
        comm_threads_run(sizes[i], work, question);
        for (int p = 0; p < sizes[i]; p++) {
            uint64_t sent = question->result[p].sent + question->linked[p].sent;
            assert_true((sizes[i] > 1) == (sent > 0));
            question->result[p].sent = question->linked[p].sent = 0;
            if (question->status[p] != FILM_OK) fail_msg("%s", question->error[p].message);
            assert_memory_equal(&question->result[p], &question->result[0], sizeof first);
            assert_memory_equal(&question->linked[p], &question->linked[0], sizeof first_linked);
        }
        if (i == 0) {
            strcpy(alone, heard->lines);
            assert_true(heard->told >= least_lines);
            continue;
        }
        assert_string_equal(heard->lines, alone);
        assert_memory_equal(&question->result[0], &first, sizeof first);
        assert_memory_equal(&question->linked[0], &first_linked, sizeof first_linked);
    }
    free(alone);
}

static struct heard heard; /* large for a stack */

/* ---- Tests ---- */

static void letters_arrive(const struct comm *comm, void *user)
{
    size_t *wrong = user;
    struct mailbox mailbox;
    if (mailbox_init(&mailbox, comm, NULL) != FILM_OK) return;
    for (uint32_t round = 0; round < 5; round++) {
        /* Sends p + round items to p; none in the first round. */
        for (int p = 0; p < comm->size; p++)
            for (uint32_t i = 0; round && i < (uint32_t)p + round; i++) {
                film_text text = {"abcdefgh", i % 9};
                if (i % 3 == 2) text = (film_text){NULL, 0};
                if (mailbox_put(&mailbox, p, &i, sizeof i, NULL) ||
                    mailbox_put_text(&mailbox, p, text, NULL))
                    wrong[comm->rank]++;
            }
        if (mailbox_send(&mailbox, NULL) != FILM_OK) wrong[comm->rank]++;
        uint32_t count[COMM_THREADS_MOST] = {0}, i;
        for (int last = 0; mailbox_next(&mailbox); last = mailbox.from) {
            wrong[comm->rank] += mailbox.from < last;
            mailbox_get(&mailbox, &i, sizeof i);
            film_text text = mailbox_get_text(&mailbox);
            wrong[comm->rank] += i != count[mailbox.from]++;
            wrong[comm->rank] += (i % 3 == 2) != (text.bytes == NULL) ||
                                 (text.bytes && text.length != i % 9) ||
                                 (text.bytes && memcmp(text.bytes, "abcdefgh", text.length) != 0);
        }
        for (int p = 0; p < comm->size; p++)
            wrong[comm->rank] += count[p] != (round ? (uint32_t)comm->rank + round : 0);
    }
    mailbox_free(&mailbox);
}

static void what_is_posted_comes_as_it_was(void **state)
{
    (void)state;
    for (int i = 0; i < JOBS; i++) {
        size_t wrong[COMM_THREADS_MOST] = {0};
        comm_threads_run(sizes[i], letters_arrive, wrong);
        for (int p = 0; p < sizes[i]; p++) assert_int_equal(wrong[p], 0);
    }
}

static void clusters_and_pairs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct question question = ask(&heard);
        make_records(MOST, seed);
        question.dedup.pair = on_pair;
        question.dedup.singles = seed % 2 == 0;
        question.dedup.candidates = 1 + 3 * seed;
        question.dedup.threshold = 0.2 + 0.1 * (double)seed;
        same_in_all_jobs(&question, MOST / 2);
    }
}

static void labels_and_doubtful_pairs(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed <= 14; seed++) {
        struct question question = ask(&heard);
        make_records(MOST, seed);
        question.dedup.labels = labels;
        question.dedup.label_count = LABELS;
        question.dedup.pair = on_pair;
        question.dedup.borderline = on_near;
        question.dedup.review = 9;
        same_in_all_jobs(&question, MOST / 2);
    }
}

/* Fewer records than processes, no records with the same words, or no records at all. */
static void small_records(void **state)
{
    (void)state;
    make_records(MOST, 21);
    for (size_t count = 0; count < 9; count++) {
        struct question question = ask(&heard);
        question.count = count;
        question.dedup.singles = 1;
        same_in_all_jobs(&question, count);
    }
}

/* A sentence of a file of pairs is one record, whichever process reads it first. */
static void files_and_pools(void **state)
{
    (void)state;
    const char *pairs = scratch("pairs.tsv");
    const char *lines = scratch("lines.txt");
    char pool_path[300];
    snprintf(pool_path, sizeof pool_path, "%s", scratch("job.pool"));
    make_records(MOST, 31);
    FILE *pair_file = fopen(pairs, "w"), *line_file = fopen(lines, "w");
    fputs("question1\tquestion2\n", pair_file);
    film_pool *pool = new_pool(pool_path);
    for (size_t i = 0; i + 3 < MOST; i++) {
        char id[24];
        snprintf(id, sizeof id, "p%zu", i);
        fprintf(pair_file, "%s\t%s\n", texts[i], texts[i + 3]);
        fprintf(line_file, "%s\n%s", texts[i], i % 7 ? "" : "\n");
        add_one(pool, id, texts[i]);
    }
    fclose(pair_file);
    fclose(line_file);
    assert_ok(film_pool_label(pool, film_string("p1"), film_string("p70"), 1, NULL, &error));
    assert_ok(film_pool_label(pool, film_string("p2"), film_string("p90"), 0, NULL, &error));
    film_pool_close(pool);
    struct question question = ask(&heard);
    question.dedup.singles = 1;
    question.path = pairs;
    same_in_all_jobs(&question, 40);
    question.path = lines;
    same_in_all_jobs(&question, MOST / 2);
    question.path_b = pairs;
    same_in_all_jobs(&question, MOST / 2);
    question.path = question.path_b = NULL;
    question.pool = pool_path;
    same_in_all_jobs(&question, MOST / 2);
    unlink(pairs);
    unlink(lines);
    remove_pool(pool_path);
}

static void links(void **state)
{
    (void)state;
    for (uint64_t seed = 41; seed <= 44; seed++) {
        struct question question = ask(&heard);
        make_records(MOST, seed);
        question.count = seed == 44 ? 3 : 50;
        question.b_count = seed == 43 ? 2 : MOST - 50;
        question.link.most = seed == 41 ? 3 : 0;
        question.link.unique = seed == 42;
        question.link.threshold = 0.3;
        same_in_all_jobs(&question, 3);
    }
}

/* When the first process is stopped, all processes stop. */
static void a_job_can_be_stopped(void **state)
{
    (void)state;
    make_records(MOST, 51);
    for (int what = 0; what < 3; what++) {
        struct question question = ask(&heard);
        if (what == 1) question.dedup.pair = on_pair;
        if (what == 2) question.count = 50, question.b_count = 50;
        memset(&heard, 0, sizeof heard);
        heard.stop_after = 4;
        comm_threads_run(3, work, &question);
        for (int p = 0; p < 3; p++) assert_int_equal(question.status[p], FILM_CANCELLED);
        assert_int_equal(heard.told, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_posted_comes_as_it_was),
        cmocka_unit_test(clusters_and_pairs),
        cmocka_unit_test(labels_and_doubtful_pairs),
        cmocka_unit_test(small_records),
        cmocka_unit_test(files_and_pools),
        cmocka_unit_test(links),
        cmocka_unit_test(a_job_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
