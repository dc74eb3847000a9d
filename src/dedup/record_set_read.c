/* Fills a record set from the rows of a table: which of them are records, and their ids. The rows
 * of a pool come from pool/dedup_pool.c. */
#include "base/strtab.h"
#include "dedup/record_set.h"
#include "dedup/row_fields.h"
#include "text/table.h"
#include "text/value.h"

#include <stdio.h>
#include <string.h>

struct record_set_reading {
    struct record_set *set;
    struct strtab seen; /* sentences of pairs, each once */
    film_table *table;
    uint64_t rows;
    int lines; /* the format is plain lines */
    int ended;
    film_error *error;
};

static film_status check_record(const struct record_set_reading *reading, film_text id,
                                film_text text, uint64_t line)
{
    char where[600];
    snprintf(where, sizeof where, "%.500s:%llu: ", table_name(reading->table),
             (unsigned long long)line);
    film_sentence sentence = {.id = row_fields_or_none(id), .text = text};
    return row_fields_check(&sentence, where, reading->error);
}

/* Adds a sentence with its packed id and columns. PAIRED: skips one that exists already. */
static film_status add_sentence(struct record_set_reading *reading, film_text packed,
                                film_text text, int paired)
{
    film_status status = FILM_OK;
    uint32_t known = reading->seen.count, number;
    if (paired) {
        TRY(strtab_add(&reading->seen, text.bytes, text.length, &number, reading->error));
        if (number < known) goto done;
    }
    TRY(record_set_add(reading->set, packed, text, reading->error));
done:
    return status;
}

static film_status add_row(struct record_set_reading *reading, const film_row *row)
{
    film_status status = FILM_OK;
    const film_text sides[] = {row->a, row->b, row->c};
    int several = row->b.bytes || row->c.bytes;
    char made[40];
    struct others *others = &reading->set->others;
    film_text packed;
    for (size_t i = 0; i < others->count; i++) others->values[i] = row->fields[others->column[i]];
    for (int side = 0; side < 3; side++) {
        film_text text = sides[side],
                  id = several ? (film_text){NULL, 0} : row_fields_or_none(row->id);
        if (!text.bytes) continue;
        if (!id.bytes) {
            unsigned long long number = film_table_row(reading->table);
            int length = snprintf(made, sizeof made, "%llu%s", number,
                                  !several    ? ""
                                  : side == 0 ? "a"
                                  : side == 1 ? "b"
                                              : "c");
            id = (film_text){made, (size_t)length};
        }
        TRY(check_record(reading, id, text, row->line));
        TRY(others_pack(others, id, others->values, &packed, reading->error));
        TRY(add_sentence(reading, packed, text, several));
    }
done:
    return status;
}

static film_status read_row(struct record_set_reading *reading, const film_table_options *options,
                            uint64_t *bad)
{
    film_error *error = reading->error;
    film_row row;
    film_status status = film_table_next(reading->table, &row, error);
    if (status == FILM_END) {
        reading->ended = 1;
        return FILM_OK;
    }
    if (status != FILM_OK) return status;
    reading->rows++;
    if (reading->lines && value_trim(row.a).length == 0) return FILM_OK;
    status = add_row(reading, &row);
    if (status == FILM_BAD_INPUT && options->skip_bad) {
        (*bad)++;
        return FILM_OK;
    }
    if (status == FILM_BAD_INPUT && error) {
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used,
                 "; fix the row or skip bad rows");
    }
    return status;
}

film_status record_set_read(struct record_set *set, const char *path,
                            const film_table_options *options, const film_progress *progress,
                            uint64_t *skipped, film_error *error)
{
    film_status status = FILM_OK;
    struct record_set_reading reading = {.set = set, .error = error};
    film_table_options wanted = *options;
    uint64_t bad = 0;
    wanted.labels = FILM_LABELS_AUTO;
    TRY(strtab_init(&reading.seen, error));
    TRY(table_open(path, &wanted, &reading.table, error));
    if (set->keeps_others) TRY(others_of_table(&set->others, reading.table, error));
    reading.lines = film_table_format(reading.table) == FILM_FORMAT_LINES;
    while (!reading.ended) {
        TRY(read_row(&reading, &wanted, &bad));
        if (reading.rows % 65536 == 0 && !reading.ended)
            TRY(progress_report(progress, "reading", film_table_progress(reading.table), 1, error));
    }
    *skipped += bad + film_table_skipped(reading.table);
    if (set->count == 0)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: no rows", table_name(reading.table)));
done:
    film_table_close(reading.table);
    strtab_free(&reading.seen);
    return status;
}
