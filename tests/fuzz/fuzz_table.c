/* Fuzzes tables. The first four bytes select name, options and the size of reads; the file follows.
 * Besides memory errors it checks that rows do not depend on the size of reads, that texts are
 * UTF-8 and that messages name the file. */
#include "arena.h"
#include "base/rng.h"
#include "base/strtab.h"
#include "text/table.h"
#include "base/utf8.h"

enum { MOST_ROWS = 5000 };

static const char *const names[] = {"x.tsv", "x.csv", "x.jsonl", "x.txt", "x", "x.csv.gz"};
static const film_format formats[] = {FILM_FORMAT_AUTO,  FILM_FORMAT_AUTO, FILM_FORMAT_AUTO,
                                      FILM_FORMAT_TSV,   FILM_FORMAT_CSV,  FILM_FORMAT_JSONL,
                                      FILM_FORMAT_LINES, FILM_FORMAT_COUNT};
static const char *const columns[] = {NULL,        NULL,
                                      NULL,        NULL,
                                      "label,a,b", "text,category",
                                      "a,b",       "id,-,score,a,b",
                                      "a,,b",      "text",
                                      "text=text", "a=a,b=b,answer=c"};
static const char *const encodings[] = {NULL, "windows-1252", "latin-1", NULL};

static uint64_t mix(uint64_t sum, film_text text)
{
    require(utf8_valid(text.bytes, text.length, NULL));
    return sum * 31 + strtab_hash(text.bytes, text.length);
}

/* Checksums of the output so far. */
struct reading {
    uint64_t meaning, rows, skipped, line, number;
    int count;
};

static void read_rows(film_table *table, struct reading *reading, film_status *status,
                      film_error *error)
{
    film_row row;
    uint64_t sum = 0, rows = reading->rows;
    require(film_table_labels(table) != FILM_LABELS_AUTO);
    for (size_t i = 0; i < film_table_columns(table); i++)
        sum = mix(sum, film_table_column(table, i));
    reading->meaning = mix(sum, film_table_header(table));
    while (reading->count < MOST_ROWS) {
        *status = film_table_next(table, &row, error);
        if (*status != FILM_OK) break;
        uint64_t number = film_table_row(table);
        require(row.line > reading->line);
        reading->line = row.line;
        require(number > reading->number && number <= reading->line);
        reading->number = number;
        reading->count++;
        rows = mix(mix(mix(rows, row.a), row.b), row.c);
        rows = mix(mix(mix(rows, row.id), row.category), row.raw);
        for (size_t k = 0; k < row.field_count; k++) rows = mix(rows, row.fields[k]);
        rows = (rows * 31 + reading->line) * 31 + number + (row.label == 1);
    }
    double progress = film_table_progress(table);
    require(progress >= 0 && progress <= 1);
    reading->rows = rows;
    reading->skipped += film_table_skipped(table);
}

/* A checksum of all rows up to the first problem. */
static uint64_t read_all(const uint8_t *data, size_t size, const char *name, size_t chunk,
                         const film_table_options *options)
{
    film_error error = {FILM_OK, ""};
    struct reading reading = {0};
    film_table *table = NULL;
    film_status status = table_open_bytes(data, size, name, chunk, options, &table, &error);
    require((status == FILM_OK) == (table != NULL));
    if (table) read_rows(table, &reading, &status, &error);
    film_table_close(table);
    uint64_t sum = reading.meaning * 31 + reading.rows * 37 + reading.skipped;
    if (status != FILM_OK && status != FILM_END) {
        require(error.status == status && strlen(error.message) > 5);
        if (status == FILM_BAD_INPUT) require(strncmp(error.message, name, strlen(name)) == 0);
        require(utf8_valid(error.message, strlen(error.message), NULL));
        sum = sum * 31 + strtab_hash(error.message, strlen(error.message));
    }
    return sum * 31 + (uint64_t)status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) return 0;
    const char *name = names[data[0] % (sizeof names / sizeof names[0])];
    film_table_options options = {
        .format = formats[data[1] % (sizeof formats / sizeof formats[0])],
        .columns = columns[data[2] % (sizeof columns / sizeof columns[0])],
        .labels = data[3] & 64 ? (film_labels)(data[3] % 6) : FILM_LABELS_AUTO,
        .encoding = encodings[data[1] >> 6],
        .skip_bad = data[3] >> 7};
    size_t chunk = (size_t)(data[3] & 63) + 1;
    arena_begin();
    uint64_t whole = read_all(data + 4, size - 4, name, 0, &options);
    /* Damaged compressed data may give rows before the damage is found: how many depends on
     * reads. */
    int packed = size > 5 && (data[4] == 0x1f || data[4] == 0x28 || (data[4] & 0xf0) == 0x50);
    require(packed || whole == read_all(data + 4, size - 4, name, chunk, &options));
    arena_end();
    return 0;
}
