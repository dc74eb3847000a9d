/* Tests that film_eval in a job, played by threads, returns the result of one process, byte for
 * byte. */
#include "comm_threads.h"
#include "eval_toy.h"

#include "la/flat_share.h"

enum { MOST_PROCESSES = 4 };

struct asking {
    const char *path;
    film_eval_options options;
    film_status status[MOST_PROCESSES];
    film_error error[MOST_PROCESSES];
    char *json[MOST_PROCESSES];
};

static void ask(const struct comm *comm, void *user)
{
    struct asking *asking = user;
    film_job job = {*comm};
    film_eval_options options = asking->options;
    options.job = &job;
    options.threads = 1;
    asking->status[comm->rank] = eval_text(model, asking->path, &options, &asking->json[comm->rank],
                                           &asking->error[comm->rank]);
}

static void same_as_alone(const char *path, film_eval_options options)
{
    char *alone = NULL;
    assert_ok(eval_text(model, path, &options, &alone, &error));
    for (int processes = 2; processes <= MOST_PROCESSES; processes++) {
        struct asking asking = {.path = path, .options = options};
        comm_threads_run(processes, ask, &asking);
        for (int p = 0; p < processes; p++) {
            if (asking.status[p] != FILM_OK) print_error("%s\n", asking.error[p].message);
            assert_int_equal(asking.status[p], FILM_OK);
        }
        assert_string_equal(asking.json[0], alone);
        for (int p = 0; p < processes; p++) film_free(asking.json[p]);
    }
    film_free(alone);
}

static void pairs_and_pools_give_the_results_of_one_process(void **state)
{
    (void)state;
    film_eval_options options = quick();
    same_as_alone(pairs_path, options);
    options.pool = pool_path;
    options.knn = FILM_KNN_EITHER;
    same_as_alone(pairs_path, options);
    options.pool_queries = 7;
    options.decision = FILM_EVAL_KNN;
    options.against = model;
    same_as_alone(pairs_path, options);
}

static void other_labels_give_the_results_of_one_process(void **state)
{
    (void)state;
    const char *path = scratch("labels.tsv");
    for (int kind = 0; kind < 3; kind++) {
        static const char *const headers[] = {"anchor\tpositive\tnegative", "text\tcategory",
                                              "score\tquestion1\tquestion2"};
        FILE *file = fopen(path, "w");
        fprintf(file, "%s\n", headers[kind]);
        for (int i = 0; i + 1 < PAIRS; i++) {
            if (kind == 0) fprintf(file, "%s\t%s\t%s\n", text[i][0], text[i][1], text[i + 1][0]);
            if (kind == 1) fprintf(file, "%s\tkind %d\n", text[i][0], i % 5);
            if (kind == 2) fprintf(file, "%g\t%s\t%s\n", i % 7 * 0.5, text[i][0], text[i][1]);
        }
        fclose(file);
        same_as_alone(path, quick());
    }
    remove(path);
}

static void fewer_rows_than_processes_are_enough(void **state)
{
    (void)state;
    const char *path = scratch("short.tsv");
    FILE *file = fopen(path, "w");
    fprintf(file, "label\tquestion1\tquestion2\n1\t%s\t%s\n0\t%s\t%s\n", text[1][0], text[1][1],
            text[2][0], text[2][1]);
    fclose(file);
    same_as_alone(path, quick());
    remove(path);
}

static void the_process_with_a_bad_row_reports_it(void **state)
{
    (void)state;
    const char *path = scratch("bad.tsv");
    FILE *file = fopen(path, "w");
    fprintf(file, "label\tquestion1\tquestion2\n");
    for (int i = 0; i < PAIRS; i++)
        fprintf(file, "%d\t%s\t%s\n", i == 100 ? 2 : label[i], text[i][0], text[i][1]);
    fclose(file);
    struct asking asking = {.path = path, .options = quick()};
    comm_threads_run(2, ask, &asking);
    assert_int_equal(asking.status[0], FILM_CANCELLED);
    assert_int_equal(asking.status[1], FILM_BAD_INPUT);
    assert_non_null(strstr(asking.error[1].message, "bad.tsv:102: label \"2\""));
    remove(path);
}

/* ---- Neighbours ---- */

enum { ROWS = 4700, DIM = 3, K = 6, TARGETS = 4500 };

/* Numbers are partitioned unevenly: one process has more rows than a block, another none. */
static int owner_of(uint32_t number, int processes)
{
    return number % 16 || processes == 2 ? 0 : 1;
}

struct looking {
    const float *rows;
    const float *penalty;
    const uint32_t *query, *target;
    uint32_t *id;   /* ROWS x K, by number */
    uint32_t *rank; /* TARGETS: of process 0 */
    film_status status[MOST_PROCESSES];
};

static void look(const struct comm *comm, void *user)
{
    struct looking *looking = user;
    film_error problem;
    uint32_t count = 0, *number = malloc(ROWS * sizeof *number), *row = malloc(ROWS * sizeof *row);
    float *mine = malloc(ROWS * DIM * sizeof *mine), *penalty = malloc(ROWS * sizeof *penalty);
    uint32_t *id = malloc(ROWS * K * sizeof *id), *rank = malloc(TARGETS * sizeof *rank);
    for (uint32_t i = 0; i < ROWS; i++) {
        row[i] = FLAT_NONE;
        if (owner_of(i, comm->size) != comm->rank) continue;
        memcpy(mine + count * DIM, looking->rows + i * DIM, DIM * sizeof *mine);
        penalty[count] = looking->penalty[i];
        number[count] = i;
        row[i] = count++;
    }
    struct flat_share share = {comm, {mine, penalty, count, DIM}, number, row};
    film_status status = flat_share_search(&share, K, 1, NULL, id, &problem);
    if (status == FILM_OK)
        status = flat_share_rank(
            &share, &(struct flat_share_targets){looking->query, looking->target, TARGETS}, 1, NULL,
            rank, &problem);
    looking->status[comm->rank] = status;
    for (uint32_t i = 0; i < count; i++)
        memcpy(looking->id + number[i] * K, id + i * K, K * sizeof *id);
    if (comm->rank == 0) memcpy(looking->rank, rank, TARGETS * sizeof *rank);
    free(number), free(row), free(mine), free(penalty), free(id), free(rank);
}

static void neighbours_and_ranks_are_those_of_all_rows(void **state)
{
    (void)state;
    static float rows[ROWS * DIM], penalty[ROWS];
    static uint32_t query[TARGETS], target[TARGETS], expected_id[ROWS * K], found_id[ROWS * K];
    static uint32_t expected[TARGETS], found[TARGETS];
    struct rng rng;
    rng_seed(&rng, 11);
    for (int i = 0; i < ROWS * DIM; i++) rows[i] = (float)rng_below(&rng, 9) - 4; /* many ties */
    for (int i = 0; i < ROWS; i++) penalty[i] = (float)rng_below(&rng, 2);
    for (int i = 0; i < TARGETS; i++) {
        query[i] = (uint32_t)rng_below(&rng, ROWS);
        target[i] = (query[i] + 1 + (uint32_t)rng_below(&rng, ROWS - 1)) % ROWS;
    }
    struct flat_share all = {&comm_single, {rows, penalty, ROWS, DIM}, NULL, NULL};
    assert_ok(flat_share_search(&all, K, 2, NULL, expected_id, &error));
    assert_ok(flat_share_rank(&all, &(struct flat_share_targets){query, target, TARGETS}, 2, NULL,
                              expected, &error));
    for (int processes = 2; processes <= 3; processes++) {
        struct looking looking = {rows, penalty, query, target, found_id, found, {FILM_OK}};
        comm_threads_run(processes, look, &looking);
        for (int p = 0; p < processes; p++) assert_int_equal(looking.status[p], FILM_OK);
        assert_memory_equal(found_id, expected_id, sizeof expected_id);
        assert_memory_equal(found, expected, sizeof expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_and_pools_give_the_results_of_one_process),
        cmocka_unit_test(other_labels_give_the_results_of_one_process),
        cmocka_unit_test(fewer_rows_than_processes_are_enough),
        cmocka_unit_test(the_process_with_a_bad_row_reports_it),
        cmocka_unit_test(neighbours_and_ranks_are_those_of_all_rows),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
