/* What the files of the pile share. */
#ifndef POOL_PILE_PARTS_H
#define POOL_PILE_PARTS_H

#include "base/strtab.h"
#include "pool/pile.h"
#include "text/tokens.h"

/* ---- pile_keys.c ---- */

struct pile_key_maker {
    struct tokenizer
        tokenizer; /* neither stemming nor stop words: the same words, not similar ones */
    struct tokens tokens;
    char *key;
    size_t capacity;
};
film_status pile_key_init(struct pile_key_maker *maker, film_error *error);
void pile_key_free(struct pile_key_maker *maker);

/* The same for the same words in their order, and of the same signs (C, C++); not 0. */
film_status pile_key_make(struct pile_key_maker *maker, film_text text, uint64_t *out,
                          film_error *error);

/* pile->keys of all records, where they are not there already. */
film_status pile_keys(struct pile *pile, const film_progress *progress, film_error *error);

/* ---- pile_intake.c: filling ---- */

struct pile_intake {
    struct pile *pile;
    struct strtab seen; /* of one process: sentences of pairs, each once */
    struct pile_key_maker maker;
    struct post post;
};
film_status pile_intake_open(struct pile_intake *intake, struct pile *pile, film_error *error);
void pile_intake_close(struct pile_intake *intake);

/* A record; ORDER rises with its position in the input. PAIRED: nothing when the text is there already. */
film_status pile_intake_add(struct pile_intake *intake, uint64_t order, int paired, film_text id,
                            film_text text, film_error *error);

/* All processes call it now and then, until no one has MORE to come: *GO_ON is then 0. */
film_status pile_intake_send(struct pile_intake *intake, int more, int *go_on, film_error *error);

/* Is it time for the next sending? */
int pile_intake_full(const struct pile_intake *intake);

/* ---- pile_share.c: of a job ---- */

/* Sorts the records by their order, drops sentences of pairs that were there, and finds positions. */
film_status pile_settle(struct pile *pile, film_error *error);

/* NUMBER (items): of every item its number among those of all processes. LEAD: the record of its text. */
film_status pile_number(struct pile *pile, const uint32_t *lead, uint32_t *number,
                        film_error *error);

/* Sends every record to the process whose turn NUMBER[record] is; what is left are records, at and keys
 * of this process's turns, and in pile->item the place of each. */
film_status pile_move(struct pile *pile, const uint32_t *number, film_error *error);

/* The order of texts; of equal ones, that of the numbers. */
int pile_text_order(film_text a, uint32_t a_number, film_text b, uint32_t b_number);

#endif
