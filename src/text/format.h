/* Detection of a file's format: by its name, then by its first bytes. */
#ifndef TEXT_FORMAT_H
#define TEXT_FORMAT_H

#include "text/record.h"
#include "film_io.h"

/* "tsv", "csv", "jsonl", "lines". */
extern const char *const format_names[RECORD_FORMATS];

/* FORMAT must not be FILM_FORMAT_AUTO. */
enum record_format format_of(film_format format);

/* A format, and the character between the columns of CSV: comma, semicolon or tab. */
struct format {
    enum record_format kind;
    char separator;
};

/* Detects the format from the file's name (may be "standard input") and the beginning of its
 * text. */
film_status format_detect(const char *name, film_text beginning, struct format *format,
                          film_error *error);

/* The separator of a CSV file: the one that splits the most records into as many columns as the
 * first one. A comma where neither is better. */
char format_separator(film_text beginning);

#endif
