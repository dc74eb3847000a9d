/* Chooses the weight of the model that training began from by cross-validation: a line of the sum
 * of margin and weighted log-odds is fitted without each fold and judged on it (Platt 1999;
 * stacking, Wolpert 1992). It does not train the rest of the decision. */
#include "learn/parent_fit.h"
#include "base/mem.h"
#include "learn/calibrate_fit.h"

#include <math.h>

enum { FOLDS = 5, FEWEST = 5, KNOWN_SAMPLE = 500 };

/* Fails if memory of the parent knows most of the pairs. SCORE: without memory, not limited. */
static film_status refuse_known(const struct corpus *corpus, const struct labelled_pairs *pairs,
                                const struct labels_scorer *scorer, const float *score,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct labelled_pairs some = *pairs; /* a view: never freed */
    struct labels_scorer remembering = *scorer;
    size_t known = 0;
    float *with = NULL;
    some.count = pairs->count < KNOWN_SAMPLE ? pairs->count : KNOWN_SAMPLE;
    remembering.rule.memory = 1;
    if (!memory_exists(&scorer->decision->memory) || some.count == 0) return FILM_OK;
    TRY_ALLOC(with = mem_array(some.count, sizeof *with), error);
    TRY(labels_score(corpus, &some, &remembering, with, error));
    for (size_t i = 0; i < some.count; i++) known += with[i] != score[i];
    if (2 * known > some.count)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "the start model was trained on these pairs: it remembers %zu of %zu; begin "
                       "from a model of other data",
                       known, some.count));
done:
    mem_free(with);
    return status;
}

film_status parent_scores(const struct corpus *corpus, const struct labelled_pairs *pairs,
                          const struct decision *parent, int threads, float *out, film_error *error)
{
    film_status status = FILM_OK;
    struct labels_scorer scorer = {parent, match_parent_rule(parent), threads, NULL};
    TRY(labels_score(corpus, pairs, &scorer, out, error));
    if (corpus->labels != FILM_LABELS_NONE) TRY(refuse_known(corpus, pairs, &scorer, out, error));
    for (size_t i = 0; i < pairs->count; i++)
        out[i] = fmaxf(-(float)DECISION_PARENT_MOST, fminf((float)DECISION_PARENT_MOST, out[i]));
done:
    return status;
}

/* ---- The weight ---- */

/* Scratch: the sums, and those that a fold trains on. */
struct parent_trial {
    float *sum, *x, *y;
};

/* Adds to *LOSS the loss of the pairs of FOLD by a line that was fitted to the others. Both labels
 * have the same total weight, that of all pairs. */
static film_status loss_of_fold(const struct parent_pairs *pairs, const struct parent_trial *trial,
                                size_t fold, const double each[2], double *loss, film_error *error)
{
    static const double MOST = 6;
    film_status status = FILM_OK;
    struct calibration line;
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        if (i % FOLDS == fold) continue;
        trial->x[count] = trial->sum[i];
        trial->y[count++] = pairs->target[i];
    }
    TRY(calibrate_fit(trial->x, trial->y, count, &line, error));
    for (size_t i = fold; i < pairs->count; i += FOLDS) {
        double log_odds = line.scale * (double)trial->sum[i] + line.bias;
        double target = (double)pairs->target[i];
        log_odds = fmax(-MOST, fmin(MOST, log_odds));
        *loss += (target * each[1] + (1 - target) * each[0]) *
                 (log1p(exp(-fabs(log_odds))) + fmax(0, log_odds) - log_odds * target);
    }
done:
    return status;
}

/* What the prior adds to the loss of a weight: half the square of its distance in octaves, and two
 * for 0. */
static double weight_penalty(double weight)
{
    double octaves = weight > 0 ? log2(weight / PARENT_USUAL) : 2;
    return 0.5 * octaves * octaves;
}

film_status parent_weigh(const struct parent_pairs *pairs, double unit, double *weight,
                         film_error *error)
{
    static const double weights[] = {0, 0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 3};
    film_status status = FILM_OK;
    size_t count = pairs->count;
    double same = 0, best = INFINITY;
    struct parent_trial trial = {mem_array(count, sizeof(float)), mem_array(count, sizeof(float)),
                                 mem_array(count, sizeof(float))};
    TRY_ALLOC(trial.sum && trial.x && trial.y, error);
    *weight = unit * PARENT_USUAL;
    for (size_t i = 0; i < count; i++) same += (double)pairs->target[i];
    if (same < FEWEST || (double)count - same < FEWEST) goto done;
    const double each[2] = {0.5 * (double)count / ((double)count - same),
                            0.5 * (double)count / same};
    for (size_t w = 0; w < sizeof weights / sizeof *weights; w++) {
        double loss = weight_penalty(weights[w]);
        for (size_t i = 0; i < count; i++)
            trial.sum[i] = pairs->margin[i] + (float)(unit * weights[w]) * pairs->score[i];
        for (size_t f = 0; f < FOLDS; f++) TRY(loss_of_fold(pairs, &trial, f, each, &loss, error));
        if (loss < best) *weight = unit * weights[w];
        best = fmin(best, loss);
    }
done:
    mem_free(trial.sum);
    mem_free(trial.x);
    mem_free(trial.y);
    return status;
}
