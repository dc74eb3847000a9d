/* Hash table from 64-bit keys to dense numbers 0, 1, 2, ... in the order of insertion.
 *
 * Key 0 means an empty slot and cannot be added. The index of a pool stores and maps the two arrays
 * as they are; a model stores the keys alone (keytab_write). A lookup never trusts the arrays: the
 * probe sequence is bounded, and a number out of range counts as "not found". */
#ifndef BASE_KEYTAB_H
#define BASE_KEYTAB_H

#include "base/status.h"

#include <stdint.h>

#define KEYTAB_NONE UINT32_MAX

struct keytab {
    uint32_t count;
    uint64_t slot_mask;     /* slots - 1; the number of slots is a power of two */
    const uint64_t *keys;   /* by slot; 0: empty */
    const uint32_t *number; /* by slot */
    uint64_t seed;          /* of the hash */
    /* Only in a table that was built in memory, not mapped: */
    uint64_t *own_keys;
    uint32_t *own_number;
};

/* Initialises an empty table. */
film_status keytab_init(struct keytab *table, film_error *error);
/* The same with a seed, for keys that strangers can choose. */
film_status keytab_init_seeded(struct keytab *table, uint64_t seed, film_error *error);
/* Frees a built table. The arrays of a mapped table are not touched. */
void keytab_free(struct keytab *table);

/* Returns the number of KEY; adds the key when it is new. */
film_status keytab_add(struct keytab *table, uint64_t key, uint32_t *number, film_error *error);

/* Returns the number of KEY, or KEYTAB_NONE. */
uint32_t keytab_find(const struct keytab *table, uint64_t key);

/* Returns the slot of KEY, for arrays stored by slot, or KEYTAB_NO_SLOT. */
#define KEYTAB_NO_SLOT UINT64_MAX
uint64_t keytab_slot(const struct keytab *table, uint64_t key);

/* Returns the slot where a search for KEY begins. Prefetch it to hide the memory latency. */
uint64_t keytab_first_slot(const struct keytab *table, uint64_t key);

/* Makes a table over the SLOTS keys and numbers of a file; the caller sets the seed. Checks that
 * the number of slots is a power of two larger than COUNT. NAME is for the message. */
film_status keytab_map(struct keytab *table, const uint64_t *keys, const uint32_t *number,
                       uint64_t slots, uint64_t count, const char *name, film_error *error);

/* Lists the keys in ascending order (base/ascending.h) in *BYTES, *SIZE of them, which the caller
 * frees, and their numbers in that order in NUMBERS (count; may be NULL). */
film_status keytab_write(const struct keytab *table, uint8_t **bytes, uint64_t *size,
                         uint32_t *numbers, film_error *error);
/* Makes a table of such a list of COUNT keys (KEYTAB_ANY: of any number), with a random seed. A
 * key's number is its position. NAME is for messages. */
#define KEYTAB_ANY UINT64_MAX
film_status keytab_open(struct keytab *table, film_text bytes, uint64_t count, const char *name,
                        film_error *error);

#endif
