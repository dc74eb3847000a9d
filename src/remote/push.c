/* Sends the changes of a transaction of the copy to the database. It decides nothing: what is
 * written was decided on the copy, which pull.c has brought up to date. */
#include "remote/remote_parts.h"

struct pushing {
    struct remote *remote;
    struct session *session;
    int copying; /* new sentences */
    struct row_room room;
};

static film_status send_sentence(void *user, const struct store_row *row, film_error *error)
{
    static const char copy_sql[] = "COPY sentence (number, id, text, category, answer, url, more,"
                                   " change, checksum, vector) FROM STDIN (FORMAT binary)";
    static const char update_sql[] =
        "UPDATE sentence SET id = $2, text = $3, category = $4, answer = $5, url = $6, more = $7,"
        " change = $8, checksum = $9, vector = $10 WHERE number = $1";
    film_status status = FILM_OK;
    struct pushing *pushing = user;
    const struct remote *remote = pushing->remote;
    struct cell cells[ROW_SENTENCE];
    row_of_sentence(row, remote->vectors, remote->dim, &pushing->room, cells);
    if (row->number <= remote->last_number)
        return session_queue(pushing->session, update_sql, cells, ROW_SENTENCE, error);
    /* Rows are sorted by number, so all following rows are new too. */
    if (!pushing->copying) TRY(session_copy_begin(pushing->session, copy_sql, error));
    pushing->copying = 1;
    TRY(session_copy_row(pushing->session, cells, ROW_SENTENCE, error));
done:
    return status;
}

static film_status send_removed(void *user, const struct store_removed_row *row, film_error *error)
{
    static const char remove_sql[] = "DELETE FROM sentence WHERE number = $1";
    static const char note_sql[] = "INSERT INTO removed (change, number) VALUES ($1, $2)";
    struct pushing *pushing = user;
    struct cell cells[ROW_REMOVED];
    row_of_removed(row, &pushing->room, cells);
    film_status status = session_queue(pushing->session, remove_sql, &cells[1], 1, error);
    if (status != FILM_OK) return status;
    return session_queue(pushing->session, note_sql, cells, ROW_REMOVED, error);
}

static film_status send_label(void *user, const struct store_label_row *row, film_error *error)
{
    static const char sql[] =
        "INSERT INTO label (a, b, same, made, origin, change)"
        " VALUES ($1, $2, $3::bigint <> 0, $4, $5, $6) ON CONFLICT (a, b) DO UPDATE SET"
        " same = excluded.same, made = excluded.made, origin = excluded.origin,"
        " change = excluded.change";
    struct pushing *pushing = user;
    struct cell cells[ROW_LABEL];
    row_of_label(row, &pushing->room, cells);
    return session_queue(pushing->session, sql, cells, ROW_LABEL, error);
}

/* Updates the change counter, and notifies the listeners. */
static film_status send_position(struct session *session, int64_t change, const char *token,
                                 film_error *error)
{
    static const char counter_sql[] = "UPDATE counter SET change = $1, token = $2";
    static const char written_sql[] = "INSERT INTO written (change, token) VALUES ($1, $2)";
    static const char notify_sql[] = "SELECT pg_notify('film', $1::bigint::text)";
    film_status status = FILM_OK;
    struct cell cells[2];
    char room[8];
    row_put_number(&cells[0], room, change);
    cells[1] = row_text(film_string(token));
    TRY(session_queue(session, counter_sql, cells, 2, error));
    TRY(session_queue(session, written_sql, cells, 2, error));
    TRY(session_queue(session, notify_sql, cells, 1, error));
    TRY(session_settle(session, error));
done:
    return status;
}

film_status push_changes(struct remote *remote, struct store_write *write, const char *token,
                         film_error *error)
{
    film_status status = FILM_OK;
    struct session *session = &remote->writer;
    struct pushing pushing = {.remote = remote, .session = session};
    pushing.room.vector = remote->turned;
    TRY(store_removed_since(write->db, write->first, send_removed, &pushing, error));
    TRY(store_rows_since(write->db, remote->dim, write->first, send_sentence, &pushing, error));
    if (pushing.copying) TRY(session_copy_end(session, error));
    if (write->labels)
        TRY(store_labels_since(write->db, write->first, send_label, &pushing, error));
    TRY(send_position(session, (int64_t)write->change, token, error));
done:
    return status;
}
