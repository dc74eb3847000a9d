/* What the files of the pile share. */
#ifndef DEDUP_RECORD_SET_PARTS_H
#define DEDUP_RECORD_SET_PARTS_H

#include "base/strtab.h"
#include "dedup/record_set.h"
#include "text/tokens.h"

/* ---- record_set_keys.c ---- */

struct record_set_key_maker {
    struct tokenizer
        tokenizer; /* neither stemming nor stop words: the same words, not similar ones */
    struct tokens tokens;
    char *key;
    size_t capacity;
};
film_status record_set_key_init(struct record_set_key_maker *maker, film_error *error);
void record_set_key_free(struct record_set_key_maker *maker);

/* The same for the same words in their order, and of the same signs (C, C++); not 0. */
film_status record_set_key_make(struct record_set_key_maker *maker, film_text text, uint64_t *out,
                                film_error *error);

/* set->keys of all records, where they are not there already. */
film_status record_set_keys(struct record_set *set, const film_progress *progress,
                            film_error *error);

/* ---- record_set_intake.c: filling ---- */

struct record_set_intake {
    struct record_set *set;
    struct strtab seen; /* of one process: sentences of pairs, each once */
    struct record_set_key_maker maker;
    struct mailbox mailbox;
};
film_status record_set_intake_open(struct record_set_intake *intake, struct record_set *set,
                                   film_error *error);
void record_set_intake_close(struct record_set_intake *intake);

/* A record; ORDER rises with its position in the input. PAIRED: nothing when the text is there
 * already. */
film_status record_set_intake_add(struct record_set_intake *intake, uint64_t order, int paired,
                                  film_text id, film_text text, film_error *error);

/* All processes call it now and then, until no one has MORE to come: *GO_ON is then 0. */
film_status record_set_intake_send(struct record_set_intake *intake, int more, int *go_on,
                                   film_error *error);

/* Is it time for the next sending? */
int record_set_intake_full(const struct record_set_intake *intake);

/* ---- record_set_share.c: of a job ---- */

/* Sorts the records by their order, drops sentences of pairs that were there, and finds
 * positions. */
film_status record_set_settle(struct record_set *set, film_error *error);

/* NUMBER (items): of every item its number among those of all processes. LEAD: the record of its
 * text. */
film_status record_set_number(struct record_set *set, const uint32_t *lead, uint32_t *number,
                              film_error *error);

/* Sends every record to the process whose turn NUMBER[record] is; what is left are records, at and
 * keys of this process's turns, and in set->item the place of each. */
film_status record_set_move(struct record_set *set, const uint32_t *number, film_error *error);

/* The order of texts; of equal ones, that of the numbers. */
int record_set_text_order(film_text a, uint32_t a_number, film_text b, uint32_t b_number);

#endif
