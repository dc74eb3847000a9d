/* The items of all pairs while evidence_rows.c collects them: which occur twice, and their
 * numbers. */
#ifndef LEARN_EVIDENCE_ITEMS_H
#define LEARN_EVIDENCE_ITEMS_H

#include "base/keytab.h"
#include "base/status.h"

/* Pairs per chunk. */
enum { EVIDENCE_CHUNK = 512 };

/* Two bits per hash: it was seen, it was seen again. Most items occur once; they are dropped before
 * their keys take memory. */
struct seen_twice {
    unsigned char *bits; /* mask / 4 + 1 bytes, zero at the start */
    uint64_t mask;
};

/* Several threads may call this at the same time; the result does not depend on their order. */
void evidence_items_see(struct seen_twice *seen, uint64_t key);
/* May be wrong for an item that occurs once: numbering is exact. */
int evidence_items_seen_twice(const struct seen_twice *seen, uint64_t key);

/* The keys of a chunk of pairs. */
struct key_chunk {
    uint64_t *key;
    size_t keys;
    uint32_t keys_of[EVIDENCE_CHUNK]; /* counts per pair */
};

/* ITEMS = the numbers of the items that occur in at least two pairs. */
film_status evidence_items_number(struct keytab *items, const struct key_chunk *chunks,
                                  size_t count, film_error *error);

#endif
