/* COPY ... FROM STDIN (FORMAT binary): sends many rows in one statement. Rows are encoded in
 * row.c. */
#include "base/mem.h"
#include "remote/session_parts.h"

#include <string.h>

/* Bytes sent at a time. */
enum { COPY_PIECE = 1 << 17 };

static film_status copy_flush(struct session *session, film_error *error)
{
    size_t count = session->copy.count;
    session->copy.count = 0;
    if (!count || libpq.PQputCopyData(session->connection, session->copy.bytes, (int)count) == 1)
        return FILM_OK;
    return session_send_failed(session, error);
}

static film_status copy_bytes(struct session *session, const void *bytes, size_t length,
                              film_error *error)
{
    void *memory = session->copy.bytes;
    if (length == 0) return FILM_OK;
    if (!mem_grow(&memory, &session->copy.capacity, session->copy.count + length, 1))
        return status_no_memory(error);
    session->copy.bytes = memory;
    memcpy(session->copy.bytes + session->copy.count, bytes, length);
    session->copy.count += length;
    return FILM_OK;
}

film_status session_copy_begin(struct session *session, const char *sql, film_error *error)
{
    /* A signature, no flags, no extension. */
    static const char head[19] = "PGCOPY\n\377\r\n";
    film_status status = session_run(session, sql, error);
    session->copy.count = 0;
    return status == FILM_OK ? copy_bytes(session, head, sizeof head, error) : status;
}

film_status session_copy_row(struct session *session, const struct cell *cells, size_t count,
                             film_error *error)
{
    film_status status = FILM_OK;
    const unsigned char columns[2] = {0, (unsigned char)count};
    TRY(copy_bytes(session, columns, sizeof columns, error));
    for (size_t i = 0; i < count; i++) {
        uint32_t length = cells[i].bytes ? (uint32_t)cells[i].length : UINT32_MAX;
        const unsigned char size[4] = {(unsigned char)(length >> 24), (unsigned char)(length >> 16),
                                       (unsigned char)(length >> 8), (unsigned char)length};
        TRY(copy_bytes(session, size, sizeof size, error));
        if (cells[i].bytes) TRY(copy_bytes(session, cells[i].bytes, length, error));
    }
    if (session->copy.count < COPY_PIECE) goto done;
    TRY(copy_flush(session, error));
    TRY(session_check_stop(session, error));
done:
    return status;
}

film_status session_copy_end(struct session *session, film_error *error)
{
    static const char end[2] = {'\377', '\377'};
    film_status status = FILM_OK;
    TRY(copy_bytes(session, end, sizeof end, error));
    TRY(copy_flush(session, error));
    if (libpq.PQputCopyEnd(session->connection, NULL) != 1)
        TRY(session_send_failed(session, error));
    TRY(session_collect(session, NULL, error));
done:
    return status;
}
