/* Rows in the binary format of PostgreSQL: for COPY, prepared statements and results.
 *
 * Rows from a database are not trusted: every length, number and text is checked here before
 * use. */
#ifndef REMOTE_ROW_H
#define REMOTE_ROW_H

#include "store/store.h"

/* One value; BYTES NULL: SQL NULL. */
struct cell {
    const char *bytes;
    int length;
};

enum {
    ROW_SENTENCE = 10, /* number, id, text, category, answer, url, more, change, checksum, vector */
    ROW_LABEL = 6,     /* a, b, same, made, origin, change */
    ROW_REMOVED = 2    /* change, number */
};

/* How vectors are stored: as little-endian floats, or as the type of pgvector (big-endian floats
 * after two 16-bit numbers). */
enum row_vectors { ROW_BYTES, ROW_PGVECTOR };

/* Memory that cells point into. */
struct row_room {
    char numbers[4][8];
    unsigned char *vector; /* for vectors that must be byte-swapped: 4 + 4 dim bytes */
};

void row_put_number(struct cell *cell, char room[8], int64_t number);
struct cell row_text(film_text text);

void row_of_sentence(const struct store_row *row, enum row_vectors kind, size_t dim,
                     struct row_room *room, struct cell cells[ROW_SENTENCE]);
void row_of_label(const struct store_label_row *row, struct row_room *room,
                  struct cell cells[ROW_LABEL]);
void row_of_removed(const struct store_removed_row *row, struct row_room *room,
                    struct cell cells[ROW_REMOVED]);

film_status row_number(struct cell cell, int64_t *number, film_error *error);

/* FILM_BAD_INPUT: the row cannot be stored at all. An invalid vector gives a sentence without a
 * vector, which film pool check finds and recomputes; a wrong checksum is left to it too. VECTOR
 * has room for DIM floats. */
film_status row_sentence(const struct cell cells[ROW_SENTENCE], enum row_vectors kind, size_t dim,
                         float *vector, struct store_row *out, film_error *error);
film_status row_label(const struct cell cells[ROW_LABEL], struct store_label_row *out,
                      film_error *error);
film_status row_removed(const struct cell cells[ROW_REMOVED], struct store_removed_row *out,
                        film_error *error);

#endif
