/* Strings dealt to the processes of a job: each has one owner, told by its hash, who gives it a
 * number and adds up what the others know about it. That is how sentences are counted once though
 * several processes have read them, and how vocabularies are merged without one process seeing
 * everything.
 *
 * Traffic of a process: its strings and 4 bytes each to the owners (a share 1/N stays), then 4
 * bytes a string for every sum or answer. Memory while dealing: the strings once more. */
#ifndef BASE_PARTITION_H
#define BASE_PARTITION_H

#include "base/comm.h"
#include "base/strtab.h"

struct partition {
    const struct comm *comm;
    size_t strings;       /* this process has dealt */
    uint32_t *order;      /* their ids, those of process 0 first */
    size_t *out, *in;     /* bytes of 4 a string, to and from each process */
    size_t came;          /* strings from all processes */
    uint32_t *id_of_came; /* their ids in OWNED */
};

/* The process that owns a string. */
static inline int partition_owner(const struct comm *comm, uint64_t hash)
{
    /* by the high bits: a string table finds its slots by the low ones */
    return (int)((hash >> 32) * (uint64_t)comm->size >> 32);
}

/* Sends every string of MINE to its owner. OWNED, an empty table, gets those this process owns,
 * those of process 0 first, each in the order it was dealt. */
film_status partition_strings(struct partition *partition, const struct comm *comm,
                              const struct strtab *mine, struct strtab *owned, film_error *error);
void partition_free(struct partition *partition);

/* OWNED[i]: the sum of what the processes have in MINE about string i. */
film_status partition_sum(const struct partition *partition, const uint32_t *mine, uint32_t *owned,
                          size_t owned_count, film_error *error);

/* MINE[i]: what the owner of string i has about it in OWNED. */
film_status partition_lookup(const struct partition *partition, const uint32_t *owned,
                             uint32_t *mine, film_error *error);

/* A message of strings: their lengths and bytes behind each other, as text that another process can
 * take apart. */
struct string_pack {
    char *bytes;
    size_t size, capacity;
};
film_status string_pack_add(struct string_pack *pack, film_text text, film_error *error);

/* The next string of a message; AT moves on. Returns 0 at the end. */
int string_pack_next(const char **at, const char *end, film_text *text);

#endif
