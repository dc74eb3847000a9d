/* Tests rows in PostgreSQL's binary format, and what may be printed of a URI. */
#include "testing.h"
#include "remote/place.h"
#include "remote/row.h"

static film_error error;

enum { DIM = 3 };
static const float vector[DIM] = {1, -2.5f, 0};

static struct store_row example(void)
{
    struct store_row row = {.number = 7,
                            .change = 1ULL << 40,
                            .checksum = -5,
                            .fields = {.id = film_string("a"), .text = film_string("naïve")},
                            .vector = vector};
    return row;
}

static void numbers_have_their_most_significant_byte_first(void **state)
{
    (void)state;
    struct cell cell;
    char room[8];
    int64_t number;
    row_put_number(&cell, room, -2);
    assert_memory_equal(room, "\377\377\377\377\377\377\377\376", 8);
    assert_ok(row_number(cell, &number, &error));
    assert_int_equal(number, -2);
    cell.length = 4;
    assert_int_equal(row_number(cell, &number, &error), FILM_BAD_INPUT);
}

/* The format of https://github.com/pgvector/pgvector: two bytes of length, two unused, big-endian
 * floats. */
static void vectors_have_the_bytes_of_pgvector(void **state)
{
    (void)state;
    static const char wanted[] = "\0\3\0\0\x3f\x80\0\0\xc0\x20\0\0\0\0\0\0";
    struct store_row row = example(), back;
    unsigned char turned[4 + 4 * DIM];
    struct row_room room = {.vector = turned};
    struct cell cells[ROW_SENTENCE];
    float got[DIM];
    row_of_sentence(&row, ROW_PGVECTOR, DIM, &room, cells);
    assert_int_equal(cells[9].length, 16);
    assert_memory_equal(cells[9].bytes, wanted, 16);
    assert_ok(row_sentence(cells, ROW_PGVECTOR, DIM, got, &back, &error));
    assert_memory_equal(back.vector, vector, sizeof vector);
    row_of_sentence(&row, ROW_BYTES, DIM, &room, cells);
    assert_memory_equal(cells[9].bytes, "\0\0\x80\x3f\0\0\x20\xc0\0\0\0\0", 12);
    assert_ok(row_sentence(cells, ROW_BYTES, DIM, got, &back, &error));
    assert_memory_equal(back.vector, vector, sizeof vector);
}

static void a_vector_that_is_none_leaves_a_sentence_without_one(void **state)
{
    (void)state;
    static const char not_finite[] = "\0\0\x80\x3f\0\0\xc0\x7f\0\0\0\0";
    struct store_row row = example(), back;
    struct row_room room = {.vector = NULL};
    struct cell cells[ROW_SENTENCE];
    float got[DIM];
    row_of_sentence(&row, ROW_BYTES, DIM, &room, cells);
    const struct cell bad[] = {{NULL, 0}, {"", 0}, {not_finite, 11}, {not_finite, 12}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cells[9] = bad[i];
        assert_ok(row_sentence(cells, ROW_BYTES, DIM, got, &back, &error));
        assert_null(back.vector);
        assert_ok(row_sentence(cells, ROW_PGVECTOR, DIM, got, &back, &error));
        assert_null(back.vector);
    }
}

static void an_invalid_row_is_refused(void **state)
{
    (void)state;
    static const char zero[8] = "", minus[8] = "\377\377\377\377\377\377\377\377";
    char id[1002];
    memset(id, 'x', sizeof id);
    const struct {
        int cell;
        struct cell value;
        const char *message;
    } bad[] = {{0, {NULL, 0}, "a number is missing"},
               {0, {zero, 8}, "a number is 0; it must be"},
               {0, {minus, 8}, "a number is -1; it must be"},
               {0, {zero, 4}, "wrong type"},
               {1, {NULL, 0}, "the id is missing"},
               {1, {"", 0}, "the id is missing"},
               {1, {"a\nb", 3}, "control character"},
               {1, {id, 1001}, "longer than 1000"},
               {1, {"a\0b", 3}, "the id is not valid UTF-8 or contains a NUL"},
               {2, {NULL, 0}, "the text is missing"},
               {2, {"\xc3(", 2}, "the text is not valid UTF-8"},
               {3, {"\xff", 1}, "the category is not valid"},
               {6, {"\xed\xa0\x80", 3}, "\"more\" is not valid"},
               {7, {zero, 8}, "at least 1"},
               {8, {NULL, 0}, "a number is missing"}};
    struct store_row row = example(), back;
    struct row_room room = {.vector = NULL};
    float got[DIM];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct cell cells[ROW_SENTENCE];
        row_of_sentence(&row, ROW_BYTES, DIM, &room, cells);
        assert_ok(row_sentence(cells, ROW_BYTES, DIM, got, &back, &error));
        cells[bad[i].cell] = bad[i].value;
        assert_int_equal(row_sentence(cells, ROW_BYTES, DIM, got, &back, &error), FILM_BAD_INPUT);
        if (!strstr(error.message, bad[i].message)) fail_msg("%s", error.message);
    }
}

static void labels_and_removals_go_out_and_in(void **state)
{
    (void)state;
    struct row_room room;
    struct cell cells[ROW_LABEL];
    struct store_label_row label = {3, 9, 1, film_string("2026"), film_string("me"), 12}, back;
    struct store_removed_row removed = {5, 8}, gone;
    row_of_label(&label, &room, cells);
    assert_ok(row_label(cells, &back, &error));
    assert_true(back.a == 3 && back.b == 9 && back.same == 1 && back.change == 12);
    label.b = 3; /* with itself */
    row_of_label(&label, &room, cells);
    assert_int_equal(row_label(cells, &back, &error), FILM_BAD_INPUT);
    label.b = 9;
    label.same = 2;
    row_of_label(&label, &room, cells);
    assert_int_equal(row_label(cells, &back, &error), FILM_BAD_INPUT);
    row_of_removed(&removed, &room, cells);
    assert_ok(row_removed(cells, &gone, &error));
    assert_true(gone.change == 5 && gone.number == 8);
}

static void only_some_of_a_uri_is_shown(void **state)
{
    (void)state;
    static const char *const uris[][2] = {
        {"postgresql://u@h:5433/d?sslmode=require&application_name=x", "postgresql://u@h:5433/d"},
        {"postgres://h", "postgresql://h"},
        {"postgresql:///d?host=%2Ftmp&user=me", "postgresql://me@/tmp/d"},
        {"postgresql://h1:1,h2:2/d", "postgresql://h1,h2:1,2/d"},
        {"postgresql://?service=faq", "postgresql://?service=faq"}};
    struct place place;
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        assert_ok(place_open(&place, uris[i][0], &error));
        assert_string_equal(place.name, uris[i][1]);
        place_free(&place);
    }
    assert_true(place_is_remote("postgres://h") && place_is_remote("postgresql://"));
    assert_false(place_is_remote("postgresql.pool") || place_is_remote("./postgres://h"));
}

static void a_password_is_refused_and_never_repeated(void **state)
{
    (void)state;
    static const char *const uris[] = {"postgresql://u:hunter2@h/d",
                                       "postgresql://h/d?password=hunter2",
                                       "postgresql://h/d?sslpassword=hunter2",
                                       "postgresql://u:hunter2@[::1/d",
                                       "postgresql://u:hunter2@h/d?nonsense=1",
                                       "postgresql://u:hunter2%zz@h/d"};
    struct place place;
    for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
        assert_int_equal(place_open(&place, uris[i], &error), FILM_USAGE);
        assert_null(strstr(error.message, "hunter2"));
        place_free(&place);
    }
}

static film_status open_place(void)
{
    struct place place;
    film_status status = place_open(&place, "postgresql://u@h/d", &error);
    place_free(&place);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    survives_every_failure(open_place());
    assert_true(failures_survived > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_their_most_significant_byte_first),
        cmocka_unit_test(vectors_have_the_bytes_of_pgvector),
        cmocka_unit_test(a_vector_that_is_none_leaves_a_sentence_without_one),
        cmocka_unit_test(an_invalid_row_is_refused),
        cmocka_unit_test(labels_and_removals_go_out_and_in),
        cmocka_unit_test(only_some_of_a_uri_is_shown),
        cmocka_unit_test(a_password_is_refused_and_never_repeated),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
