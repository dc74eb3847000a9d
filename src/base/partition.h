/* Hash partitioning of strings over the processes of a job. The hash of a string selects its owner.
 * The owner numbers the string and adds up the counts of all processes. So sentences that several
 * processes have read are counted once, and vocabularies are merged although no process sees all of
 * them.
 *
 * A process sends its strings and 4 bytes each to the owners (a share of 1/N stays local), then 4
 * bytes per string for every sum or lookup. Partitioning needs memory for one more copy of the
 * strings. */
#ifndef BASE_PARTITION_H
#define BASE_PARTITION_H

#include "base/comm.h"
#include "base/strtab.h"

struct partition {
    const struct comm *comm;
    size_t strings;  /* number of strings of this process */
    uint32_t *order; /* their ids, sorted by owner */
    /* Bytes sent to and received from each process: 4 per string. */
    size_t *out, *in;
    size_t received;          /* number of strings received from all processes */
    uint32_t *id_of_received; /* their ids in OWNED */
};

/* Returns the process that owns a string. */
static inline int partition_owner(const struct comm *comm, uint64_t hash)
{
    /* The high bits: a string table uses the low bits for its slots. */
    return (int)((hash >> 32) * (uint64_t)comm->size >> 32);
}

/* Sends every string of MINE to its owner. OWNED must be empty; it gets the strings that this
 * process owns, in rank order of the senders and in the order of each sender. */
film_status partition_strings(struct partition *partition, const struct comm *comm,
                              const struct strtab *mine, struct strtab *owned, film_error *error);
void partition_free(struct partition *partition);

/* OWNED[i] = the sum over all processes of their value in MINE for string i. */
film_status partition_sum(const struct partition *partition, const uint32_t *mine, uint32_t *owned,
                          size_t owned_count, film_error *error);

/* MINE[i] = the value that the owner of string i has for it in OWNED. */
film_status partition_lookup(const struct partition *partition, const uint32_t *owned,
                             uint32_t *mine, film_error *error);

/* A message of strings: length and bytes of each, concatenated. */
struct string_pack {
    char *bytes;
    size_t size, capacity;
};
film_status string_pack_add(struct string_pack *pack, film_text text, film_error *error);

/* Reads the next string of a message and advances AT. Returns 0 at the end. */
int string_pack_next(const char **at, const char *end, film_text *text);

#endif
