/* film_table: the rows of a file, whatever its format, with line numbers for messages. Finding and
 * splitting records is done in reader.c and record.c, roles of columns in columns.c. */
#include "text/table.h"
#include "base/sized.h"
#include "base/mem.h"
#include "text/columns.h"
#include "text/filetype.h"
#include "text/format.h"
#include "text/jsonl.h"
#include "text/reader.h"
#include "text/value.h"

#include <math.h>
#include <string.h>

/* Format and columns are decided from at most this number of bytes and records. The reader waits
 * for all of the bytes, so a file gives the same decision however slowly it arrives. */
enum { PEEK_BYTES = 1 << 16, PEEK_RECORDS = 64 };

struct film_table {
    struct reader reader;
    struct record record;
    struct columns columns;
    enum record_format format;
    char separator; /* of CSV */
    int skip_bad;
    uint64_t rows; /* records read so far, good and bad */
    uint64_t skipped;
    char *header;
    size_t header_length;
    struct record_text text[2]; /* of a table of records: A and B of the row */
};

/* ---- One record ---- */

/* Loads a record from the reader, checks it and splits it. JSON is only parsed: its fields depend
 * on the column names. */
static film_status load_record(const film_table *table, struct record *record,
                               const struct reader_record *from, film_error *error)
{
    enum record_format format = table->format;
    record->name = source_name(table->reader.source);
    record->separator = table->separator;
    record->line = from->line;
    record->raw = from->raw;
    if (from->too_long)
        return record_bad(record, error, "row longer than %d MiB", READER_MAX_RECORD >> 20);
    film_status status = record_check_bytes(record, format, error);
    if (status != FILM_OK) return status;
    return format == RECORD_JSONL ? jsonl_parse(record, error)
                                  : record_split(record, format, error);
}

/* ---- Opening ---- */

/* Returns the bytes of the line end at AT; 0: there is none. */
static size_t line_end(const struct reader *reader, size_t at)
{
    if (at < reader->end && reader->buffer[at] == '\n') return 1;
    return at + 1 < reader->end && memcmp(reader->buffer + at, "\r\n", 2) == 0 ? 2 : 0;
}

/* Skips blank lines before the first record, so that it begins at the start of the buffer. */
static film_status pass_blank_lines(struct reader *reader, film_error *error)
{
    film_status status;
    do {
        size_t at = 0;
        for (size_t end; (end = line_end(reader, at)); at += end) reader->line++;
        reader_drop(reader, at);
        status = reader_fill(reader, PEEK_BYTES, error);
    } while (status == FILM_OK && line_end(reader, 0));
    if (status == FILM_OK && reader->end == 0) return reader_empty(reader, error);
    return status;
}

/* Reads the bytes that tell the format. Of lines, only the first: a user may type them. */
static film_status read_beginning(struct reader *reader, int lines, film_text *out,
                                  film_error *error)
{
    film_status status;
    const char *end;
    size_t wanted = lines ? 1 : PEEK_BYTES;
    do {
        status = reader_fill(reader, wanted, error);
        *out = (film_text){reader->buffer, reader->end < PEEK_BYTES ? reader->end : PEEK_BYTES};
        end = lines ? memchr(out->bytes, '\n', out->length) : NULL;
        wanted = reader->end + 1;
    } while (lines && !end && status == FILM_OK && !reader->over && wanted <= PEEK_BYTES);
    if (end) out->length = (size_t)(end - out->bytes) + 1;
    return status;
}

static film_status find_format(film_table *table, const film_table_options *options,
                               film_error *error)
{
    film_status status = FILM_OK;
    struct reader *reader = &table->reader;
    int sheet = source_is_workbook(reader->source);
    struct format format = {RECORD_TSV, ','};
    if (options->format && !sheet) format.kind = format_of(options->format);
    TRY(reader_check_start(reader, error));
    film_text beginning;
    TRY(read_beginning(reader, format.kind == RECORD_LINES, &beginning, error));
    const char *problem = filetype_problem(beginning);
    if (problem)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: %s", source_name(reader->source), problem));
    if (!options->format && !sheet)
        TRY(format_detect(source_name(reader->source), beginning, &format, error));
    else if (format.kind == RECORD_CSV)
        format.separator = format_separator(beginning);
    table->format = format.kind;
    table->separator = format.separator;
    if (table->format != RECORD_LINES) TRY(pass_blank_lines(reader, error));
    reader->csv = table->format == RECORD_CSV ? table->separator : 0;
done:
    return status;
}

/* The records examined before the first row is returned. */
struct peeked {
    struct record records[PEEK_RECORDS];
    struct columns_peek peek;
    size_t first_end; /* bytes of the first record, including its line end */
    uint64_t second_line;
};

/* Loads the first records, then resets the reader. The first is read whatever its length (the
 * buffer may move for it), the others only if they end within PEEK_BYTES. Bad records are ignored
 * here and reported later, unless there is nothing else. */
static film_status look_ahead(film_table *table, struct peeked *peeked, film_error *error)
{
    struct reader *reader = &table->reader;
    uint64_t line = reader->line;
    film_error first_problem = {FILM_OK, ""}, problem;
    struct reader_record next;
    film_status status = reader_next(reader, &next, error);
    if (status != FILM_OK) return status;
    peeked->first_end = reader->start;
    peeked->second_line = reader->line;
    int is_first = 1;
    do {
        if (next.raw.length == 0 && !next.too_long) continue;
        struct record *record = &peeked->records[peeked->peek.count];
        status = load_record(table, record, &next, &problem);
        if (status == FILM_NO_MEMORY) {
            if (error) *error = problem;
            return status;
        }
        if (status == FILM_OK && is_first) peeked->peek.from_start = 1;
        if (status == FILM_OK) peeked->peek.count++;
        if (status != FILM_OK && !first_problem.status) first_problem = problem;
        is_first = 0;
    } while (!next.too_long && peeked->peek.count < PEEK_RECORDS &&
             reader_next_ready(reader, &next) && reader->start <= PEEK_BYTES);
    if (peeked->peek.count == 0) {
        if (!first_problem.status) return reader_empty(reader, error);
        if (error) *error = first_problem;
        return first_problem.status;
    }
    reader->start = 0;
    reader->line = line;
    reader->scan = (struct reader_scan){0};
    return FILM_OK;
}

static film_status find_columns(film_table *table, const film_table_options *options,
                                film_error *error)
{
    film_status status = FILM_OK;
    const char *name = source_name(table->reader.source);
    struct columns *columns = &table->columns;
    struct peeked *peeked = mem_zeroed(1, sizeof *peeked);
    if (!peeked) return status_no_memory(error);
    peeked->peek.records = peeked->records;
    TRY(look_ahead(table, peeked, error));
    if (table->format == RECORD_JSONL) {
        TRY(jsonl_keys(peeked->records, peeked->peek.count, &columns->names, &columns->count,
                       error));
        for (size_t i = 0; i < peeked->peek.count; i++)
            TRY(jsonl_fields(&peeked->records[i], columns->names, columns->count, error));
    }
    TRY(columns_decide(columns, name, table->format, options, &peeked->peek, error));
    if (columns->has_header) {
        film_text raw = peeked->records[0].raw;
        TRY_ALLOC(table->header = mem_string(raw.bytes, raw.length), error);
        table->header_length = raw.length;
        table->reader.start = peeked->first_end;
        table->reader.line = peeked->second_line;
    }
done:
    for (size_t i = 0; i < PEEK_RECORDS; i++) record_free(&peeked->records[i]);
    mem_free(peeked);
    return status;
}

/* Takes ownership of SOURCE. */
static film_status open_source(struct source *source, const film_table_options *options,
                               film_table **out, film_error *error)
{
    film_status status = FILM_OK;
    enum encoding encoding;
    film_table *table = mem_zeroed(1, sizeof *table);
    if (!table) {
        source_close(source);
        return status_no_memory(error);
    }
    table->skip_bad = options->skip_bad;
    TRY(reader_open(&table->reader, source, error));
    TRY(encoding_find(options->encoding, &encoding, error));
    TRY(source_set_encoding(source, encoding, error));
    TRY(find_format(table, options, error));
    /* Plain lines need no decision: they are returned as they arrive, for a user who types. */
    if (table->format == RECORD_LINES) {
        struct columns_peek none = {0};
        TRY(columns_decide(&table->columns, source_name(source), table->format, options, &none,
                           error));
    } else {
        TRY(find_columns(table, options, error));
    }
    *out = table;
done:
    if (status != FILM_OK) film_table_close(table);
    return status;
}

film_status table_open(const char *path, const film_table_options *options, film_table **out,
                       film_error *error)
{
    static const film_table_options standard = {0};
    struct source *source = NULL;
    *out = NULL;
    if (!options) options = &standard;
    film_status status = table_check_options(options, error);
    if (status == FILM_OK) status = source_open(path, &source, error);
    if (status == FILM_OK) status = open_source(source, options, out, error);
    return status;
}

film_status table_open_bytes(const void *bytes, size_t size, const char *name, size_t chunk,
                             const film_table_options *options, film_table **out, film_error *error)
{
    struct source *source = NULL;
    *out = NULL;
    film_status status = table_check_options(options, error);
    if (status == FILM_OK) status = source_open_bytes(bytes, size, name, chunk, &source, error);
    if (status == FILM_OK) status = open_source(source, options, out, error);
    return status;
}

void film_table_close(film_table *table)
{
    if (!table) return;
    reader_close(&table->reader);
    record_free(&table->record);
    columns_free(&table->columns);
    mem_free(table->header);
    mem_free(table->text[0].bytes);
    mem_free(table->text[1].bytes);
    mem_free(table);
}

/* ---- Rows ---- */

static film_status check_width(const film_table *table, film_error *error)
{
    const struct columns *columns = &table->columns;
    const struct record *record = &table->record;
    char list[COLUMNS_LISTED];
    if (record->field_count == columns->count ||
        (columns->more_allowed && record->field_count > columns->count))
        return FILM_OK;
    return record_bad(record, error, "%zu column%s, expected %zu%s (%s)", record->field_count,
                      record->field_count == 1 ? "" : "s", columns->count,
                      columns->more_allowed ? " or more" : "", columns_list(columns, list));
}

static film_status read_label(const film_table *table, double *label, film_error *error)
{
    const struct record *record = &table->record;
    const struct columns *columns = &table->columns;
    film_text value = record->fields[columns->at[COLUMN_LABEL]];
    char shown[VALUE_SHOWN];
    double number;
    /* An unknown header looks like a bad first row. */
    const char *hint =
        record->line == 1 && !columns->has_header ? "; if this is a header, name the columns" : "";
    if (columns->labels == FILM_LABELS_SCORES) {
        if (value_number(value, label)) return FILM_OK;
        return record_bad(record, error, "score \"%s\" is not a number%s", value_show(value, shown),
                          hint);
    }
    if (value_label(value, label)) return FILM_OK;
    if (value_number(value, &number))
        hint = " (for degrees of similarity choose labels of the kind scores)";
    return record_bad(record, error, "label \"%s\" is not 0 or 1%s", value_show(value, shown),
                      hint);
}

static int label_counts(const film_table *table)
{
    return table->columns.labels == FILM_LABELS_PAIRS ||
           table->columns.labels == FILM_LABELS_SCORES;
}

/* JSON objects may lack keys; those that are used must exist. */
static film_status check_keys(const film_table *table, film_error *error)
{
    for (int role = 0; role < COLUMN_ROLES; role++) {
        size_t column = table->columns.at[role];
        if (column == COLUMN_NONE || role == COLUMN_ID) continue;
        if (table->columns.fields && role <= COLUMN_B) continue; /* a field may be missing */
        if (role == COLUMN_LABEL && !label_counts(table)) continue;
        if (role == COLUMN_CATEGORY && table->columns.labels != FILM_LABELS_CATEGORIES) continue;
        film_status status = jsonl_require(&table->record, table->columns.names[column], error);
        if (status != FILM_OK) return status;
    }
    return FILM_OK;
}

static film_text role_text(const film_table *table, int role)
{
    size_t column = table->columns.at[role];
    return column == COLUMN_NONE ? (film_text){NULL, 0} : table->record.fields[column];
}

static film_status make_row(film_table *table, const struct reader_record *from, film_row *row,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct record *record = &table->record;
    double label = NAN;
    TRY(load_record(table, record, from, error));
    if (table->format == RECORD_JSONL) {
        TRY(check_keys(table, error));
        TRY(jsonl_fields(record, table->columns.names, table->columns.count, error));
    } else {
        TRY(check_width(table, error));
    }
    if (label_counts(table)) TRY(read_label(table, &label, error));
    *row = (film_row){.line = record->line,
                      .a = role_text(table, COLUMN_A),
                      .b = role_text(table, COLUMN_B),
                      .c = role_text(table, COLUMN_C),
                      .id = role_text(table, COLUMN_ID),
                      .category = role_text(table, COLUMN_CATEGORY),
                      .label = label,
                      .raw = record->raw,
                      .fields = record->fields,
                      .field_count = record->field_count};
    if (table->columns.fields)
        TRY(column_fields_join(&table->columns, record, 0, &table->text[0], &row->a, error));
    if (table->columns.fields && row->b.bytes)
        TRY(column_fields_join(&table->columns, record, 1, &table->text[1], &row->b, error));
done:
    return status;
}

film_status film_table_next(film_table *table, film_row *row, film_error *error)
{
    for (;;) {
        struct reader_record next;
        film_status status = reader_next(&table->reader, &next, error);
        if (status != FILM_OK) return status;
        if (table->format != RECORD_LINES && next.raw.length == 0 && !next.too_long) continue;
        table->rows++;
        status = make_row(table, &next, row, error);
        if (status != FILM_BAD_INPUT || !table->skip_bad) return status;
        table->skipped++;
    }
}

/* ---- Properties ---- */

uint64_t film_table_row(const film_table *table)
{
    return table->rows;
}

film_labels film_table_labels(const film_table *table)
{
    return table->columns.labels;
}

uint64_t film_table_skipped(const film_table *table)
{
    return table->skipped;
}

film_format film_table_format(const film_table *table)
{
    return (film_format)(FILM_FORMAT_TSV + (int)table->format);
}

char film_table_separator(const film_table *table)
{
    return table->format == RECORD_CSV ? table->separator : '\t';
}

double film_table_progress(const film_table *table)
{
    return source_progress(table->reader.source);
}

film_text film_table_header(const film_table *table)
{
    return (film_text){table->header ? table->header : "", table->header_length};
}

size_t film_table_columns(const film_table *table)
{
    return table->columns.count;
}

film_text film_table_column(const film_table *table, size_t index)
{
    if (index >= table->columns.count) return (film_text){"", 0};
    return value_of(table->columns.names[index]);
}

film_column film_table_use(const film_table *table, size_t index)
{
    static const film_column uses[COLUMN_ROLES] = {
        [COLUMN_A] = FILM_COLUMN_A,   [COLUMN_B] = FILM_COLUMN_B,
        [COLUMN_C] = FILM_COLUMN_C,   [COLUMN_LABEL] = FILM_COLUMN_LABEL,
        [COLUMN_ID] = FILM_COLUMN_ID, [COLUMN_CATEGORY] = FILM_COLUMN_CATEGORY};
    for (int role = 0; role < COLUMN_ROLES; role++)
        if (table->columns.at[role] == index) return uses[role];
    int side = column_fields_use(&table->columns, index);
    if (side >= 0) return uses[COLUMN_A + side];
    return value_is(film_table_column(table, index), "-") ? FILM_COLUMN_IGNORED : FILM_COLUMN_OTHER;
}

size_t table_column_of(const film_table *table, int role)
{
    return table->columns.at[role];
}

const char *table_name(const film_table *table)
{
    return source_name(table->reader.source);
}
