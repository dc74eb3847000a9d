/* Builds the decision of a model without labels: a fixed line over five traits, calibrated on
 * random pairs. prior_fit.c lets few labels change it. */
#include "learn/prior.h"
#include "base/sort.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/union_find.h"
#include "learn/calibrate_fit.h"
#include "learn/labels.h"
#include "learn/parent_fit.h"
#include "pair/resemblance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The line ---- */

/* No word has evidence, and the only tree is 0. */
static film_status make_empty_parts(struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    struct evidence *evidence = &decision->evidence;
    evidence->scale = 1;
    evidence->features = features_count(decision->encoder->features);
    TRY(keytab_init(&evidence->items, error));
    size_t count = 2 * evidence->features + evidence->items.slot_mask + 1;
    TRY_ALLOC(evidence->own = mem_zeroed(count, sizeof(float)), error);
    evidence->feature = evidence->own;
    evidence->item = evidence->own + 2 * evidence->features;
    TRY(trees_init(&decision->trees, 1, error));
    TRY(decision_prepare(decision, error));
done:
    return status;
}

/* OUT = the margins of PAIRS; SIMILARITY, unless it is NULL, their similarities. */
static film_status score_pairs_by_line(const struct learn_input *input,
                                       const struct decision *decision,
                                       const struct labelled_pairs *pairs, float *out,
                                       float *similarity, film_error *error)
{
    struct decision plain = *decision; /* a view: never freed */
    plain.margin = (struct calibration){1, 0, 0};
    struct labels_scorer scorer = {&plain, {.full = 1}, input->options->threads, similarity};
    return labels_score(input->corpus, pairs, &scorer, out, error);
}

static int by_value(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

/* The margin that one in 1,000 unrelated pairs exceeds. Some random pairs are duplicates, so the
 * largest margins are not looked at: the tail is taken as exponential from its 99 % quantile on,
 * with the median of the excess. Sorts MARGINS. */
static double tail_quantile(float *margins, size_t count)
{
    if (count < 200) return 0;
    sort_array(margins, count, sizeof *margins, by_value);
    double start = (double)margins[count - count / 100];
    double median = (double)margins[count - count / 200];
    return start + (median - start) * log(10) / log(2);
}

/* Pairs to draw: a small corpus has few different ones. */
static size_t random_wanted(const struct corpus *corpus)
{
    enum { FEWEST = 1000, SMALL = 100 };
    size_t count = corpus->sentences.count;
    return count > SMALL || 4 * count * count > LABELS_DRAWN ? LABELS_DRAWN
           : 4 * count * count < FEWEST                      ? FEWEST
                                                             : 4 * count * count;
}

/* By choice: read off the share of duplicates by margin in the files above, from 8 to 30. */
enum { SLOPE = 13 };

/* The weight of the model that training began from. Its verdict on records as sentences needs
 * labels to be believed. */
static void weigh_parent_by_line(const struct learn_input *input, struct decision *decision)
{
    const struct decision *parent = decision->parent.decision;
    if (!parent) return;
    int other = decision->encoder->fields && !parent->encoder->fields;
    decision->parent.weight = other ? 0 : PARENT_USUAL / SLOPE;
    training_log_note(input->log, "start_weight", jsonfile_number(other ? 0 : PARENT_USUAL));
}

/* Removes the pairs that labels connect: in a small file of duplicates these are so frequent among
 * random pairs that they would be the tail. */
static film_status drop_known_duplicates(const struct corpus *corpus, struct labelled_pairs *pairs,
                                         film_error *error)
{
    film_status status = FILM_OK;
    struct union_find groups = {0};
    size_t kept = 0;
    if (corpus->labels != FILM_LABELS_PAIRS) return FILM_OK;
    TRY(union_find_init(&groups, corpus->sentences.count, error));
    for (size_t i = 0; i < corpus->rows; i++)
        if (corpus->label[i] >= 0.5f) union_find_join(&groups, corpus->a[i], corpus->b[i]);
    for (size_t i = 0; i < pairs->count; i++) {
        if (union_find_root(&groups, pairs->a[i]) == union_find_root(&groups, pairs->b[i]))
            continue;
        pairs->a[kept] = pairs->a[i];
        pairs->b[kept] = pairs->b[i];
        pairs->target[kept++] = pairs->target[i];
    }
    pairs->count = kept;
done:
    union_find_free(&groups);
    return status;
}

/* The lowest threshold. Sentences of a few duplicates alone know few words, and in other sentences
 * unknown words count for little: of what 50 pairs of Quora find among 2,000 other sentences, 6 %
 * is right at threshold 0.5 and a third at 0.75. */
static double least_threshold(const struct corpus *corpus)
{
    static const double LEAST = 0.5, MORE = 0.25, ENOUGH = 400;
    double known = (double)corpus->sentences.count / ENOUGH;
    return LEAST + (labels_only_same(corpus) ? MORE * fmax(0, 1 - known) : 0);
}

static film_status calibrate_on_random(const struct learn_input *input, struct decision *decision,
                                       film_error *error)
{
    film_status status = FILM_OK;
    struct calibration *line = &decision->margin;
    struct corpus unlabelled = *input->corpus; /* a view: never freed */
    struct labelled_pairs pairs = {0};
    float *scores = NULL, *similarity = NULL;
    unlabelled.labels = FILM_LABELS_NONE;
    TRY(labels_to_pairs(&unlabelled, random_wanted(input->corpus), input->options->seed, &pairs,
                        error));
    TRY(drop_known_duplicates(input->corpus, &pairs, error));
    TRY_ALLOC((scores = mem_array(pairs.count, sizeof *scores)) &&
                  (similarity = mem_array(pairs.count, sizeof *similarity)),
              error);
    TRY(score_pairs_by_line(input, decision, &pairs, scores, similarity, error));
    TRY(calibrate_blind(similarity, pairs.count, &decision->similarity, error));
    line->threshold = fmax(least_threshold(input->corpus), tail_quantile(scores, pairs.count));
    line->scale = SLOPE;
    line->bias = -SLOPE * line->threshold;
    training_log_note(input->log, "threshold_from", json_string("train"));
    training_log_count(input->log, "threshold_pairs", pairs.count);
done:
    mem_free(scores);
    mem_free(similarity);
    labelled_pairs_free(&pairs);
    return status;
}

film_status prior_decision(const struct learn_input *input, struct decision *decision,
                           film_error *error)
{
    film_status status = FILM_OK;
    TRY(resemblance_line(&decision->line, decision->encoder, error));
    TRY(make_empty_parts(decision, error));
    decision->full = 1;
    decision->guarantees = ONLY_KINDS;
    weigh_parent_by_line(input, decision);
    TRY(calibrate_on_random(input, decision, error));
    training_log_phase(input->log, "threshold");
done:
    return status;
}

/* ---- Labels in a pool ---- */

/* Labels and line count the same at this number. The share grows with the square of the labels: on
 * FAQ, duplicates found with 320, 1,000 and 3,000 labels had precision 0.24, 0.74 and 0.94 by the
 * decision alone; with equal parts 0.76, 0.97 and 1.00, with a fifth of the decision 0.93, 0.99 and
 * 1.00. With many labels, the decision alone is better on pairs that look alike. */
static const double POOL_LABELS = 1000;

film_status prior_pool_weight(size_t labels, struct decision *decision, film_error *error)
{
    static const double LEAST = 1e-6; /* 0 would mean that there is no rule */
    double ratio = (double)labels / POOL_LABELS;
    decision->pool.outside = decision->margin;
    decision->pool.weight = fmax(LEAST, ratio * ratio / (1 + ratio * ratio));
    return resemblance_line(&decision->pool.line, decision->encoder, error);
}

film_status prior_pool_rule(const struct learn_input *input, struct decision *decision,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct decision outside = {.encoder = decision->encoder};
    struct learn_input quiet = *input;
    if (input->corpus->labels != FILM_LABELS_PAIRS || input->corpus->records ||
        decision->encoder->network)
        return FILM_OK;
    quiet.log = NULL;
    TRY(prior_decision(&quiet, &outside, error));
    /* Duplicates alone say nothing of other pairs: with the weight of labels of both kinds, a fifth
     * of what resemblance finds among FAQ's questions was found. A third of POOL_LABELS weighs a
     * tenth. */
    size_t labels = labels_only_same(input->corpus) ? (size_t)POOL_LABELS / 3 : input->corpus->rows;
    TRY(prior_pool_weight(labels, &outside, error));
    decision->pool = outside.pool;
    outside.pool.line = (struct linear){0};
done:
    decision_free(&outside);
    return status;
}

void prior_calibrate(const struct decision *decision, float *margin, float *resemblance,
                     size_t count, struct calibration *line)
{
    static const double FOUND = 0.85;
    double mean[2] = {0, 0}, both = 0, square = 0;
    sort_array(margin, count, sizeof *margin, by_value);
    sort_array(resemblance, count, sizeof *resemblance, by_value);
    for (size_t i = 0; i < count; i++) {
        mean[0] += (double)margin[i] / (double)count;
        mean[1] += (double)resemblance[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        double off = (double)margin[i] - mean[0];
        square += off * off;
        both += off * ((double)resemblance[i] - mean[1]);
    }
    if (!(square > 0 && both > 0)) return;
    line->scale = decision->pool.outside.scale * both / square;
    line->bias = -line->scale * (double)margin[(size_t)((1 - FOUND) * (double)count)];
}
