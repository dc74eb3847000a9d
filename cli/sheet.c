/* Writes a table as TSV or JSON lines, field by field. */
#include "sheet.h"
#include "json.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void put_raw(struct sheet *sheet, const char *bytes, size_t count)
{
    if (sheet->status == FILM_OK && count)
        sheet->status = film_output_write(sheet->output, bytes, count, &sheet->error);
}

void sheet_open(struct sheet *sheet, const char *path, int json)
{
    *sheet = (struct sheet){.json = json, .first_field = 1};
    sheet->status = film_output_open(path, &sheet->output, &sheet->error);
}

json_t *json_of_text(film_text text)
{
    film_text name, value;
    size_t at = 0;
    if (!text.bytes) return json_null();
    if (!text.length || text.bytes[0] != RECORD_NAME) return json_stringn(text.bytes, text.length);
    json_t *record = json_object();
    while (record && film_record_next(text, &at, &name, &value))
        if (json_object_setn_new(record, name.bytes, name.length,
                                 json_stringn(value.bytes, value.length)) != 0) {
            json_decref(record);
            record = NULL;
        }
    return record;
}

static void put_quoted(struct sheet *sheet, film_text text)
{
    json_t *string = json_of_text(text);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    if (quoted)
        put_raw(sheet, quoted, strlen(quoted));
    else if (sheet->status == FILM_OK)
        sheet->status = no_memory(&sheet->error);
    free(quoted);
    json_decref(string);
}

static void start_field(struct sheet *sheet, const char *name)
{
    if (sheet->json) {
        put_raw(sheet, sheet->first_field ? "{" : ", ", sheet->first_field ? 1 : 2);
        put_quoted(sheet, film_string(name));
        put_raw(sheet, ": ", 2);
    } else if (!sheet->first_field) {
        put_raw(sheet, "\t", 1);
    }
    sheet->first_field = 0;
}

void sheet_raw(struct sheet *sheet, const char *fields)
{
    start_field(sheet, "");
    put_raw(sheet, fields, strlen(fields));
}

static void put_unquoted(struct sheet *sheet, film_text text)
{
    for (size_t i = 0, end, control = 0; i < text.length; i = end + control) {
        for (end = i; end < text.length && !(control = control_at(text, end));) end++;
        put_raw(sheet, text.bytes + i, end - i);
        if (control) put_raw(sheet, control_shown(text, end), strlen(control_shown(text, end)));
    }
}

void sheet_text(struct sheet *sheet, const char *name, film_text text)
{
    start_field(sheet, name);
    if (sheet->json)
        put_quoted(sheet, text);
    else
        put_unquoted(sheet, text);
}

/* "%.9g" of a number from 0.0001 to 1: nine digits. Returns 0 for others, and where the last digit
 * is nearly a tie, which snprintf rounds exactly. */
static size_t nine_digits(double number, char *text)
{
    enum { DIGITS = 9 };
    size_t zeros = 0, length = 2;
    double scaled = number * 1e9;
    if (!(number >= 1e-4 && number < 1)) return 0;
    for (; scaled < 1e8; zeros++) scaled = number * (zeros == 0 ? 1e10 : zeros == 1 ? 1e11 : 1e12);
    uint64_t whole = (uint64_t)scaled;
    double rest = scaled - (double)whole;
    if (fabs(rest - 0.5) < 1e-5) return 0;
    whole += rest > 0.5;
    if (whole >= 1000000000) return 0;
    memcpy(text, "0.000", 5);
    length += zeros;
    for (size_t i = DIGITS; i-- > 0; whole /= 10) text[length + i] = (char)('0' + whole % 10);
    for (length += DIGITS; text[length - 1] == '0';) length--;
    return length;
}

void sheet_number(struct sheet *sheet, const char *name, const char *format, double number)
{
    char text[64];
    start_field(sheet, name);
    size_t length = strcmp(format, "%.9g") == 0 ? nine_digits(number, text) : 0;
    if (!length) length = (size_t)snprintf(text, sizeof text, format, number);
    put_raw(sheet, text, length);
}

void sheet_flag(struct sheet *sheet, const char *name, int flag)
{
    start_field(sheet, name);
    if (sheet->json)
        put_raw(sheet, flag ? "true" : "false", flag ? 4 : 5);
    else
        put_raw(sheet, flag ? "*" : "", flag ? 1 : 0);
}

void sheet_end_row(struct sheet *sheet)
{
    if (sheet->json) put_raw(sheet, "}", 1);
    put_raw(sheet, "\n", 1);
    sheet->first_field = 1;
}

film_status sheet_close(struct sheet *sheet, film_status status, film_error *error)
{
    film_output *output = sheet->output;
    sheet->output = NULL;
    /* After a failed write the library returns FILM_CANCELLED. The actual error is in the sheet. */
    if (sheet->status != FILM_OK && (status == FILM_OK || status == FILM_CANCELLED)) {
        *error = sheet->error;
        status = sheet->status;
    }
    if (status == FILM_OK) return film_output_commit(output, error);
    film_output_discard(output);
    return status;
}
