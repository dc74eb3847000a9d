/* A set of sentences in memory, to be compared with each other, whatever their source.
 *
 * Records with the same words form one item, which is compared once. Items are numbered by their
 * text, not by the order of the input, so results do not depend on that order. */
#ifndef DEDUP_RECORD_SET_H
#define DEDUP_RECORD_SET_H

#include "film_pool.h"
#include "dedup/others.h"

#include <stdint.h>

struct record_set_block;

/* A label between two records; record_set_group turns it into one between two items. */
struct record_set_label {
    uint32_t a, b;
    int same;
};

/* A record that represents its cluster; of several, the one with the highest rank. */
struct record_set_chosen {
    uint32_t at;   /* position */
    uint64_t rank; /* from 1 */
};

/* The position of a record is its number in `records`. */
struct record_set {
    const film_record *records; /* the caller's, who keeps them alive, or `own` */
    size_t count;
    film_record *own;
    size_t capacity;
    struct record_set_block *blocks; /* memory of the own texts */
    struct record_set_label *labels;
    size_t label_count, label_capacity;
    struct record_set_chosen *chosen; /* by position */
    size_t chosen_count, chosen_capacity;
    uint64_t *keys; /* by record: equal for equal words */
    /* Set by the caller: keep the other columns. The ids are then packed with them. */
    int keeps_others;
    struct others others;

    /* Set by record_set_group: */
    uint32_t items;
    uint32_t *start;   /* items + 1, in members */
    uint32_t *members; /* records by item, in the order of their positions */
    film_text *texts;  /* by item: the first of its texts in byte order */
};

void record_set_free(struct record_set *set);

/* Adds a copy of a record; an id of {NULL, 0} stays so. */
film_status record_set_add(struct record_set *set, film_text id, film_text text, film_error *error);

/* Labels two positions; a label of a record with itself is skipped. */
film_status record_set_label(struct record_set *set, size_t a, size_t b, int same,
                             film_error *error);

/* Makes the record at a position the representative of its cluster. Positions come in ascending
 * order. */
film_status record_set_choose(struct record_set *set, size_t at, uint64_t rank, film_error *error);
/* Returns the rank of the record at a position; 0: it was not chosen. */
uint64_t record_set_rank(const struct record_set *set, uint32_t at);

/* Reads the rows of a table: every row of single sentences, or the distinct sentences of a file of
 * pairs. Ids are those of the file, or the number of the row ("17"; for pairs "17a", "17b"). Blank
 * lines are skipped. */
film_status record_set_read(struct record_set *set, const char *path,
                            const film_table_options *options, const film_progress *progress,
                            uint64_t *skipped, film_error *error);

/* Computes the keys. */
film_status record_set_make_keys(struct record_set *set, const film_progress *progress,
                                 film_error *error);

/* Groups the records into items, and frees the keys. Records with the same words that are labelled
 * "different" become separate items. */
film_status record_set_group(struct record_set *set, const film_progress *progress,
                             film_error *error);

#endif
