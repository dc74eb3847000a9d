/* Replication of a pool in PostgreSQL: writes rows with given numbers, and lists changed rows. The
 * connection is in src/remote. */
#include "store/store.h"

film_status store_put_row(struct db *db, const struct store_row *row, size_t dim, film_error *error)
{
    static const char sql[] =
        "INSERT INTO sentence (number, id, text, category, answer, url, more, change, checksum)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (number) DO UPDATE SET"
        " id = excluded.id, text = excluded.text, category = excluded.category,"
        " answer = excluded.answer, url = excluded.url, more = excluded.more,"
        " change = excluded.change, checksum = excluded.checksum";
    static const char no_vector[] = "DELETE FROM vector WHERE number = ?1";
    film_status status = FILM_OK;
    sqlite3_stmt *statement;
    TRY(db_prepare(db, sql, &statement, error));
    sqlite3_bind_int64(statement, 1, row->number);
    db_bind_text(statement, 2, row->fields.id);
    db_bind_text(statement, 3, row->fields.text);
    db_bind_text(statement, 4, row->fields.category);
    db_bind_text(statement, 5, row->fields.answer);
    db_bind_text(statement, 6, row->fields.url);
    db_bind_text(statement, 7, row->fields.more);
    sqlite3_bind_int64(statement, 8, (int64_t)row->change);
    sqlite3_bind_int64(statement, 9, row->checksum);
    TRY(db_finish(db, statement, error));
    if (row->vector) {
        TRY(store_put_vector(db, row->number, row->vector, dim, error));
    } else {
        TRY(db_prepare(db, no_vector, &statement, error));
        sqlite3_bind_int64(statement, 1, row->number);
        TRY(db_finish(db, statement, error));
    }
done:
    return status;
}

film_status store_put_label(struct db *db, const struct store_label_row *row, film_error *error)
{
    static const char sql[] =
        "INSERT INTO label VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (a, b) DO UPDATE SET"
        " same = excluded.same, made = excluded.made, origin = excluded.origin,"
        " change = excluded.change";
    sqlite3_stmt *statement;
    film_status status = db_prepare(db, sql, &statement, error);
    if (status != FILM_OK) return status;
    sqlite3_bind_int64(statement, 1, row->a);
    sqlite3_bind_int64(statement, 2, row->b);
    sqlite3_bind_int(statement, 3, row->same);
    db_bind_text(statement, 4, row->made);
    db_bind_text(statement, 5, row->origin);
    sqlite3_bind_int64(statement, 6, (int64_t)row->change);
    return db_finish(db, statement, error);
}

film_status store_put_removed(struct db *db, const struct store_removed_row *row, film_error *error)
{
    static const char remove_sql[] = "DELETE FROM sentence WHERE number = ?1",
                      note_sql[] = "INSERT INTO removed (change, number) VALUES (?2, ?1)",
                      first_sql[] = "INSERT INTO sqlite_sequence (name, seq) SELECT 'sentence', ?1"
                                    " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name ="
                                    " 'sentence')",
                      raise_sql[] = "UPDATE sqlite_sequence SET seq = max(seq, ?1)"
                                    " WHERE name = 'sentence'";
    /* The last two keep the number from being reused, even if the sentence was never here. */
    static const char *const all[] = {remove_sql, note_sql, first_sql, raise_sql};
    film_status status = FILM_OK;
    sqlite3_stmt *statement;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        TRY(db_prepare(db, all[i], &statement, error));
        sqlite3_bind_int64(statement, 1, row->number);
        if (all[i] == note_sql) sqlite3_bind_int64(statement, 2, (int64_t)row->change);
        TRY(db_finish(db, statement, error));
    }
done:
    return status;
}

film_status store_rows_since(struct db *db, size_t dim, uint64_t since, store_row_fn call,
                             void *user, film_error *error)
{
    static const char sql[] = "SELECT s.number, id, text, category, answer, url, more, change,"
                              " checksum, v.bytes FROM sentence s LEFT JOIN vector v"
                              " ON v.number = s.number WHERE change > ?1 ORDER BY s.number";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int there;
    TRY(db_prepare(db, sql, &statement, error));
    sqlite3_bind_int64(statement, 1, (int64_t)since);
    for (;;) {
        TRY(db_step(db, statement, &there, error));
        if (!there) break;
        struct store_row row = {.number = sqlite3_column_int64(statement, 0),
                                .fields = {db_text(statement, 1), db_text(statement, 2),
                                           db_text(statement, 3), db_text(statement, 4),
                                           db_text(statement, 5), db_text(statement, 6)},
                                .change = (uint64_t)sqlite3_column_int64(statement, 7),
                                .checksum = sqlite3_column_int64(statement, 8)};
        const void *vector = sqlite3_column_blob(statement, 9);
        if ((size_t)sqlite3_column_bytes(statement, 9) == dim * sizeof(float)) row.vector = vector;
        TRY(db_row_read(db, error));
        TRY(call(user, &row, error));
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status store_labels_since(struct db *db, uint64_t since, store_label_fn call, void *user,
                               film_error *error)
{
    static const char sql[] =
        "SELECT a, b, same, made, origin, change FROM label WHERE change > ?1 ORDER BY a, b";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int there;
    TRY(db_prepare(db, sql, &statement, error));
    sqlite3_bind_int64(statement, 1, (int64_t)since);
    for (;;) {
        TRY(db_step(db, statement, &there, error));
        if (!there) break;
        struct store_label_row row = {sqlite3_column_int64(statement, 0),
                                      sqlite3_column_int64(statement, 1),
                                      sqlite3_column_int(statement, 2),
                                      db_text(statement, 3),
                                      db_text(statement, 4),
                                      (uint64_t)sqlite3_column_int64(statement, 5)};
        TRY(db_row_read(db, error));
        TRY(call(user, &row, error));
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status store_removed_since(struct db *db, uint64_t since, store_removed_fn call, void *user,
                                film_error *error)
{
    static const char sql[] = "SELECT change, number FROM removed WHERE change > ?1 ORDER BY 1";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int there;
    TRY(db_prepare(db, sql, &statement, error));
    sqlite3_bind_int64(statement, 1, (int64_t)since);
    for (;;) {
        TRY(db_step(db, statement, &there, error));
        if (!there) break;
        struct store_removed_row row = {(uint64_t)sqlite3_column_int64(statement, 0),
                                        sqlite3_column_int64(statement, 1)};
        TRY(call(user, &row, error));
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status store_last_number(struct db *db, int64_t *number, film_error *error)
{
    return db_number(db, "SELECT seq FROM sqlite_sequence WHERE name = 'sentence'", number, error);
}
