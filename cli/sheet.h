/* Output of several verbs: a table (TSV) or JSON lines, and the columns of the input that pass
 * through to it. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include "cli.h"

/* A table that is being written to a file or standard output. */
struct sheet {
    film_output *output;
    int json; /* write an object per line instead */
    int first_field;
    film_status status; /* of the first failed write */
    film_error error;
};

/* Opens the output. */
void sheet_open(struct sheet *sheet, const char *path, int json);
void sheet_text(struct sheet *sheet, const char *name, film_text text); /* {NULL, 0}: none */
void sheet_number(struct sheet *sheet, const char *name, const char *format, double number);
void sheet_flag(struct sheet *sheet, const char *name, int flag); /* TSV: * or nothing */
void sheet_raw(struct sheet *sheet, const char *fields); /* TSV: several fields as they are */
void sheet_end_row(struct sheet *sheet);
/* Completes the output. The file appears only now. */
film_status sheet_close(struct sheet *sheet, film_status status, film_error *error);

/* ---- Columns that pass through ---- */

struct kept {
    char **names;   /* as written */
    size_t *column; /* in the table; only from kept_of_table */
    size_t count, capacity;
};

/* Adds a column. SUFFIX ("_a") is appended to its name; so is "_2" where the name is one of OWN
 * (the columns of the verb, separated by tabs) or of the columns before. Returns 0 without
 * memory. */
int kept_add(struct kept *kept, film_text name, const char *suffix, const char *own);

/* Adds the columns of a table, except those whose use is in LEFT_OUT, a mask of 1u << film_column;
 * ignored columns are always left out. */
film_status kept_of_table(struct kept *kept, const film_table *table, unsigned left_out,
                          const char *own, film_error *error);
void kept_free(struct kept *kept);

/* Packs the values of a row into one text, for a batch (stream.h); kept_write_packed writes them.
 * *MEMORY grows as needed; free it. Returns {NULL, 0} without memory. */
film_text kept_pack(const struct kept *kept, const film_row *row, char **memory, size_t *capacity);

/* Writes the header of a table: OWN, then the kept columns. Nothing for JSON. */
void sheet_header(struct sheet *sheet, const char *own, const struct kept *kept);

/* Writes values (NULL: empty), the columns FIRST .. FIRST + COUNT of KEPT. */
void kept_write(struct sheet *sheet, const struct kept *kept, size_t first, size_t count,
                const film_text *values);
void kept_write_packed(struct sheet *sheet, const struct kept *kept, film_text packed);

#endif
