/* Exact nearest neighbours among rows that are partitioned over the processes of a job.
 *
 * Queries are sent to every process, each searches its own rows, and the results are merged. A
 * score depends on the two vectors alone (flat.h), so the results equal those of one process with
 * all rows. Traffic: each query vector goes to all processes once; each process returns k x 8 bytes
 * per search and 8 bytes per rank. Memory per process: its own rows and one block of queries. */
#ifndef LA_FLAT_SHARE_H
#define LA_FLAT_SHARE_H

#include "base/comm.h"
#include "la/flat.h"

/* Every row has a global number, which is the same in all processes. NUMBER and ROW are NULL in a
 * job of one process, where a row's number is its index. */
struct flat_share {
    const struct comm *comm;
    struct flat mine; /* the rows of this process */
    /* The numbers of the rows that have one (all rows, or the first ones), ascending. */
    const uint32_t *number;
    /* By number: the row's index in MINE; FLAT_NONE when another process has it. */
    const uint32_t *row;
};

static inline uint32_t flat_share_row(const struct flat_share *share, uint32_t number)
{
    return share->row ? share->row[number] : number;
}
static inline uint32_t flat_share_number(const struct flat_share *share, size_t row)
{
    return share->number ? share->number[row] : (uint32_t)row;
}

/* ID (rows of this process x k) receives the numbers of the k nearest other rows of each row, as
 * flat_search over all rows would return them. */
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
