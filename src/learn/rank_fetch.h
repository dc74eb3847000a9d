/* Rows of X by number, brought from the processes that hold them: those of process 0 are
 * numbered first, then those of process 1 and so on. Per process and fetch, 4 bytes for each of
 * its rows that is wanted and 8 for each of their entries go to the others. */
#ifndef LEARN_RANK_FETCH_H
#define LEARN_RANK_FETCH_H

#include "base/comm.h"
#include "la/csr.h"

struct rank_fetch {
    const struct comm *comm;
    size_t *first; /* processes + 1: number of each one's first row */
    /* What was fetched, a row behind the other: */
    size_t *start; /* rows + 1 */
    uint32_t *col;
    float *val;
    /* On the way: */
    uint32_t *owner, *length, *lengths; /* rows: whose; of own rows; of all, by process */
    size_t *from;                       /* rows: place in what came */
    size_t *sizes, *next;               /* processes */
    uint32_t *came_col;
    float *came_val;
    size_t col_room, val_room, came_col_room, came_val_room;
};

/* ROWS: the most that are wanted at once. */
film_status rank_fetch_init(struct rank_fetch *fetch, const struct comm *comm, size_t rows,
                            film_error *error);
void rank_fetch_free(struct rank_fetch *fetch);

/* A share of the entries is set to 0, at random. */
struct rank_dropout {
    double share;
    uint64_t seed;
};

/* X: the rows of this process. Collective: all want the same COUNT rows. */
film_status rank_fetch_rows(struct rank_fetch *fetch, const struct csr *x, const uint32_t *rows,
                            size_t count, struct rank_dropout dropout, int threads,
                            film_error *error);

#endif
