/* The role of each column of a table: from its header, from the columns option, or guessed from its
 * first rows. */
#ifndef TEXT_COLUMNS_H
#define TEXT_COLUMNS_H

#include "text/record.h"
#include "text/record_text.h"
#include "film_io.h"

enum {
    COLUMN_A, /* the first sentence, the only one, or the anchor */
    COLUMN_B,
    COLUMN_C,
    COLUMN_LABEL,
    COLUMN_ID,
    COLUMN_CATEGORY,
    COLUMN_ROLES
};
#define COLUMN_NONE SIZE_MAX

/* A field of records: its column in the first and in the second record. */
struct column_field {
    char *name;
    size_t at[2]; /* COLUMN_NONE: this record never has it */
};

struct columns {
    size_t at[COLUMN_ROLES]; /* the column of each role, or COLUMN_NONE */
    int is_score;            /* the label column holds degrees of similarity */
    int more_allowed;        /* rows may have more columns than named (STS Benchmark) */
    int has_header;
    film_labels labels;
    char **names;
    size_t count;
    /* Of a table of records: A and B are made of these columns. NULL: a table of sentences. */
    struct column_field *fields;
    size_t field_count;
};

/* The records that the decision is based on: the first well-formed records of the file. */
struct columns_peek {
    const struct record *records;
    size_t count;
    int from_start; /* records[0] is the first record of the file: it may be the header */
};

/* Assigns the roles. For JSON lines, names and count are already set. FILE is for messages. */
film_status columns_decide(struct columns *columns, const char *file, enum record_format format,
                           const film_table_options *options, const struct columns_peek *peek,
                           film_error *error);
void columns_free(struct columns *columns);

/* Returns whether the names form a known layout. Sets the roles and nothing else. */
int columns_recognise(struct columns *columns, const film_text *names, size_t count);

/* column_fields.c: finds the columns left_NAME and right_NAME of two records (or ltable_NAME,
 * NAME_left, NAME_l); or of one record, the columns that OPTIONS names. Call it when names and
 * roles are set. */
film_status column_fields_find(struct columns *columns, const char *file,
                               const film_table_options *options, film_error *error);
void column_fields_free(struct columns *columns);

/* The first of the names that is a field of OPTIONS, the column of a table of single records; or
 * COLUMN_NONE. */
size_t column_fields_first(const film_table_options *options, const film_text *names, size_t count);

/* Returns whether NAME is a column of the first (SIDE 0) or the second record, and which field. */
int column_fields_side(film_text name, int side, film_text *field);

/* Joins the fields of one record of a row; *OUT is a view of TEXT. */
film_status column_fields_join(const struct columns *columns, const struct record *record, int side,
                               struct record_text *text, film_text *out, film_error *error);

/* The record, 0 or 1, that has COLUMN as a field; -1: none. */
int column_fields_use(const struct columns *columns, size_t column);

/* The columns of field names that are no data: ids of rows and of groups. */
int column_fields_is_id(film_text field);

/* The names as "label, question1, question2", truncated to fit. */
enum { COLUMNS_LISTED = 300 };
const char *columns_list(const struct columns *columns, char list[COLUMNS_LISTED]);

/* The layout of a file without a header. */
struct columns_layout {
    const char *roles; /* as in the columns option */
    const char *names; /* NULL: the same as the roles */
    int more_allowed;
};

/* guess.c: returns the layout, or NULL when the rows do not determine it. */
const struct columns_layout *guess_layout(const struct columns_peek *peek,
                                          enum record_format format, film_labels wanted,
                                          size_t width);

/* guess.c: returns whether the first row is a header: short names, while the rows below have long
 * texts or labels. */
int guess_header(const struct columns_peek *peek);

/* guess.c: why the first row cannot be a header; NULL if it can. */
const char *guess_data_reason(const struct columns_peek *peek);

/* guess.c: an example for the columns option of a file with a header of unknown names,
 * "text=Frage,category=Thema". */
enum { GUESS_EXAMPLE = 200 };
const char *guess_example(const struct columns_peek *peek, char example[GUESS_EXAMPLE]);

/* Returns the most frequent number of columns. */
size_t guess_width(const struct columns_peek *peek);

#endif
