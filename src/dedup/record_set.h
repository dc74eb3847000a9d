/* Sentences in memory that are to be compared with each other: where they came from does not
 * matter.
 *
 * Records with the same words are one item: they are compared once, whatever their number. Items
 * are numbered by their text, not by the order of the input, so that all that is built on them does
 * not depend on it.
 *
 * In a job every process has a share. While a pile is filled, records go to whoever their words
 * belong to (a hash), so that records of the same words meet; record_set_group then numbers the
 * items of all processes by their texts and deals them in turn (dedup/round_robin.h) with their
 * records. Numbers are the same for any number of processes. Of R records of all N processes, each
 * holds about R / N; 8 bytes of each of the R while they are numbered. */
#ifndef DEDUP_RECORD_SET_H
#define DEDUP_RECORD_SET_H

#include "film_pool.h"
#include "base/mailbox.h"
#include "dedup/round_robin.h"

struct record_set_block;

/* A label between two records; record_set_group makes it one between two items. */
struct record_set_label {
    uint32_t a, b;
    int same;
};

struct record_set {
    const struct comm *comm;
    const film_record *records; /* of this process: the caller's, or own */
    size_t count;
    uint32_t *at;       /* by record: its position in the input; NULL: in order, of one process */
    size_t all_records; /* of all processes; known when they are grouped or placed */
    film_record *own;
    size_t capacity;
    struct record_set_block *blocks; /* what the own texts lie in */
    struct record_set_label *labels; /* in every process all of them */
    size_t label_count, label_capacity;
    uint64_t *keys; /* by record: the same for the same words */

    /* Of a job, while it is filled and dealt: */
    uint64_t *order; /* by record: rises with the position */
    uint8_t *paired; /* by record: it is one only if its text is new */
    size_t order_capacity, key_capacity, paired_capacity, at_capacity, item_capacity;

    /* Made by record_set_group: */
    uint32_t items, all_items; /* of this process, of all */
    uint32_t *item;            /* by record, a place among this process's items */
    uint32_t *start;           /* items + 1, in members */
    uint32_t *members;         /* records, item by item, in the order of their positions */
    film_text *texts;          /* by item: the first of its texts in the order of bytes */
};

void record_set_free(struct record_set *set);

/* Records of a caller, in a job the same in each process; they stay his, and must stay. */
film_status record_set_view(struct record_set *set, const struct comm *comm,
                            const film_record *records, size_t count, film_error *error);

/* A copy of a record; an id that is {NULL, 0} stays so. */
film_status record_set_add(struct record_set *set, film_text id, film_text text, film_error *error);

/* Two positions of COUNT; one record labelled with itself is passed over. */
film_status record_set_label(struct record_set *set, size_t a, size_t b, int same, size_t count,
                             film_error *error);

/* The rows of a table: every row of one sentence, or the distinct sentences of a file of pairs. Ids
 * are those of the file, or the line ("17"; of a pair "17a", "17b"). Blank lines are passed
 * over. */
film_status record_set_read(struct record_set *set, const struct comm *comm, const char *path,
                            const film_table_options *options, const film_progress *progress,
                            uint64_t *skipped, film_error *error);

/* Finds the items. Records of the same words that a label tells apart are items of their own. */
film_status record_set_group(struct record_set *set, const film_progress *progress,
                             film_error *error);

/* Instead of it: the records themselves, dealt in turn by their positions, each with its key. */
film_status record_set_place(struct record_set *set, const film_progress *progress,
                             film_error *error);

/* ---- records of all processes ---- */

/* Record MEMBER of an item; of a pile that was placed, the record at position ITEM (MEMBER 0). */
struct record_set_ref {
    uint32_t item, member;
};

struct record_set_found {
    film_record *records;
    uint32_t *at; /* their positions */
    size_t records_capacity, at_capacity;
    struct mailbox asked, answered; /* the texts lie in the answers */
};

/* All processes call it, each with its own REFS. FOUND, at first all 0, holds until the next
 * call. */
film_status record_set_fetch(const struct record_set *set, const struct record_set_ref *refs,
                             size_t count, struct record_set_found *found, film_error *error);
void record_set_found_free(struct record_set_found *found);

#endif
