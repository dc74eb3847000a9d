/* Filling a pile: from a table, from a pool. */
#include "base/mem.h"
#include "dedup/fields.h"
#include "dedup/record_set_parts.h"
#include "pool/pool.h"
#include "text/table.h"
#include "text/value.h"

#include <stdio.h>
#include <string.h>

/* ---- tables ---- */

struct record_set_reading {
    struct record_set_intake intake;
    film_table *table;
    uint64_t rows; /* read so far; in a job, behind those of the parts before */
    int lines;     /* the format is plain lines */
    int ended;
    film_error *error;
};

static film_status check(const struct record_set_reading *reading, film_text id, film_text text,
                         uint64_t line)
{
    char where[600];
    snprintf(where, sizeof where, "%.500s:%llu: ", table_name(reading->table),
             (unsigned long long)line);
    film_sentence sentence = {.id = fields_or_none(id), .text = text};
    return fields_check(&sentence, where, reading->error);
}

static film_status add_row(struct record_set_reading *reading, const film_row *row)
{
    film_status status = FILM_OK;
    const film_text sides[] = {row->a, row->b, row->c};
    int several = row->b.bytes || row->c.bytes;
    uint64_t line;
    char made[40];
    for (int side = 0; side < 3; side++) {
        film_text text = sides[side], id = several ? (film_text){NULL, 0} : fields_or_none(row->id);
        if (!text.bytes) continue;
        TRY(film_table_line(reading->table, row, &line, reading->error));
        if (!id.bytes) {
            int length = snprintf(made, sizeof made, "%llu%s", (unsigned long long)line,
                                  !several    ? ""
                                  : side == 0 ? "a"
                                  : side == 1 ? "b"
                                              : "c");
            id = (film_text){made, (size_t)length};
        }
        TRY(check(reading, id, text, line));
        TRY(record_set_intake_add(&reading->intake, 4 * reading->rows + (uint64_t)side, several, id,
                                  text, reading->error));
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

film_status record_set_read(struct record_set *set, const struct comm *comm, const char *path,
                            const film_table_options *options, const film_progress *progress,
                            uint64_t *skipped, film_error *error)
{
    film_status status = FILM_OK;
    struct record_set_reading reading = {.error = error};
    film_table_options wanted = *options;
    size_t counts[] = {0, 0};
    uint64_t bad = 0;
    int go_on = 1;
    set->comm = comm;
    wanted.labels = FILM_LABELS_AUTO;
    wanted.part = comm->rank;
    wanted.parts = comm->size;
    reading.rows = (uint64_t)comm->rank << 40;
    TRY(record_set_intake_open(&reading.intake, set, error));
    TRY(table_open(path, &wanted, &reading.table, error));
    reading.lines = film_table_format(reading.table) == FILM_FORMAT_LINES;
    while (go_on) {
        while (!reading.ended && !record_set_intake_full(&reading.intake)) {
            TRY(read_row(&reading, &wanted, &bad));
            if (reading.rows % 65536 == 0 && !reading.ended)
                TRY(progress_report(progress, "reading", film_table_progress(reading.table), 1,
                                    error));
        }
        TRY(record_set_intake_send(&reading.intake, !reading.ended, &go_on, error));
    }
    counts[0] = set->count;
    counts[1] = (size_t)(bad + film_table_skipped(reading.table));
    TRY(comm_sum_counts(comm, counts, 2, error));
    *skipped += counts[1];
    if (counts[0] == 0)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: no rows", table_name(reading.table)));
done:
    film_table_close(reading.table);
    record_set_intake_close(&reading.intake);
    return status;
}

/* ---- pools ---- */

struct pooled {
    struct record_set_intake intake;
    int64_t *numbers; /* of all sentences, rising */
    size_t count, capacity;
    struct record_set mine; /* of a job: the sentences of this process's turn */
    film_status status;
    film_error *error;
};

static int add_sentence(void *user, const struct store_sentence *sentence)
{
    struct pooled *pooled = user;
    const film_sentence *fields = &sentence->fields;
    const struct comm *comm = pooled->intake.set->comm;
    void *numbers = pooled->numbers;
    int grown = mem_grow(&numbers, &pooled->capacity, pooled->count + 1, sizeof *pooled->numbers);
    pooled->numbers = numbers;
    pooled->status = grown ? FILM_OK : status_no_memory(pooled->error);
    if (!grown) return 1;
    pooled->numbers[pooled->count] = sentence->number;
    if (pooled->count++ % (size_t)comm->size == (size_t)comm->rank)
        pooled->status = record_set_add(comm->size > 1 ? &pooled->mine : pooled->intake.set,
                                        fields->id, fields->text, pooled->error);
    return pooled->status != FILM_OK;
}

/* The record of a sentence; count when there is none, as in a damaged pool. */
static size_t position(const struct pooled *pooled, int64_t number)
{
    size_t low = 0, high = pooled->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pooled->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    int found = low < pooled->count && pooled->numbers[low] == number;
    return found ? low : pooled->count;
}

/* Have all processes read the same pool? Someone may have written to it while they opened it. */
static film_status same_moment(const struct pooled *pooled, struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = pooled->intake.set->comm;
    uint64_t last = 0, first = 0;
    if (comm->size == 1) return FILM_OK;
    TRY(store_changes(db, &last, error));
    first = last;
    TRY(comm_broadcast(comm, &first, sizeof first, 0, error));
    status = first == last ? FILM_OK
                           : status_set(error, FILM_BAD_INPUT,
                                        "the pool was written to while the processes opened it; "
                                        "start again");
    TRY(comm_agree(comm, status, error));
done:
    return status;
}

/* What each process has read, to the processes to which the words belong. */
static film_status share_sentences(struct pooled *pooled, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = pooled->intake.set->comm;
    size_t i = 0;
    int go_on = comm->size > 1;
    while (go_on) {
        for (; i < pooled->mine.count && !record_set_intake_full(&pooled->intake); i++)
            TRY(record_set_intake_add(&pooled->intake, round_robin_number(comm, comm->rank, i), 0,
                                      pooled->mine.records[i].id, pooled->mine.records[i].text,
                                      error));
        TRY(record_set_intake_send(&pooled->intake, i < pooled->mine.count, &go_on, error));
    }
done:
    return status;
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
        if (a < pooled->count && b < pooled->count)
            TRY(record_set_label(pooled->intake.set, a, b, sqlite3_column_int(statement, 2),
                                 pooled->count, error));
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status record_set_read_pool(struct record_set *set, const struct comm *comm, film_pool *pool,
                                 const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    struct pooled pooled = {.error = error};
    struct db *db = NULL;
    set->comm = comm;
    TRY(record_set_intake_open(&pooled.intake, set, error));
    TRY(pool_read(pool, &db, error));
    db->progress = progress;
    db->phase = "reading";
    TRY(same_moment(&pooled, db, error));
    TRY(store_each(db, NULL, add_sentence, &pooled, error));
    TRY(pooled.status);
    TRY(read_labels(&pooled, db, error));
    TRY(share_sentences(&pooled, error));
done:
    pool_read_end(pool, db);
    mem_free(pooled.numbers);
    record_set_free(&pooled.mine);
    record_set_intake_close(&pooled.intake);
    return status;
}
