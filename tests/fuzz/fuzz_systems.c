/* Fuzzes the table of other systems (film report --compare). The first byte is the size of reads.
 * Besides memory errors it checks that values are within bounds and do not depend on the size of
 * reads, and that messages name the file. */
#include "arena.h"
#include "base/utf8.h"
#include "report/parts.h"
#include "text/source.h"

/* Returns the rows as JSON; the caller frees them. */
static char *read_some(const uint8_t *data, size_t size, size_t chunk, film_error *error)
{
    struct report report = {.name = "own.film"};
    struct source *source;
    char *rows = NULL;
    writer_open(&report.data, '[');
    film_status status = source_open_bytes(data, size, "x.csv", chunk, &source, error);
    if (status == FILM_OK) status = systems_read(&report, source, error);
    writer_close(&report.data, ']');
    if (status == FILM_OK) require(writer_finish(&report.data, &rows, NULL, error) == FILM_OK);
    writer_free(&report.data);
    return rows;
}

static void check_system(const json_t *system)
{
    static const char *const percents[] = {"accuracy_percent", "explained_percent"};
    const char *key;
    json_t *value;
    require(json_string_length(json_object_get(system, "name")) > 0);
    json_object_foreach((json_t *)(uintptr_t)system, key, value)
    {
        if (json_is_number(value)) require(json_number_value(value) >= 0);
    }
    for (int i = 0; i < 2; i++) require(!(json_value(system, percents[i]) > 100));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error = {FILM_OK, ""}, other = {FILM_OK, ""};
    if (size < 1) return 0;
    arena_begin();
    char *whole = read_some(data + 1, size - 1, 0, &error);
    char *parts = read_some(data + 1, size - 1, (size_t)data[0] + 1, &other);
    require(!whole == !parts && (!whole || strcmp(whole, parts) == 0));
    if (!whole) require(strncmp(error.message, "x.csv:", 6) == 0);
    if (!whole) require(utf8_valid(error.message, strlen(error.message), NULL));
    json_t *rows = whole ? json_loads(whole, JSON_REJECT_DUPLICATES, NULL) : NULL;
    require(!rows == !whole && (!rows || json_array_size(rows) > 0));
    for (size_t i = 0; i < json_array_size(rows); i++) check_system(json_array_get(rows, i));
    json_decref(rows);
    film_free(whole);
    film_free(parts);
    arena_end();
    return 0;
}
