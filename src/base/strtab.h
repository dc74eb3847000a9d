/* String table: strings <-> dense ids 0, 1, 2, ... in the order of insertion.
 *
 * In a file a table is its strings, in the order of their ids, and their lengths: opening computes
 * the hash slots with a random seed, so nobody can choose strings that collide. */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include "base/status.h"

#include <stdint.h>

#define STRTAB_NONE UINT32_MAX

struct strtab {
    uint32_t count;
    uint32_t slot_mask;         /* slots - 1; the number of slots is a power of two */
    const char *bytes;          /* all strings, concatenated */
    const uint64_t *offsets;    /* count + 1; string i is bytes[offsets[i] .. offsets[i+1]) */
    uint64_t seed;              /* of the hash */
    struct strtab_quick *quick; /* of strtab_quicken; NULL: none */
    char *own_bytes;            /* NULL: those of a file */
    uint64_t *own_offsets;
    uint64_t *own_slots; /* 0: empty; else the hash's high half << 32 | id + 1 */
    size_t bytes_capacity, offsets_capacity;
};

/* Initialises an empty table. Its hash has a random seed: nobody can choose strings that collide.
 * Ids do not depend on it. */
film_status strtab_init(struct strtab *table, film_error *error);
void strtab_free(struct strtab *table);

/* A hash of a string that is the same in every process; it has no seed. */
uint64_t strtab_hash(const char *bytes, size_t length);

/* Returns the id of a string; adds the string when it is new. */
film_status strtab_add(struct strtab *table, const char *bytes, size_t length, uint32_t *id,
                       film_error *error);

/* Returns the id of a string, or STRTAB_NONE. */
uint32_t strtab_find(const struct strtab *table, const char *bytes, size_t length);

/* Fetches what strtab_find will read first. */
void strtab_prefetch(const struct strtab *table, const char *bytes, size_t length);

/* Makes look-ups of strings of at most 15 bytes several times as fast. The table must not change
 * afterwards. */
film_status strtab_quicken(struct strtab *table, film_error *error);

film_text strtab_get(const struct strtab *table, uint32_t id);

/* Allocates the lengths of the strings as a file stores them, in LEB128 (base/varint.h). */
film_status strtab_lengths(const struct strtab *table, uint8_t **lengths, uint64_t *size,
                           film_error *error);

/* Makes a table over the strings and lengths of a file, which must outlive it. NAME is for
 * messages. */
film_status strtab_open(struct strtab *table, film_text bytes, film_text lengths, const char *name,
                        film_error *error);

#endif
