/* The sentences of a pool with their checksums and vectors: insert, replace, remove, find, list. It
 * does not compute vectors. */
#include "store/store.h"
#include "text/value.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- One sentence ---- */

static uint64_t chain_text(uint64_t seed, film_text text)
{
    /* Another seed distinguishes a missing text from an empty one. */
    return XXH3_64bits_withSeed(text.bytes ? text.bytes : "", text.length,
                                text.bytes ? seed : ~seed);
}

int64_t store_checksum(const film_sentence *sentence)
{
    uint64_t sum = chain_text(chain_text(0, sentence->id), sentence->text);
    sum = chain_text(chain_text(sum, sentence->category), sentence->answer);
    sum = chain_text(chain_text(sum, sentence->url), sentence->more);
    int64_t value;
    memcpy(&value, &sum, sizeof value);
    return value;
}

#define COLUMNS "number, id, text, category, answer, url, more, checksum"

static struct store_sentence sentence_at(sqlite3_stmt *statement)
{
    return (struct store_sentence){.number = sqlite3_column_int64(statement, 0),
                                   .fields = {db_text(statement, 1), db_text(statement, 2),
                                              db_text(statement, 3), db_text(statement, 4),
                                              db_text(statement, 5), db_text(statement, 6)},
                                   .checksum = sqlite3_column_int64(statement, 7)};
}

/* The statement stays at its row, so that its texts stay valid; the next db_prepare resets it. */
static film_status find_sentence(struct db *db, sqlite3_stmt *statement, struct store_sentence *out,
                                 int *found, film_error *error)
{
    film_status status = db_step(db, statement, found, error);
    if (status != FILM_OK || !*found) return status;
    *out = sentence_at(statement);
    return db_row_read(db, error);
}

film_status store_find(struct db *db, film_text id, struct store_sentence *out, int *found,
                       film_error *error)
{
    static const char sql[] = "SELECT " COLUMNS " FROM sentence WHERE id = ?1";
    sqlite3_stmt *statement;
    *found = 0;
    film_status status = db_prepare(db, sql, &statement, error);
    if (status != FILM_OK) return status;
    db_bind_text(statement, 1, id);
    return find_sentence(db, statement, out, found, error);
}

film_status store_find_number(struct db *db, int64_t number, struct store_sentence *out, int *found,
                              film_error *error)
{
    static const char sql[] = "SELECT " COLUMNS " FROM sentence WHERE number = ?1";
    sqlite3_stmt *statement;
    *found = 0;
    film_status status = db_prepare(db, sql, &statement, error);
    if (status != FILM_OK) return status;
    sqlite3_bind_int64(statement, 1, number);
    return find_sentence(db, statement, out, found, error);
}

/* ---- Writing ---- */

film_status store_put_vector(struct db *db, int64_t number, const float *vector, size_t dim,
                             film_error *error)
{
    static const char sql[] = "INSERT INTO vector VALUES (?1, ?2)"
                              " ON CONFLICT (number) DO UPDATE SET bytes = excluded.bytes";
    sqlite3_stmt *statement;
    film_status status = db_prepare(db, sql, &statement, error);
    if (status != FILM_OK) return status;
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_blob64(statement, 2, vector, dim * sizeof *vector, SQLITE_STATIC);
    return db_finish(db, statement, error);
}

static void bind_sentence(sqlite3_stmt *statement, const film_sentence *sentence, uint64_t change)
{
    db_bind_text(statement, 1, sentence->id);
    db_bind_text(statement, 2, sentence->text);
    db_bind_text(statement, 3, sentence->category);
    db_bind_text(statement, 4, sentence->answer);
    db_bind_text(statement, 5, sentence->url);
    db_bind_text(statement, 6, sentence->more);
    sqlite3_bind_int64(statement, 7, (int64_t)change);
    sqlite3_bind_int64(statement, 8, store_checksum(sentence));
}

film_status store_insert(struct store_write *write, const film_sentence *sentence,
                         const float *vector, size_t dim, film_error *error)
{
    static const char sql[] =
        "INSERT INTO sentence (id, text, category, answer, url, more, change, checksum)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    sqlite3_stmt *statement;
    film_status status = db_prepare(write->db, sql, &statement, error);
    if (status != FILM_OK) return status;
    bind_sentence(statement, sentence, ++write->change);
    status = db_finish(write->db, statement, error);
    if (status != FILM_OK) return status;
    return store_put_vector(write->db, sqlite3_last_insert_rowid(write->db->handle), vector, dim,
                            error);
}

film_status store_replace(struct store_write *write, int64_t number, const film_sentence *sentence,
                          const float *vector, size_t dim, film_error *error)
{
    static const char sql[] =
        "UPDATE sentence SET id = ?1, text = ?2, category = ?3, answer = ?4, url = ?5, more = ?6,"
        " change = ?7, checksum = ?8 WHERE number = ?9";
    sqlite3_stmt *statement;
    film_status status = db_prepare(write->db, sql, &statement, error);
    if (status != FILM_OK) return status;
    bind_sentence(statement, sentence, ++write->change);
    sqlite3_bind_int64(statement, 9, number);
    status = db_finish(write->db, statement, error);
    return status == FILM_OK ? store_put_vector(write->db, number, vector, dim, error) : status;
}

static film_status run_numbered(struct db *db, const char *sql, int64_t number, uint64_t change,
                                film_error *error)
{
    sqlite3_stmt *statement;
    film_status status = db_prepare(db, sql, &statement, error);
    if (status != FILM_OK) return status;
    sqlite3_bind_int64(statement, 1, number);
    if (change) sqlite3_bind_int64(statement, 2, (int64_t)change);
    return db_finish(db, statement, error);
}

film_status store_remove(struct store_write *write, int64_t number, film_error *error)
{
    static const char remove_sql[] = "DELETE FROM sentence WHERE number = ?1",
                      note_sql[] = "INSERT INTO removed (change, number) VALUES (?2, ?1)";
    film_status status = run_numbered(write->db, remove_sql, number, 0, error);
    if (status != FILM_OK) return status;
    return run_numbered(write->db, note_sql, number, ++write->change, error);
}

film_status store_repair_vector(struct store_write *write, int64_t number, const float *vector,
                                size_t dim, film_error *error)
{
    static const char sql[] = "UPDATE sentence SET change = ?2 WHERE number = ?1";
    film_status status = run_numbered(write->db, sql, number, ++write->change, error);
    return status == FILM_OK ? store_put_vector(write->db, number, vector, dim, error) : status;
}

/* ---- Lists and filters ---- */

static const char *known_column(film_text field)
{
    static const char *const names[] = {"id", "text", "category", "answer", "url"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (value_is(field, names[i])) return names[i];
    return NULL;
}

enum { MOST_CONDITIONS = 16, SQL_ROOM = 4096 };

/* `more` where SQLite can read it: one damaged value must not make every query fail. */
#define READABLE_MORE "iif(json_valid(more), more, NULL)"

/* Each condition has two parameters: the value and, if the field is not a column, its path in
 * `more`. The SQL contains only constants. true and false are compared as these words; SQLite would
 * return 1 and 0. */
static film_status select_sql(const film_pool_filter *filter, char sql[SQL_ROOM], film_error *error)
{
    size_t used = (size_t)snprintf(sql, SQL_ROOM, "SELECT " COLUMNS " FROM sentence");
    size_t count = filter ? filter->where_count : 0;
    if (count > MOST_CONDITIONS)
        return status_set(error, FILM_USAGE, "filter: more than %d conditions", MOST_CONDITIONS);
    for (size_t i = 0; i < count; i++) {
        const char *column = known_column(filter->where[i].field);
        int value = 2 * (int)i + 1, path = value + 1;
        used += (size_t)snprintf(sql + used, SQL_ROOM - used, i ? " AND " : " WHERE ");
        if (column)
            used += (size_t)snprintf(sql + used, SQL_ROOM - used, "%s = ?%d", column, value);
        else
            used +=
                (size_t)snprintf(sql + used, SQL_ROOM - used,
                                 "CASE json_type(" READABLE_MORE ", ?%d) WHEN 'true' THEN 'true'"
                                 " WHEN 'false' THEN 'false' ELSE"
                                 " CAST(json_extract(" READABLE_MORE ", ?%d) AS TEXT) END = ?%d",
                                 path, path, value);
    }
    snprintf(sql + used, SQL_ROOM - used, " ORDER BY number");
    return FILM_OK;
}

/* Binds the path of a field in `more`. */
static film_status bind_path(sqlite3_stmt *statement, int index, film_text field, film_error *error)
{
    char path[300], shown[VALUE_SHOWN];
    if (field.length == 0 || field.length > 250 || memchr(field.bytes, '"', field.length))
        return status_set(error, FILM_USAGE, "\"%s\" is not a valid field name",
                          value_show(field, shown));
    int length = snprintf(path, sizeof path, "$.\"%.*s\"", (int)field.length, field.bytes);
    if (sqlite3_bind_text(statement, index, path, length, SQLITE_TRANSIENT))
        return status_no_memory(error);
    return FILM_OK;
}

static film_status bind_filter(sqlite3_stmt *statement, const film_pool_filter *filter,
                               film_error *error)
{
    for (size_t i = 0; filter && i < filter->where_count; i++) {
        const film_pool_where *where = &filter->where[i];
        db_bind_text(statement, 2 * (int)i + 1, where->value);
        if (known_column(where->field)) continue;
        film_status status = bind_path(statement, 2 * (int)i + 2, where->field, error);
        if (status != FILM_OK) return status;
    }
    return FILM_OK;
}

film_status store_each(struct db *db, const film_pool_filter *filter, store_sentence_fn call,
                       void *user, film_error *error)
{
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    uint64_t count = 0, limit = filter ? filter->limit : 0;
    char sql[SQL_ROOM];
    int row;
    TRY(select_sql(filter, sql, error));
    int code = sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL);
    if (code != SQLITE_OK) TRY(db_fail(db, code, error));
    TRY(bind_filter(statement, filter, error));
    while (limit == 0 || count < limit) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        struct store_sentence sentence = sentence_at(statement);
        TRY(db_row_read(db, error));
        count++;
        if (call(user, &sentence)) break;
    }
done:
    sqlite3_finalize(statement);
    return status;
}

film_status store_has_field(struct db *db, film_text field, int *has, film_error *error)
{
    static const char sql[] =
        "SELECT 1 FROM sentence WHERE json_type(" READABLE_MORE ", ?1) IS NOT NULL LIMIT 1";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    *has = 1;
    if (known_column(field)) return FILM_OK;
    TRY(db_prepare(db, sql, &statement, error));
    TRY(bind_path(statement, 1, field, error));
    TRY(db_step(db, statement, has, error));
done:
    if (statement) sqlite3_reset(statement);
    return status;
}
