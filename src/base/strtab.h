/* String table: strings <-> dense ids 0, 1, 2, ... in the order they were added.
 *
 * Three plain arrays (bytes, offsets, hash slots), so that a table can be written to a file as it
 * is and mapped back without building anything. Looking up never trusts the arrays: a slot or an
 * offset out of range reads as "not there", so a damaged file gives a wrong miss at worst. */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include "base/status.h"

#include <stdint.h>

#define STRTAB_NONE UINT32_MAX

struct strtab {
    uint32_t count;
    uint32_t slot_mask;      /* slots - 1; the number of slots is a power of two */
    const char *bytes;       /* all strings, one behind the other */
    const uint64_t *offsets; /* count + 1; string i is bytes[offsets[i] .. offsets[i+1]) */
    const uint64_t *slots;   /* 0: empty; else the hash's high half << 32 | id + 1 */
    /* Only in a table that was built here, not mapped: */
    char *own_bytes;
    uint64_t *own_offsets, *own_slots;
    size_t bytes_capacity, offsets_capacity;
};

/* An empty table to add to. */
film_status strtab_init(struct strtab *table, film_error *error);
void strtab_free(struct strtab *table); /* both kinds; a mapped table's arrays are left alone */

uint64_t strtab_hash(const char *bytes, size_t length);

/* The id of a string, added when new. */
film_status strtab_add(struct strtab *table, const char *bytes, size_t length, uint32_t *id,
                       film_error *error);
film_status strtab_add_hashed(struct strtab *table, const char *bytes, size_t length, uint64_t hash,
                              uint32_t *id, film_error *error);

/* The id of a string, or STRTAB_NONE. */
uint32_t strtab_find(const struct strtab *table, const char *bytes, size_t length);

film_text strtab_get(const struct strtab *table, uint32_t id);

/* Arrays of a file. */
struct strtab_arrays {
    const char *bytes;
    uint64_t byte_count;
    const uint64_t *offsets;
    uint64_t offset_count;
    const uint64_t *slots;
    uint64_t slot_count;
};

/* Makes a table over them. Checks sizes, that the slot count is a power of two larger
 * than the string count, and that offsets rise to the end of the bytes. NAME is for the message. */
film_status strtab_map(struct strtab *table, const struct strtab_arrays *arrays, const char *name,
                       film_error *error);

#endif
