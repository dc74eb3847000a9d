/* Opens a pool in PostgreSQL with its copy, and runs reads and writes on both in the order of locks
 * of remote.h. Rows are transferred by pull.c and push.c. */
#include "remote/remote_parts.h"
#include "base/checksum.h"
#include "base/mem.h"
#include "remote/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Timeouts in seconds. A quick query without a reply means a dead connection (TCP alone does not
 * notice while something on the way acknowledges); other statements may take longer. */
enum { LOOK_PATIENCE = 5, PULL_PATIENCE = 60, WRITE_PATIENCE = 20, FIND_OUT_PATIENCE = 10 };

film_status remote_token(char token[REMOTE_TOKEN + 1], film_error *error)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[REMOTE_TOKEN / 2];
    if (getentropy(bytes, sizeof bytes) != 0)
        return status_errno(error, "cannot read random numbers");
    for (size_t i = 0; i < sizeof bytes; i++) {
        token[2 * i] = digits[bytes[i] >> 4];
        token[2 * i + 1] = digits[bytes[i] & 15];
    }
    token[REMOTE_TOKEN] = 0;
    return FILM_OK;
}

const char *remote_name(const struct remote *remote)
{
    return remote->place.name;
}

const char *remote_file(const struct remote *remote)
{
    return remote->file;
}

/* ---- Creating ---- */

static film_status put_setting(struct session *session, const char *name, const char *value,
                               film_error *error)
{
    static const char sql[] = "INSERT INTO setting (name, value) VALUES ($1, $2)";
    const struct cell cells[2] = {row_text(film_string(name)), row_text(film_string(value))};
    return session_queue(session, sql, cells, 2, error);
}

static film_status put_number(struct session *session, const char *name, size_t value,
                              film_error *error)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", value);
    film_status status = put_setting(session, name, text, error);
    return status == FILM_OK ? session_settle(session, error)
                             : status; /* TEXT is no longer needed */
}

static film_status put_model(struct session *session, const char *bytes, size_t size,
                             film_error *error)
{
    film_status status = FILM_OK;
    TRY(session_copy_begin(session, "COPY model (chunk, bytes) FROM STDIN (FORMAT binary)", error));
    for (size_t begin = 0; begin < size; begin += STORE_CHUNK) {
        size_t length = size - begin < STORE_CHUNK ? size - begin : STORE_CHUNK;
        struct cell cells[2] = {[1] = {bytes + begin, (int)length}};
        char room[8];
        row_put_number(&cells[0], room, (int64_t)(begin / STORE_CHUNK));
        TRY(session_copy_row(session, cells, 2, error));
    }
    TRY(session_copy_end(session, error));
done:
    return status;
}

static film_status put_settings(struct session *session, const void *model, size_t size, size_t dim,
                                film_error *error)
{
    film_status status = FILM_OK;
    char identity[REMOTE_TOKEN + 1], created[40];
    struct tm date;
    time_t time_now = time(NULL);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&time_now, &date));
    TRY(remote_token(identity, error));
    TRY(put_setting(session, "identity", identity, error));
    TRY(put_setting(session, "created", created, error));
    TRY(put_setting(session, "film", film_version(), error));
    TRY(put_number(session, "dim", dim, error));
    TRY(put_number(session, "model_size", size, error));
    struct checksum_text sum = checksum_print(checksum_bytes(model, size));
    TRY(put_setting(session, "model_checksum", sum.digits, error));
    TRY(session_settle(session, error));
done:
    return status;
}

static film_status put_start(struct session *session, film_error *error)
{
    static const char written_sql[] = "INSERT INTO written (change, token) VALUES (0, $1)";
    static const char counter_sql[] = "INSERT INTO counter (change, token) VALUES (0, $1)";
    char token[REMOTE_TOKEN + 1];
    film_status status = FILM_OK;
    TRY(remote_token(token, error));
    struct cell cell = row_text(film_string(token));
    TRY(session_query(session, written_sql, &cell, 1, NULL, error));
    TRY(session_query(session, counter_sql, &cell, 1, NULL, error));
done:
    return status;
}

film_status remote_create(const char *uri, const void *model, size_t size, size_t dim,
                          film_error *error)
{
    film_status status = FILM_OK;
    struct place place = {.uri = NULL};
    struct session session = {.place = &place, .writing = 1};
    TRY(place_open(&place, uri, error));
    TRY(session_connect(&session, error));
    TRY(session_run(&session, "BEGIN", error));
    TRY(tables_create(&session, error));
    TRY(put_settings(&session, model, size, dim, error));
    TRY(tables_add_vectors(&session, error));
    TRY(put_model(&session, model, size, error));
    TRY(put_start(&session, error));
    status = session_run(&session, "COMMIT", error);
    if (status != FILM_OK && session_is_lost(&session))
        status = status_set(error, FILM_IO,
                            "the connection to %s was lost during the commit; check the pool to "
                            "see whether it was created",
                            place.name);
done:
    session_close(&session);
    place_free(&place);
    return status;
}

/* ---- Opening ---- */

static int cell_equals(struct cell cell, const char *word)
{
    return cell.bytes && (size_t)cell.length == strlen(word) &&
           memcmp(cell.bytes, word, strlen(word)) == 0;
}

static film_status receive_setting(void *user, const struct cell *cells, film_error *error)
{
    struct remote *remote = user;
    char text[24];
    (void)error;
    if (!cells[1].bytes) return FILM_OK;
    if (cell_equals(cells[0], "identity") && cells[1].length == REMOTE_TOKEN)
        memcpy(remote->identity, cells[1].bytes, REMOTE_TOKEN);
    if (cell_equals(cells[0], "vectors") && cell_equals(cells[1], "pgvector"))
        remote->vectors = ROW_PGVECTOR;
    if (cell_equals(cells[0], "dim") && cells[1].length < 20) {
        snprintf(text, sizeof text, "%.*s", cells[1].length, cells[1].bytes);
        remote->dim = strtoull(text, NULL, 10);
    }
    return FILM_OK;
}

static film_status read_remote_settings(struct remote *remote, film_error *error)
{
    static const char sql[] = "SELECT name, value FROM setting";
    film_status status = FILM_OK;
    remote->dim = SIZE_MAX;
    TRY(session_each(&remote->reader, sql, NULL, 0,
                     &(struct session_rows){2, receive_setting, remote}, error));
    /* The identity names a file. */
    if (strspn(remote->identity, "0123456789abcdef") != REMOTE_TOKEN || remote->dim > 1 << 24)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s is damaged: its settings are not the settings of a pool",
                       remote->place.name));
    TRY_ALLOC(remote->vector = mem_array(2 * remote->dim, sizeof(float)), error);
    TRY_ALLOC(remote->turned = mem_array(remote->dim + 1, sizeof(float)), error);
done:
    return status;
}

film_status remote_open(const char *uri, struct remote **out, film_error *error)
{
    film_status status = FILM_OK;
    struct remote *remote = mem_zeroed(1, sizeof *remote);
    *out = NULL;
    if (!remote) return status_no_memory(error);
    remote->reader.place = remote->writer.place = &remote->place;
    remote->writer.writing = 1;
    TRY(place_open(&remote->place, uri, error));
    TRY(session_connect(&remote->reader, error));
    TRY(tables_open(&remote->reader, error));
    TRY(read_remote_settings(remote, error));
    TRY(copy_file_open(remote, error));
    remote->reader.patience = LOOK_PATIENCE; /* readers use the copy meanwhile */
    *out = remote;
done:
    if (status != FILM_OK) remote_close(remote);
    return status;
}

void remote_close(struct remote *remote)
{
    if (!remote) return;
    session_close(&remote->reader);
    session_close(&remote->writer);
    place_free(&remote->place);
    mem_free(remote->file);
    mem_free(remote->vector);
    mem_free(remote->turned);
    mem_free(remote);
}

/* ---- Reading ---- */

film_status remote_refresh(struct remote *remote, struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    struct session *session = &remote->reader;
    struct store_write write = {.db = NULL};
    int outdated;
    TRY(session_connect(session, error));
    TRY(pull_is_outdated(remote, session, db, &outdated, error));
    if (!outdated) goto done;
    session->patience = PULL_PATIENCE;
    TRY(store_begin(&write, db, error));
    TRY(session_run(session, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", error));
    TRY(pull_changes(remote, session, &write, error));
    TRY(session_run(session, "ROLLBACK", error)); /* it only read */
    TRY(store_commit(&write, error));
done:
    if (status != FILM_OK) {
        db_rollback(db);
        session_rollback(session);
    }
    session->patience = LOOK_PATIENCE;
    return status;
}

film_status remote_listen(struct remote *remote, int milliseconds, int wake, film_error *error)
{
    film_status status = FILM_OK;
    struct session *session = &remote->reader;
    TRY(session_connect(session, error));
    if (session->listening) return session_wait(session, milliseconds, wake, error);
    status = session_run(session, "LISTEN film", error);
    /* A standby does not allow LISTEN: it is then queried once a second. */
    if (status != FILM_OK && !session_is_lost(session)) status = FILM_OK;
    session->listening = status == FILM_OK;
done:
    return status;
}

/* ---- Writing ---- */

/* The holder of the counter blocks all other writers, so the server ends one that falls silent.
 * Between two statements, only waiting for the copy may take long. */
static film_status lock_counter(struct session *session, double wait, film_error *error)
{
    static const char wait_sql[] = "SELECT set_config('lock_timeout', $1, true),"
                                   " set_config('idle_in_transaction_session_timeout', $2, true)";
    static const char lock_sql[] = "SELECT change FROM counter FOR UPDATE";
    film_status status = FILM_OK;
    char lock[32], idle[32];
    if (!(wait < 1e6)) wait = 1e6;
    /* 0 would mean: wait forever. */
    snprintf(lock, sizeof lock, "%.0fms", wait > 0 ? 1000 * wait : 1);
    snprintf(idle, sizeof idle, "%.0fms", 1000 * (wait + 5));
    const struct cell cells[2] = {row_text(film_string(lock)), row_text(film_string(idle))};
    session->patience = LOOK_PATIENCE;
    TRY(session_connect(session, error));
    TRY(session_run(session, "BEGIN ISOLATION LEVEL READ COMMITTED", error));
    TRY(session_query(session, wait_sql, cells, 2, NULL, error));
    session->patience = WRITE_PATIENCE + wait;
    TRY(session_query(session, lock_sql, NULL, 0, NULL, error));
done:
    session->patience = WRITE_PATIENCE;
    return status;
}

film_status remote_begin(struct remote *remote, struct db *db, double wait,
                         struct store_write *write, film_error *error)
{
    film_status status = FILM_OK;
    struct session *session = &remote->writer;
    int used_before = !session_is_lost(session);
    *write = (struct store_write){.db = db};
    session->progress = db->progress;
    session->phase = db->phase;
    session->done = db->done;
    session->total = db->total;
    status = lock_counter(session, wait, error);
    /* A connection that broke since its last use is no reason to fail. */
    if (status == FILM_IO && used_before && session_is_lost(session))
        status = lock_counter(session, wait, error);
    TRY(status);
    TRY(store_begin(write, db, error));
    TRY(pull_changes(remote, session, write, error));
    TRY(store_last_number(db, &remote->last_number, error));
done:
    return status;
}

/* The connection was lost during COMMIT. The lost transaction holds the counter until it is
 * decided, so whoever gets the counter knows the outcome. */
static film_status was_committed(struct session *session, uint64_t change, const char *token,
                                 int *committed, film_error *error)
{
    static const char sql[] =
        "SELECT count(*) FROM written WHERE change = $1::bigint AND token = $2::text";
    film_status status = FILM_OK;
    PGresult *result = NULL;
    struct cell cells[2];
    char room[8];
    int64_t count;
    TRY(lock_counter(session, 5, error));
    row_put_number(&cells[0], room, (int64_t)change);
    cells[1] = row_text(film_string(token));
    TRY(session_query(session, sql, cells, 2, &result, error));
    TRY(row_number(session_cell(result, 0, 0), &count, error));
    *committed = count > 0;
done:
    libpq.PQclear(result);
    session_rollback(session);
    return status;
}

static film_status find_out(struct remote *remote, const struct store_write *write,
                            const char *token, film_error *error)
{
    const time_t last = time(NULL) + FIND_OUT_PATIENCE;
    film_error lost = *error;
    int committed = 0;
    while (time(NULL) < last) {
        if (was_committed(&remote->writer, write->change, token, &committed, error) == FILM_OK) {
            *error = lost;
            return committed ? FILM_OK : lost.status;
        }
        nanosleep(&(struct timespec){0, 250000000}, NULL);
    }
    return status_set(error, FILM_IO,
                      "the connection to %s was lost during the commit, so the data may or may not "
                      "be stored; try again, nothing is added twice",
                      remote->place.name);
}

film_status remote_commit(struct remote *remote, struct store_write *write, film_error *error)
{
    film_status status = FILM_OK;
    struct session *session = &remote->writer;
    char token[REMOTE_TOKEN + 1];
    film_error own;
    if (!error) error = &own;
    if (write->change != write->first) {
        TRY(remote_token(token, error));
        TRY(store_set(write->db, "remote_token", film_string(token), error));
        TRY(push_changes(remote, write, token, error));
        session->progress = NULL; /* from here on it cannot be cancelled */
        status = session_run(session, "COMMIT", error);
        if (status != FILM_OK && session_is_lost(session))
            status = find_out(remote, write, token, error);
        TRY(status);
    } else {
        session_rollback(session);
    }
    /* The database has it. A copy that cannot be written (a full disk) is updated later. */
    store_commit(write, NULL);
done:
    return status;
}

void remote_end(struct remote *remote)
{
    session_rollback(&remote->writer);
    remote->writer.progress = NULL;
}
