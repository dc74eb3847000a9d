/* The rows of V that a process's triplets name, of which the other processes of a job have most. */
#ifndef METRIC_FILM_ROWS_H
#define METRIC_FILM_ROWS_H

#include "base/comm.h"
#include "metric/triplets.h"

/* Who has which rows. Anchors belong to the process that has their row. */
struct film_owners {
    const struct comm *comm;
    /* Process p's V has the rows of sentences starts[p] .. starts[p + 1], numbered over all processes.
     * NULL: the triplets of a process name rows of its own V alone, from 0 (batches; one process). */
    const size_t *starts;
    size_t room; /* bytes of others' rows at a time; 0: 8 MiB */
};

struct film_rows {
    const float *own; /* this process's V */
    size_t stride, rank, first, count;
    uint32_t *id;   /* FETCHED of others, rising */
    float *fetched; /* their rows, rank each */
    size_t fetched_count;
};

/* This process's rows of V, and no others yet. */
struct film_rows film_rows_own(const struct film_owners *owners, const float *v, size_t stride,
                               size_t rank, size_t sentences);
void film_rows_free(struct film_rows *rows);

/* Brings what the triplets of anchors FIRST .. *END name, *END chosen by the room (it takes as much again for
 * the rows that others ask for), in place of what was fetched before. Every process calls it, also one with no
 * anchors left. Hands over the numbers asked for, 4 bytes each, and 4 rank for each that is asked of it. */
film_status film_rows_fetch(struct film_rows *rows, const struct film_owners *owners,
                            const struct triplets *triplets, size_t first, size_t *end,
                            film_error *error);

/* Row of sentence ID, own or fetched. */
const float *film_rows_of(const struct film_rows *rows, uint32_t id);

#endif
