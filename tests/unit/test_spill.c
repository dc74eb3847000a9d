/* Tests that an array returns unchanged from a temporary file. */
#include "testing.h"

#include "base/mem.h"
#include "train/spill.h"

static film_error error;

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
        cmocka_unit_test(an_array_is_the_same_after_a_time_in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
