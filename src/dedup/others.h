/* The other columns of records: columns of a file or fields of a pool that nobody compares, but
 * that the caller wants to see next to the result.
 *
 * They travel packed together with the id, as one text, so that the record set need not
 * know them. */
#ifndef DEDUP_OTHERS_H
#define DEDUP_OTHERS_H

#include "base/status.h"
#include "film_io.h"

struct others {
    film_text *names; /* copies */
    size_t *column;   /* of each name in the table */
    size_t count, capacity, column_capacity;
    film_text *values; /* 2 x count: of the two records of a pair */
    char *packed;
    size_t packed_capacity;
};

void others_free(struct others *others);

/* Adds a name. */
film_status others_add(struct others *others, film_text name, size_t column, film_error *error);

/* Finds the columns of a table of single sentences that are neither the text nor the id; a table of
 * pairs has none. */
film_status others_of_table(struct others *others, const film_table *table, film_error *error);

/* Packs an id with COUNT values; *PACKED is valid until the next call. Without names it is the
 * id. */
film_status others_pack(struct others *others, film_text id, const film_text *values,
                        film_text *packed, film_error *error);

/* Replaces *ID, a packed text, by the id. Returns the values in place SIDE (0 or 1), NULL without
 * names. */
const film_text *others_unpack(const struct others *others, film_text *id, int side);

#endif
