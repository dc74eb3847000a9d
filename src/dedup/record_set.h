/* A set of sentences in memory, to be compared with each other, whatever their source.
 *
 * Records with the same words form one item, which is compared once. Items are numbered by their
 * text, not by the order of the input, so results do not depend on that order.
 *
 * In a job, every process has a share. While the set is filled, a hash of the words assigns records
 * to processes, so that records with the same words meet. record_set_group then numbers the items
 * of all processes by their texts and assigns them round-robin (dedup/round_robin.h), with their
 * records. Numbers are the same for any number of processes. With R records in all N processes,
 * each process holds about R / N, and 8 bytes for each of the R while they are numbered. */
#ifndef DEDUP_RECORD_SET_H
#define DEDUP_RECORD_SET_H

#include "film_pool.h"
#include "base/mailbox.h"
#include "dedup/others.h"
#include "dedup/round_robin.h"

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

struct record_set {
    const struct comm *comm;
    const film_record *records; /* of this process: the caller's, or `own` */
    size_t count;
    /* By record: its position in the input. NULL: in input order, in one process. */
    uint32_t *at;
    size_t all_records; /* of all processes; known once they are grouped or placed */
    film_record *own;
    size_t capacity;
    struct record_set_block *blocks; /* memory of the own texts */
    struct record_set_label *labels; /* every process has all of them */
    size_t label_count, label_capacity;
    struct record_set_chosen *chosen; /* by position; every process has all of them */
    size_t chosen_count, chosen_capacity;
    uint64_t *keys; /* by record: equal for equal words */
    /* Set by the caller: keep the other columns. The ids are then packed with them. */
    int keeps_others;
    struct others others;

    /* Only in a job, while the set is filled and partitioned: */
    uint64_t *order; /* by record: ascends with the position */
    uint8_t *paired; /* by record: keep it only if its text is new */
    size_t order_capacity, key_capacity, paired_capacity, at_capacity, item_capacity;

    /* Set by record_set_group: */
    uint32_t items, all_items; /* of this process, of all */
    uint32_t *item;            /* by record: its item of this process */
    uint32_t *start;           /* items + 1, in members */
    uint32_t *members;         /* records by item, in the order of their positions */
    film_text *texts;          /* by item: the first of its texts in byte order */
};

void record_set_free(struct record_set *set);

/* Uses the records of the caller, who keeps them alive. In a job, every process passes the same. */
film_status record_set_view(struct record_set *set, const struct comm *comm,
                            const film_record *records, size_t count, film_error *error);

/* Adds a copy of a record; an id of {NULL, 0} stays so. */
film_status record_set_add(struct record_set *set, film_text id, film_text text, film_error *error);

/* Labels two of COUNT positions; a label of a record with itself is skipped. */
film_status record_set_label(struct record_set *set, size_t a, size_t b, int same, size_t count,
                             film_error *error);

/* Makes the record at a position the representative of its cluster. Positions come in ascending
 * order. */
film_status record_set_choose(struct record_set *set, size_t at, uint64_t rank, film_error *error);
/* Returns the rank of the record at a position; 0: it was not chosen. */
uint64_t record_set_rank(const struct record_set *set, uint32_t at);

/* Reads the rows of a table: every row of single sentences, or the distinct sentences of a file of
 * pairs. Ids are those of the file, or the number of the row ("17"; for pairs "17a", "17b"). Blank
 * lines are skipped. */
film_status record_set_read(struct record_set *set, const struct comm *comm, const char *path,
                            const film_table_options *options, const film_progress *progress,
                            uint64_t *skipped, film_error *error);

/* Groups the records into items. Records with the same words that are labelled "different" become
 * separate items. */
film_status record_set_group(struct record_set *set, const film_progress *progress,
                             film_error *error);

/* Instead of record_set_group: partitions the records themselves round-robin by position, each with
 * its key. */
film_status record_set_place(struct record_set *set, const film_progress *progress,
                             film_error *error);

/* ---- Records of all processes ---- */

/* Record MEMBER of an item. In a placed set: the record at position ITEM (MEMBER 0). */
struct record_set_ref {
    uint32_t item, member;
};

/* Returns the position of a record of an item of this process, by its local number. */
static inline uint32_t record_set_position(const struct record_set *set, uint32_t item,
                                           uint32_t member)
{
    uint32_t record = set->members[set->start[item] + member];
    return set->at ? set->at[record] : record;
}

struct record_set_found {
    film_record *records;
    uint32_t *at; /* their positions */
    size_t records_capacity, at_capacity;
    /* `answered` owns the texts. */
    struct mailbox requests, responses;
};

/* Fetches records. All processes call it, each with its own REFS. FOUND must be zero at first, and
 * is valid until the next call. */
film_status record_set_fetch(const struct record_set *set, const struct record_set_ref *refs,
                             size_t count, struct record_set_found *found, film_error *error);
void record_set_found_free(struct record_set_found *found);

#endif
