/* Exact neighbours of rows that are spread over the processes of a job: the queries go to everyone,
 * each answers from its own rows, and the answers are put together. A score depends on the two
 * vectors alone (flat.h), so they are those of one process that has all rows.
 *
 * Traffic: every vector asked about goes to all processes once; a search brings back k x 8 bytes
 * from each of them, a rank 8 bytes. Memory of a process: its rows, and a block of queries. */
#ifndef LA_FLAT_SHARE_H
#define LA_FLAT_SHARE_H

#include "base/comm.h"
#include "la/flat.h"

/* Rows have numbers, the same in all processes. NUMBER and ROW are NULL in a job of one process,
 * where a row's number is its place. */
struct flat_share {
    const struct comm *comm;
    struct flat mine;       /* the rows of this process */
    const uint32_t *number; /* of each of the rows that have one (all, or the first ones), rising */
    const uint32_t *row;    /* of each number, where it is in mine; FLAT_NONE: another process's */
};

static inline uint32_t flat_share_row(const struct flat_share *share, uint32_t number)
{
    return share->row ? share->row[number] : number;
}
static inline uint32_t flat_share_number(const struct flat_share *share, size_t row)
{
    return share->number ? share->number[row] : (uint32_t)row;
}

/* ID (rows of this process x k): the numbers of the nearest others of each, as flat_search of all
 * rows gives them. */
film_status flat_share_search(const struct flat_share *share, size_t k, int threads,
                              const film_progress *progress, uint32_t *id, film_error *error);

/* Queries and the target of each, by number. */
struct flat_share_targets {
    const uint32_t *query, *target;
    size_t count;
};

/* flat_rank over all rows; the same in every process. */
film_status flat_share_rank(const struct flat_share *share, const struct flat_share_targets *wanted,
                            int threads, const film_progress *progress, uint32_t *rank,
                            film_error *error);

#endif
