/* Key table: 64-bit keys <-> dense numbers 0, 1, 2, ... in the order they were added.
 *
 * Two plain arrays, written to a file as they are and mapped back. Key 0 means an empty slot and
 * cannot be added. Looking up never trusts the arrays: a walk is bounded and a number out of range
 * reads as "not there". */
#ifndef BASE_KEYTAB_H
#define BASE_KEYTAB_H

#include "base/status.h"

#include <stdint.h>

#define KEYTAB_NONE UINT32_MAX

struct keytab {
    uint32_t count;
    uint64_t slot_mask;     /* slots - 1; the number of slots is a power of two */
    const uint64_t *keys;   /* by slot; 0: empty */
    const uint32_t *number; /* by slot; NULL in a mapped table whose user keeps arrays by slot */
    /* Only in a table that was built here, not mapped: */
    uint64_t *own_keys;
    uint32_t *own_number;
};

/* An empty table to add to. */
film_status keytab_init(struct keytab *table, film_error *error);
void keytab_free(struct keytab *table); /* both kinds; a mapped table's arrays are left alone */

/* The number of a key, added when new. */
film_status keytab_add(struct keytab *table, uint64_t key, uint32_t *number, film_error *error);

/* The number of a key, or KEYTAB_NONE. */
uint32_t keytab_find(const struct keytab *table, uint64_t key);

/* Where the key stands, for arrays kept by slot; KEYTAB_NO_SLOT: nowhere. */
#define KEYTAB_NO_SLOT UINT64_MAX
uint64_t keytab_slot(const struct keytab *table, uint64_t key);

/* Where a search for the key begins: what is worth asking memory for early. */
uint64_t keytab_first_slot(const struct keytab *table, uint64_t key);

/* Makes a table over arrays of a file; checks that the slot count is a power of two and larger than
 * COUNT. NAME is for the message. */
film_status keytab_map(struct keytab *table, const uint64_t *keys, const uint32_t *number,
                       uint64_t slots, uint64_t count, const char *name, film_error *error);

#endif
