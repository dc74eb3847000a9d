/* Writes and reads binary rows of PostgreSQL. It checks every length and number from a database;
 * the connection is in session.c. */
#include "remote/row.h"
#include "base/utf8.h"
#include "text/value.h"

#include <math.h>
#include <string.h>

/* ---- Writing ---- */

void row_put_number(struct cell *cell, char room[8], int64_t number)
{
    for (int i = 0; i < 8; i++) room[i] = (char)(unsigned char)((uint64_t)number >> (56 - 8 * i));
    *cell = (struct cell){room, 8};
}

struct cell row_text(film_text text)
{
    return (struct cell){text.bytes, (int)text.length};
}

static struct cell turned(const struct store_row *row, size_t dim, unsigned char *room)
{
    room[0] = (unsigned char)(dim >> 8);
    room[1] = (unsigned char)dim;
    room[2] = room[3] = 0;
    for (size_t i = 0; i < dim; i++) {
        uint32_t bits;
        memcpy(&bits, (const char *)row->vector + 4 * i, sizeof bits);
        for (size_t k = 0; k < 4; k++) room[4 + 4 * i + k] = (unsigned char)(bits >> (24 - 8 * k));
    }
    return (struct cell){(char *)room, (int)(4 + 4 * dim)};
}

void row_of_sentence(const struct store_row *row, enum row_vectors kind, size_t dim,
                     struct row_room *room, struct cell cells[ROW_SENTENCE])
{
    const film_text texts[] = {row->fields.id,     row->fields.text, row->fields.category,
                               row->fields.answer, row->fields.url,  row->fields.more};
    row_put_number(&cells[0], room->numbers[0], row->number);
    for (size_t i = 0; i < 6; i++) cells[1 + i] = row_text(texts[i]);
    row_put_number(&cells[7], room->numbers[1], (int64_t)row->change);
    row_put_number(&cells[8], room->numbers[2], row->checksum);
    cells[9] = (struct cell){row->vector, (int)(4 * dim)};
    if (row->vector && kind == ROW_PGVECTOR) cells[9] = turned(row, dim, room->vector);
}

void row_of_label(const struct store_label_row *row, struct row_room *room,
                  struct cell cells[ROW_LABEL])
{
    row_put_number(&cells[0], room->numbers[0], row->a);
    row_put_number(&cells[1], room->numbers[1], row->b);
    row_put_number(&cells[2], room->numbers[2], row->same);
    cells[3] = row_text(row->made);
    cells[4] = row_text(row->origin);
    row_put_number(&cells[5], room->numbers[3], (int64_t)row->change);
}

void row_of_removed(const struct store_removed_row *row, struct row_room *room,
                    struct cell cells[ROW_REMOVED])
{
    row_put_number(&cells[0], room->numbers[0], (int64_t)row->change);
    row_put_number(&cells[1], room->numbers[1], row->number);
}

/* ---- Reading ---- */

film_status row_number(struct cell cell, int64_t *number, film_error *error)
{
    uint64_t value = 0;
    *number = 0;
    if (!cell.bytes || cell.length != 8)
        return status_set(error, FILM_BAD_INPUT, "a number is missing or has the wrong type");
    for (int i = 0; i < 8; i++) value = value << 8 | (unsigned char)cell.bytes[i];
    memcpy(number, &value, sizeof value);
    return FILM_OK;
}

/* Reads a number that is at least 1. */
static film_status parse_count(struct cell cell, int64_t *number, film_error *error)
{
    film_status status = row_number(cell, number, error);
    if (status == FILM_OK && *number < 1)
        status = status_set(error, FILM_BAD_INPUT, "a number is %lld; it must be at least 1",
                            (long long)*number);
    return status;
}

static film_status text_in(struct cell cell, const char *name, int needed, film_text *out,
                           film_error *error)
{
    *out = (film_text){cell.bytes, cell.bytes ? (size_t)cell.length : 0};
    if (needed && out->length == 0) return status_set(error, FILM_BAD_INPUT, "%s is missing", name);
    if (!cell.bytes) return FILM_OK;
    if (cell.length < 0 || !utf8_valid(out->bytes, out->length, NULL) ||
        memchr(out->bytes, 0, out->length))
        return status_set(error, FILM_BAD_INPUT, "%s is not valid UTF-8 or contains a NUL byte",
                          name);
    return FILM_OK;
}

static int has_control(film_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.bytes[i] < 32 || text.bytes[i] == 127) return 1;
    return 0;
}

static film_status check_id(film_text id, film_error *error)
{
    char shown[VALUE_SHOWN];
    if (id.length <= FILM_POOL_ID_BYTES && !has_control(id)) return FILM_OK;
    return status_set(error, FILM_BAD_INPUT,
                      "the id \"%s\" is longer than %d bytes or contains a control character",
                      value_show(id, shown), FILM_POOL_ID_BYTES);
}

/* Returns 1 and fills VECTOR if the cell has DIM finite numbers. */
static int vector_in(struct cell cell, enum row_vectors kind, size_t dim, float *vector)
{
    const unsigned char *at = (const unsigned char *)cell.bytes;
    size_t head = kind == ROW_PGVECTOR ? 4 : 0;
    if (!at || cell.length < 0 || (size_t)cell.length != head + 4 * dim) return 0;
    if (head && (size_t)(at[0] << 8 | at[1]) != dim) return 0;
    for (size_t i = 0; i < dim; i++) {
        const unsigned char *b = at + head + 4 * i;
        uint32_t bits =
            head ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                 : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
        memcpy(&vector[i], &bits, sizeof bits);
        if (!isfinite(vector[i])) return 0;
    }
    return 1;
}

film_status row_sentence(const struct cell cells[ROW_SENTENCE], enum row_vectors kind, size_t dim,
                         float *vector, struct store_row *out, film_error *error)
{
    film_status status = FILM_OK;
    film_sentence *fields = &out->fields;
    int64_t change;
    *out = (struct store_row){.number = 0};
    TRY(parse_count(cells[0], &out->number, error));
    TRY(text_in(cells[1], "the id", 1, &fields->id, error));
    TRY(check_id(fields->id, error));
    TRY(text_in(cells[2], "the text", 1, &fields->text, error));
    TRY(text_in(cells[3], "the category", 0, &fields->category, error));
    TRY(text_in(cells[4], "the answer", 0, &fields->answer, error));
    TRY(text_in(cells[5], "the url", 0, &fields->url, error));
    TRY(text_in(cells[6], "the field \"more\"", 0, &fields->more, error));
    TRY(parse_count(cells[7], &change, error));
    TRY(row_number(cells[8], &out->checksum, error));
    out->change = (uint64_t)change;
    if (vector_in(cells[9], kind, dim, vector)) out->vector = vector;
done:
    return status;
}

film_status row_label(const struct cell cells[ROW_LABEL], struct store_label_row *out,
                      film_error *error)
{
    film_status status = FILM_OK;
    int64_t same, change;
    *out = (struct store_label_row){.a = 0};
    TRY(parse_count(cells[0], &out->a, error));
    TRY(parse_count(cells[1], &out->b, error));
    TRY(row_number(cells[2], &same, error));
    TRY(text_in(cells[3], "the time of a label", 1, &out->made, error));
    TRY(text_in(cells[4], "the origin of a label", 0, &out->origin, error));
    TRY(parse_count(cells[5], &change, error));
    if (same < 0 || same > 1 || out->a >= out->b)
        TRY(status_set(error, FILM_BAD_INPUT, "it is not a label"));
    if (!out->origin.bytes) out->origin = (film_text){"", 0};
    out->same = (int)same;
    out->change = (uint64_t)change;
done:
    return status;
}

film_status row_removed(const struct cell cells[ROW_REMOVED], struct store_removed_row *out,
                        film_error *error)
{
    film_status status = FILM_OK;
    int64_t change;
    *out = (struct store_removed_row){.change = 0};
    TRY(parse_count(cells[0], &change, error));
    TRY(parse_count(cells[1], &out->number, error));
    out->change = (uint64_t)change;
done:
    return status;
}
