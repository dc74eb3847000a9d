/* From scores to probabilities, and the operating point, on a labelled file: the dev file, a part held out,
 * or where nothing was learned from labels the training rows themselves. */
#include "base/mem.h"
#include "train/labels.h"
#include "train/run.h"
#include "learn/calibrate_fit.h"

/* Without any pair that is the same there is nothing a threshold could be chosen on. */
static int none_is_same(const struct labelled_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->target[i] >= 0.5f) return 0;
    return 1;
}

static film_status calibrate_similarity(struct run *run, const struct corpus *labelled,
                                        const struct labelled_pairs *pairs, float *score,
                                        film_error *error)
{
    film_status status = FILM_OK;
    struct calibration *line = &run->model->decision.similarity;
    struct decision plain = {.encoder = &run->model->encoder, .similarity = {1, 0, 0}};
    struct match_rule rule = {0};
    TRY(labels_score(labelled, pairs, &plain, &rule, run->corpus.comm, run->options->threads, score,
                     error));
    if (none_is_same(pairs)) {
        TRY(calibrate_blind(score, pairs->count, line, error));
    } else {
        TRY(calibrate_fit(score, pairs->target, pairs->count, line, error));
        TRY(run_operate(run, score, pairs->target, pairs->count, NULL, &line->threshold, error));
    }
done:
    return status;
}

/* MARGIN += what the network says, as it is worth beside MEMORY; and the line. SIMILARITY is the
 * network's. */
static film_status weigh_network(struct run *run, const float *similarity, const float *memory,
                                 const struct labelled_pairs *pairs, float *margin,
                                 film_error *error)
{
    film_status status = FILM_OK;
    struct decision_network *network = &run->model->decision.network;
    struct calibration *line = &run->model->decision.margin;
    double sum[2] = {0, 0}, count[2] = {1e-9, 1e-9};
    for (size_t i = 0; i < pairs->count; i++) {
        int same = pairs->target[i] >= 0.5f;
        sum[same] += (double)similarity[i];
        count[same] += 1;
    }
    double mean = 0.5 * (sum[0] / count[0] + sum[1] / count[1]);
    TRY(calibrate_fit_both(margin, similarity, memory, pairs->target, pairs->count, line,
                           &network->weight, error));
    network->mean = network->weight > 0 ? mean : 0;
    line->bias += line->scale * network->weight * network->mean;
    for (size_t i = 0; i < pairs->count; i++)
        margin[i] += (float)(network->weight * ((double)similarity[i] - network->mean));
    run_note(run, "network",
             json_pack("{s:f, s:f}", "weight", line->scale * network->weight, "mean", mean));
done:
    return status;
}

/* What memory adds stays what it is; the line fits what it leaves open, and the network's weight with it. Then
 * the operating point, on the sum of all. SIMILARITY: of the vectors. */
static film_status calibrate_margin(struct run *run, const struct corpus *labelled,
                                    const struct labelled_pairs *pairs, const float *similarity,
                                    film_error *error)
{
    film_status status = FILM_OK;
    struct calibration *line = &run->model->decision.margin;
    struct decision plain = run->model->decision; /* a view: never freed */
    struct match_rule without = {.full = 1}, with = {.full = 1, .memory = 1};
    const struct comm *comm = run->corpus.comm;
    size_t count = pairs->count;
    float *margin = mem_array(count, sizeof *margin), *memory = mem_array(count, sizeof *memory);
    TRY_ALLOC(margin && memory, error);
    plain.margin = (struct calibration){1, 0, 0};
    plain.network.weight = 0;
    TRY(labels_score(labelled, pairs, &plain, &without, comm, run->options->threads, margin,
                     error));
    if (comm->rank == 0) /* which alone has a memory */
        TRY(labels_score(labelled, pairs, &plain, &with, &comm_single, run->options->threads,
                         memory, error));
    TRY(comm_broadcast(comm, memory, count * sizeof *memory, 0, error));
    for (size_t i = 0; i < count; i++) memory[i] -= margin[i];
    TRY(run->model->network
            ? weigh_network(run, similarity, memory, pairs, margin, error)
            : calibrate_fit_beside(margin, memory, pairs->target, count, line, error));
    for (size_t i = 0; i < count; i++) margin[i] += memory[i] / (float)line->scale;
    TRY(run_operate(run, margin, pairs->target, count, NULL, &line->threshold, error));
done:
    mem_free(margin);
    mem_free(memory);
    return status;
}

film_status run_calibrate(struct run *run, const struct corpus *labelled, film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_pairs pairs = {0};
    float *similarity = NULL;
    TRY(labels_to_pairs(labelled, LABELS_DRAWN, run->options->seed, &pairs, error));
    TRY(run_check_operating(run, none_is_same(&pairs), error));
    TRY_ALLOC(similarity = mem_array(pairs.count, sizeof *similarity), error);
    TRY(calibrate_similarity(run, labelled, &pairs, similarity, error));
    /* The training rows say nothing about a decision that was learned from them. */
    if (run->model->decision.full && run->dev.rows && !none_is_same(&pairs))
        TRY(calibrate_margin(run, labelled, &pairs, similarity, error));
    run_note(run, "threshold_from", json_string(run->dev_name));
    run_note(run, "threshold_pairs", json_integer((json_int_t)pairs.count));
    if (pairs.made_up) run_note(run, "random_negatives", json_integer((json_int_t)pairs.made_up));
    run_note_time(run, "threshold");
done:
    mem_free(similarity);
    labelled_pairs_free(&pairs);
    return status;
}
