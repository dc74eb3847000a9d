/* A growing HTML buffer, and the only place where text is escaped.
 *
 * User text must go through markup_text or markup_string; everything else is our own. The page is
 * both HTML and well-formed XML, so any XML parser can check it. If memory runs out, `failed` is
 * set and later calls do nothing; check it once at the end. */
#ifndef PLOT_MARKUP_H
#define PLOT_MARKUP_H

#include "base/status.h"

struct markup {
    char *bytes;
    size_t length, capacity;
    int failed;
};

void markup_free(struct markup *markup);

/* Append without escaping. */
void markup_bytes(struct markup *markup, const char *bytes, size_t length);
void markup_raw(struct markup *markup, const char *text);
/* For numbers and our own text; does not escape. */
void markup_print(struct markup *markup, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Append text, escaped for content and quoted attributes. Invalid UTF-8 and characters that XML
 * does not allow become U+FFFD. Text longer than MOST bytes is cut between characters and ends in
 * "…". */
void markup_text(struct markup *markup, film_text text, size_t most);
void markup_string(struct markup *markup, const char *text);

/* ---- A CSV table as a data: link ---- */

/* Begins <a download="NAME.csv" ...>; values follow, in rows, until markup_csv_end. */
void markup_csv_begin(struct markup *markup, const char *name);
/* Writes a text value, quoted if necessary. Text that a spreadsheet would read as a formula is
 * made harmless. */
void markup_csv_text(struct markup *markup, film_text text);
void markup_csv_number(struct markup *markup, double value); /* empty if not finite */
void markup_csv_comma(struct markup *markup);
void markup_csv_row(struct markup *markup); /* ends a row */
void markup_csv_end(struct markup *markup);

#endif
