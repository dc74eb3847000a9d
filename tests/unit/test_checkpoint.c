/* Tests that a training that is interrupted and resumed gives the same bytes as an uninterrupted
 * one. */
#include "pausing.h"

#include "base/mem.h"
#include "train/spill.h"

static void stopped_anywhere_it_ends_with_the_same_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        film_train_options options = toy_options(both[i % 2]);
        options.threads = 1 + i / 2;
        int reports = train_whole(options);
        assert_true(reports > 8);
        for (int k = 1; k <= reports; k++) {
            unlink(checkpoint_path);
            stop_at(options, k);
            resume_to_the_end(options);
        }
    }
}

static void stopped_twice_it_ends_with_the_same_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        film_train_options options = toy_options(both[i]);
        train_whole(options);
        for (int first = 1; first < 4; first++) {
            stop_at(options, first);
            options.resume = 1;
            stop_at(options, 2); /* the second report after resuming */
            resume_to_the_end(options);
            options.resume = 0;
        }
    }
}

static void without_a_judge_and_from_eigenvectors_too(void **state)
{
    (void)state;
    film_train_options options = toy_options(FILM_METHOD_FILM);
    options.train_share = 1;
    options.solver.eigen = 1;
    options.solver.power = 1;
    int reports = train_whole(options);
    for (int k = 1; k <= reports; k += 3) {
        stop_at(options, k);
        resume_to_the_end(options);
    }
}

static void a_checkpoint_of_any_time_will_do(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        film_train_options options = toy_options(both[i]);
        film_model *model = NULL;
        options.checkpoint_only_when_cancelled = 0;
        options.checkpoint_every = 1e-9; /* after every step */
        assert_ok(train(options, 0, NULL, &model));
        save_to(model, &whole);
        resume_to_the_end(options); /* from the last checkpoint: nothing is left to do */
    }
}

static void iterations_may_be_raised(void **state)
{
    (void)state;
    film_train_options options = toy_options(FILM_METHOD_FILM);
    stop_at(options, 5);
    options.solver.iterations = 20;
    train_whole(options);
    resume_to_the_end(options);
}

static void the_result_so_far_is_a_model(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        film_model *model = NULL;
        char *about = NULL;
        assert_int_equal(train(toy_options(both[i]), 2, NULL, &model), FILM_CANCELLED);
        assert_string_equal(error.message,
                            i ? "stopped after 2 of 84 steps" : "stopped after 2 of 12 iterations");
        assert_ok(film_describe(model, &about, &error));
        assert_non_null(strstr(about, "\"history\""));
        film_free(about);
        film_context *context = NULL;
        film_verdict verdict;
        assert_ok(film_context_new(model, &context, &error));
        assert_ok(film_match(context, film_string("a1 b1"), film_string("b1"), &verdict, &error));
        film_context_free(context);
        film_close(model);
    }
}

static void an_array_is_the_same_after_a_time_in_a_file(void **state)
{
    (void)state;
    enum { COUNT = 3 << 18 };
    float *values = malloc(COUNT * sizeof *values), *before = values;
    struct spill spill;
    for (size_t i = 0; i < COUNT; i++) values[i] = (float)i;
    setenv("TMPDIR", "/nonexistent", 1); /* no file: it stays */
    spill_out(&spill, &values, COUNT * sizeof *values);
    assert_ptr_equal(values, before);
    assert_ok(spill_in(&spill, &values, &error));
    assert_ptr_equal(values, before);
    unsetenv("TMPDIR");
    spill_out(&spill, &values, 4000); /* small: it stays */
    assert_ptr_equal(values, before);
    for (int fails = 0; fails < 2; fails++) {
        spill_out(&spill, &values, COUNT * sizeof *values);
        assert_null(values);
        if (fails) assert_int_equal(ftruncate(spill.file, 1 << 20), 0);
        assert_int_equal(spill_in(&spill, &values, &error), fails ? FILM_IO : FILM_OK);
        for (size_t i = 0; i < COUNT && !fails; i++) assert_true(values[i] == (float)i);
    }
    mem_free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_anywhere_it_ends_with_the_same_bytes),
        cmocka_unit_test(stopped_twice_it_ends_with_the_same_bytes),
        cmocka_unit_test(without_a_judge_and_from_eigenvectors_too),
        cmocka_unit_test(a_checkpoint_of_any_time_will_do),
        cmocka_unit_test(iterations_may_be_raised),
        cmocka_unit_test(the_result_so_far_is_a_model),
        cmocka_unit_test(an_array_is_the_same_after_a_time_in_a_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
