/* Packs an id with the other columns of its record into one text, and unpacks it. It does not know
 * what the columns mean. */
#include "dedup/others.h"
#include "base/mem.h"
#include "text/value.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void others_free(struct others *others)
{
    for (size_t i = 0; i < others->count; i++) mem_free((char *)(uintptr_t)others->names[i].bytes);
    mem_free(others->names);
    mem_free(others->column);
    mem_free(others->values);
    mem_free(others->packed);
    *others = (struct others){0};
}

film_status others_add(struct others *others, film_text name, size_t column, film_error *error)
{
    film_status status = FILM_OK;
    void *names = others->names, *columns = others->column;
    char *copy = mem_string(name.bytes, name.length);
    int there = mem_grow(&names, &others->capacity, others->count + 1, sizeof *others->names);
    others->names = names;
    there = there &&
            mem_grow(&columns, &others->column_capacity, others->count + 1, sizeof *others->column);
    others->column = columns;
    mem_free(others->values);
    others->values = mem_zeroed(2 * (others->count + 1), sizeof *others->values);
    TRY_ALLOC(copy && there && others->values, error);
    others->names[others->count] = (film_text){copy, name.length};
    others->column[others->count++] = column;
    copy = NULL;
done:
    mem_free(copy);
    return status;
}

film_status others_of_table(struct others *others, const film_table *table, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = film_table_columns(table);
    for (size_t i = 0; i < count; i++)
        if (film_table_use(table, i) == FILM_COLUMN_B || film_table_use(table, i) == FILM_COLUMN_C)
            return FILM_OK;
    for (size_t i = 0; i < count; i++) {
        film_column use = film_table_use(table, i);
        film_text name = value_trim(film_table_column(table, i));
        char made[40];
        if (use == FILM_COLUMN_A || use == FILM_COLUMN_ID || use == FILM_COLUMN_IGNORED) continue;
        if (name.length == 0)
            name = (film_text){made, (size_t)snprintf(made, sizeof made, "column %zu", i + 1)};
        TRY(others_add(others, name, i, error));
    }
done:
    return status;
}

film_status others_pack(struct others *others, film_text id, const film_text *values,
                        film_text *packed, film_error *error)
{
    size_t needed = sizeof(uint32_t) + id.length;
    *packed = id;
    if (others->count == 0) return FILM_OK;
    for (size_t i = 0; i < others->count; i++) needed += sizeof(uint32_t) + values[i].length;
    void *memory = others->packed;
    int there = mem_grow(&memory, &others->packed_capacity, needed, 1);
    others->packed = memory;
    if (!there) return status_no_memory(error);
    char *at = others->packed;
    for (size_t i = 0; i <= others->count; i++) {
        film_text text = i ? values[i - 1] : id;
        uint32_t length = (uint32_t)text.length; /* a row has at most 16 MiB */
        memcpy(at, &length, sizeof length);
        if (length) memcpy(at + sizeof length, text.bytes, length);
        at += sizeof length + length;
    }
    *packed = (film_text){others->packed, needed};
    return FILM_OK;
}

const film_text *others_unpack(const struct others *others, film_text *id, int side)
{
    const char *at = id->bytes;
    if (others->count == 0 || !at) return NULL;
    film_text *values = others->values + (side ? others->count : 0);
    for (size_t i = 0; i <= others->count; i++) {
        uint32_t length;
        memcpy(&length, at, sizeof length);
        film_text text = {at + sizeof length, length};
        if (i == 0)
            *id = text;
        else
            values[i - 1] = text;
        at += sizeof length + length;
    }
    return values;
}
