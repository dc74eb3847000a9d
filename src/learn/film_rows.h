/* Sums of rows of V, most of which belong to other processes of the job. */
#ifndef LEARN_FILM_ROWS_H
#define LEARN_FILM_ROWS_H

#include "base/comm.h"
#include "learn/triplets.h"

/* Which process has which rows. An anchor belongs to the process that has its row. */
struct film_owners {
    const struct comm *comm;
    /* Process p's V has the rows of sentences starts[p] .. starts[p + 1] - 1, with global ids.
     * NULL: the triplets of a process refer only to rows of its own V, from 0 (batches; one
     * process). */
    const size_t *starts;
    size_t room; /* buffer in bytes for sums of other processes; 0: 2 MiB */
};

struct film_rows {
    const float *v; /* rows of STRIDE floats; only the first RANK are used */
    size_t stride, rank;
};

/* W (anchors x rank): w_i = sum over the triplets of anchor i of (v_j - v_k) / (t_i + 1).
 *
 * Several processes: each sends the owner of a row a request of 8 bytes per row. The owner returns
 * one partial sum per anchor: 4 rank bytes for each process that has rows of an anchor, at most N -
 * 1 per anchor, once. */
film_status film_rows_sum(const struct film_owners *owners, const struct film_rows *rows,
                          const struct triplets *triplets, int threads, float *w,
                          film_error *error);

#endif
