/* Sums of rows of V, of which the other processes of a job have most. */
#ifndef LEARN_FILM_ROWS_H
#define LEARN_FILM_ROWS_H

#include "base/comm.h"
#include "learn/triplets.h"

/* Who has which rows. Anchors belong to the process that has their row. */
struct film_owners {
    const struct comm *comm;
    /* Process p's V has the rows of sentences starts[p] .. starts[p + 1], numbered over all
     * processes. NULL: the triplets of a process name rows of its own V alone, from 0 (batches;
     * one process). */
    const size_t *starts;
    size_t room; /* bytes of others' sums at a time; 0: 2 MiB */
};

struct film_rows {
    const float *v; /* rows of STRIDE floats, of which the first RANK count */
    size_t stride, rank;
};

/* W (anchors x rank): w_i = sum over the triplets of anchor i of (v_j - v_k) / (t_i + 1).
 *
 * Several processes: each asks the owner of a row for what its rows add to an anchor, 8 bytes a
 * row, and gets one sum back: 4 rank bytes for each process that has rows for an anchor, at most
 * N - 1 an anchor, once. */
film_status film_rows_sum(const struct film_owners *owners, const struct film_rows *rows,
                          const struct triplets *triplets, int threads, float *w,
                          film_error *error);

#endif
