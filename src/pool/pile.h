/* Sentences in memory that are to be compared with each other: where they came from does not matter.
 *
 * Records with the same words are one item: they are compared once, whatever their number. Items are
 * numbered by their text, not by the order of the input, so that all that is built on them does not
 * depend on it. */
#ifndef POOL_PILE_H
#define POOL_PILE_H

#include "film_pool.h"
#include "base/status.h"

#include <stdint.h>

struct pile_block;

/* A label between two records, or two items. */
struct pile_label {
    uint32_t a, b;
    int same;
};

struct pile {
    const film_record *records; /* the caller's, or own */
    size_t count;
    film_record *own;
    size_t capacity;
    struct pile_block *blocks; /* what the own texts lie in */
    struct pile_label *labels; /* between records */
    size_t label_count, label_capacity;

    /* Made by pile_group: */
    uint32_t items;
    uint32_t *item;    /* by record */
    uint32_t *start;   /* items + 1, in members */
    uint32_t *members; /* records, item by item, rising */
    film_text *texts;  /* by item: the first of its texts in the order of bytes */
};

/* Over a caller's array. */
void pile_view(struct pile *pile, const film_record *records, size_t count);
void pile_free(struct pile *pile);

/* A copy of a record; an id that is {NULL, 0} stays so. */
film_status pile_add(struct pile *pile, film_text id, film_text text, film_error *error);

/* Two positions; one record labelled with itself is passed over. */
film_status pile_label(struct pile *pile, size_t a, size_t b, int same, film_error *error);

/* The rows of a table: every row of one sentence, or the distinct sentences of a file of pairs. Ids are
 * those of the file, or the line ("17"; of a pair "17a", "17b"). Blank lines are passed over. */
film_status pile_read(struct pile *pile, const char *path, const film_table_options *options,
                      const film_progress *progress, uint64_t *skipped, film_error *error);

/* All sentences of a pool with its labels, as of one moment. */
film_status pile_read_pool(struct pile *pile, film_pool *pool, const film_progress *progress,
                           film_error *error);

/* KEYS (count): the same for records of the same words in their order, and of the same signs (C, C++). */
film_status pile_keys(const struct pile *pile, uint64_t *keys, const film_progress *progress,
                      film_error *error);

/* Finds the items. Records of the same words that a label tells apart are items of their own. */
film_status pile_group(struct pile *pile, const film_progress *progress, film_error *error);

#endif
