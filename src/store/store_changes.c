/* The change counter and the settings of a pool, and scans of what changed since a number.
 * Sentences and labels themselves are in their own files. */
#include "base/mem.h"
#include "store/lineage.h"
#include "store/store.h"

#include <string.h>

/* ---- Settings ---- */

static const char set_sql[] = "INSERT INTO setting VALUES (?1, ?2)"
                              " ON CONFLICT (name) DO UPDATE SET value = excluded.value";

film_status store_set(struct db *db, const char *name, film_text value, film_error *error)
{
    sqlite3_stmt *statement;
    film_status status = db_prepare(db, set_sql, &statement, error);
    if (status != FILM_OK) return status;
    db_bind_text(statement, 1, film_string(name));
    db_bind_text(statement, 2, value);
    return db_finish(db, statement, error);
}

film_status store_set_number(struct db *db, const char *name, int64_t value, film_error *error)
{
    sqlite3_stmt *statement;
    film_status status = db_prepare(db, set_sql, &statement, error);
    if (status != FILM_OK) return status;
    db_bind_text(statement, 1, film_string(name));
    sqlite3_bind_int64(statement, 2, value);
    return db_finish(db, statement, error);
}

film_status store_get(struct db *db, const char *name, char **value, film_error *error)
{
    static const char sql[] = "SELECT value FROM setting WHERE name = ?1";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    *value = NULL;
    TRY(db_prepare(db, sql, &statement, error));
    db_bind_text(statement, 1, film_string(name));
    TRY(db_step(db, statement, &row, error));
    if (!row) goto done;
    film_text text = db_text(statement, 0);
    TRY(db_row_read(db, error));
    TRY_ALLOC(*value = mem_string(text.bytes ? text.bytes : "", text.length), error);
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

/* ---- Changes ---- */

film_status store_changes(struct db *db, uint64_t *last, film_error *error)
{
    int64_t value;
    film_status status =
        db_number(db, "SELECT value FROM setting WHERE name = 'changes'", &value, error);
    *last = value > 0 ? (uint64_t)value : 0;
    return status;
}

film_status store_begin(struct store_write *write, struct db *db, film_error *error)
{
    *write = (struct store_write){.db = db};
    film_status status = db_begin(db, 1, error);
    if (status == FILM_OK) status = store_changes(db, &write->change, error);
    write->first = write->change;
    if (status != FILM_OK) db_rollback(db);
    return status;
}

film_status store_commit(struct store_write *write, film_error *error)
{
    film_status status = FILM_OK;
    /* Without a change, nothing is written and nothing has to be synced. */
    if (write->change != write->first || write->other) {
        status = store_set_number(write->db, "changes", (int64_t)write->change, error);
        if (status == FILM_OK) status = lineage_renew(write->db, error);
    }
    if (status == FILM_OK) status = db_commit(write->db, error);
    if (status != FILM_OK) db_rollback(write->db);
    return status;
}

/* Rows of SQL: change, number, removed, a vector (of BYTES bytes; 0: none wanted) or a text. */
struct change_rows {
    const char *sql;
    size_t bytes;
};

static film_status scan_changes(struct db *db, const struct change_rows *rows, uint64_t since,
                                store_change_fn call, void *user, uint64_t *upto, film_error *error)
{
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    TRY(store_changes(db, upto, error));
    TRY(db_prepare(db, rows->sql, &statement, error));
    sqlite3_bind_int64(statement, 1, (int64_t)since);
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        struct store_change change = {.change = (uint64_t)sqlite3_column_int64(statement, 0),
                                      .number = sqlite3_column_int64(statement, 1),
                                      .removed = sqlite3_column_int(statement, 2)};
        if (rows->bytes) {
            const void *vector = sqlite3_column_blob(statement, 3);
            if ((size_t)sqlite3_column_bytes(statement, 3) == rows->bytes) change.vector = vector;
        } else {
            change.text = db_text(statement, 3);
        }
        TRY(db_row_read(db, error));
        if (call(user, &change)) {
            *upto = change.change;
            break;
        }
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

/* Both halves are in index order, so this is a merge without sorting. */
film_status store_scan_vectors(struct db *db, size_t dim, uint64_t since, store_change_fn call,
                               void *user, uint64_t *upto, film_error *error)
{
    static const char sql[] = "SELECT s.change AS at, s.number, 0, v.bytes FROM sentence s"
                              " LEFT JOIN vector v ON v.number = s.number WHERE s.change > ?1"
                              " UNION ALL SELECT change AS at, number, 1, NULL FROM removed WHERE "
                              "change > ?1 ORDER BY at";
    return scan_changes(db, &(struct change_rows){sql, dim * sizeof(float)}, since, call, user,
                        upto, error);
}

film_status store_scan_texts(struct db *db, uint64_t since, store_change_fn call, void *user,
                             uint64_t *upto, film_error *error)
{
    static const char sql[] = "SELECT change AS at, number, 0, text FROM sentence WHERE change > ?1"
                              " UNION ALL SELECT change AS at, number, 1, NULL FROM removed WHERE "
                              "change > ?1 ORDER BY at";
    return scan_changes(db, &(struct change_rows){sql, 0}, since, call, user, upto, error);
}
