/* Reads a CSV table with figures of other systems, to compare the model with. Measures nothing. */
#include "report/systems.h"
#include "base/mem.h"
#include "text/reader.h"
#include "text/record.h"
#include "text/value.h"

#include <math.h>

/* Text columns follow the figures. */
enum { SYSTEM = SYSTEMS_FIGURES, MODEL, EXPLAINED, COLUMNS };

const char *const systems_columns[SYSTEMS_FIGURES] = {
    "accuracy_percent", "log_loss", "training_seconds",     "processor_seconds",
    "memory_mb",        "model_mb", "sentences_per_second", "explained_percent"};
static const char *const word_columns[] = {"system", "model", "explained"};

static const char *column_name(int column)
{
    return column < SYSTEMS_FIGURES ? systems_columns[column]
                                    : word_columns[column - SYSTEMS_FIGURES];
}

struct loading {
    struct reader reader;
    struct record record;
    int role[COLUMNS]; /* role of each column of the file */
    size_t width;
    struct systems *into;
    size_t capacity;
};

/* Reads the next row that is not empty; FILM_END after the last. */
static film_status next_prediction(struct loading *loading, film_error *error)
{
    film_status status = FILM_OK;
    struct record *record = &loading->record;
    struct reader_record next;
    do TRY(reader_next(&loading->reader, &next, error));
    while (next.raw.length == 0 && !next.too_long);
    record->line = next.line;
    record->raw = next.raw;
    record->separator = loading->reader.csv;
    if (next.too_long)
        TRY(record_bad(record, error, "row longer than %d MiB", READER_MAX_RECORD >> 20));
    TRY(record_check_bytes(record, RECORD_CSV, error));
    TRY(record_split(record, RECORD_CSV, error));
done:
    return status;
}

static film_status read_heading(struct loading *loading, film_error *error)
{
    const struct record *record = &loading->record;
    char shown[VALUE_SHOWN];
    int seen[COLUMNS] = {0};
    for (size_t i = 0; i < record->field_count; i++) {
        int role = 0;
        while (role < COLUMNS && !value_is(record->fields[i], column_name(role))) role++;
        value_show(record->fields[i], shown);
        if (role == COLUMNS)
            return record_bad(record, error,
                              "unknown column \"%s\"; known columns: system, model, "
                              "accuracy_percent, log_loss, training_seconds, processor_seconds, "
                              "memory_mb, model_mb, sentences_per_second, explained_percent, "
                              "explained",
                              shown);
        if (seen[role]++) return record_bad(record, error, "duplicate column \"%s\"", shown);
        loading->role[i] = role;
    }
    loading->width = record->field_count;
    if (!seen[SYSTEM])
        return record_bad(record, error, "missing column \"system\", the name of each system");
    return FILM_OK;
}

static film_status read_figure(const struct record *record, int role, film_text field,
                               double *figure, film_error *error)
{
    int percent = role == SYSTEMS_ACCURACY || role == SYSTEMS_EXPLAINED;
    char shown[VALUE_SHOWN];
    if (value_trim(field).length == 0) return FILM_OK;
    if (!value_number(field, figure))
        return record_bad(record, error, "%s \"%s\" is not a number; leave it empty if unknown",
                          column_name(role), value_show(field, shown));
    if (*figure < 0 || (percent && *figure > 100))
        return record_bad(record, error, "%s %s is %s", column_name(role), value_show(field, shown),
                          *figure < 0 ? "below 0" : "above 100");
    return FILM_OK;
}

static film_status read_system(struct loading *loading, film_error *error)
{
    film_status status = FILM_OK;
    const struct record *record = &loading->record;
    struct systems *into = loading->into;
    void *list = into->list;
    if (record->field_count != loading->width)
        TRY(record_bad(record, error, "%zu column%s, but the header has %zu", record->field_count,
                       record->field_count == 1 ? "" : "s", loading->width));
    if (into->count == SYSTEMS_MOST)
        TRY(record_bad(record, error, "too many systems; at most %d are allowed", SYSTEMS_MOST));
    TRY_ALLOC(mem_grow(&list, &loading->capacity, into->count + 1, sizeof *into->list), error);
    into->list = list;
    struct system_figures *system = &into->list[into->count++];
    *system = (struct system_figures){.name = NULL};
    for (int i = 0; i < SYSTEMS_FIGURES; i++) system->figure[i] = (double)NAN;
    film_text words[COLUMNS - SYSTEMS_FIGURES] = {{"", 0}, {"", 0}, {"", 0}};
    for (size_t i = 0; i < record->field_count; i++) {
        int role = loading->role[i];
        if (role >= SYSTEMS_FIGURES)
            words[role - SYSTEMS_FIGURES] = value_trim(record->fields[i]);
        else
            TRY(read_figure(record, role, record->fields[i], &system->figure[role], error));
    }
    if (words[SYSTEM - SYSTEMS_FIGURES].length == 0)
        TRY(record_bad(record, error, "missing system name"));
    char **to[] = {&system->name, &system->model, &system->explained};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        TRY_ALLOC(*to[i] = mem_string(words[i].bytes, words[i].length), error);
done:
    return status;
}

film_status systems_read(struct systems *systems, struct source *source, film_error *error)
{
    film_status status = FILM_OK;
    struct loading loading = {.into = systems,
                              .record = {.name = source_name(source), .all_needed = 1}};
    *systems = (struct systems){0};
    TRY(reader_open(&loading.reader, source, error));
    loading.reader.csv = ',';
    TRY(reader_check_start(&loading.reader, error));
    status = next_prediction(&loading, error);
    if (status == FILM_OK) status = read_heading(&loading, error);
    if (status == FILM_OK) {
        while ((status = next_prediction(&loading, error)) == FILM_OK)
            TRY(read_system(&loading, error));
    }
    if (status == FILM_END) status = FILM_OK;
    TRY(status);
    if (!systems->count)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: the table has no systems", loading.record.name));
done:
    reader_close(&loading.reader);
    record_free(&loading.record);
    if (status != FILM_OK) systems_free(systems);
    return status;
}

void systems_free(struct systems *systems)
{
    for (size_t i = 0; i < systems->count; i++) {
        mem_free(systems->list[i].name);
        mem_free(systems->list[i].model);
        mem_free(systems->list[i].explained);
    }
    mem_free(systems->list);
    *systems = (struct systems){0};
}
