/* Columns of the input that pass through to the output: their names, the values of a row packed
 * into one text, and writing them. */
#include "sheet.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether NAME is in LIST, names separated by tabs. */
static int is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (;; list++) {
        size_t part = strcspn(list, "\t");
        if (part == length && memcmp(list, name, length) == 0) return 1;
        list += part;
        if (!*list) return 0;
    }
}

static int is_taken(const struct kept *kept, const char *own, const char *name)
{
    for (size_t i = 0; i < kept->count; i++)
        if (strcmp(kept->names[i], name) == 0) return 1;
    return is_listed(own, name);
}

int kept_add(struct kept *kept, film_text name, const char *suffix, const char *own)
{
    if (kept->count == kept->capacity) {
        size_t larger = 2 * kept->capacity + 16;
        char **names = realloc(kept->names, larger * sizeof *names);
        if (names) kept->names = names;
        size_t *column = realloc(kept->column, larger * sizeof *column);
        if (column) kept->column = column;
        if (!names || !column) return 0;
        kept->capacity = larger;
    }
    size_t room = name.length + strlen(suffix) + 24;
    char *text = malloc(room);
    if (!text) return 0;
    int used = snprintf(text, room, "%.*s%s", (int)name.length, name.bytes, suffix);
    for (unsigned number = 2; is_taken(kept, own, text); number++)
        snprintf(text + used, room - (size_t)used, "_%u", number);
    kept->names[kept->count++] = text;
    return 1;
}

film_status kept_of_table(struct kept *kept, const film_table *table, unsigned left_out,
                          const char *own, film_error *error)
{
    for (size_t i = 0; i < film_table_columns(table); i++) {
        film_column use = film_table_use(table, i);
        film_text name = film_table_column(table, i);
        char made[40];
        if (use == FILM_COLUMN_IGNORED || left_out >> use & 1) continue;
        if (name.length == 0)
            name = (film_text){made, (size_t)snprintf(made, sizeof made, "column %zu", i + 1)};
        if (!kept_add(kept, name, "", own)) return no_memory(error);
        kept->column[kept->count - 1] = i;
    }
    return FILM_OK;
}

void kept_free(struct kept *kept)
{
    for (size_t i = 0; i < kept->count; i++) free(kept->names[i]);
    free(kept->names);
    free(kept->column);
    *kept = (struct kept){.names = NULL};
}

film_text kept_pack(const struct kept *kept, const film_row *row, char **memory, size_t *capacity)
{
    size_t needed = 1;
    for (size_t i = 0; i < kept->count; i++)
        needed += sizeof(size_t) + row->fields[kept->column[i]].length;
    if (needed > *capacity) {
        char *larger = realloc(*memory, 2 * needed);
        if (!larger) return (film_text){NULL, 0};
        *memory = larger;
        *capacity = 2 * needed;
    }
    char *at = *memory;
    for (size_t i = 0; i < kept->count; i++) {
        film_text value = row->fields[kept->column[i]];
        memcpy(at, &value.length, sizeof value.length);
        if (value.length) memcpy(at + sizeof value.length, value.bytes, value.length);
        at += sizeof value.length + value.length;
    }
    return (film_text){*memory, (size_t)(at - *memory)};
}

void sheet_header(struct sheet *sheet, const char *own, const struct kept *kept)
{
    if (sheet->json) return;
    sheet_raw(sheet, own);
    for (size_t i = 0; i < kept->count; i++) sheet_text(sheet, "", film_string(kept->names[i]));
    sheet_end_row(sheet);
}

void kept_write(struct sheet *sheet, const struct kept *kept, size_t first, size_t count,
                const film_text *values)
{
    for (size_t i = 0; i < count && sheet->status == FILM_OK; i++)
        sheet_text(sheet, kept->names[first + i], values ? values[i] : (film_text){NULL, 0});
}

void kept_write_packed(struct sheet *sheet, const struct kept *kept, film_text packed)
{
    const char *at = packed.bytes;
    for (size_t i = 0; i < kept->count; i++) {
        film_text value;
        memcpy(&value.length, at, sizeof value.length);
        value.bytes = at + sizeof value.length;
        at = value.bytes + value.length;
        sheet_text(sheet, kept->names[i], value);
    }
}
