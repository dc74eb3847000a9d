/* Fuzzes rows of a database: each is refused with a message or accepted; an accepted row is
 * unchanged after writing and reading. The bytes: the kind of vectors, their length (one byte
 * each), then cells: two bytes of length (65535: NULL), and its bytes. */
#include "remote/row.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

/* The next cell as a block of its own, so that a read past its end is detected. */
static struct cell take(const uint8_t **data, size_t *size)
{
    struct cell cell = {NULL, 0};
    size_t length = *size > 1 ? (size_t)((*data)[0] << 8 | (*data)[1]) : 65535;
    if (length == 65535) {
        *data += *size > 1 ? 2 : *size;
        *size -= *size > 1 ? 2 : *size;
        return cell;
    }
    *data += 2;
    *size -= 2;
    if (length > *size) length = *size;
    char *block = malloc(length ? length : 1);
    require(block != NULL);
    memcpy(block, *data, length);
    *data += length;
    *size -= length;
    return (struct cell){block, (int)length};
}

static int same(film_text a, film_text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0) &&
           !a.bytes == !b.bytes;
}

static void there_and_back(const struct store_row *row, enum row_vectors kind, size_t dim)
{
    struct row_room room = {.vector = malloc(4 + 4 * dim)};
    struct cell cells[ROW_SENTENCE];
    struct store_row again;
    float *vector = malloc(4 * dim + 1);
    require(room.vector && vector);
    row_of_sentence(row, kind, dim, &room, cells);
    require(row_sentence(cells, kind, dim, vector, &again, NULL) == FILM_OK);
    require(again.number == row->number && again.change == row->change &&
            again.checksum == row->checksum && same(again.fields.id, row->fields.id) &&
            same(again.fields.text, row->fields.text) && same(again.fields.more, row->fields.more));
    require(!again.vector == !row->vector);
    require(!row->vector || memcmp(vector, row->vector, 4 * dim) == 0);
    free(room.vector);
    free(vector);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cell cells[ROW_SENTENCE];
    struct store_row row;
    struct store_label_row label;
    struct store_removed_row removed;
    film_error error = {.message = ""};
    if (size < 2) return 0;
    enum row_vectors kind = data[0] & 1 ? ROW_PGVECTOR : ROW_BYTES;
    size_t dim = data[1];
    data += 2;
    size -= 2;
    for (size_t i = 0; i < ROW_SENTENCE; i++) cells[i] = take(&data, &size);
    float *vector = malloc(4 * dim + 1);
    require(vector != NULL);
    if (row_sentence(cells, kind, dim, vector, &row, &error) == FILM_OK)
        there_and_back(&row, kind, dim);
    else
        require(error.message[0]);
    if (row_label(cells, &label, &error) == FILM_OK)
        require(label.a > 0 && label.a < label.b && label.change > 0);
    if (row_removed(cells, &removed, &error) == FILM_OK)
        require(removed.change > 0 && removed.number > 0);
    for (size_t i = 0; i < ROW_SENTENCE; i++) free((char *)cells[i].bytes);
    free(vector);
    return 0;
}
