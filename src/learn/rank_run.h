/* The state of a training by ranking, shared by rank.c, which trains, and rank_checkpoint.c, which
 * saves and resumes. No other file includes this header. */
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
    size_t opposed;              /* per batch */
    double (*stored_history)[2]; /* loss and gradient, as in out->history */
    size_t history_room, stored_room;
    size_t batches, step, steps; /* batches per epoch; steps completed, total */
    double loss, gradient;       /* sums since the last report */
    size_t losses;
    int threads;
};

static inline size_t rank_report_every(const struct rank_run *run)
{
    return run->options->report_every ? run->options->report_every : 1;
}

/* Reserves COUNT entries of the history. Returns 0 when out of memory. */
int rank_history_reserve(struct rank_run *run, size_t count);
/* Entry NUMBER of the history; everything except the stored loss and gradient follows from
 * NUMBER. */
struct rank_progress rank_history_entry(const struct rank_run *run, size_t number);

/* Saves or restores the state of the training. Both are collective: only process 0 uses the
 * checkpointer. It gathers the columns of all processes, and sends them back when resuming. */
film_status rank_checkpoint_save(struct rank_run *run, int *failed, film_error *error);
film_status rank_checkpoint_load(struct rank_run *run, film_error *error);

#endif
