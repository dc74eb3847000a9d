/* film_io.h - read tables and write files.
 *
 *     film_table *table = NULL;
 *     film_row row;
 *     film_status status = film_table_open("pairs.tsv", NULL, &table, &error);
 *     while (status == FILM_OK && (status = film_table_next(table, &row, &error)) == FILM_OK)
 *         printf("%.*s\n", (int)row.a.length, row.a.bytes);
 *     film_table_close(table);
 *
 * film_types.h has the rules of all calls. This header is part of libfilm.
 */
#ifndef FILM_IO_H
#define FILM_IO_H

#include "film_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading tables ------------------------------------------------------------------------- */

/* The formats of a table. Each may be compressed with gzip or zstd. */
typedef enum film_format {
    /* Detected from the name of the file and its first bytes. */
    FILM_FORMAT_AUTO = 0,
    FILM_FORMAT_TSV,
    /* RFC 4180. */
    FILM_FORMAT_CSV,
    /* One JSON object per line. */
    FILM_FORMAT_JSONL,
    /* One sentence per line. */
    FILM_FORMAT_LINES,
    FILM_FORMAT_COUNT
} film_format;

/* "auto", "tsv", "csv", "jsonl" or "lines". */
FILM_API const char *film_format_name(film_format format);

/* What the labels of a table mean. */
typedef enum film_labels {
    /* Detected from the columns. */
    FILM_LABELS_AUTO = 0,
    /* Sentences or pairs without labels. */
    FILM_LABELS_NONE,
    /* Two sentences and 0 or 1. */
    FILM_LABELS_PAIRS,
    /* Two sentences and a degree of similarity. */
    FILM_LABELS_SCORES,
    /* Anchor, similar sentence, dissimilar sentence. */
    FILM_LABELS_TRIPLETS,
    /* A sentence and its category. */
    FILM_LABELS_CATEGORIES,
    FILM_LABELS_COUNT
} film_labels;

/* How to read a table. */
typedef struct film_table_options {
    size_t size;
    film_format format;
    film_labels labels;
    /* The columns in file order, "label,a,b" ("-" ignores a column), or by their names in the
     * header, "text=Question,category=Topic". NULL: detected from the header or the layout. */
    const char *columns;
    /* Skip and count bad rows instead of failing at the first. */
    int skip_bad;
    /* The encoding of the file: "utf-8", "windows-1252" or "latin-1". NULL: UTF-8. */
    const char *encoding;
    /* Tables of records: the fields to compare, "title,price:number,phone:code". A type (text,
     * name, number, money, date, code, category, url, email, place) is used in training; without
     * one it is guessed. In a table of single records, these columns are joined to the text. NULL:
     * every pair of columns left_NAME and right_NAME (or ltable_NAME and rtable_NAME, NAME_left and
     * NAME_right, NAME_l and NAME_r). */
    const char *fields;
    /* The names of the second record's columns, where they differ: "title=name,price=cost". In a
     * table of single records the column "name" is then the field "title", if no column is. */
    const char *pair_fields;
    /* Reserved for later options; must be zero. */
    void *reserved[1];
} film_table_options;

/* Sets a function that is called before every read of a table. If it returns non-zero, the call
 * that reads fails with FILM_CANCELLED: even inside a row that never ends. Call this before other
 * threads start; for programs that handle signals. */
FILM_API void film_set_interrupt(int (*call)(void *user), void *user);

typedef struct film_table film_table;

/* A row of a table. Its texts are valid until the next call with the table. A column that the file
 * does not have is {NULL, 0}; the bytes of an empty field are not NULL. */
typedef struct film_row {
    /* The line in which the row starts, counted from 1. */
    uint64_t line;
    /* The first sentence, the only one, or the anchor. */
    film_text a;
    /* The second sentence, or the one similar to the anchor. */
    film_text b;
    /* The sentence dissimilar to the anchor. */
    film_text c;
    /* The user's own id. */
    film_text id;
    film_text category;
    /* 0 or 1, or the score; NaN where there is none. */
    double label;
    /* The record as it is in the file, without its line end. */
    film_text raw;
    /* Every column, in file order. */
    const film_text *fields;
    size_t field_count;
} film_row;

/* Opens a table; "-" is standard input. Memory does not grow with the file. */
FILM_API film_status film_table_open(const char *path, const film_table_options *options,
                                     film_table **out, film_error *error);
FILM_API void film_table_close(film_table *table);

/* Reads the next row, or returns FILM_END after the last. A bad row is an error that names its
 * line, unless skip_bad is set. */
FILM_API film_status film_table_next(film_table *table, film_row *row, film_error *error);

/* The number of the row that was read last, counted from 1 without the header and blank lines; in a
 * file of plain lines it is the line. */
FILM_API uint64_t film_table_row(const film_table *table);

/* The kind of labels and the format, as detected when the table was opened; never AUTO. */
FILM_API film_labels film_table_labels(const film_table *table);
FILM_API film_format film_table_format(const film_table *table);
/* The character between two columns: that of a CSV file, a tab for the other formats. */
FILM_API char film_table_separator(const film_table *table);

/* The number of bad rows skipped so far. */
FILM_API uint64_t film_table_skipped(const film_table *table);

/* The share of the file that was read, from 0 to 1; -1 where the size is not known. */
FILM_API double film_table_progress(const film_table *table);

/* The header line as it is in the file; empty when there is none. */
FILM_API film_text film_table_header(const film_table *table);

/* The number of named columns, and their names. */
FILM_API size_t film_table_columns(const film_table *table);
FILM_API film_text film_table_column(const film_table *table, size_t index);

/* What a column of a table is used for. FILM_COLUMN_OTHER passes through a program;
 * FILM_COLUMN_IGNORED was named "-" by the caller. */
typedef enum film_column {
    FILM_COLUMN_OTHER = 0,
    FILM_COLUMN_A,
    FILM_COLUMN_B,
    FILM_COLUMN_C,
    FILM_COLUMN_LABEL,
    FILM_COLUMN_ID,
    FILM_COLUMN_CATEGORY,
    FILM_COLUMN_IGNORED
} film_column;
FILM_API film_column film_table_use(const film_table *table, size_t index);

/* Excel workbooks (.xlsx) are tables too, where the program sets a function that reads them; the
 * program `film` does. It converts the bytes of a file to lines of TSV, one for each row of the
 * sheet, and passes them to PUT, which returns non-zero to stop. Set it before other threads read
 * tables; NULL: workbooks are refused. */
typedef int (*film_put_fn)(void *to, const char *bytes, size_t count);
typedef film_status (*film_workbook_fn)(void *user, const void *bytes, size_t size, film_put_fn put,
                                        void *to, film_error *error);
FILM_API void film_set_workbook_reader(film_workbook_fn call, void *user);

/* ---- Writing files -------------------------------------------------------------------------- */

/* An output file that gets its name only when it is complete; "-" is standard output. */
typedef struct film_output film_output;

FILM_API film_status film_output_open(const char *path, film_output **out, film_error *error);
FILM_API film_status film_output_write(film_output *output, const void *bytes, size_t count,
                                       film_error *error);

/* Overwrites bytes that were written already. A pipe cannot be patched. */
FILM_API film_status film_output_patch(film_output *output, uint64_t offset, const void *bytes,
                                       size_t count, film_error *error);

/* Syncs the file and renames it to its final name. Frees OUTPUT in any case. */
FILM_API film_status film_output_commit(film_output *output, film_error *error);

/* Discards the file and frees OUTPUT, which may be NULL. */
FILM_API void film_output_discard(film_output *output);

#ifdef __cplusplus
}
#endif
#endif
