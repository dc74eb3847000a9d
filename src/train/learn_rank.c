/* Method RANK: the corpus's labels as pairs, the sparse rows themselves to a map (learn/rank.h). */
#include "base/mem.h"
#include "learn/rank.h"
#include "train/checkpoint.h"
#include "train/verdicts.h"

static int on_step(void *user, const struct rank_progress *now)
{
    struct run *run = user;
    progress_note(&run->options->progress, "epoch %.2f, loss %.4f", now->epoch, now->loss);
    return progress_report(&run->options->progress, "ranking", (double)now->step,
                           (double)now->steps, NULL) != FILM_OK;
}

static void note_learned(struct run *run, const struct rank_learned *learned)
{
    json_t *history = json_array();
    size_t count = learned->history_count, stride;
    for (size_t i = run_history(count, &stride); i < count; i += stride) {
        const struct rank_progress *now = &learned->history[i];
        json_array_append_new(history,
                              json_pack("[f, f, f]", now->epoch, now->loss, now->gradient));
    }
    /* Nothing is mined; the figure stays, so that a training gives the bytes it always gave. */
    run_note(run, "ranking",
             json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:[s, s, s], s:o}", "stopped",
                       learned->steps_done < learned->steps ? "cancelled" : "end", "steps",
                       (json_int_t)learned->steps_done, "pairs", (json_int_t)learned->pairs,
                       "clusters", (json_int_t)learned->clusters, "contradictions",
                       (json_int_t)learned->contradictions, "labelled_negatives",
                       (json_int_t)learned->labelled, "mined_negatives", (json_int_t)0,
                       "history_columns", "epoch", "loss", "gradient", "history", history));
}

film_status learn_rank(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    const film_rank_options *wanted = &run->options->ranking;
    struct verdicts pairs = {0};
    struct rank_learned learned = {0};
    struct checkpoint checkpoint = {0};
    struct rank_options options;
    rank_defaults(&options);
    options.dim = run->dim;
    if (run->options->epochs) options.epochs = run->options->epochs;
    if (run->options->batch) options.batch = run->options->batch;
    if (wanted->rate > 0) options.rate = wanted->rate;
    if (wanted->temperature > 0) options.temperature = wanted->temperature;
    options.seed = run->options->seed;
    options.threads = run->options->threads;
    options.comm = run->corpus.comm;
    options.report_every = 1;
    options.report = on_step;
    options.user = run;
    TRY(verdicts_make(&pairs, run, error));
    TRY(checkpoint_open(&checkpoint, run, verdicts_hash(&pairs), error));
    options.checkpointer = checkpoint_interface(&checkpoint);
    status = rank_learn(&run->x, &pairs.labels, &options, &learned, error);
    if (status == FILM_CANCELLED && learned.map) { /* what was learned so far is a model too */
        checkpoint_stopped(&checkpoint, run, learned.steps_done, learned.steps, "steps");
        status = FILM_OK;
    }
    TRY(status);
    run->model->own_map = learned.map;
    learned.map = NULL;
    note_learned(run, &learned);
    run_note_time(run, "ranking");
done:
    checkpoint_free(&checkpoint);
    verdicts_free(&pairs);
    rank_learned_free(&learned);
    return status;
}
