/* FILM inside SQLite, as a loadable extension.
 *
 *     .load ./film_sqlite
 *     SELECT film_open('faq.film');
 *     SELECT film_match('I lost my card', 'what if my card is lost?');
 *     SELECT id, text, probability FROM film_search('faq.pool', 'my card is lost', 3);
 *
 * This file has the scalar functions, which use the model that film_open opened on the connection;
 * film_search.c has the table-valued function. */
#include "film_sqlite.h"
#include <film_explain.h>
#include <stdlib.h>
SQLITE_EXTENSION_INIT1

/* Registered functions share the connection's state; the last one that SQLite destroys frees it. */
static void connection_release(void *user)
{
    struct connection *connection = user;
    if (--connection->users > 0) return;
    film_context_free(connection->context);
    film_close(connection->model);
    film_pool_close(connection->pool);
    free(connection->pool_path);
    free(connection);
}

static film_text text_of(sqlite3_value *value)
{
    /* The text first: it may convert the value, which changes the number of bytes. */
    const char *bytes = (const char *)sqlite3_value_text(value);
    return (film_text){bytes, (size_t)sqlite3_value_bytes(value)};
}

/* Sets *TEXT to the COUNT arguments. Returns 0 after it set the result: NULL for a NULL argument,
 * an error without a model. */
static int take_texts(sqlite3_context *sql, struct connection *connection, int count,
                      sqlite3_value **values, film_text *text)
{
    if (!connection->model) {
        sqlite3_result_error(sql, "no model is open; call film_open('model.film') first", -1);
        return 0;
    }
    for (int i = 0; i < count; i++) {
        if (sqlite3_value_type(values[i]) == SQLITE_NULL) return 0;
        text[i] = text_of(values[i]);
        if (!text[i].bytes) {
            sqlite3_result_error_nomem(sql);
            return 0;
        }
    }
    return 1;
}

/* film_open(PATH): opens a model for this connection; it replaces the one before. */
static void sql_open(sqlite3_context *sql, int count, sqlite3_value **values)
{
    struct connection *connection = sqlite3_user_data(sql);
    const char *path = (const char *)sqlite3_value_text(values[0]);
    film_model *model = NULL;
    film_context *context = NULL;
    film_error error;
    (void)count;
    if (!path) {
        sqlite3_result_error(sql, "film_open: expected the path of a model", -1);
    } else if (film_open(path, &model, &error) != FILM_OK ||
               film_context_new(model, &context, &error) != FILM_OK) {
        film_close(model);
        sqlite3_result_error(sql, error.message, -1);
    } else {
        film_context_free(connection->context);
        film_close(connection->model);
        connection->model = model;
        connection->context = context;
        sqlite3_result_text(sql, path, -1, SQLITE_TRANSIENT);
    }
}

/* Judges the pair of the arguments without reasons. Returns 0 when the result was set. */
static int judge_pair(sqlite3_context *sql, sqlite3_value **values, film_verdict *verdict)
{
    struct connection *connection = sqlite3_user_data(sql);
    film_answer_options options = {.size = sizeof options, .no_reasons = 1};
    film_text text[2];
    film_error error;
    if (!take_texts(sql, connection, 2, values, text)) return 0;
    if (film_context_set(connection->context, &options, &error) == FILM_OK &&
        film_match(connection->context, text[0], text[1], verdict, &error) == FILM_OK)
        return 1;
    sqlite3_result_error(sql, error.message, -1);
    return 0;
}

/* film_match(A, B): the probability that A and B mean the same. */
static void sql_match(sqlite3_context *sql, int count, sqlite3_value **values)
{
    film_verdict verdict;
    (void)count;
    if (judge_pair(sql, values, &verdict)) sqlite3_result_double(sql, verdict.probability);
}

/* film_same(A, B): 1 if the probability reaches the model's threshold, otherwise 0. */
static void sql_same(sqlite3_context *sql, int count, sqlite3_value **values)
{
    film_verdict verdict;
    (void)count;
    if (judge_pair(sql, values, &verdict)) sqlite3_result_int(sql, verdict.same != 0);
}

/* film_explain(A, B): the explanation as JSON, as film_explanation_json describes it. */
static void sql_explain(sqlite3_context *sql, int count, sqlite3_value **values)
{
    struct connection *connection = sqlite3_user_data(sql);
    film_explanation explanation = {.size = sizeof explanation};
    film_answer_options options = {.size = sizeof options};
    film_text text[2];
    film_error error;
    char *json = NULL;
    (void)count;
    if (!take_texts(sql, connection, 2, values, text)) return;
    if (film_context_set(connection->context, &options, &error) != FILM_OK ||
        film_explain_pair(connection->context, text[0], text[1], &explanation, &error) != FILM_OK ||
        film_explanation_json(&explanation, 10, &json, NULL, &error) != FILM_OK)
        sqlite3_result_error(sql, error.message, -1);
    else
        sqlite3_result_text(sql, json, -1, SQLITE_TRANSIENT);
    film_free(json);
}

/* film_encode(TEXT): the sentence vector as a blob of 32-bit floats, in the machine's order. */
static void sql_encode(sqlite3_context *sql, int count, sqlite3_value **values)
{
    struct connection *connection = sqlite3_user_data(sql);
    film_text text;
    film_error error;
    (void)count;
    if (!take_texts(sql, connection, 1, values, &text)) return;
    size_t bytes = film_dim(connection->model) * sizeof(float);
    float *vector = sqlite3_malloc64(bytes ? bytes : 1);
    if (!vector) {
        sqlite3_result_error_nomem(sql);
    } else if (film_embed(connection->context, text, vector, &error) != FILM_OK) {
        sqlite3_free(vector);
        sqlite3_result_error(sql, error.message, -1);
    } else {
        sqlite3_result_blob64(sql, vector, bytes, sqlite3_free);
    }
}

/* The entry point; SQLite derives its name from the file's. */
int sqlite3_filmsqlite_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);
__attribute__((visibility("default"))) int sqlite3_filmsqlite_init(sqlite3 *db, char **message,
                                                                   const sqlite3_api_routines *api)
{
    static const struct {
        const char *name;
        int arguments, flags;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        /* A view or trigger of a foreign database must not open files. */
        {"film_open", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, sql_open},
        {"film_match", 2, SQLITE_UTF8 | SQLITE_INNOCUOUS, sql_match},
        {"film_same", 2, SQLITE_UTF8 | SQLITE_INNOCUOUS, sql_same},
        {"film_explain", 2, SQLITE_UTF8 | SQLITE_INNOCUOUS, sql_explain},
        {"film_encode", 1, SQLITE_UTF8 | SQLITE_INNOCUOUS, sql_encode},
    };
    SQLITE_EXTENSION_INIT2(api);
    (void)message;
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) return SQLITE_NOMEM;
    connection->db = db;
    connection->users = 1;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < sizeof functions / sizeof *functions; i++) {
        connection->users++;
        /* On failure SQLite calls connection_release too. */
        code = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments,
                                          functions[i].flags, connection, functions[i].call, NULL,
                                          NULL, connection_release);
    }
    if (code == SQLITE_OK) {
        connection->users++;
        code = sqlite3_create_module_v2(db, "film_search", &film_search_module, connection,
                                        connection_release);
    }
    connection_release(connection);
    return code;
}
