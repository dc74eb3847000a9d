/* One connection to PostgreSQL: prepared statements, rows, timeouts, errors. SQL is constant text;
 * values never become part of it. It knows no table. */
#include "base/mem.h"
#include "base/clock.h"
#include "remote/session_parts.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { TICK_MS = 100, MOST_QUEUED = 256 };

/* ---- Errors ---- */

int session_is_lost(const struct session *session)
{
    return !session->connection || libpq.PQstatus(session->connection) != CONNECTION_OK;
}

/* The first LINES of libpq's message as one line; it never contains a password. */
static void one_line(const char *words, int lines, char *out, size_t room)
{
    size_t used = 0;
    while (*words && lines > 0 && used + 3 < room) {
        if (*words != '\n') {
            out[used++] = *words++;
            continue;
        }
        while (*words == '\n' || *words == '\t') words++;
        if (--lines == 0 || !*words) break;
        out[used++] = ';';
        out[used++] = ' ';
    }
    out[used] = 0;
}

static film_status unreachable(struct session *session, const char *words, film_error *error)
{
    char line[401];
    one_line(words, 2, line, sizeof line); /* the second asks whether it is running */
    return status_set(error, FILM_IO, "cannot reach the database of %s: %s%s", session->place->name,
                      line, session->writing ? "; nothing was written" : "");
}

/* Closes an unusable connection: the server rolls back what was not committed. */
film_status session_lost(struct session *session, const char *words, film_error *error)
{
    film_status status = unreachable(session, words, error);
    session->former = session->backend;
    session_close(session);
    return status;
}

static int is_state(const char *state, const char *wanted)
{
    return strncmp(state, wanted, strlen(wanted)) == 0;
}

/* Converts an error of the server to a status and a message. RESULT is cleared. */
static film_status refused(struct session *session, PGresult *result, film_error *error)
{
    const char *state = libpq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *words = libpq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *name = session->place->name;
    char line[401];
    one_line(words ? words : libpq.PQresultErrorMessage(result), 1, line, sizeof line);
    film_status status;
    if (!state) state = "";
    if (session_is_lost(session) || is_state(state, "57P"))
        status = session_lost(session, line, error);
    else if (is_state(state, "42501"))
        status = status_set(error, FILM_DENIED,
                            "no permission to %s %s: %s; ask its owner for the %s's rights",
                            session->writing ? "write to" : "read", name, line,
                            session->writing ? "writer" : "reader");
    else if (is_state(state, "25006"))
        status = status_set(error, FILM_IO,
                            "cannot write to %s: its server is read-only (a standby?)", name);
    else if (is_state(state, "55P03"))
        status = status_set(error, FILM_IO,
                            "%s: timeout, locked by another writer; nothing was written, try again",
                            name);
    else if (is_state(state, "53200"))
        status = status_set(error, FILM_IO, "the server of %s is out of memory", name);
    else
        status = status_set(error, is_state(state, "2") ? FILM_BAD_INPUT : FILM_IO, "%s: %s%s",
                            name, line, session->writing ? "; nothing was written" : "");
    libpq.PQclear(result);
    return status;
}

/* ---- Connecting ---- */

static void ignore_notice(void *user, const PGresult *result)
{
    (void)user;
    (void)result;
}

/* Sets everything that could be configured differently and that the following depends on. A writer
 * that stops in the middle would block all others: the server ends it. The schema of the pool is a
 * setting, so that no name is part of the SQL. */
static const char setup_sql[] =
    "SELECT set_config('search_path',"
    " quote_ident(coalesce(nullif(current_setting('film.schema', true), ''), 'film')) ||"
    " ', pg_temp', false), set_config('idle_in_transaction_session_timeout', '60s', false),"
    " set_config('client_min_messages', 'error', false), current_setting('server_encoding'),"
    " pg_backend_pid()::text, (SELECT extract(epoch FROM backend_start)::text"
    " FROM pg_stat_activity WHERE pid = pg_backend_pid())";

/* The server may not know yet that the last connection was lost, and still hold its locks. */
static void end_former(struct session *session)
{
    static const char sql[] = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
                              " pid::text = $1 AND extract(epoch FROM backend_start)::text = $2";
    const struct backend former = session->former;
    const struct cell cells[2] = {row_text(film_string(former.process)),
                                  row_text(film_string(former.since))};
    session->former = (struct backend){.process = ""};
    if (former.process[0]) session_query(session, sql, cells, 2, NULL, NULL);
}

static film_status set_up(struct session *session, film_error *error)
{
    PGresult *result = NULL;
    film_status status = session_query(session, setup_sql, NULL, 0, &result, error);
    if (status == FILM_OK && strcmp(session_string(result, 0, 3), "UTF8") != 0)
        status =
            status_set(error, FILM_IO, "%s has encoding %s; create the database with encoding UTF8",
                       session->place->name, session_string(result, 0, 3));
    if (status == FILM_OK) {
        struct backend *backend = &session->backend;
        snprintf(backend->process, sizeof backend->process, "%s", session_string(result, 0, 4));
        snprintf(backend->since, sizeof backend->since, "%s", session_string(result, 0, 5));
        end_former(session);
    }
    libpq.PQclear(result);
    if (status != FILM_OK) session_close(session);
    return status;
}

film_status session_connect(struct session *session, film_error *error)
{
    /* The first ones are defaults that the URI may override: they detect a dead connection within
     * seconds. */
    static const char *const keywords[] = {
        "connect_timeout",  "keepalives_idle",  "keepalives_interval",
        "keepalives_count", "tcp_user_timeout", "fallback_application_name",
        "dbname",           "client_encoding",  NULL};
    const char *values[] = {"5", "4", "2", "2", "8000", "film", session->place->uri, "UTF8", NULL};
    if (session->patience == 0) session->patience = 60;
    if (!session_is_lost(session)) return FILM_OK;
    session_close(session);
    session->connection = libpq.PQconnectdbParams(keywords, values, 1);
    if (!session->connection) return status_no_memory(error);
    if (libpq.PQstatus(session->connection) != CONNECTION_OK)
        return session_lost(session, libpq.PQerrorMessage(session->connection), error);
    libpq.PQsetNoticeReceiver(session->connection, ignore_notice, NULL);
    return set_up(session, error);
}

void session_close(struct session *session)
{
    if (session->connection) libpq.PQfinish(session->connection);
    session->connection = NULL;
    session->prepared_count = session->queued = 0;
    session->listening = 0;
    mem_free(session->copy.bytes);
    session->copy = (struct copy_buffer){NULL, 0, 0};
}

/* ---- Waiting ---- */

static int stop_requested(const struct session *session)
{
    const film_progress *progress = session->progress;
    return progress && progress->call &&
           progress->call(progress->user, session->phase ? session->phase : "waiting",
                          session->done, session->total);
}

film_status session_check_stop(struct session *session, film_error *error)
{
    if (!stop_requested(session)) return FILM_OK;
    film_status status = status_set(error, FILM_CANCELLED, "stopped during %s",
                                    session->phase ? session->phase : "waiting");
    session->former = session->backend;
    session_close(session); /* the server rolls back unfinished work */
    return status;
}

/* Waits for the next result; *RESULT NULL: there is none. */
static film_status next_result(struct session *session, PGresult **result, film_error *error)
{
    double heard = clock_seconds();
    *result = NULL;
    while (libpq.PQisBusy(session->connection)) {
        struct pollfd socket = {libpq.PQsocket(session->connection), POLLIN, 0};
        int ready = poll(&socket, 1, TICK_MS);
        if (ready > 0) {
            if (!libpq.PQconsumeInput(session->connection))
                return session_lost(session, libpq.PQerrorMessage(session->connection), error);
            heard = clock_seconds();
        }
        film_status stop = session_check_stop(session, error);
        if (stop != FILM_OK) return stop;
        if (clock_seconds() - heard > session->patience)
            return session_lost(session, "timeout", error);
    }
    *result = libpq.PQgetResult(session->connection);
    return FILM_OK;
}

static int is_fine(const PGresult *result)
{
    ExecStatusType kind = libpq.PQresultStatus(result);
    return kind == PGRES_COMMAND_OK || kind == PGRES_TUPLES_OK || kind == PGRES_SINGLE_TUPLE ||
           kind == PGRES_COPY_IN || kind == PGRES_PIPELINE_SYNC;
}

/* Reads all results of a statement; returns the last one that matters, or the first failure. */
film_status session_collect(struct session *session, PGresult **out, film_error *error)
{
    film_status status = FILM_OK;
    PGresult *result, *kept = NULL;
    for (;;) {
        film_status got = next_result(session, &result, error);
        if (got != FILM_OK) {
            libpq.PQclear(kept);
            return got;
        }
        if (!result) break;
        if (status == FILM_OK && !is_fine(result)) {
            status = refused(session, result, error);
            if (!session->connection) break;
            continue;
        }
        libpq.PQclear(kept);
        kept = result;
        if (libpq.PQresultStatus(kept) == PGRES_COPY_IN) break; /* its end comes later */
    }
    if (status == FILM_OK && out)
        *out = kept;
    else
        libpq.PQclear(kept);
    return status;
}

/* ---- Statements ---- */

film_status session_send_failed(struct session *session, film_error *error)
{
    return session_lost(session, libpq.PQerrorMessage(session->connection), error);
}

/* Never reconnects: the statement may belong to a transaction that was lost with the connection. */
static film_status need_connection(struct session *session, film_error *error)
{
    return session_is_lost(session) ? session_lost(session, "the connection was lost", error)
                                    : FILM_OK;
}

/* The name of a prepared statement: its position in the list. */
static void name_statement(size_t i, char name[16])
{
    snprintf(name, 16, "film%zu", i);
}

static film_status prepare_statement(struct session *session, const char *sql, char name[16],
                                     film_error *error)
{
    film_status status = FILM_OK;
    size_t i = 0;
    while (i < session->prepared_count && session->prepared[i] != sql) i++;
    name_statement(i, name);
    if (i < session->prepared_count) return FILM_OK;
    if (i == SESSION_STATEMENTS)
        return status_set(error, FILM_USAGE, "more kinds of statements than SESSION_STATEMENTS");
    TRY(session_settle(session, error)); /* a statement cannot be prepared inside a pipeline */
    if (!libpq.PQsendPrepare(session->connection, name, sql, 0, NULL))
        TRY(session_send_failed(session, error));
    TRY(session_collect(session, NULL, error));
    session->prepared[session->prepared_count++] = sql;
done:
    return status;
}

static film_status send(struct session *session, const char *name, const struct cell *cells,
                        size_t count, film_error *error)
{
    const char *values[SESSION_MOST];
    int lengths[SESSION_MOST], formats[SESSION_MOST];
    for (size_t i = 0; i < count && i < SESSION_MOST; i++) {
        values[i] = cells[i].bytes;
        lengths[i] = cells[i].length;
        formats[i] = 1;
    }
    if (libpq.PQsendQueryPrepared(session->connection, name, (int)count, values, lengths, formats,
                                  1))
        return FILM_OK;
    return session_send_failed(session, error);
}

film_status session_query(struct session *session, const char *sql, const struct cell *cells,
                          size_t count, PGresult **result, film_error *error)
{
    film_status status = FILM_OK;
    char name[16];
    if (result) *result = NULL;
    TRY(need_connection(session, error));
    TRY(prepare_statement(session, sql, name, error));
    TRY(session_settle(session, error));
    TRY(send(session, name, cells, count, error));
    TRY(session_collect(session, result, error));
done:
    return status;
}

film_status session_run(struct session *session, const char *sql, film_error *error)
{
    film_status status = FILM_OK;
    TRY(need_connection(session, error));
    TRY(session_settle(session, error));
    if (!libpq.PQsendQuery(session->connection, sql)) TRY(session_send_failed(session, error));
    TRY(session_collect(session, NULL, error));
done:
    return status;
}

struct cell session_cell(const PGresult *result, int row, int column)
{
    if (libpq.PQgetisnull(result, row, column)) return (struct cell){NULL, 0};
    return (struct cell){libpq.PQgetvalue(result, row, column),
                         libpq.PQgetlength(result, row, column)};
}

int session_flag(const PGresult *result, int row, int column)
{
    struct cell cell = session_cell(result, row, column);
    return cell.bytes && cell.length == 1 && cell.bytes[0] != 0;
}

const char *session_string(const PGresult *result, int row, int column)
{
    struct cell cell = session_cell(result, row, column);
    return cell.bytes ? cell.bytes : "";
}

static film_status give_row(const PGresult *result, const struct session_rows *rows,
                            film_error *error)
{
    struct cell cells[SESSION_MOST];
    if ((size_t)libpq.PQnfields(result) != rows->columns)
        return status_set(error, FILM_BAD_INPUT, "unexpected number of columns: %d",
                          libpq.PQnfields(result));
    for (size_t i = 0; i < rows->columns; i++) cells[i] = session_cell(result, 0, (int)i);
    return rows->call(rows->user, cells, error);
}

film_status session_each(struct session *session, const char *sql, const struct cell *cells,
                         size_t count, const struct session_rows *rows, film_error *error)
{
    film_status status = FILM_OK;
    PGresult *result = NULL;
    char name[16];
    TRY(prepare_statement(session, sql, name, error));
    TRY(session_settle(session, error));
    TRY(send(session, name, cells, count, error));
    libpq.PQsetSingleRowMode(session->connection);
    for (;;) {
        TRY(next_result(session, &result, error));
        if (!result) break;
        if (!is_fine(result)) {
            status = refused(session, result, error);
            result = NULL;
            goto done;
        }
        if (libpq.PQntuples(result) > 0) TRY(give_row(result, rows, error));
        libpq.PQclear(result);
        result = NULL;
    }
done:
    libpq.PQclear(result);
    if (status != FILM_OK) session_close(session); /* rows may still be in transit */
    return status;
}

/* ---- Pipelining ---- */

film_status session_queue(struct session *session, const char *sql, const struct cell *cells,
                          size_t count, film_error *error)
{
    film_status status = FILM_OK;
    char name[16];
    TRY(prepare_statement(session, sql, name, error));
    /* Unread results would fill the buffers in both directions and block. */
    if (session->queued == MOST_QUEUED) TRY(session_settle(session, error));
    if (session->queued == 0 && !libpq.PQenterPipelineMode(session->connection))
        TRY(session_send_failed(session, error));
    TRY(send(session, name, cells, count, error));
    session->queued++;
done:
    return status;
}

film_status session_settle(struct session *session, film_error *error)
{
    film_status status = FILM_OK;
    PGresult *result;
    if (session->queued == 0) return FILM_OK;
    session->queued = 0;
    if (!libpq.PQpipelineSync(session->connection)) return session_send_failed(session, error);
    for (int end = 0; !end;) { /* the results of each statement end with NULL */
        film_status got = next_result(session, &result, error);
        if (got != FILM_OK) return got;
        if (!result) continue;
        end = libpq.PQresultStatus(result) == PGRES_PIPELINE_SYNC;
        /* The server skips the statements after a failure. */
        int skipped = libpq.PQresultStatus(result) == PGRES_PIPELINE_ABORTED;
        if (status == FILM_OK && !skipped && !is_fine(result)) {
            status = refused(session, result, error);
            if (!session->connection) return status;
        } else {
            libpq.PQclear(result);
        }
    }
    if (!libpq.PQexitPipelineMode(session->connection)) return session_send_failed(session, error);
    return status;
}

/* ---- Transactions and notifications ---- */

void session_rollback(struct session *session)
{
    film_error ignored;
    const film_progress *progress = session->progress;
    if (session_is_lost(session)) {
        session_close(session);
        return;
    }
    if (libpq.PQtransactionStatus(session->connection) == PQTRANS_IDLE && !session->queued) return;
    session->progress = NULL; /* a cancellation must not keep the transaction open */
    if (libpq.PQtransactionStatus(session->connection) == PQTRANS_ACTIVE || session->queued ||
        session_run(session, "ROLLBACK", &ignored) != FILM_OK)
        session_close(session);
    session->progress = progress;
}

/* Consumes all notifications; returns 1 if there were any. */
static int take_notes(struct session *session)
{
    PGnotify *note;
    int any = 0;
    for (; (note = libpq.PQnotifies(session->connection)); any = 1) libpq.PQfreemem(note);
    return any;
}

film_status session_wait(struct session *session, int milliseconds, int wake, film_error *error)
{
    struct pollfd ways[2] = {{libpq.PQsocket(session->connection), POLLIN, 0}, {wake, POLLIN, 0}};
    /* Some may have arrived with the reply to a statement: the socket does not signal them
     * again. */
    if (take_notes(session)) return FILM_OK;
    if (poll(ways, wake >= 0 ? 2 : 1, milliseconds) <= 0 || !ways[0].revents) return FILM_OK;
    if (!libpq.PQconsumeInput(session->connection))
        return session_lost(session, libpq.PQerrorMessage(session->connection), error);
    take_notes(session);
    /* The socket of a closed connection is readable, but has no data. */
    if (session_is_lost(session))
        return session_lost(session, "the server closed the connection", error);
    return FILM_OK;
}
