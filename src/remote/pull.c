/* Brings the copy of a pool up to date: reads what the database has changed since the copy's last
 * change and applies it in one transaction. It sends nothing (push.c). */
#include "remote/remote_parts.h"
#include "base/mem.h"

#include <string.h>

/* The state of the database. */
struct position {
    int64_t change;
    char token[REMOTE_TOKEN + 1];
    int standby; /* its server is a standby, which may lag behind */
};

static film_status damaged_database(const struct remote *remote, const char *what,
                                    film_error *error)
{
    return status_set(error, FILM_BAD_INPUT, "%s is damaged: %s", remote->place.name, what);
}

static int take_token(struct cell cell, char token[REMOTE_TOKEN + 1])
{
    if (!cell.bytes || cell.length != REMOTE_TOKEN) return 0;
    memcpy(token, cell.bytes, REMOTE_TOKEN);
    token[REMOTE_TOKEN] = 0;
    return 1;
}

static film_status read_position(const struct remote *remote, struct session *session,
                                 struct position *position, film_error *error)
{
    static const char sql[] = "SELECT change, token, pg_is_in_recovery() FROM counter";
    PGresult *result = NULL;
    film_status status = session_query(session, sql, NULL, 0, &result, error);
    if (status != FILM_OK) return status;
    if (libpq.PQntuples(result) != 1 || !take_token(session_cell(result, 0, 1), position->token))
        status = damaged_database(remote, "invalid counter of changes", error);
    else
        status = row_number(session_cell(result, 0, 0), &position->change, error);
    if (status == FILM_OK) position->standby = session_flag(result, 0, 2);
    libpq.PQclear(result);
    return status;
}

/* Checks that the database has the last change of the copy, with the same token. It does not after
 * a restore from a backup, or after a failover to a standby that lacked the last changes. */
static film_status check_way(const struct remote *remote, struct session *session, int64_t change,
                             const char *token, film_error *error)
{
    static const char sql[] =
        "SELECT count(*) FROM written WHERE change = $1::bigint AND token = $2::text";
    PGresult *result = NULL;
    struct cell cells[2];
    char room[8];
    int64_t known = 0;
    row_put_number(&cells[0], room, change);
    cells[1] = row_text(film_string(token));
    film_status status = session_query(session, sql, cells, 2, &result, error);
    if (status == FILM_OK) status = row_number(session_cell(result, 0, 0), &known, error);
    libpq.PQclear(result);
    if (status != FILM_OK || known) return status;
    return status_set(error, FILM_BAD_INPUT,
                      "%s does not continue the local copy (restored from a backup?); stop the "
                      "programs that use the copy, remove %s and start again",
                      remote->place.name, remote->file);
}

/* ---- Rows ---- */

struct pulling {
    const struct remote *remote;
    struct db *db;
    float *vector;
};

/* Adds the name of the pool to the message. */
static film_status about(const struct pulling *pulling, film_status status, film_error *error)
{
    film_error inner;
    if (status != FILM_BAD_INPUT || !error) return status;
    inner = *error;
    return status_set(error, status, "%s: damaged row: %.500s", pulling->remote->place.name,
                      inner.message);
}

static film_status take_sentence(void *user, const struct cell *cells, film_error *error)
{
    const struct pulling *pulling = user;
    const struct remote *remote = pulling->remote;
    struct store_row row;
    film_status status =
        row_sentence(cells, remote->vectors, remote->dim, pulling->vector, &row, error);
    if (status != FILM_OK) return about(pulling, status, error);
    return store_put_row(pulling->db, &row, remote->dim, error);
}

static film_status take_label(void *user, const struct cell *cells, film_error *error)
{
    const struct pulling *pulling = user;
    struct store_label_row row;
    film_status status = row_label(cells, &row, error);
    if (status != FILM_OK) return about(pulling, status, error);
    return store_put_label(pulling->db, &row, error);
}

static film_status take_removed(void *user, const struct cell *cells, film_error *error)
{
    const struct pulling *pulling = user;
    struct store_removed_row row;
    film_status status = row_removed(cells, &row, error);
    if (status != FILM_OK) return about(pulling, status, error);
    return store_put_removed(pulling->db, &row, error);
}

/* Removals first: their ids may have been reused. */
static film_status pull_all(struct pulling *pulling, struct session *session, int64_t since,
                            film_error *error)
{
    static const char removed_sql[] =
        "SELECT change, number FROM removed WHERE change > $1::bigint ORDER BY change";
    static const char sentences_sql[] =
        "SELECT number, id, text, category, answer, url, more, change, checksum, vector"
        " FROM sentence WHERE change > $1::bigint ORDER BY number";
    static const char labels_sql[] = "SELECT a, b, same::integer::bigint, made, origin, change"
                                     " FROM label WHERE change > $1::bigint";
    film_status status = FILM_OK;
    struct cell cell;
    char room[8];
    row_put_number(&cell, room, since);
    TRY(session_each(session, removed_sql, &cell, 1,
                     &(struct session_rows){ROW_REMOVED, take_removed, pulling}, error));
    TRY(session_each(session, sentences_sql, &cell, 1,
                     &(struct session_rows){ROW_SENTENCE, take_sentence, pulling}, error));
    TRY(session_each(session, labels_sql, &cell, 1,
                     &(struct session_rows){ROW_LABEL, take_label, pulling}, error));
done:
    return status;
}

/* The state of the copy: its last change, and the token of that change (mem_free). */
static film_status is_same(struct db *db, const struct position *there, uint64_t *change,
                           char **token, int *same, film_error *error)
{
    film_status status = store_changes(db, change, error);
    if (status == FILM_OK) status = store_get(db, "remote_token", token, error);
    if (status != FILM_OK) return status;
    *same = (int64_t)*change == there->change && *token && strcmp(*token, there->token) == 0;
    if (there->standby && there->change < (int64_t)*change)
        *same = 1; /* it will receive the change later */
    return FILM_OK;
}

film_status pull_is_outdated(const struct remote *remote, struct session *session, struct db *db,
                             int *outdated, film_error *error)
{
    struct position there;
    uint64_t change;
    char *token = NULL;
    int same = 1;
    film_status status = read_position(remote, session, &there, error);
    if (status == FILM_OK) status = is_same(db, &there, &change, &token, &same, error);
    *outdated = !same;
    mem_free(token);
    return status;
}

film_status pull_changes(struct remote *remote, struct session *session, struct store_write *write,
                         film_error *error)
{
    film_status status = FILM_OK;
    struct position there;
    struct pulling pulling = {remote, write->db, remote->vector};
    uint64_t here;
    char *token = NULL;
    int same;
    if (session == &remote->writer) pulling.vector += remote->dim;
    TRY(read_position(remote, session, &there, error));
    TRY(is_same(write->db, &there, &here, &token, &same, error));
    if (same) goto done;
    TRY(check_way(remote, session, (int64_t)here, token ? token : "", error));
    TRY(pull_all(&pulling, session, (int64_t)here, error));
    TRY(store_set(write->db, "remote_token", film_string(there.token), error));
    write->change = write->first = (uint64_t)there.change;
    write->other = 1;
done:
    mem_free(token);
    return status;
}
