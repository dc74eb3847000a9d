/* Reads a CSV table with figures of other systems, to compare the model with, and writes its rows.
 * The user measured them on the same data. Measures nothing.
 *
 * Its columns are system (required), model (a model file; marks the row of the reported model),
 * explained (text) and the figures below, in any order. Fields may be empty.
 * docs/explanation/report.md describes the file for users. */
#include "report/parts.h"
#include "text/reader.h"
#include "text/record.h"
#include "text/source.h"
#include "text/value.h"

#include <string.h>

enum { MOST_SYSTEMS = 24 }; /* more do not fit into a chart */

/* Text columns follow the figures. */
enum { ACCURACY, EXPLAINED_PERCENT = 7, FIGURES, SYSTEM = FIGURES, MODEL, EXPLAINED, COLUMNS };
static const char *const columns[COLUMNS] = {"accuracy_percent",
                                             "log_loss",
                                             "training_seconds",
                                             "processor_seconds",
                                             "memory_mb",
                                             "model_mb",
                                             "sentences_per_second",
                                             "explained_percent",
                                             "system",
                                             "model",
                                             "explained"};

struct loading {
    struct reader reader;
    struct record record;
    int role[COLUMNS]; /* the column of each field of the file */
    size_t width;
};

/* Reads the next row that is not empty; FILM_END after the last. */
static film_status next_system(struct loading *loading, film_error *error)
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
        while (role < COLUMNS && !value_is(record->fields[i], columns[role])) role++;
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
    int percent = role == ACCURACY || role == EXPLAINED_PERCENT;
    char shown[VALUE_SHOWN];
    if (value_trim(field).length == 0) return FILM_OK;
    if (!value_number(field, figure))
        return record_bad(record, error, "%s \"%s\" is not a number; leave it empty if unknown",
                          columns[role], value_show(field, shown));
    if (*figure < 0 || (percent && *figure > 100))
        return record_bad(record, error, "%s %s is %s", columns[role], value_show(field, shown),
                          *figure < 0 ? "below 0" : "above 100");
    return FILM_OK;
}

static film_status read_system(struct report *report, const struct loading *loading,
                               film_error *error)
{
    film_status status = FILM_OK;
    const struct record *record = &loading->record;
    double figure[FIGURES];
    film_text text[COLUMNS];
    if (record->field_count != loading->width)
        TRY(record_bad(record, error, "%zu column%s, but the header has %zu", record->field_count,
                       record->field_count == 1 ? "" : "s", loading->width));
    for (int i = 0; i < FIGURES; i++) figure[i] = (double)NAN;
    for (int i = FIGURES; i < COLUMNS; i++) text[i] = film_string("");
    for (size_t i = 0; i < record->field_count; i++) {
        int role = loading->role[i];
        if (role >= FIGURES)
            text[role] = value_trim(record->fields[i]);
        else
            TRY(read_figure(record, role, record->fields[i], &figure[role], error));
    }
    if (!text[SYSTEM].length) TRY(record_bad(record, error, "missing system name"));
    int own = text[MODEL].length && text[MODEL].length == strlen(report->name) &&
              memcmp(text[MODEL].bytes, report->name, text[MODEL].length) == 0;
    if (own) report->claimed = figure[ACCURACY];
    json_t *row = json_pack("{s:o, s:b, s:o}", "name", text_json(text[SYSTEM], REPORT_TEXT), "own",
                            own, "explained", text_json(text[EXPLAINED], REPORT_TEXT));
    for (int i = 0; i < FIGURES; i++) jsonfile_put(row, columns[i], number_json(figure[i]));
    put_json(&report->data, NULL, row);
done:
    return status;
}

film_status systems_read(struct report *report, struct source *source, film_error *error)
{
    film_status status = FILM_OK;
    struct loading loading = {.record = {.name = source_name(source), .all_needed = 1}};
    size_t count = 0;
    TRY(reader_open(&loading.reader, source, error));
    loading.reader.csv = ',';
    TRY(reader_check_start(&loading.reader, error));
    status = next_system(&loading, error);
    if (status == FILM_OK) status = read_heading(&loading, error);
    while (status == FILM_OK && (status = next_system(&loading, error)) == FILM_OK) {
        if (count++ == MOST_SYSTEMS)
            TRY(record_bad(&loading.record, error, "too many systems; at most %d are allowed",
                           MOST_SYSTEMS));
        TRY(read_system(report, &loading, error));
    }
    if (status == FILM_END) status = FILM_OK;
    if (status == FILM_OK && !count)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: the table has no systems", loading.record.name));
done:
    reader_close(&loading.reader);
    record_free(&loading.record);
    return status;
}

film_status systems_part(struct report *report, film_error *error)
{
    film_status status = FILM_OK;
    struct source *source;
    report->claimed = (double)NAN;
    put_open(&report->data, "others", '[');
    if (report->options->compare) status = source_open(report->options->compare, &source, error);
    if (report->options->compare && status == FILM_OK) status = systems_read(report, source, error);
    writer_close(&report->data, ']');
    return status;
}
