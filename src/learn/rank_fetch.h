/* Fetches rows of X by global number from the processes that own them. The rows of process 0 are
 * numbered first, then those of process 1 and so on. Per fetch a process sends 4 bytes for each of
 * its requested rows and 8 for each of their entries. */
#ifndef LEARN_RANK_FETCH_H
#define LEARN_RANK_FETCH_H

#include "base/comm.h"
#include "la/csr.h"

struct rank_fetch {
    const struct comm *comm;
    size_t *first; /* processes + 1: number of each one's first row */
    /* The fetched rows, one after the other: */
    size_t *start; /* rows + 1 */
    uint32_t *col;
    float *val;
    /* Temporary: */
    uint32_t *owner, *length, *lengths; /* rows: owner; length of own rows; of all, by process */
    size_t *from;                       /* rows: index in the received data */
    size_t *sizes, *next;               /* processes */
    uint32_t *came_col;
    float *came_val;
    size_t col_room, val_room, came_col_room, came_val_room;
};

/* ROWS is the most that are requested at once. */
film_status rank_fetch_init(struct rank_fetch *fetch, const struct comm *comm, size_t rows,
                            film_error *error);
void rank_fetch_free(struct rank_fetch *fetch);

/* Sets a random fraction of the entries to 0. */
struct rank_dropout {
    double share;
    uint64_t seed;
};

/* X has the rows of this process. Collective: all processes request the same COUNT rows. */
film_status rank_fetch_rows(struct rank_fetch *fetch, const struct csr *x, const uint32_t *rows,
                            size_t count, struct rank_dropout dropout, int threads,
                            film_error *error);

#endif
