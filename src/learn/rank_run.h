/* A training run by ranking, as rank.c, which learns, and rank_keep.c, which pauses, see it;
 * theirs alone. */
#ifndef LEARN_RANK_RUN_H
#define LEARN_RANK_RUN_H

#include "learn/rank_batch.h"
#include "learn/rank_draw.h"

struct rank_run {
    const struct csr *x; /* the sentences of this process */
    const struct rank_options *options;
    const struct comm *comm;
    struct rank_learned *out;
    struct rank_draw draw;
    struct rank_map map;
    struct rank_batch batch;
    struct rank_rows rows;
    size_t opposed;            /* of a batch */
    double (*kept_history)[2]; /* loss and gradient, as in out->history */
    size_t history_room, kept_room;
    size_t batches, step, steps; /* batches of an epoch; steps done, of all */
    double loss, gradient;       /* sums since the last report */
    size_t losses;
    int threads;
};

static inline size_t rank_report_every(const struct rank_run *run)
{
    return run->options->report_every ? run->options->report_every : 1;
}

/* Room for COUNT entries of the history; 0: no memory. */
int rank_history_reserve(struct rank_run *run, size_t count);
/* Entry NUMBER of the history: everything but what is kept follows from it. */
struct rank_progress rank_history_entry(const struct rank_run *run, size_t number);

/* Both are collective: process 0 alone has to do with the checkpointer, gathers what is split
 * and deals it out. */
film_status rank_keep_save(struct rank_run *run, int *failed, film_error *error);
/* Everything as it was when learning was paused. */
film_status rank_keep_load(struct rank_run *run, film_error *error);

#endif
