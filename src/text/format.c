/* Detects TSV, CSV, JSON lines and plain lines by file name and first bytes. It does not detect
 * compression; source.c does. */
#include "text/format.h"
#include "text/columns.h"
#include "text/value.h"

#include <string.h>

const char *const format_names[RECORD_FORMATS] = {"tsv", "csv", "jsonl", "lines"};

enum record_format format_of(film_format format)
{
    return (enum record_format)((int)format - FILM_FORMAT_TSV);
}

static int name_ends_with(film_text *name, const char *ending)
{
    size_t length = strlen(ending);
    return name->length > length &&
           value_is((film_text){name->bytes + name->length - length, length}, ending);
}

static film_text without_packing(const char *path)
{
    static const char *const packings[] = {".gz", ".zst", ".zstd"};
    film_text name = value_of(path);
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++)
        if (name_ends_with(&name, packings[i])) {
            name.length -= strlen(packings[i]);
            break;
        }
    return name;
}

/* Returns the next line that is not blank; 0 at the end. */
static int next_line(film_text *rest, film_text *line)
{
    do {
        if (rest->length == 0) return 0;
        const char *end = memchr(rest->bytes, '\n', rest->length);
        size_t length = end ? (size_t)(end - rest->bytes) : rest->length;
        *line = (film_text){rest->bytes, length};
        rest->bytes += end ? length + 1 : length;
        rest->length -= end ? length + 1 : length;
        if (line->length && line->bytes[line->length - 1] == '\r') line->length--;
    } while (line->length == 0);
    return 1;
}

/* A tab in the first line and in most of the following ones: a single tab inside a sentence of a
 * CSV or text file does not make it TSV. STS Benchmark names its TSV files .csv. */
static int has_tabs(film_text beginning)
{
    film_text line;
    int lines = 0, with = 0;
    while (lines < 8 && next_line(&beginning, &line)) {
        int tab = memchr(line.bytes, '\t', line.length) != NULL;
        if (lines == 0 && !tab) return 0;
        lines++;
        with += tab;
    }
    return with * 2 > lines;
}

/* ---- CSV ---- */

/* How a beginning reads as CSV with one separator. */
struct csv_look {
    size_t first;  /* columns of the first record */
    size_t agree;  /* records with as many */
    size_t quoted; /* quoted fields */
    size_t broken; /* quoted fields with text after the closing quote */
};

static struct csv_look look_at_csv(film_text beginning, char separator)
{
    enum { START, PLAIN, QUOTED, CLOSED } state = START;
    struct csv_look look = {0};
    size_t columns = 1, length = 0, records = 0;
    for (size_t i = 0; i < beginning.length && records < 64; i++) {
        char c = beginning.bytes[i];
        int ends = c == '\n' && state != QUOTED;
        if (state == QUOTED) {
            if (c == '"') state = CLOSED;
        } else if (state == CLOSED && c == '"') {
            state = QUOTED;
        } else if (state == START && c == '"') {
            state = QUOTED;
            look.quoted++;
        } else if (c == separator || ends) {
            state = START;
            columns += (size_t)!ends;
        } else {
            look.broken += state == CLOSED && c != '\r';
            state = PLAIN;
        }
        length += c != '\n' && c != '\r';
        if (ends && length) {
            if (records++ == 0) look.first = columns;
            look.agree += columns == look.first;
        }
        if (ends) {
            columns = 1;
            length = 0;
        }
    }
    if (records == 0) {
        look.first = columns;
        look.agree = 1;
    }
    return look;
}

char format_separator(film_text beginning)
{
    struct csv_look comma = look_at_csv(beginning, ','), semicolon = look_at_csv(beginning, ';');
    if (semicolon.first < 2) return ',';
    return comma.first < 2 || semicolon.agree > comma.agree ? ';' : ',';
}

/* A tab-separated file with quotes as in CSV, as spreadsheets write it: every field that begins
 * with a quote ends with one. In other files, a quote is a character of a sentence. */
static int has_quotes(film_text beginning)
{
    struct csv_look look = look_at_csv(beginning, '\t');
    return look.quoted > 0 && look.broken == 0;
}

/* A first line such as id,question1,question2 means CSV even without a file name. One name alone
 * does not: it may be a word of a sentence. */
static film_status has_csv_header(film_text beginning, char separator, int *is_header,
                                  film_error *error)
{
    struct record record = {.name = "", .line = 1, .separator = separator};
    struct columns columns = {0};
    *is_header = 0;
    if (!next_line(&beginning, &record.raw)) return FILM_OK;
    film_status status = record_split(&record, RECORD_CSV, error);
    if (status == FILM_OK && record.field_count >= 2)
        *is_header = columns_recognise(&columns, record.fields, record.field_count) &&
                     (columns.at[COLUMN_B] != COLUMN_NONE || columns.at[COLUMN_ID] != COLUMN_NONE ||
                      columns.at[COLUMN_CATEGORY] != COLUMN_NONE);
    record_free(&record);
    return status == FILM_NO_MEMORY ? status : FILM_OK;
}

film_status format_detect(const char *path, film_text beginning, struct format *format,
                          film_error *error)
{
    film_text name = without_packing(path), rest = beginning, line = {"", 0};
    int csv_header = 0;
    film_status status = FILM_OK;
    *format = (struct format){RECORD_TSV, ','};
    if (name_ends_with(&name, ".tsv") || name_ends_with(&name, ".tab")) return FILM_OK;
    if (name_ends_with(&name, ".jsonl") || name_ends_with(&name, ".ndjson") ||
        name_ends_with(&name, ".json")) {
        format->kind = RECORD_JSONL;
    } else if (name_ends_with(&name, ".csv")) {
        int tabs = has_tabs(beginning);
        if (!tabs || has_quotes(beginning)) format->kind = RECORD_CSV;
        format->separator = tabs ? '\t' : format_separator(beginning);
    } else if (next_line(&rest, &line) && line.bytes[0] == '{') {
        format->kind = RECORD_JSONL;
    } else if (!has_tabs(beginning)) {
        format->separator = format_separator(beginning);
        status = has_csv_header(beginning, format->separator, &csv_header, error);
        format->kind = csv_header ? RECORD_CSV : RECORD_LINES;
    }
    return status;
}
