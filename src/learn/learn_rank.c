/* Method RANK: turns labels into pairs and learns a map on the sparse rows. The training is in
 * rank.c; here are its inputs, progress and measures. */
#include "base/mem.h"
#include "base/jsonfile.h"
#include "learn/learn.h"
#include "learn/rank.h"
#include "learn/pair_lists.h"

/* Categories: a large batch has many sentences of each category, which are no negatives of each
 * other. Small batches in one pass learn a better map in a quarter of the time (BANKING77, one fold
 * of five, 5 neighbours: 91.4 against 90.6 % with batches of 1,024 in two passes). */
enum { CATEGORY_EPOCHS = 1, CATEGORY_BATCH = 128 };

/* Records: a file of a few thousand has too few pairs for more than a step in a pass. F1 in five
 * folds of the training file, 2 and 8 passes: WDC computers 93.1 and 93.5, WDC cameras 88.9 and
 * 89.3, DBLP-ACM 98.7 and 98.8, Abt-Buy 92.7 both. Sentences do not gain. */
enum { RECORD_STEPS = 16, RECORD_EPOCHS = 8 };

static size_t record_epochs(size_t positives, const struct rank_options *options)
{
    size_t batches = positives / options->batch + 1;
    size_t epochs = RECORD_STEPS / batches;
    if (epochs > RECORD_EPOCHS) return RECORD_EPOCHS;
    return epochs > options->epochs ? epochs : options->epochs;
}

static int on_step(void *user, const struct rank_progress *now)
{
    const film_progress *progress = user;
    progress_note(progress, "epoch %.2f, loss %.4f", now->epoch, now->loss);
    return progress_report(progress, "ranking", (double)now->step, (double)now->steps, NULL) !=
           FILM_OK;
}

static void note_learned(struct training_log *log, const struct rank_learned *learned)
{
    json_t *history = json_array();
    size_t count = learned->history_count, stride;
    for (size_t i = training_log_stride(count, &stride); i < count; i += stride) {
        const struct rank_progress *now = &learned->history[i];
        jsonfile_append(history, json_pack("[f, o, o]", now->epoch, jsonfile_number(now->loss),
                                           jsonfile_number(now->gradient)));
    }
    /* Nothing is mined any more; the value stays so that model files do not change. */
    training_log_note(log, "ranking",
                      json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:[s, s, s], s:o}", "steps",
                                (json_int_t)learned->steps, "pairs", (json_int_t)learned->pairs,
                                "clusters", (json_int_t)learned->clusters, "contradictions",
                                (json_int_t)learned->contradictions, "labelled_negatives",
                                (json_int_t)learned->labelled, "mined_negatives", (json_int_t)0,
                                "history_columns", "epoch", "loss", "gradient", "history",
                                history));
}

film_status learn_rank(const struct learn_input *input, struct learned_map *out, film_error *error)
{
    film_status status = FILM_OK;
    const film_rank_options *wanted = &input->options->ranking;
    film_progress progress = input->options->progress;
    struct pair_lists pairs = {0};
    struct rank_learned learned = {0};
    struct rank_options options;
    rank_defaults(&options);
    options.dim = input->dim;
    if (input->corpus->labels == FILM_LABELS_CATEGORIES) {
        options.epochs = CATEGORY_EPOCHS;
        options.batch = CATEGORY_BATCH;
    }
    TRY(pair_lists_make(&pairs, input->corpus, input->options->seed, error));
    if (input->corpus->labels == FILM_LABELS_CATEGORIES && !pairs.labels.positives)
        TRY(status_set(error, FILM_USAGE,
                       "no category has two sentences; add sentences, or train without categories "
                       "(labels none)"));
    if (input->batch) options.batch = input->batch;
    if (input->corpus->records) options.epochs = record_epochs(pairs.labels.positives, &options);
    if (input->epochs) options.epochs = input->epochs;
    if (wanted->rate > 0) options.rate = wanted->rate;
    if (wanted->temperature > 0) options.temperature = wanted->temperature;
    options.seed = input->options->seed;
    options.threads = input->options->threads;
    options.report_every = 1;
    options.report = on_step;
    options.user = &progress;
    TRY(rank_learn(input->x, &pairs.labels, &options, &learned, error));
    out->map = learned.map;
    out->dim = learned.dim;
    learned.map = NULL;
    note_learned(input->log, &learned);
    training_log_phase(input->log, "ranking");
done:
    pair_lists_free(&pairs);
    rank_learned_free(&learned);
    return status;
}
