/* A table as text, so that a test is one comparison:
 *   tsv pairs            the format, the kind of labels
 *   2 1 [a][b] id=7      line, label (- when none), the two sentences; c=, id=, cat= where not
 * empty !2 x.tsv:3: ...      a failure: the status and the message; reading stops there skipped 1
 * where rows were skipped */
#ifndef TABLES_H
#define TABLES_H

#include "testing.h"

#include "text/table.h"

struct dump {
    char *text;
    size_t used, room;
};

static inline void dump_add(struct dump *dump, const char *format, ...)
{
    va_list arguments;
    for (int attempt = 0; attempt < 2; attempt++) {
        va_start(arguments, format);
        int length = vsnprintf(dump->text + dump->used, dump->room - dump->used, format, arguments);
        va_end(arguments);
        if ((size_t)length < dump->room - dump->used) {
            dump->used += (size_t)length;
            return;
        }
        dump->room = (dump->used + (size_t)length + 100) * 2;
        dump->text = realloc(dump->text, dump->room);
    }
}

static inline void dump_text(struct dump *dump, const char *before, film_text text,
                             const char *after)
{
    dump_add(dump, "%s%.*s%s", before, (int)text.length, text.bytes, after);
}

static inline void dump_rows(struct dump *dump, film_table *table)
{
    film_error error;
    film_row row;
    film_status status;
    while ((status = film_table_next(table, &row, &error)) == FILM_OK) {
        dump_add(dump, "%d ", (int)row.line);
        dump_add(dump, isnan(row.label) ? "-" : "%g", row.label);
        dump_text(dump, " [", row.a, "]");
        if (row.b.length || film_table_labels(table) == FILM_LABELS_PAIRS)
            dump_text(dump, "[", row.b, "]");
        if (row.c.length) dump_text(dump, " c=", row.c, "");
        if (row.id.length) dump_text(dump, " id=", row.id, "");
        if (row.category.length) dump_text(dump, " cat=", row.category, "");
        dump_add(dump, "\n");
    }
    if (status != FILM_END) dump_add(dump, "!%d %s\n", (int)status, error.message);
    if (film_table_skipped(table)) dump_add(dump, "skipped %d\n", (int)film_table_skipped(table));
}

/* The caller frees the result. */
static inline char *dump_table(const char *name, const char *bytes, size_t size, size_t chunk,
                               const film_table_options *options)
{
    static const char *const kinds[] = {"auto",   "none",     "pairs",
                                        "scores", "triplets", "categories"};
    struct dump dump = {malloc(1000), 0, 1000};
    film_error error;
    film_table *table;
    film_status status = table_open_bytes(bytes, size, name, chunk, options, &table, &error);
    if (status == FILM_OK) {
        dump_add(&dump, "%s %s\n", film_format_name(film_table_format(table)),
                 kinds[film_table_labels(table)]);
        dump_rows(&dump, table);
    } else {
        assert_null(table);
        dump_add(&dump, "!%d %s\n", (int)status, error.message);
    }
    film_table_close(table);
    return dump.text;
}

static inline void expect_bytes(const char *name, const char *bytes, size_t size,
                                film_table_options options, const char *expected)
{
    static const size_t chunks[] = {0, 1, 2, 5};
    for (size_t i = 0; i < 4; i++) {
        char *found = dump_table(name, bytes, size, chunks[i], &options);
        assert_string_equal(found, expected);
        free(found);
    }
}

static inline void expect(const char *name, const char *text, const char *expected)
{
    expect_bytes(name, text, strlen(text), (film_table_options){0}, expected);
}

static inline void expect_with(const char *name, const char *text, film_table_options options,
                               const char *expected)
{
    expect_bytes(name, text, strlen(text), options, expected);
}

#define SKIP "; fix the row or skip bad rows\n"

#endif
