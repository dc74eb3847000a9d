/* film_search(SOURCE, QUERY [, K]): the table-valued function of the extension.
 *
 * SOURCE is the path of a pool, which is searched with its index and its model, or the name of a
 * table of this database with a column `text`, whose rows are compared with the model of
 * film_open. The columns: id, text, category, probability, same, score. A table has its rowid as
 * id; comparing all of its rows suits a few thousand. */
#include "film_sqlite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
SQLITE_EXTENSION_INIT3

enum { ID, TEXT, CATEGORY, PROBABILITY, SAME, SCORE, SOURCE, QUERY, K, COLUMNS };
/* Bits of idxNum: which hidden columns have a value. */
enum { HAS_SOURCE = 1, HAS_QUERY = 2, HAS_K = 4 };

struct search_table {
    sqlite3_vtab base;
    struct connection *connection;
};

struct answer_row {
    char *id, *text, *category;
    double probability, score;
    int same;
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct answer_row *rows;
    size_t count, room, at;
};

static int search_connect(sqlite3 *db, void *user, int count, const char *const *values,
                          sqlite3_vtab **out, char **message)
{
    (void)count, (void)values, (void)message;
    int code = sqlite3_declare_vtab(db, "CREATE TABLE x(id, text, category, probability, same, "
                                        "score, source HIDDEN, query HIDDEN, k HIDDEN)");
    if (code != SQLITE_OK) return code;
    struct search_table *table = sqlite3_malloc(sizeof *table);
    if (!table) return SQLITE_NOMEM;
    *table = (struct search_table){.connection = user};
    *out = &table->base;
    return sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
}

static int search_disconnect(sqlite3_vtab *base)
{
    sqlite3_free(base);
    return SQLITE_OK;
}

/* Passes the values of the hidden columns to search_filter, in the order of the columns. */
static int search_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    (void)base;
    int at[COLUMNS], next = 1;
    for (int i = 0; i < COLUMNS; i++) at[i] = -1;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn;
        if (column < SOURCE || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
        at[column] = i;
    }
    info->idxNum = 0;
    for (int column = SOURCE; column < COLUMNS; column++) {
        if (at[column] < 0) continue;
        info->aConstraintUsage[at[column]].argvIndex = next++;
        info->aConstraintUsage[at[column]].omit = 1;
        info->idxNum |= 1 << (column - SOURCE);
    }
    info->estimatedCost = 1000;
    info->estimatedRows = 10;
    return SQLITE_OK;
}

static int search_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    (void)base;
    struct cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (!cursor) return SQLITE_NOMEM;
    *cursor = (struct cursor){0};
    *out = &cursor->base;
    return SQLITE_OK;
}

static void clear(struct cursor *cursor)
{
    for (size_t i = 0; i < cursor->count; i++) {
        sqlite3_free(cursor->rows[i].id);
        sqlite3_free(cursor->rows[i].text);
        sqlite3_free(cursor->rows[i].category);
    }
    cursor->count = cursor->at = 0;
}

static int search_close(sqlite3_vtab_cursor *base)
{
    struct cursor *cursor = (struct cursor *)base;
    clear(cursor);
    sqlite3_free(cursor->rows);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static char *copy_text(film_text text)
{
    return text.bytes ? sqlite3_mprintf("%.*s", (int)text.length, text.bytes) : NULL;
}

/* Returns a new row of CURSOR, or NULL without memory. */
static struct answer_row *new_row(struct cursor *cursor)
{
    if (cursor->count == cursor->room) {
        size_t room = cursor->room ? 2 * cursor->room : 16;
        struct answer_row *rows = sqlite3_realloc64(cursor->rows, room * sizeof *rows);
        if (!rows) return NULL;
        cursor->rows = rows;
        cursor->room = room;
    }
    cursor->rows[cursor->count] = (struct answer_row){0};
    return &cursor->rows[cursor->count++];
}

static int on_found(void *user, const film_found *found)
{
    struct answer_row *row = new_row(user);
    if (!row) return 1;
    row->id = copy_text(found->sentence.id);
    row->text = copy_text(found->sentence.text);
    row->category = copy_text(found->sentence.category);
    row->probability = found->verdict.probability;
    row->same = found->verdict.same;
    row->score = found->score;
    return row->id && row->text ? 0 : 1;
}

/* Searches the pool at PATH, which stays open for the next search. */
static film_status search_pool(struct connection *connection, struct cursor *cursor,
                               const char *path, film_text query, size_t k, film_error *error)
{
    if (!connection->pool_path || strcmp(connection->pool_path, path) != 0 ||
        film_pool_replaced(connection->pool, path)) {
        film_pool_close(connection->pool);
        free(connection->pool_path);
        connection->pool = NULL;
        connection->pool_path = NULL;
        film_status status = film_pool_open(path, &connection->pool, error);
        if (status != FILM_OK) return status;
        connection->pool_path = strdup(path);
    }
    film_search_options options = {.size = sizeof options, .k = k};
    return film_pool_search(connection->pool, query, &options, on_found, cursor, error);
}

static int on_match(void *user, const film_link_match *match)
{
    if (match->b == FILM_NO_MATCH) return 0;
    struct answer_row *row = new_row(user);
    if (!row) return 1;
    row->id = copy_text(match->second.id);
    row->text = copy_text(match->second.text);
    row->probability = row->score = match->probability;
    return row->id && row->text ? 0 : 1;
}

struct records {
    film_record *items;
    size_t count, room;
};

/* Appends the row that STATEMENT is at; the record owns its texts. */
static int add_record(struct records *records, sqlite3_stmt *statement)
{
    if (records->count == records->room) {
        size_t room = records->room ? 2 * records->room : 256;
        film_record *items = sqlite3_realloc64(records->items, room * sizeof *items);
        if (!items) return SQLITE_NOMEM;
        records->items = items;
        records->room = room;
    }
    char *id = sqlite3_mprintf("%lld", sqlite3_column_int64(statement, 0));
    char *text = sqlite3_mprintf("%s", sqlite3_column_text(statement, 1));
    if (!id || !text) {
        sqlite3_free(id);
        sqlite3_free(text);
        return SQLITE_NOMEM;
    }
    records->items[records->count++] = (film_record){film_string(id), film_string(text)};
    return SQLITE_OK;
}

/* Reads rowid and text of all rows of TABLE. */
static int read_table(sqlite3 *db, const char *table, struct records *records)
{
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf("SELECT rowid, text FROM \"%w\" WHERE text IS NOT NULL", table);
    if (!sql) return SQLITE_NOMEM;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    sqlite3_free(sql);
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        code = add_record(records, statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Compares QUERY with the rows of a table. */
static film_status search_rows(struct connection *connection, struct cursor *cursor,
                               const struct records *records, film_text query, size_t k,
                               film_error *error)
{
    if (!connection->model) {
        snprintf(error->message, sizeof error->message,
                 "no model is open; call film_open('model.film') first");
        return FILM_USAGE;
    }
    film_record one = {.text = query};
    film_link_options options = {.size = sizeof options,
                                 .threshold = 1e-9,
                                 .candidates = k < 100 ? 100 : k,
                                 .most = k,
                                 .match = on_match,
                                 .user = cursor};
    film_status status = film_link(connection->model, &one, 1, records->items, records->count,
                                   &options, NULL, error);
    film_answer_options answer = {.size = sizeof answer, .no_reasons = 1};
    if (status == FILM_OK) status = film_context_set(connection->context, &answer, error);
    for (size_t i = 0; status == FILM_OK && i < cursor->count; i++) {
        film_verdict verdict;
        status = film_match(connection->context, query, film_string(cursor->rows[i].text), &verdict,
                            error);
        cursor->rows[i].same = verdict.same;
        cursor->rows[i].probability = cursor->rows[i].score = verdict.probability;
    }
    return status;
}

static int compare_table(struct search_table *table, struct cursor *cursor, const char *name,
                         film_text query, size_t k)
{
    struct records records = {0};
    film_error error = {.status = FILM_OK};
    int code = read_table(table->connection->db, name, &records);
    if (code != SQLITE_OK) {
        sqlite3_free(table->base.zErrMsg);
        table->base.zErrMsg =
            sqlite3_mprintf("film_search: %s is neither a pool nor a table with a column text: %s",
                            name, sqlite3_errmsg(table->connection->db));
    } else if (search_rows(table->connection, cursor, &records, query, k, &error) != FILM_OK) {
        sqlite3_free(table->base.zErrMsg);
        table->base.zErrMsg = sqlite3_mprintf("%s", error.message);
        code = SQLITE_ERROR;
    }
    for (size_t i = 0; i < records.count; i++) {
        sqlite3_free((char *)records.items[i].id.bytes);
        sqlite3_free((char *)records.items[i].text.bytes);
    }
    sqlite3_free(records.items);
    return code;
}

/* Whether the database of this connection has a table or view of this name. */
static int has_table(sqlite3 *db, const char *name)
{
    sqlite3_stmt *statement = NULL;
    char *sql = sqlite3_mprintf("SELECT 1 FROM pragma_table_info(%Q)", name);
    int found = sql && sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    return found;
}

static int search_filter(sqlite3_vtab_cursor *base, int given, const char *name, int count,
                         sqlite3_value **values)
{
    (void)name, (void)count;
    struct cursor *cursor = (struct cursor *)base;
    struct search_table *table = (struct search_table *)base->pVtab;
    film_error error;
    clear(cursor);
    if ((given & (HAS_SOURCE | HAS_QUERY)) != (HAS_SOURCE | HAS_QUERY)) {
        sqlite3_free(table->base.zErrMsg);
        table->base.zErrMsg = sqlite3_mprintf("film_search(source, query [, k]): a source and a "
                                              "query are needed");
        return SQLITE_ERROR;
    }
    const char *source = (const char *)sqlite3_value_text(values[0]);
    film_text query = {(const char *)sqlite3_value_text(values[1]), 0};
    if (!source || !query.bytes) return SQLITE_OK; /* NULL finds nothing */
    query.length = (size_t)sqlite3_value_bytes(values[1]);
    sqlite3_int64 k = given & HAS_K ? sqlite3_value_int64(values[2]) : 10;
    if (k < 1) return SQLITE_OK;
    if (has_table(table->connection->db, source))
        return compare_table(table, cursor, source, query, (size_t)k);
    if (search_pool(table->connection, cursor, source, query, (size_t)k, &error) == FILM_OK)
        return SQLITE_OK;
    sqlite3_free(table->base.zErrMsg);
    table->base.zErrMsg = sqlite3_mprintf("%s", error.message);
    return SQLITE_ERROR;
}

static int search_next(sqlite3_vtab_cursor *base)
{
    ((struct cursor *)base)->at++;
    return SQLITE_OK;
}

static int search_eof(sqlite3_vtab_cursor *base)
{
    const struct cursor *cursor = (struct cursor *)base;
    return cursor->at >= cursor->count;
}

static int search_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = (sqlite3_int64)((struct cursor *)base)->at;
    return SQLITE_OK;
}

static int search_column(sqlite3_vtab_cursor *base, sqlite3_context *sql, int column)
{
    const struct cursor *cursor = (struct cursor *)base;
    const struct answer_row *row = &cursor->rows[cursor->at];
    switch (column) {
    case ID:
        sqlite3_result_text(sql, row->id, -1, SQLITE_TRANSIENT);
        break;
    case TEXT:
        sqlite3_result_text(sql, row->text, -1, SQLITE_TRANSIENT);
        break;
    case CATEGORY:
        sqlite3_result_text(sql, row->category, -1, SQLITE_TRANSIENT);
        break;
    case PROBABILITY:
        sqlite3_result_double(sql, row->probability);
        break;
    case SAME:
        sqlite3_result_int(sql, row->same != 0);
        break;
    case SCORE:
        sqlite3_result_double(sql, row->score);
        break;
    default:
        break; /* hidden columns: SQLite has their values */
    }
    return SQLITE_OK;
}

sqlite3_module film_search_module = {
    .xConnect = search_connect,
    .xDisconnect = search_disconnect,
    .xBestIndex = search_best_index,
    .xOpen = search_open,
    .xClose = search_close,
    .xFilter = search_filter,
    .xNext = search_next,
    .xEof = search_eof,
    .xColumn = search_column,
    .xRowid = search_rowid,
};
