/* Tests a file that several processes write; threads play them. */
#include "comm_threads.h"
#include "testing.h"

static film_error error;

enum { PROCESSES = 3, LARGE = 700000 }; /* more than two buffers */

struct writing {
    const char *path;
    film_status status[PROCESSES];
    int fails; /* the process that fails; -1: none */
};

static unsigned char byte_of(int process, size_t at)
{
    return (unsigned char)(at * 7 + at / 251 + (size_t)process * 31);
}

/* Process 0 writes 10 bytes and patches two of them, 1 writes much, 2 a little. */
static const size_t sizes[PROCESSES] = {10, LARGE, 3};

static void write_share(const struct comm *comm, void *user)
{
    struct writing *writing = user;
    film_error problem;
    film_job job = {*comm};
    film_output *output = NULL;
    film_status status = film_output_open_job(&job, writing->path, &output, &problem);
    for (size_t i = 0; i < sizes[comm->rank] && status == FILM_OK; i++) {
        unsigned char byte = byte_of(comm->rank, i);
        status = film_output_write(output, &byte, 1, &problem);
    }
    if (status == FILM_OK && comm->rank == 0)
        status = film_output_patch(output, 4, "ab", 2, &problem);
    if (writing->fails == comm->rank)
        film_output_discard(output);
    else if (status == FILM_OK)
        status = film_output_commit(output, &problem);
    writing->status[comm->rank] = status;
}

static void what_processes_write_follows_in_their_order(void **state)
{
    (void)state;
    struct writing writing = {.path = scratch("together"), .fails = -1};
    comm_threads_run(PROCESSES, write_share, &writing);
    FILE *file = fopen(writing.path, "rb");
    assert_non_null(file);
    for (int p = 0; p < PROCESSES; p++) {
        assert_int_equal(writing.status[p], FILM_OK);
        for (size_t i = 0; i < sizes[p]; i++) {
            int expected = p == 0 && (i == 4 || i == 5) ? "ab"[i - 4] : byte_of(p, i);
            int found = getc(file);
            if (found != expected) assert_int_equal(found, expected);
        }
    }
    assert_int_equal(getc(file), EOF);
    fclose(file);
    remove(writing.path);
}

static void the_file_stays_as_it_was_when_one_gives_up(void **state)
{
    (void)state;
    for (int fails = 0; fails < PROCESSES; fails++) {
        struct writing writing = {.path = scratch("kept"), .fails = fails};
        char kept[10] = "";
        write_file(writing.path, "before", 6);
        comm_threads_run(PROCESSES, write_share, &writing);
        for (int p = 0; p < PROCESSES; p++)
            assert_int_equal(writing.status[p], p == fails ? FILM_OK : FILM_CANCELLED);
        FILE *file = fopen(writing.path, "rb");
        assert_int_equal(fread(kept, 1, sizeof kept, file), 6);
        assert_string_equal(kept, "before");
        fclose(file);
        remove(writing.path);
    }
}

static void one_process_alone_writes_at_once(void **state)
{
    (void)state;
    film_output *output;
    assert_ok(film_output_open_job(NULL, scratch("alone"), &output, &error));
    assert_ok(film_output_write(output, "x", 1, &error));
    assert_ok(film_output_commit(output, &error));
    assert_int_equal(remove(scratch("alone")), 0);
    uint64_t value = 7;
    assert_ok(film_job_sum(NULL, &value, 1, &error));
    assert_int_equal(value, 7);
}

static void no_room_for_temporary_files_is_reported(void **state)
{
    (void)state;
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    struct writing writing = {.path = scratch("nowhere"), .fails = -1};
    setenv("TMPDIR", "/nonexistent", 1);
    comm_threads_run(PROCESSES, write_share, &writing);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    for (int p = 0; p < PROCESSES; p++) assert_int_equal(writing.status[p], FILM_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_processes_write_follows_in_their_order),
        cmocka_unit_test(the_file_stays_as_it_was_when_one_gives_up),
        cmocka_unit_test(one_process_alone_writes_at_once),
        cmocka_unit_test(no_room_for_temporary_files_is_reported),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
