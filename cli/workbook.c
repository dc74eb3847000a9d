/* Converts the first visible sheet of an Excel workbook to TSV: a zip archive (zip.c) of XML parts
 * (expat). Formats, formulas and dates are not computed: a cell is what the file stores, so a date
 * is its number. The bytes are untrusted: sizes and depth are bounded, entities are refused. */
#include "workbook.h"
#include "zip.h"

#include <expat.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = 64,        /* of XML elements */
    MOST_STRINGS = 1 << 28, /* bytes of shared strings */
    MOST_ROW = 1 << 24,     /* bytes */
    MOST_ROWS = 1 << 20,    /* Excel's own limits */
    MOST_COLUMNS = 4096     /* of a table */
};

struct cell_text {
    char *bytes;
    size_t used, capacity;
};

enum book_part { PART_WORKBOOK, PART_RELATIONS, PART_STRINGS, PART_SHEET };

struct workbook {
    struct zip zip;
    film_put_fn put;
    void *to;
    XML_Parser parser;
    enum book_part part;
    int depth;
    int no_memory;
    const char *problem; /* why parsing was stopped */

    char sheet_id[64], sheet[256], strings[256]; /* relation of the sheet; names of parts */

    struct cell_text shared;
    size_t *start; /* of each shared string, and the end of the last */
    size_t string_count, start_capacity;

    int phonetic;           /* inside <rPh>: a reading, not the text */
    int reads;              /* inside <v> or <t> */
    struct cell_text value; /* of the cell */
    char type[12];
    size_t column;     /* of the cell, from 0 */
    size_t columns;    /* of the row so far, up to its last value */
    size_t width;      /* of the first row */
    size_t row, lines; /* number of the row; lines written */
    struct cell_text line;
};

static void stop(struct workbook *book, const char *problem)
{
    if (!book->problem) book->problem = problem;
    if (book->parser) XML_StopParser(book->parser, XML_FALSE);
}

static int append_bytes_to(struct workbook *book, struct cell_text *text, const char *bytes,
                           size_t count, size_t most)
{
    if (count > most - text->used) {
        stop(book, "a cell or row is too long; save it as CSV");
        return 0;
    }
    if (text->used + count > text->capacity) {
        size_t larger = 2 * text->capacity + count + 256;
        char *memory = realloc(text->bytes, larger);
        if (!memory) {
            book->no_memory = 1;
            stop(book, "out of memory");
            return 0;
        }
        text->bytes = memory;
        text->capacity = larger;
    }
    if (count) memcpy(text->bytes + text->used, bytes, count);
    text->used += count;
    return 1;
}

/* ---- XML ---- */

/* Names without their prefix: some programs write <x:row>. */
static const char *local(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

static int is(const char *name, const char *wanted)
{
    return strcmp(local(name), wanted) == 0;
}

/* The value of an attribute, or "". */
static const char *attribute(const char **list, const char *name)
{
    for (; *list; list += 2)
        if (strcmp(list[0], name) == 0) return list[1];
    return "";
}

/* ---- Which sheet ---- */

static void see_sheet(struct workbook *book, const char **list)
{
    if (book->sheet_id[0] || strstr(attribute(list, "state"), "idden")) return;
    for (; *list; list += 2)
        if (strchr(list[0], ':') && is(list[0], "id"))
            snprintf(book->sheet_id, sizeof book->sheet_id, "%s", list[1]);
}

/* A target is relative to xl/, or absolute. */
static void see_relation(struct workbook *book, const char **list)
{
    const char *target = attribute(list, "Target"), *type = strrchr(attribute(list, "Type"), '/');
    char *name = type && strcmp(type, "/sharedStrings") == 0                     ? book->strings
                 : strcmp(attribute(list, "Id"), book->sheet_id) == 0 && *target ? book->sheet
                                                                                 : NULL;
    if (name) snprintf(name, 256, "%s%s", *target == '/' ? "" : "xl/", target + (*target == '/'));
}

/* ---- Shared strings ---- */

static int note_start(struct workbook *book)
{
    if (book->string_count == book->start_capacity) {
        size_t larger = 2 * book->start_capacity + 1024;
        size_t *memory = realloc(book->start, larger * sizeof *memory);
        if (!memory) {
            book->no_memory = 1;
            stop(book, "out of memory");
            return 0;
        }
        book->start = memory;
        book->start_capacity = larger;
    }
    book->start[book->string_count++] = book->shared.used;
    return 1;
}

/* ---- Cells ---- */

/* "AB12" is column 27; SIZE_MAX: no reference. */
static size_t column_of(const char *reference)
{
    size_t column = 0;
    for (; *reference >= 'A' && *reference <= 'Z' && column <= MOST_COLUMNS; reference++)
        column = column * 26 + (size_t)(*reference - 'A' + 1);
    return column - 1;
}

static void start_row(struct workbook *book, const char **list)
{
    unsigned long number = strtoul(attribute(list, "r"), NULL, 10);
    book->row = number > book->row ? number : book->row + 1;
    if (book->row > MOST_ROWS) stop(book, "a damaged Excel workbook (row number); save it again");
    book->line.used = book->columns = 0;
    book->column = SIZE_MAX;
}

static void start_cell(struct workbook *book, const char **list)
{
    size_t column = column_of(attribute(list, "r"));
    book->column = column == SIZE_MAX ? book->column + 1 : column;
    book->value.used = 0;
    snprintf(book->type, sizeof book->type, "%s", attribute(list, "t"));
}

/* Excel writes the characters that XML cannot hold as _x000D_. Returns the length of such an escape
 * at AT, or 0. */
static size_t escape_at(const char *at, size_t left, char *out)
{
    char digits[5] = "", *end;
    if (left < 7 || at[0] != '_' || at[1] != 'x' || at[6] != '_') return 0;
    memcpy(digits, at + 2, 4);
    unsigned long code = strtoul(digits, &end, 16);
    if (end != digits + 4 || (code >= 32 && code != '_')) return 0;
    *out = code == '_' ? '_' : ' ';
    return 7;
}

static void write_value(struct workbook *book, const char *bytes, size_t count)
{
    size_t from = 0;
    for (size_t i = 0; i < count;) {
        char replaced = ' ';
        size_t length = strchr("\t\n\r", bytes[i]) ? 1 : escape_at(bytes + i, count - i, &replaced);
        if (length == 0) {
            i++;
            continue;
        }
        append_bytes_to(book, &book->line, bytes + from, i - from, MOST_ROW);
        append_bytes_to(book, &book->line, &replaced, 1, MOST_ROW);
        from = i += length;
    }
    append_bytes_to(book, &book->line, bytes + from, count - from, MOST_ROW);
}

/* A number with the 15 digits that Excel shows: it stores 0.1 as 0.10000000000000001. */
static void write_cell_number(struct workbook *book)
{
    char text[64], shown[64];
    size_t length = book->value.used;
    if (length <= 15 || length >= sizeof text) {
        write_value(book, book->value.bytes, length);
        return;
    }
    memcpy(text, book->value.bytes, length);
    text[length] = 0;
    write_value(book, shown, (size_t)snprintf(shown, sizeof shown, "%.15g", strtod(text, NULL)));
}

/* The number of a shared string, of at most LARGEST; SIZE_MAX: it is not one. The value has no NUL
 * at its end: as the longest one it has no room for that. */
static size_t string_number(const struct cell_text *value, size_t largest)
{
    size_t number = 0, i = 0;
    while (i < value->used && strchr(" \t\n\r", value->bytes[i])) i++;
    size_t first = i;
    for (; i < value->used && value->bytes[i] >= '0' && value->bytes[i] <= '9'; i++) {
        number = 10 * number + (size_t)(value->bytes[i] - '0');
        if (number > largest) return SIZE_MAX;
    }
    return i > first ? number : SIZE_MAX;
}

static void write_shared(struct workbook *book)
{
    size_t at = string_number(&book->value, MOST_STRINGS);
    if (at >= book->string_count - 1) {
        stop(book, "a damaged Excel workbook (shared string); save it again");
        return;
    }
    write_value(book, book->shared.bytes + book->start[at], book->start[at + 1] - book->start[at]);
}

static void end_cell(struct workbook *book)
{
    if (book->value.used == 0 || strcmp(book->type, "e") == 0) return;
    if (book->column >= MOST_COLUMNS) {
        stop(book, "a sheet of more than 4096 columns");
        return;
    }
    /* Cells are in order; one that is not would overwrite another. */
    if (book->columns > book->column) {
        stop(book, "a damaged Excel workbook (order of cells); save it again");
        return;
    }
    for (; book->columns < book->column; book->columns++)
        append_bytes_to(book, &book->line, "\t", book->columns > 0, MOST_ROW);
    if (book->columns > 0) append_bytes_to(book, &book->line, "\t", 1, MOST_ROW);
    book->columns = book->column + 1;
    if (strcmp(book->type, "s") == 0)
        write_shared(book);
    else if (strcmp(book->type, "b") == 0)
        write_value(book, book->value.bytes[0] == '1' ? "true" : "false",
                    book->value.bytes[0] == '1' ? 4 : 5);
    else if (book->type[0] == 0 || strcmp(book->type, "n") == 0)
        write_cell_number(book);
    else
        write_value(book, book->value.bytes, book->value.used);
}

static void end_row(struct workbook *book)
{
    if (book->columns == 0) return;
    if (book->width == 0) book->width = book->columns;
    for (; book->columns < book->width; book->columns++)
        append_bytes_to(book, &book->line, "\t", 1, MOST_ROW);
    append_bytes_to(book, &book->line, "\n", 1, MOST_ROW + 1);
    /* Blank rows are blank lines, so that a message names the row. */
    for (; book->lines + 1 < book->row; book->lines++)
        if (book->put(book->to, "\n", 1)) stop(book, "stopped");
    if (book->problem) return;
    if (book->put(book->to, book->line.bytes, book->line.used)) stop(book, "stopped");
    book->lines++;
}

/* ---- Events ---- */

static void on_start(void *user, const char *name, const char **list)
{
    struct workbook *book = user;
    if (++book->depth > MOST_DEPTH) stop(book, "a damaged Excel workbook (nesting); save it again");
    if (book->problem) return;
    if (book->part == PART_WORKBOOK && is(name, "sheet")) see_sheet(book, list);
    if (book->part == PART_RELATIONS && is(name, "Relationship")) see_relation(book, list);
    if (book->part == PART_STRINGS && is(name, "si")) note_start(book);
    if (book->part == PART_SHEET && is(name, "row")) start_row(book, list);
    if (book->part == PART_SHEET && is(name, "c")) start_cell(book, list);
    if (is(name, "rPh")) book->phonetic = 1;
    book->reads = !book->phonetic && (is(name, "t") || (is(name, "v") && book->part == PART_SHEET));
}

static void on_end(void *user, const char *name)
{
    struct workbook *book = user;
    book->depth--;
    book->reads = 0;
    if (book->problem) return;
    if (is(name, "rPh")) book->phonetic = 0;
    if (book->part == PART_SHEET && is(name, "c")) end_cell(book);
    if (book->part == PART_SHEET && is(name, "row")) end_row(book);
}

static void on_text(void *user, const char *bytes, int count)
{
    struct workbook *book = user;
    if (!book->reads || book->problem) return;
    if (book->part == PART_STRINGS)
        append_bytes_to(book, &book->shared, bytes, (size_t)count, MOST_STRINGS);
    else if (book->part == PART_SHEET)
        append_bytes_to(book, &book->value, bytes, (size_t)count, MOST_ROW);
}

/* Parts have no document type. Without one there are no entities that could explode. */
static void on_doctype(void *user, const char *name, const char *system, const char *public,
                       int internal)
{
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    stop(user, "a damaged Excel workbook (document type); save it again");
}

static int feed(void *user, const char *bytes, size_t count)
{
    struct workbook *book = user;
    return XML_Parse(book->parser, bytes, (int)count, 0) != XML_STATUS_OK;
}

/* Returns a problem, or NULL. A part that is missing has none. */
static const char *read_book_part(struct workbook *book, enum book_part part, const char *name)
{
    static const char *const problems[] = {
        [ZIP_DAMAGED] = "a damaged zip archive or Excel workbook; save it again",
        [ZIP_TOO_LARGE] = "a workbook whose parts are larger than 512 MiB; save it as CSV",
        [ZIP_NO_MEMORY] = "out of memory",
        [ZIP_STOPPED] = "a damaged Excel workbook (XML); save it again"};
    book->part = part;
    book->depth = book->phonetic = book->reads = 0;
    book->parser = XML_ParserCreate(NULL);
    if (!book->parser) {
        book->no_memory = 1;
        return "out of memory";
    }
    XML_SetUserData(book->parser, book);
    XML_SetElementHandler(book->parser, on_start, on_end);
    XML_SetCharacterDataHandler(book->parser, on_text);
    XML_SetStartDoctypeDeclHandler(book->parser, on_doctype);
    enum zip_result result = zip_read(&book->zip, name, feed, book);
    if (result == ZIP_OK && XML_Parse(book->parser, "", 0, 1) != XML_STATUS_OK)
        result = ZIP_STOPPED;
    if (result == ZIP_NO_MEMORY || XML_GetErrorCode(book->parser) == XML_ERROR_NO_MEMORY)
        book->no_memory = 1;
    XML_ParserFree(book->parser);
    book->parser = NULL;
    if (book->problem) return book->problem;
    return result == ZIP_OK || result == ZIP_MISSING ? NULL : problems[result];
}

static const char *read_sheets(struct workbook *book)
{
    const char *problem = read_book_part(book, PART_WORKBOOK, "xl/workbook.xml");
    if (problem) return problem;
    if (!book->sheet_id[0])
        return "a zip archive without a sheet of an Excel workbook; unpack it, or save it as CSV";
    problem = read_book_part(book, PART_RELATIONS, "xl/_rels/workbook.xml.rels");
    if (!problem) problem = read_book_part(book, PART_STRINGS, book->strings);
    if (problem || !note_start(book)) return problem ? problem : "out of memory";
    return read_book_part(book, PART_SHEET, book->sheet);
}

film_status workbook_read(void *user, const void *bytes, size_t size, film_put_fn put, void *to,
                          film_error *error)
{
    struct workbook book = {.put = put,
                            .to = to,
                            .sheet = "xl/worksheets/sheet1.xml",
                            .strings = "xl/sharedStrings.xml"};
    (void)user;
    const char *problem = zip_open(&book.zip, bytes, size) == ZIP_OK
                              ? read_sheets(&book)
                              : "a damaged zip archive or Excel workbook; save it again";
    free(book.shared.bytes);
    free(book.start);
    free(book.value.bytes);
    free(book.line.bytes);
    if (!problem) return FILM_OK;
    snprintf(error->message, sizeof error->message, "%s", problem);
    return error->status = book.no_memory ? FILM_NO_MEMORY : FILM_BAD_INPUT;
}
