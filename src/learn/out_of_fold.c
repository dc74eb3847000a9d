/* Cross-fitting: trains evidence, linear model and maps without each of five folds, and computes
 * every pair's features with models that did not see it. learn_decision.c trains trees and memory
 * on them. */
#include "learn/out_of_fold.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/threads.h"
#include "learn/guarantees_fit.h"
#include "learn/linear_fit.h"
#include "learn/calibrate_fit.h"
#include "pair/guarantees.h"

#include <math.h>
#include <string.h>

/* From categories, 3 pairs per sentence are drawn: 8 gave the same accuracy in thrice the time.
 * FEWER_FROM sentences with categories, or OUT_OF_FOLD_FEW pairs of sentences, need only three
 * folds, each of which learns a map. */
enum { FOLDS = 5, FEWER_FOLDS = 3, FEWER_FROM = 5000, PAIRS_PER_SENTENCE = 3, CHUNK = 256 };

void out_of_fold_free(struct out_of_fold *held)
{
    labelled_pairs_free(&held->pairs);
    mem_free(held->weight);
    folds_free(&held->folds);
    evidence_rows_free(&held->rows);
    mem_free(held->line);
    mem_free(held->base);
    mem_free(held->similarity);
    mem_free(held->x);
    mem_free(held->known);
    mem_free(held->parent);
    mem_free(held->tried);
    labelled_edits_free(&held->edits);
    *held = (struct out_of_fold){.weight = NULL};
}

/* Balances the classes. Scores are not classes, so their pairs have equal weights. */
static void weigh_pairs(film_labels labels, struct out_of_fold *held)
{
    const struct labelled_pairs *pairs = &held->pairs;
    double positive = 0, count = (double)pairs->count;
    for (size_t i = 0; i < pairs->count; i++) positive += (double)pairs->target[i];
    for (size_t i = 0; i < pairs->count; i++) {
        double target = (double)pairs->target[i];
        double weight = target * 0.5 * count / fmax(positive, 1) +
                        (1 - target) * 0.5 * count / fmax(count - positive, 1);
        held->weight[i] = labels == FILM_LABELS_SCORES ? 1.0f : (float)weight;
    }
}

/* Checks that both classes remain whatever fold is left out, and that the first fold, which selects
 * the number of trees, has both. */
static film_status check_enough(struct out_of_fold *held, film_error *error)
{
    const struct labelled_pairs *pairs = &held->pairs;
    int enough = 1;
    for (size_t f = 0; f < held->folds.count && enough; f++) {
        int inside[2] = {0, 0}, outside[2] = {0, 0};
        for (size_t i = 0; i < pairs->count; i++) {
            int same = pairs->target[i] >= 0.5f;
            if (folds_of_pair(&held->folds, pairs->a[i], pairs->b[i]) == f) inside[same] = 1;
            if (!folds_touches(&held->folds, f, pairs->a[i], pairs->b[i])) outside[same] = 1;
        }
        enough = outside[0] && outside[1] && (f || (inside[0] && inside[1]));
    }
    if (enough) return FILM_OK;
    held->too_few = 1;
    return status_set(error, FILM_BAD_INPUT,
                      "too few labelled pairs for a full decision; each of the five folds needs "
                      "pairs labelled same and different; add rows or use decision threshold");
}

static film_status gather_pairs(const struct learn_input *input, struct out_of_fold *held,
                                film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = input->corpus;
    uint64_t seed = input->options->seed;
    struct labelled_pairs *pairs = &held->pairs;
    TRY(labels_to_pairs(corpus, PAIRS_PER_SENTENCE * corpus->rows, seed, pairs, error));
    held->corpus = corpus;
    size_t count = pairs->count;
    TRY_ALLOC((held->weight = mem_array(count, sizeof(float))) &&
                  (held->line = mem_array(count, sizeof(float))) &&
                  (held->base = mem_array(count, sizeof(float))) &&
                  (held->similarity = mem_array(count, sizeof(float))) &&
                  (held->x = mem_array(count, held->traits * sizeof(float))) &&
                  (held->known = mem_array(count, sizeof *held->known)),
              error);
    weigh_pairs(corpus->labels, held);
    int fewer = corpus->labels == FILM_LABELS_CATEGORIES
                    ? corpus->rows >= FEWER_FROM
                    : pairs->count >= OUT_OF_FOLD_FEW && !corpus->records;
    TRY(folds_partition(&held->folds, corpus, fewer ? FEWER_FOLDS : FOLDS, seed, error));
    TRY(check_enough(held, error));
done:
    return status;
}

/* ---- Word evidence ---- */

struct base_job {
    struct out_of_fold *held;
    float *const *weights; /* by fold */
};

/* The base of pairs I .. END: the line, and the evidence that was learned without their fold. */
static void sum_bases(size_t i, size_t end, void *user)
{
    const struct base_job *job = user;
    struct out_of_fold *held = job->held;
    const struct labelled_pairs *pairs = &held->pairs;
    for (; i < end; i++) {
        size_t fold = folds_of_pair(&held->folds, pairs->a[i], pairs->b[i]);
        held->base[i] = (float)((double)held->line[i] +
                                evidence_rows_margin(&held->rows, job->weights[fold], i));
    }
}

/* WEIGHTS[f] is fitted without fold f, the last on all pairs. */
static film_status fit_evidence(const struct learn_input *input, struct out_of_fold *held,
                                float **weights, film_error *error)
{
    film_status status = FILM_OK;
    const struct labelled_pairs *pairs = &held->pairs;
    struct evidence_options options;
    size_t folds = held->folds.count;
    unsigned char *use = mem_array((folds + 1) * pairs->count, 1);
    evidence_defaults(&options);
    options.seed = input->options->seed;
    options.fits = folds + 1;
    options.threads = input->options->threads;
    TRY_ALLOC(use, error);
    for (size_t f = 0; f <= folds; f++) {
        TRY_ALLOC(weights[f] = mem_array(held->rows.columns + 1, sizeof(float)), error);
        for (size_t i = 0; i < pairs->count; i++)
            use[f * pairs->count + i] = !folds_touches(&held->folds, f, pairs->a[i], pairs->b[i]);
    }
    struct evidence_labels labels = {pairs->target, held->weight, held->line, use};
    TRY(evidence_learn(&held->rows, &labels, &options, weights, error));
done:
    mem_free(use);
    return status;
}

/* ---- Surveys ---- */

static void keep_traits(void *keeper, size_t i, const struct survey *survey)
{
    struct out_of_fold *held = keeper;
    memcpy(held->x + i * held->traits, survey->traits, held->traits * sizeof(float));
}

static void keep_survey(struct out_of_fold *held, size_t i, const struct survey *survey)
{
    const struct reading *reading = &survey->reading;
    float target = held->pairs.target[i];
    held->similarity[i] = (float)survey_similarity(survey);
    keep_traits(held, i, survey);
    held->known[i] = (struct memory_row){reading->side[reading->swapped].hash,
                                         reading->side[!reading->swapped].hash,
                                         target >= 1   ? 1
                                         : target <= 0 ? 0
                                                       : -1};
}

struct fold_job {
    struct out_of_fold *held;
    size_t fold;
    const struct encoder *encoder;
};

/* Computes the traits of the fold's pairs with the map that was learned without it. */
static film_status survey_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct fold_job *job = user;
    struct out_of_fold *held = job->held;
    const struct labelled_pairs *pairs = &held->pairs;
    struct labelled_texts texts = {held->corpus, pairs};
    struct survey survey;
    size_t i, end;
    film_status status = survey_init(&survey, job->encoder, error);
    while (status == FILM_OK && threads_next(worker, &i, &end))
        for (; i < end; i++) {
            film_text a, b;
            if (folds_of_pair(&held->folds, pairs->a[i], pairs->b[i]) != job->fold) continue;
            labels_text(&texts, i, &a, &b);
            TRY(survey_make(&survey, NULL, a, b, error));
            keep_survey(held, i, &survey);
        }
done:
    survey_free(&survey);
    return status;
}

/* ---- The linear model ---- */

/* Fits without the traits whose weight would have the wrong sign. */
static film_status fit_directed(struct linear *line, const struct linear_data *data,
                                unsigned char *use, unsigned guaranteed, double ridge, int threads,
                                film_error *error)
{
    for (int wrong = 1; wrong;) {
        linear_free(line);
        film_status status = linear_fit(line, data, use, ridge, threads, error);
        if (status != FILM_OK) return status;
        wrong = 0;
        for (size_t t = 0; t < data->count; t++)
            if (use[t] && line->weight[t] > 0 && guarantees_direction(guaranteed, t)) {
                use[t] = 0;
                wrong = 1;
            }
    }
    return FILM_OK;
}

/* Fits the line again without each fold; held->line = its output for the fold's pairs. Records have
 * more traits and fewer pairs than sentences, so a line overfits. Returns the log loss in *LOSS. */
static film_status fit_line_folds(const struct linear_data *all, const unsigned char *use,
                                  double ridge, int threads, struct out_of_fold *held, double *loss,
                                  film_error *error)
{
    film_status status = FILM_OK;
    struct linear line = {0};
    struct linear_data data = *all;
    float *weight = mem_array(data.rows, sizeof *weight);
    double sums[2] = {0, 0};
    TRY_ALLOC(weight, error);
    data.weight = weight;
    for (size_t f = 0; f < held->folds.count; f++) {
        for (size_t i = 0; i < data.rows; i++)
            weight[i] = folds_of_pair(&held->folds, held->pairs.a[i], held->pairs.b[i]) == f
                            ? 0
                            : all->weight[i];
        TRY(linear_fit(&line, &data, use, ridge, threads, error));
        for (size_t i = 0; i < data.rows; i++) {
            if (weight[i] != 0) continue;
            double sum = linear_sum(&line, all->x + i * data.count);
            held->line[i] = (float)sum;
            sums[0] += (double)all->weight[i] *
                       (log1p(exp(-fabs(sum))) + fmax(0, sum) - sum * (double)data.target[i]);
            sums[1] += (double)all->weight[i];
        }
        linear_free(&line);
    }
    *loss = sums[0] / sums[1];
done:
    linear_free(&line);
    mem_free(weight);
    return status;
}

/* The line of records: few pairs choose the ridge by their log loss out of fold. */
static film_status fit_line_records(const struct linear_data *data, const unsigned char *use,
                                    int threads, struct out_of_fold *held, double *ridge,
                                    film_error *error)
{
    enum { FEW = 2000 };
    static const double ridges[] = {100, 30, 10, 3};
    film_status status = FILM_OK;
    double best = INFINITY, loss = 0;
    for (size_t r = 0; held->pairs.count < FEW && r < sizeof ridges / sizeof *ridges; r++) {
        TRY(fit_line_folds(data, use, ridges[r], threads, held, &loss, error));
        if (loss < best) *ridge = ridges[r];
        best = fmin(best, loss);
    }
    TRY(fit_line_folds(data, use, *ridge, threads, held, &loss, error));
done:
    return status;
}

/* Fits a linear model of the traits that do not depend on labels. These need no folds for
 * sentences: the few weights cannot overfit. */
static film_status fit_line(const struct learn_input *input, struct decision *decision,
                            struct out_of_fold *held, film_error *error)
{
    film_status status = FILM_OK;
    /* Traits are correlated; the ridge prevents large weights of opposite signs. */
    double ridge = held->pairs.count < OUT_OF_FOLD_FEW ? 10 : 0.01 * (double)held->pairs.count;
    struct linear *line = &decision->line;
    int threads = input->options->threads;
    size_t count = held->pairs.count, traits = held->traits;
    unsigned char *use = mem_array(traits, 1);
    TRY_ALLOC(use, error);
    for (size_t t = 0; t < traits; t++)
        use[t] = !trait_is_learned(traits_get(decision->encoder->fields, t));
    struct linear_data data = {held->x, count, traits, held->pairs.target, held->weight, NULL};
    if (input->corpus->records) { /* their numbers are judged by their fields */
        TRY(fit_line_records(&data, use, threads_count(threads), held, &ridge, error));
        TRY(linear_fit(line, &data, use, ridge, threads_count(threads), error));
        goto done;
    }
    decision->guarantees = guarantees_allow(
        &(struct guarantees_rows){held->x, held->pairs.target, held->weight, count});
    TRY(fit_directed(line, &data, use, decision->guarantees, ridge, threads_count(threads), error));
    for (size_t i = 0; i < count; i++)
        held->line[i] = (float)linear_sum(line, held->x + i * traits);
done:
    mem_free(use);
    return status;
}

/* ---- Maps of the folds ---- */

/* The same input on the rows of REST, without log. */
static struct learn_input input_on(const struct learn_input *input, const struct corpus *rest)
{
    return (struct learn_input){.method = input->method,
                                .options = input->options,
                                .dim = input->dim,
                                .epochs = input->epochs,
                                .batch = input->batch,
                                .corpus = rest,
                                .dev = input->dev,
                                .features = input->features,
                                .x = input->x};
}

film_status out_of_fold_map(const struct learn_input *input, const struct corpus *rest, float **map,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct learned_map learned = {0};
    struct learn_input without = input_on(input, rest);
    TRY(learn_map(&without, &learned, error));
    *map = learned.map;
    learned.map = NULL;
done:
    learned_map_free(&learned);
    return status;
}

/* *MAP = the map that the same method learns without FOLD. */
static film_status learn_fold_map(const struct learn_input *input, struct out_of_fold *held,
                                  size_t fold, float **map, film_error *error)
{
    film_status status = FILM_OK;
    struct corpus rest = {0};
    TRY(folds_rest(&held->folds, input->corpus, fold, &rest, error));
    status = out_of_fold_map(input, &rest, map, error);
    held->too_few = status == FILM_BAD_INPUT; /* enough rows in total, but not without this fold */
done:
    folds_rest_free(&rest);
    return status;
}

static film_status survey_all(const struct learn_input *input, const struct encoder *model,
                              struct out_of_fold *held, film_error *error)
{
    film_status status = FILM_OK;
    float *map = NULL;
    int learned = learn_uses_labels(input->method);
    size_t folds = held->folds.count;
    for (size_t f = 0; f < folds; f++) {
        TRY(progress_report(&input->options->progress, "folds", (double)f, (double)folds, error));
        if (learned) TRY(learn_fold_map(input, held, f, &map, error));
        /* A BERT encoder cannot be trained again without a fold, so the trees do not use its
         * similarity. */
        struct encoder encoder = *model;
        encoder.network = NULL;
        if (learned) encoder.map = (struct word_map){.rows = map};
        struct fold_job job = {held, f, &encoder};
        TRY(threads_for(threads_count(input->options->threads), held->pairs.count, CHUNK,
                        survey_some, &job, error));
        mem_free(map);
        map = NULL;
        mem_give_back();
    }
done:
    mem_free(map);
    return status;
}

/* Scales the evidence relative to the linear model by its out-of-fold accuracy: with few pairs to
 * learn from the scale is small. */
static film_status scale_evidence(const struct learn_input *input, struct decision *decision,
                                  struct out_of_fold *held, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = held->pairs.count;
    struct calibration trust;
    float *margin = mem_array(count, sizeof *margin);
    TRY_ALLOC(margin, error);
    for (size_t i = 0; i < count; i++) margin[i] = held->base[i] - held->line[i];
    TRY(calibrate_fit_beside(margin, held->line, held->pairs.target, count, &trust, error));
    decision->evidence.scale = trust.scale;
    decision->line.bias += trust.bias;
    for (size_t i = 0; i < count; i++)
        held->base[i] =
            (float)((double)held->line[i] + trust.bias + trust.scale * (double)margin[i]);
    training_log_note(input->log, "evidence_scale", jsonfile_number(trust.scale));
done:
    mem_free(margin);
    return status;
}

film_status out_of_fold_gather(const struct learn_input *input, struct decision *decision,
                               struct out_of_fold *held, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = input->options;
    float *weights[FOLDS + 1] = {0};
    memset(held, 0, sizeof *held);
    held->traits = traits_total(decision->encoder->fields);
    TRY(gather_pairs(input, held, error));
    struct labelled_texts texts = {input->corpus, &held->pairs};
    struct evidence_source source = {labels_text, &texts, held->pairs.count, keep_traits, held};
    TRY(evidence_rows_collect(&held->rows, decision->encoder, &source, options->threads,
                              &options->progress, error));
    training_log_phase(input->log, "items");
    TRY(fit_line(input, decision, held, error));
    training_log_phase(input->log, "line");
    mem_free(held->x); /* the folds compute all traits again, with their maps */
    held->x = NULL;
    TRY(fit_evidence(input, held, weights, error));
    threads_each(threads_count(options->threads), held->pairs.count, 1024, sum_bases,
                 &(struct base_job){held, weights});
    TRY(labelled_edits_count(&held->edits, &held->rows, held->pairs.target, held->weight, error));
    evidence_rows_free_pairs(&held->rows); /* the largest allocation */
    TRY(evidence_from_weights(&decision->evidence, &held->rows, weights[held->folds.count], error));
    training_log_count(input->log, "evidence_items", decision->evidence.items.count);
    evidence_rows_free(&held->rows);
    for (size_t f = 0; f <= FOLDS; f++) {
        mem_free(weights[f]);
        weights[f] = NULL;
    }
    mem_give_back();
    training_log_phase(input->log, "evidence");
    TRY_ALLOC(held->x = mem_array(held->pairs.count, held->traits * sizeof(float)), error);
    TRY(survey_all(input, decision->encoder, held, error));
    TRY(scale_evidence(input, decision, held, error));
    training_log_phase(input->log, "folds");
done:
    for (size_t f = 0; f <= FOLDS; f++) mem_free(weights[f]);
    return status;
}
