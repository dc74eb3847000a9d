/* Which column of a table is what: from its header, from --columns, or from its first rows. */
#ifndef TEXT_COLUMNS_H
#define TEXT_COLUMNS_H

#include "text/record.h"
#include "film_io.h"

enum {
    COLUMN_A, /* the first sentence, the only one, the anchor */
    COLUMN_B,
    COLUMN_C,
    COLUMN_LABEL,
    COLUMN_ID,
    COLUMN_CATEGORY,
    COLUMN_ROLES
};
#define COLUMN_NONE SIZE_MAX

struct columns {
    size_t at[COLUMN_ROLES]; /* the column of each role, or COLUMN_NONE */
    int is_score;            /* the label column says degrees of similarity */
    int more_allowed;        /* rows may have more columns than named (STS Benchmark) */
    int has_header;
    film_labels labels;
    char **names;
    size_t count;
};

/* The records a decision is based on: the first of the file, the well-formed ones. */
struct columns_peek {
    const struct record *records;
    size_t count;
    int from_start; /* records[0] is the file's first record: it may be the header */
};

/* Decides; names and count are already set for JSON lines. FILE is for messages. */
film_status columns_decide(struct columns *columns, const char *file, enum record_format format,
                           const film_table_options *options, const struct columns_peek *peek,
                           film_error *error);
void columns_free(struct columns *columns);

/* Do the names make a layout we know? Sets the roles and nothing else. */
int columns_recognise(struct columns *columns, const film_text *names, size_t count);

/* The names as "label, question1, question2", cut to fit. */
enum { COLUMNS_LISTED = 300 };
const char *columns_list(const struct columns *columns, char list[COLUMNS_LISTED]);

/* A layout of a file without header. */
struct columns_layout {
    const char *roles; /* as in --columns */
    const char *names; /* the same when NULL */
    int more_allowed;
};

/* guess.c: the layout, or NULL when the rows do not say. */
const struct columns_layout *guess_layout(const struct columns_peek *peek,
                                          enum record_format format, film_labels wanted,
                                          size_t width);

/* The number of columns that most records have. */
size_t guess_width(const struct columns_peek *peek);

#endif
