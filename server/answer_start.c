/* Handles the start without a pool (film serve --new): the state (GET /v1/start), the guessed
 * columns of a table (POST /v1/start/columns), and the table that becomes the pool (POST
 * /v1/start), which background.c builds in another process. */
#include "fields.h"
#include "route.h"

enum { SHOWN_ROWS = 3 };

/* A CSV file may have tabs too. */
static const char TABLE_NAME[] = "table.csv";

static film_status write_body(const char *path, film_text body, film_error *error)
{
    film_output *output = NULL;
    film_status status = film_output_open(path, &output, error);
    if (status != FILM_OK) return status;
    status = film_output_write(output, body.bytes, body.length, error);
    if (status == FILM_OK) return film_output_commit(output, error);
    film_output_discard(output);
    return status;
}

/* Messages name the file of the server: FILE:3 becomes line 3. */
static void response_table_failure(struct response *response, film_status status, film_error *error,
                                   const char *path)
{
    if (path) background_hide_path(error->message, sizeof error->message, path);
    response_failure(response, status, error);
}

/* ---- state ---- */

static void write_start(struct worker *worker, struct response *response)
{
    struct bytes *out = &response->body;
    struct background *background = &worker->service->background;
    pthread_mutex_lock(&background->lock);
    int builds = background->work == WORK_START;
    bytes_format(out, "{\"state\": \"%s\", \"problem\": ",
                 builds                      ? "building"
                 : worker->generation->model ? "ready"
                                             : "waiting");
    if (background->problem[0] && !builds && !worker->generation->model)
        bytes_string(out, film_string(background->problem));
    else
        bytes_text(out, "null");
    pthread_mutex_unlock(&background->lock);
    bytes_text(out, "}\n");
}

static void answer_state(struct worker *worker, const struct request *request,
                         struct response *response)
{
    (void)request;
    write_start(worker, response);
}

/* Returns 0, with the error in RESPONSE, if there is a pool. */
static int is_waiting(const struct worker *worker, struct response *response)
{
    return !worker->generation->model ||
           response_error(response, 409, "the server has a pool already; add sentences to it");
}

/* ---- columns ---- */

static const char *use_name(film_column use)
{
    switch (use) {
    case FILM_COLUMN_A:
        return "text";
    case FILM_COLUMN_ID:
        return "id";
    case FILM_COLUMN_CATEGORY:
        return "category";
    default:
        return "other";
    }
}

static void write_columns(film_table *table, struct bytes *out)
{
    bytes_text(out, "{\"columns\": [");
    for (size_t i = 0; i < film_table_columns(table); i++) {
        bytes_text(out, i ? ", {\"name\": " : "{\"name\": ");
        bytes_string(out, film_table_column(table, i));
        bytes_format(out, ", \"use\": \"%s\"}", use_name(film_table_use(table, i)));
    }
    bytes_text(out, "], \"sentences\": [");
}

/* Writes the columns, the first sentences and the number of rows: a bad row is reported before
 * anything is built. */
static film_status describe_table(const char *path, struct bytes *out, film_error *error)
{
    film_table_options options = {.size = sizeof options, .labels = FILM_LABELS_NONE};
    film_table *table = NULL;
    film_row row;
    size_t rows = 0;
    film_status status = film_table_open(path, &options, &table, error);
    if (status == FILM_OK) write_columns(table, out);
    while (status == FILM_OK && (status = film_table_next(table, &row, error)) == FILM_OK) {
        if (rows < SHOWN_ROWS) {
            bytes_text(out, rows ? ", " : "");
            bytes_string(out, row.a.bytes ? row.a : film_string(""));
        }
        rows++;
    }
    film_table_close(table);
    if (status != FILM_END) return status;
    bytes_format(out, "], \"rows\": %zu}\n", rows);
    return FILM_OK;
}

static void answer_columns(struct worker *worker, const struct request *request,
                           struct response *response)
{
    film_error error = {.message = ""};
    struct private_file table;
    if (!is_waiting(worker, response)) return;
    const char *pool = worker->service->options.path;
    film_status status = private_file_beside(&table, pool, TABLE_NAME, &error);
    if (status == FILM_OK) status = write_body(table.path, request->body, &error);
    if (status == FILM_OK) status = describe_table(table.path, &response->body, &error);
    if (status != FILM_OK) response_table_failure(response, status, &error, table.path);
    private_file_remove(&table);
}

/* ---- start ---- */

static void answer_start(struct worker *worker, const struct request *request,
                         struct response *response)
{
    struct background *background = &worker->service->background;
    struct private_file *table = &background->table;
    film_error error = {.message = ""};
    if (!is_waiting(worker, response)) return;
    if (!background_request(background, WORK_WRITING, 0)) {
        response_error(response, 409, "a pool is being built; GET /v1/start reports its state");
        return;
    }
    film_status status =
        private_file_beside(table, worker->service->options.path, TABLE_NAME, &error);
    if (status == FILM_OK) status = write_body(table->path, request->body, &error);
    if (status != FILM_OK) {
        response_table_failure(response, status, &error, table->path);
        private_file_remove(table);
        background_change(background, WORK_NONE);
        return;
    }
    background_change(background, WORK_START);
    response->status = 202;
    write_start(worker, response);
}

const struct route start_routes[] = {{.method = METHOD_GET,
                                      .path = "/v1/start",
                                      .summary = "Report whether there is a pool",
                                      .answer = answer_state,
                                      .bare = 1},
                                     {.method = METHOD_POST,
                                      .path = "/v1/start",
                                      .summary = "Build the pool from a table in the background",
                                      .answer = answer_start,
                                      .slow = 1,
                                      .bare = 1,
                                      .table = 1,
                                      .writes = 1},
                                     {.method = METHOD_POST,
                                      .path = "/v1/start/columns",
                                      .summary = "Guess the columns of a table",
                                      .answer = answer_columns,
                                      .slow = 1,
                                      .bare = 1,
                                      .table = 1,
                                      .writes = 1},
                                     {.path = NULL}};
