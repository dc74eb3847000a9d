/* Tests the log of a training: what is recorded, and what is not. */
#include "testing.h"
#include "base/mem.h"
#include "learn/training_log.h"

static film_error error;

static void figures_and_seconds_are_kept_apart(void **state)
{
    (void)state;
    struct training_log log;
    char *figures = NULL, *seconds = NULL;
    assert_ok(training_log_init(&log, &error));
    training_log_count(&log, "rows", 12);
    training_log_note(&log, "share", json_real(0.5));
    training_log_note(&log, "gone", json_true());
    training_log_forget(&log, "gone");
    training_log_remark(&log, "from_cache", json_integer(3));
    training_log_phase(&log, "read");
    assert_ok(training_log_print(&log, &figures, &seconds, &error));
    assert_string_equal(figures, "{\"rows\":12,\"share\":0.5}");
    assert_non_null(strstr(seconds, "\"from_cache\":3"));
    assert_non_null(strstr(seconds, "\"read\":"));
    mem_free(figures);
    mem_free(seconds);
    training_log_free(&log);
}

static void no_log_is_silent_and_loses_nothing(void **state)
{
    (void)state;
    json_t *value = json_string("kept");
    json_incref(value);
    training_log_note(NULL, "key", value); /* takes ownership of one reference */
    training_log_remark(NULL, "key", json_true());
    training_log_count(NULL, "key", 1);
    training_log_forget(NULL, "key");
    training_log_phase(NULL, "phase");
    assert_string_equal(json_string_value(value), "kept");
    assert_int_equal(value->refcount, 1);
    json_decref(value);
}

static void a_long_history_is_thinned_and_keeps_its_last_entry(void **state)
{
    (void)state;
    for (size_t count = 0; count < 3000; count += 7) {
        size_t stride, taken = 0, last = 0;
        for (size_t i = training_log_stride(count, &stride); i < count; i += stride) {
            last = i;
            taken++;
        }
        assert_true(taken <= 500);
        if (count <= 500) assert_int_equal(taken, count);
        if (count) assert_int_equal(last, count - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_and_seconds_are_kept_apart),
        cmocka_unit_test(no_log_is_silent_and_loses_nothing),
        cmocka_unit_test(a_long_history_is_thinned_and_keeps_its_last_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
