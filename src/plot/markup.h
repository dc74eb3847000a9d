/* A page under construction: bytes that grow, and the one place where text becomes safe to show.
 *
 * What a user wrote goes through markup_text alone, everything else is ours. The page is HTML and
 * well-formed XML at once, so any XML parser can check it. Running out of memory is remembered
 * (failed), not returned by every call: whoever takes the bytes asks once. */
#ifndef PLOT_MARKUP_H
#define PLOT_MARKUP_H

#include "base/status.h"

struct markup {
    char *bytes;
    size_t length, capacity;
    int failed;
};

void markup_free(struct markup *markup);

/* As they are. */
void markup_bytes(struct markup *markup, const char *bytes, size_t length);
void markup_raw(struct markup *markup, const char *text);
/* For numbers and our own words. */
void markup_print(struct markup *markup, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Escaped for content and for quoted attributes. Bytes that are no UTF-8 and characters that XML
 * does not allow become U+FFFD. Of more than MOST bytes the first are shown, cut between
 * characters, and "…". */
void markup_text(struct markup *markup, film_text text, size_t most);
void markup_string(struct markup *markup, const char *text);

/* ---- A table to download: a link whose address is the table itself ---- */

/* Begins <a download="NAME.csv" ...>; values follow, in rows, until markup_csv_end. */
void markup_csv_begin(struct markup *markup, const char *name);
/* A value as text: quoted where it must be, and never what a spreadsheet takes for a formula. */
void markup_csv_text(struct markup *markup, film_text text);
void markup_csv_number(struct markup *markup, double value); /* nothing where it is not finite */
void markup_csv_comma(struct markup *markup);
void markup_csv_row(struct markup *markup); /* ends a row */
void markup_csv_end(struct markup *markup);

#endif
