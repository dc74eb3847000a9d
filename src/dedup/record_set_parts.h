/* Internals shared by the files of the record set. */
#ifndef DEDUP_RECORD_SET_PARTS_H
#define DEDUP_RECORD_SET_PARTS_H

#include "base/strtab.h"
#include "dedup/record_set.h"
#include "text/tokens.h"

/* ---- record_set_keys.c ---- */

struct record_set_key_maker {
    /* Without stemming and stop words: the same words, not similar ones. */
    struct tokenizer tokenizer;
    struct tokens tokens;
    char *key;
    size_t capacity;
};
film_status record_set_key_init(struct record_set_key_maker *maker, film_error *error);
void record_set_key_free(struct record_set_key_maker *maker);

/* Computes a key: equal for the same words in order and the same signs (C, C++); never 0. */
film_status record_set_key_make(struct record_set_key_maker *maker, film_text text, uint64_t *out,
                                film_error *error);

/* Computes set->keys of all records, unless they are known. */
film_status record_set_keys(struct record_set *set, const film_progress *progress,
                            film_error *error);

/* ---- record_set_intake.c: filling ---- */

struct record_set_intake {
    struct record_set *set;
    struct strtab seen; /* in one process: sentences of pairs, each once */
    struct record_set_key_maker maker;
    struct mailbox mailbox;
};
film_status record_set_intake_open(struct record_set_intake *intake, struct record_set *set,
                                   film_error *error);
void record_set_intake_close(struct record_set_intake *intake);

/* Adds a record; ORDER ascends with its position in the input. PAIRED: skip it when the text
 * already exists. */
film_status record_set_intake_add(struct record_set_intake *intake, uint64_t order, int paired,
                                  film_text id, film_text text, film_error *error);

/* Sends the records to their owners. All processes call it repeatedly until none has MORE records:
 * *GO_ON is then 0. */
film_status record_set_intake_send(struct record_set_intake *intake, int more, int *go_on,
                                   film_error *error);

/* Returns whether it is time to send. */
int record_set_intake_full(const struct record_set_intake *intake);

/* ---- record_set_share.c: in a job ---- */

/* Sorts the records by their order, drops duplicate sentences of pairs, and computes the
 * positions. */
film_status record_set_settle(struct record_set *set, film_error *error);

/* NUMBER (items) = the global number of every item. LEAD: the record with its text. */
film_status record_set_number(struct record_set *set, const uint32_t *lead, uint32_t *number,
                              film_error *error);

/* Sends every record to the round-robin owner of NUMBER[record]. Afterwards the set has the
 * records, positions and keys of this process, and in set->item the local index of each. */
film_status record_set_move(struct record_set *set, const uint32_t *number, film_error *error);

/* Compares texts; equal texts by number. */
int record_set_text_order(film_text a, uint32_t a_number, film_text b, uint32_t b_number);

#endif
