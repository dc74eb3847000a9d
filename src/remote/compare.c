/* Compares the database with the copy. Rows that other programs changed keep their change number,
 * so copies do not receive them. It repairs nothing; pool/check.c does. */
#include "remote/remote_parts.h"

#include <string.h>

struct comparing {
    struct remote *remote;
    struct db *db; /* the copy, in a reading transaction */
    uint64_t upto; /* the last change of the copy: it does not have later ones yet */
    remote_differs_fn call;
    void *user;
};

static film_status compare_sentence(void *user, const struct cell *cells, film_error *error)
{
    struct comparing *comparing = user;
    struct remote *remote = comparing->remote;
    struct remote_difference found = {.number = 0};
    struct store_sentence here;
    struct store_row row;
    film_error inner;
    int there;
    film_status status = row_sentence(cells, remote->vectors, remote->dim,
                                      remote->vector + remote->dim, &row, &inner);
    found.number = row.number;
    found.id = row.fields.id.bytes ? row.fields.id : (film_text){"", 0};
    if (status != FILM_OK) {
        found.problem = inner.message;
        return comparing->call(comparing->user, &found, error);
    }
    if (row.change > comparing->upto) return FILM_OK;
    status = store_find_number(comparing->db, row.number, &here, &there, error);
    if (status != FILM_OK) return status;
    int whole = store_checksum(&row.fields) == row.checksum;
    if (there && whole && here.checksum == row.checksum && (row.vector || remote->dim == 0))
        return FILM_OK;
    found.repairable = there && store_checksum(&here.fields) == here.checksum;
    if (!there)
        found.problem = "was inserted into the database by another program; no copy has it";
    else if (!whole)
        found.problem = "was changed in the database by another program (checksum mismatch)";
    else if (!row.vector)
        found.problem = "has no vector or an invalid vector in the database";
    else
        found.problem = "differs between the database and the local copy";
    return comparing->call(comparing->user, &found, error);
}

/* Detects rows that only the copy has by their count, when nobody writes at the same time. */
static film_status compare_count(struct comparing *comparing, film_error *error)
{
    static const char sql[] = "SELECT (SELECT count(*) FROM sentence), change FROM counter";
    film_status status = FILM_OK;
    PGresult *result = NULL;
    int64_t there, change, here;
    TRY(session_query(&comparing->remote->writer, sql, NULL, 0, &result, error));
    TRY(row_number(session_cell(result, 0, 0), &there, error));
    TRY(row_number(session_cell(result, 0, 1), &change, error));
    TRY(db_number(comparing->db, "SELECT count(*) FROM sentence", &here, error));
    if (there < here && change == (int64_t)comparing->upto) {
        const struct remote_difference found = {
            .problem = "the database lacks sentences that the local copy has"};
        TRY(comparing->call(comparing->user, &found, error));
    }
done:
    libpq.PQclear(result);
    return status;
}

film_status remote_compare(struct remote *remote, struct db *db, remote_differs_fn call, void *user,
                           film_error *error)
{
    static const char sql[] =
        "SELECT number, id, text, category, answer, url, more, change, checksum, vector"
        " FROM sentence ORDER BY number";
    film_status status = FILM_OK;
    struct session *session = &remote->writer; /* the other one may be listening */
    struct comparing comparing = {.remote = remote, .db = db, .call = call, .user = user};
    session->writing = 0;
    TRY(store_changes(db, &comparing.upto, error));
    TRY(session_connect(session, error));
    TRY(session_run(session, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", error));
    TRY(session_each(session, sql, NULL, 0,
                     &(struct session_rows){ROW_SENTENCE, compare_sentence, &comparing}, error));
    TRY(compare_count(&comparing, error));
done:
    session_rollback(session);
    session->writing = 1;
    return status;
}
