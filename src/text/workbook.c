/* Passes workbooks to the function that the program has set, and bounds their size. It does not
 * know zip or XML. */
#include "text/workbook.h"
#include "base/mem.h"

#include <string.h>

static film_workbook_fn reader;
static void *reader_user;

void workbook_set_reader(film_workbook_fn call, void *user)
{
    reader = call;
    reader_user = user;
}

/* FILM_BAD_INPUT: too large. */
static film_status grow(struct workbook_bytes *to, const void *bytes, size_t count)
{
    void *memory = to->bytes;
    if (count > WORKBOOK_BYTES - to->used) return FILM_BAD_INPUT;
    int there = mem_grow(&memory, &to->capacity, to->used + count + 1, 1);
    to->bytes = memory;
    if (!there) return FILM_NO_MEMORY;
    if (count) memcpy(to->bytes + to->used, bytes, count);
    to->used += count;
    return FILM_OK;
}

static film_status explain(film_status status, const char *name, film_error *error)
{
    if (status == FILM_NO_MEMORY) return status_no_memory(error);
    return status == FILM_OK
               ? FILM_OK
               : status_set(error, status, "%s: a workbook of more than %d MiB; save it as CSV",
                            name, WORKBOOK_BYTES >> 20);
}

film_status workbook_append(struct workbook_bytes *file, const void *bytes, size_t count,
                            const char *name, film_error *error)
{
    return explain(grow(file, bytes, count), name, error);
}

struct sheet_text {
    struct workbook_bytes text;
    film_status status;
};

static int put(void *to, const char *bytes, size_t count)
{
    struct sheet_text *sheet = to;
    if (sheet->status == FILM_OK) sheet->status = grow(&sheet->text, bytes, count);
    return sheet->status != FILM_OK;
}

film_status workbook_convert(const struct workbook_bytes *file, const char *name, char **out,
                             size_t *size, film_error *error)
{
    film_status status = FILM_OK;
    struct sheet_text sheet = {.status = FILM_OK};
    film_error problem = {.message = ""};
    if (!reader)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: a zip archive or an Excel workbook, which this program cannot read; "
                          "unpack it, or save it as CSV",
                          name);
    put(&sheet, "", 0); /* an empty sheet has memory too */
    status = reader(reader_user, file->bytes, file->used, put, &sheet, &problem);
    if (sheet.status != FILM_OK) TRY(explain(sheet.status, name, error));
    if (status == FILM_NO_MEMORY) TRY(status_no_memory(error));
    if (status != FILM_OK) TRY(status_set(error, status, "%s: %s", name, problem.message));
    *out = sheet.text.bytes;
    *size = sheet.text.used;
    sheet.text.bytes = NULL;
done:
    mem_free(sheet.text.bytes);
    return status;
}
