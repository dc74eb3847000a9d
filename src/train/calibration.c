/* Calibrates scores to probabilities and chooses the operating point on labelled rows: the dev
 * file, a held-out part, or the training rows when nothing was learned from labels.
 * learn/calibrate_fit.c fits the calibration (Platt scaling). */
#include "train/calibration.h"
#include "base/mem.h"
#include "learn/calibrate_fit.h"
#include "learn/near_misses.h"

/* The pairs that a model is calibrated on, and the settings. */
struct calibrating {
    const struct corpus *labelled;
    struct labelled_pairs pairs;
    const film_train_options *options;
    struct training_log *log;
};

static film_status score_calibration_pairs(const struct calibrating *on,
                                           const struct decision *decision, struct match_rule rule,
                                           float *out, film_error *error)
{
    struct labels_scorer scorer = {decision, rule, on->options->threads, NULL};
    return labels_score(on->labelled, &on->pairs, &scorer, out, error);
}

/* Chooses the threshold of SCORES. */
static film_status choose_threshold(const struct calibrating *on, const float *scores,
                                    double *threshold, film_error *error)
{
    const struct labelled_pairs *pairs = &on->pairs;
    struct scored_pairs scored = {scores, pairs->target, pairs->a, pairs->b, pairs->count, 0};
    return decision_threshold_choose(&scored, on->options, NULL, threshold, on->log, error);
}

/* Computes the SIMILARITY of each pair, its calibration and its threshold. */
static film_status calibrate_vectors(const struct calibrating *on, film_model *model,
                                     float *similarity, film_error *error)
{
    film_status status = FILM_OK;
    struct calibration *line = &model->decision.similarity;
    struct decision plain = {.encoder = &model->encoder, .similarity = {1, 0, 0}};
    TRY(score_calibration_pairs(on, &plain, (struct match_rule){0}, similarity, error));
    TRY(calibrate_similarity(similarity, &on->pairs, line, error));
    if (!labels_none_same(&on->pairs))
        TRY(choose_threshold(on, similarity, &line->threshold, error));
done:
    return status;
}

/* MARGIN += the weighted similarity of the network, with MEMORY as an offset; also fits the
 * calibration. SIMILARITY is the network's. */
static film_status weigh_network(const struct calibrating *on, struct decision *decision,
                                 const float *similarity, const float *memory, float *margin,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_pairs *pairs = &on->pairs;
    struct decision_network *network = &decision->network;
    struct calibration *line = &decision->margin;
    double sum[2] = {0, 0}, count[2] = {1e-9, 1e-9};
    for (size_t i = 0; i < pairs->count; i++) {
        int same = pairs->target[i] >= 0.5f;
        sum[same] += (double)similarity[i];
        count[same] += 1;
    }
    double mean = 0.5 * (sum[0] / count[0] + sum[1] / count[1]);
    TRY(calibrate_fit_both(
        &(struct two_scores){margin, similarity, memory, pairs->target, pairs->count}, line,
        &network->weight, error));
    network->mean = network->weight > 0 ? mean : 0;
    line->bias += line->scale * network->weight * network->mean;
    for (size_t i = 0; i < pairs->count; i++)
        margin[i] += (float)(network->weight * ((double)similarity[i] - network->mean));
    training_log_note(
        on->log, "network",
        json_pack("{s:f, s:f}", "weight", line->scale * network->weight, "mean", mean));
done:
    return status;
}

/* Memory's contribution is fixed; calibration and the network's weight are fitted to the remainder.
 * Then the operating point is chosen on the sum of all. SIMILARITY is that of the vectors. */
static film_status calibrate_margin(const struct calibrating *on, film_model *model,
                                    const float *similarity, film_error *error)
{
    film_status status = FILM_OK;
    struct calibration *line = &model->decision.margin;
    struct decision plain = model->decision; /* a view: never freed */
    struct match_rule without = {.full = 1}, with = {.full = 1, .memory = 1};
    size_t count = on->pairs.count;
    float *margin = mem_array(count, sizeof *margin), *memory = mem_array(count, sizeof *memory);
    TRY_ALLOC(margin && memory, error);
    plain.margin = (struct calibration){1, 0, 0};
    plain.network.weight = 0;
    TRY(score_calibration_pairs(on, &plain, without, margin, error));
    TRY(score_calibration_pairs(on, &plain, with, memory, error));
    for (size_t i = 0; i < count; i++) memory[i] -= margin[i];
    TRY(model->network
            ? weigh_network(on, &model->decision, similarity, memory, margin, error)
            : calibrate_fit_beside(margin, memory, on->pairs.target, count, line, error));
    for (size_t i = 0; i < count; i++) margin[i] += memory[i] / (float)line->scale;
    TRY(choose_threshold(on, margin, &line->threshold, error));
done:
    mem_free(margin);
    mem_free(memory);
    return status;
}

/* Adds what the model, now complete, does with near misses of the labelled rows. */
static film_status log_near_misses(const struct calibrating *on, const film_model *model,
                                   film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *decision = &model->decision;
    const struct calibration *line = decision->full ? &decision->margin : &decision->similarity;
    const struct labelled_pairs *pairs = &on->pairs;
    struct near_misses near = {0};
    struct match_rule rule = {.full = decision->full, .memory = 1, .identity = 1};
    struct near_judge judge = {decision,  rule, on->options->seed, on->options->threads,
                               NEAR_MOST, NULL};
    unsigned char *is_near = mem_array(pairs->count, 1);
    float *score = mem_array(pairs->count, sizeof *score);
    struct scored_pairs scored = {score, pairs->target, pairs->a, pairs->b, pairs->count, 0};
    TRY_ALLOC(is_near && score, error);
    TRY(score_calibration_pairs(on, decision, rule, score, error));
    TRY(near_misses_gather(&near, &judge, on->labelled, pairs, is_near, error));
    TRY(near_misses_log(&near, &scored, is_near, line->scale * line->threshold + line->bias,
                        on->log, error));
done:
    near_misses_free(&near);
    mem_free(is_near);
    mem_free(score);
    return status;
}

film_status calibrate_model(film_model *model, const struct training_rows *rows,
                            const film_train_options *options, struct training_log *log,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct calibrating on = {
        .labelled = training_rows_judged(rows), .options = options, .log = log};
    float *similarity = NULL;
    TRY(labels_to_pairs(on.labelled, LABELS_DRAWN, options->seed, &on.pairs, error));
    TRY_ALLOC(similarity = mem_array(on.pairs.count, sizeof *similarity), error);
    TRY(calibrate_vectors(&on, model, similarity, error));
    /* A decision cannot be calibrated on the rows it was trained on. */
    if (model->decision.full && rows->dev.rows && !labels_none_same(&on.pairs))
        TRY(calibrate_margin(&on, model, similarity, error));
    if (rows->dev.rows && near_misses_wanted(&options->operating, on.labelled))
        TRY(log_near_misses(&on, model, error));
    training_log_note(log, "threshold_from", json_string(rows->dev_name));
    training_log_count(log, "threshold_pairs", labels_distinct(on.labelled, &on.pairs));
    decision_threshold_made_up(log, on.pairs.made_up);
    training_log_phase(log, "threshold");
done:
    mem_free(similarity);
    labelled_pairs_free(&on.pairs);
    return status;
}
