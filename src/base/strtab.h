/* String table: strings <-> dense ids 0, 1, 2, ... in the order of insertion.
 *
 * The table is three plain arrays (bytes, offsets, hash slots), so it can be written to a file as
 * it is and mapped back without rebuilding. A lookup never trusts the arrays: a slot or offset out
 * of range counts as "not found". A damaged file causes a false miss at worst. */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include "base/status.h"

#include <stdint.h>

#define STRTAB_NONE UINT32_MAX

struct strtab {
    uint32_t count;
    uint32_t slot_mask;      /* slots - 1; the number of slots is a power of two */
    const char *bytes;       /* all strings, concatenated */
    const uint64_t *offsets; /* count + 1; string i is bytes[offsets[i] .. offsets[i+1]) */
    const uint64_t *slots;   /* 0: empty; else the hash's high half << 32 | id + 1 */
    uint64_t seed;           /* of the hash; 0 in files of earlier versions */
    /* Only in a table that was built in memory, not mapped: */
    struct strtab_quick *quick; /* of strtab_quicken; NULL: none */
    char *own_bytes;
    uint64_t *own_offsets, *own_slots;
    size_t bytes_capacity, offsets_capacity;
};

/* Initialises an empty table. Its hash has a random seed: nobody can choose strings that collide.
 * Ids do not depend on it. */
film_status strtab_init(struct strtab *table, film_error *error);
/* Before a complete table is written to a file: gives it a seed that its strings determine. So the
 * bytes are always the same, and nobody can choose strings that collide under it: each choice has
 * another seed. */
film_status strtab_seal(struct strtab *table, film_error *error);
/* The number of slots to store: the seed follows the others. */
uint64_t strtab_stored_slots(const struct strtab *table);
/* Frees a built table. The arrays of a mapped table are not touched. */
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

/* Arrays of a file. */
struct strtab_arrays {
    const char *bytes;
    uint64_t byte_count;
    const uint64_t *offsets;
    uint64_t offset_count;
    const uint64_t *slots;
    uint64_t slot_count;
};

/* Makes a table over them. Checks sizes, that the slot count is a power of two (and 1: the seed)
 * larger than the string count, and that offsets rise to the end of the bytes. NAME is for the
 * message. */
film_status strtab_map(struct strtab *table, const struct strtab_arrays *arrays, const char *name,
                       film_error *error);

/* The lengths of the strings as varints (base/varint.h); OUT has room for STRTAB_LENGTH bytes of
 * each. Returns the number of bytes. */
enum { STRTAB_LENGTH = 5 };
size_t strtab_lengths(const struct strtab *table, uint8_t *out);

/* Makes a table over the strings of a file, of which only their bytes and lengths are stored. The
 * other arrays are computed, with a random seed. NAME is for messages. */
film_status strtab_from_lengths(struct strtab *table, film_text bytes, film_text lengths,
                                const char *name, film_error *error);

#endif
