/* Filling a pile: from a table, from a pool. */
#include "base/mem.h"
#include "base/strtab.h"
#include "pool/fields.h"
#include "pool/pile.h"
#include "pool/pool.h"
#include "text/table.h"
#include "text/value.h"

#include <stdio.h>
#include <string.h>

/* ---- tables ---- */

struct pile_reading {
    struct pile *pile;
    const film_table *table;
    struct strtab seen; /* sentences of pairs, each once */
    film_error *error;
};

static film_status check(const struct pile_reading *reading, film_text id, film_text text,
                         uint64_t line)
{
    char where[600];
    snprintf(where, sizeof where, "%.500s:%llu: ", table_name(reading->table),
             (unsigned long long)line);
    film_sentence sentence = {.id = fields_or_none(id), .text = text};
    return fields_check(&sentence, where, reading->error);
}

static film_status add_row(struct pile_reading *reading, const film_row *row)
{
    film_status status = FILM_OK;
    const film_text sides[] = {row->a, row->b, row->c};
    int several = row->b.bytes || row->c.bytes;
    char made[40];
    for (int side = 0; side < 3; side++) {
        film_text text = sides[side], id = several ? (film_text){NULL, 0} : fields_or_none(row->id);
        if (!text.bytes) continue;
        if (several) {
            uint32_t known = reading->seen.count, number;
            TRY(strtab_add(&reading->seen, text.bytes, text.length, &number, reading->error));
            if (number < known) continue;
        }
        if (!id.bytes) {
            int length = snprintf(made, sizeof made, "%llu%s", (unsigned long long)row->line,
                                  !several    ? ""
                                  : side == 0 ? "a"
                                  : side == 1 ? "b"
                                              : "c");
            id = (film_text){made, (size_t)length};
        }
        TRY(check(reading, id, text, row->line));
        TRY(pile_add(reading->pile, id, text, reading->error));
    }
done:
    return status;
}

film_status pile_read(struct pile *pile, const char *path, const film_table_options *options,
                      const film_progress *progress, uint64_t *skipped, film_error *error)
{
    film_status status = FILM_OK;
    struct pile_reading reading = {.pile = pile, .error = error};
    film_table_options wanted = *options;
    film_table *table = NULL;
    film_row row;
    uint64_t bad = 0, rows = 0;
    wanted.labels = FILM_LABELS_AUTO;
    TRY(strtab_init(&reading.seen, error));
    TRY(film_table_open(path, &wanted, &table, error));
    reading.table = table;
    int lines = strcmp(film_table_format(table), "lines") == 0;
    while ((status = film_table_next(table, &row, error)) == FILM_OK) {
        if (++rows % 65536 == 0)
            TRY(progress_report(progress, "reading", film_table_progress(table), 1, error));
        if (lines && value_trim(row.a).length == 0) continue;
        status = add_row(&reading, &row);
        if (status == FILM_BAD_INPUT && wanted.skip_bad) {
            bad++;
            continue;
        }
        if (status == FILM_BAD_INPUT && error) {
            size_t used = strlen(error->message);
            snprintf(error->message + used, sizeof error->message - used,
                     "; --skip-bad passes over such rows");
        }
        TRY(status);
    }
    if (status == FILM_END) status = FILM_OK;
    TRY(status);
    *skipped += bad + film_table_skipped(table);
    if (pile->count == 0) TRY(status_set(error, FILM_BAD_INPUT, "%s: no rows", table_name(table)));
done:
    film_table_close(table);
    strtab_free(&reading.seen);
    return status;
}

/* ---- pools ---- */

struct pooled {
    struct pile *pile;
    int64_t *numbers; /* of the records, rising */
    size_t capacity;
    film_status status;
    film_error *error;
};

static int add_sentence(void *user, const struct store_sentence *sentence)
{
    struct pooled *pooled = user;
    void *numbers = pooled->numbers;
    int grown =
        mem_grow(&numbers, &pooled->capacity, pooled->pile->count + 1, sizeof *pooled->numbers);
    pooled->numbers = numbers;
    if (grown) pooled->numbers[pooled->pile->count] = sentence->number;
    pooled->status =
        grown ? pile_add(pooled->pile, sentence->fields.id, sentence->fields.text, pooled->error)
              : status_no_memory(pooled->error);
    return pooled->status != FILM_OK;
}

/* The record of a sentence; count when there is none, as in a damaged pool. */
static size_t position(const struct pooled *pooled, int64_t number)
{
    size_t low = 0, high = pooled->pile->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pooled->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    int found = low < pooled->pile->count && pooled->numbers[low] == number;
    return found ? low : pooled->pile->count;
}

static film_status read_labels(struct pooled *pooled, struct db *db, film_error *error)
{
    static const char sql[] = "SELECT a, b, same FROM label ORDER BY a, b";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    TRY(db_prepare(db, sql, &statement, error));
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        size_t a = position(pooled, sqlite3_column_int64(statement, 0));
        size_t b = position(pooled, sqlite3_column_int64(statement, 1));
        if (a < pooled->pile->count && b < pooled->pile->count)
            TRY(pile_label(pooled->pile, a, b, sqlite3_column_int(statement, 2), error));
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status pile_read_pool(struct pile *pile, film_pool *pool, const film_progress *progress,
                           film_error *error)
{
    film_status status = FILM_OK;
    struct pooled pooled = {.pile = pile, .error = error};
    struct db *db = NULL;
    TRY(pool_read(pool, &db, error));
    db->progress = progress;
    db->phase = "reading";
    TRY(store_each(db, NULL, add_sentence, &pooled, error));
    TRY(pooled.status);
    TRY(read_labels(&pooled, db, error));
done:
    pool_read_end(pool, db);
    mem_free(pooled.numbers);
    return status;
}
