/* Writes the head of a report: one or two sentences, a few figures, warnings about them. */
#include "report/summary.h"
#include "eval/measures.h"
#include "model/model.h"
#include "plot/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Writes "; 95 % CI 83.9 to 85.3", in percent or as plain numbers; "" without an interval. */
static void interval_text(const struct eval_view *view, const char *key, int percent, char *out,
                          size_t room)
{
    const json_t *interval = json_object_get(json_object_get(view->answer, "ci"), key);
    out[0] = 0;
    if (json_array_size(interval) != 2) return;
    double low = json_number_value(json_array_get(interval, 0));
    double high = json_number_value(json_array_get(interval, 1));
    if (percent)
        snprintf(out, room, "; 95 %% CI %.1f to %.1f", 100 * low, 100 * high);
    else
        snprintf(out, room, "; 95 %% CI %.3f to %.3f", low, high);
}

/* Adds the card of a figure; nothing if the evaluation does not have it. */
static void figure_card(struct report *report, const struct eval_view *view, const char *key,
                        int percent, const char *name, const char *meaning)
{
    char value[40], interval[80], note[200];
    double number = json_value(view->answer, key);
    if (!isfinite(number)) return;
    snprintf(value, sizeof value, percent ? "%.1f %%" : "%.3f", percent ? 100 * number : number);
    interval_text(view, key, percent, interval, sizeof interval);
    snprintf(note, sizeof note, "%s%s", meaning, interval);
    card(report, value, name, note);
}

static const char *calibration_words(double ece)
{
    return ece < 0.02   ? "Its probabilities are reliable"
           : ece < 0.05 ? "Its probabilities are slightly off"
                        : "Its probabilities are not reliable";
}

/* Returns the calibration error after moving the prior of the probabilities to SHARE. */
static double moved_error(const struct eval_view *view, double share)
{
    enum { BINS = MEASURES_CALIBRATION_BINS };
    double prior = json_value(view->answer, "prior"), gap[BINS] = {0}, sum = 0;
    double shift = log(share / (1 - share)) - log(prior / (1 - prior));
    for (size_t i = 0; i < view->pairs; i++) {
        double p = fmin(fmax(view->probability[i], 1e-12), 1 - 1e-12);
        p = 1 / (1 + exp(-(log(p / (1 - p)) + shift)));
        gap[(int)fmin(p * BINS, BINS - 1)] += p - (view->label[i] >= 0.5f);
    }
    for (int bin = 0; bin < BINS; bin++) sum += fabs(gap[bin]);
    return sum / (double)view->pairs;
}

/* Names the share of duplicates as the cause only if correcting it halves the error. */
static void warn_of_calibration(struct report *report, const struct eval_view *view, double ece)
{
    double same = 0, prior = json_value(view->answer, "prior");
    for (size_t i = 0; i < view->pairs; i++) same += view->label[i] >= 0.5f;
    double share = same / (double)view->pairs;
    double moved = share > 0 && share < 1 ? moved_error(view, share) : ece;
    if (moved <= 0.5 * ece)
        warn(report, "quality",
             "The probabilities are off by %.1f points on average: they assume %.3g %% duplicates, "
             "and this file has %.1f %%. With that prior they are off by %.1f points. Set the "
             "prior to the share expected in use.",
             100 * ece, 100 * prior, 100 * share, 100 * moved);
    else
        warn(report, "quality",
             "The probabilities are off by %.1f points on average on this file. Rely on the "
             "decisions, not on the probabilities.",
             100 * ece);
}

static void lead_pairs(struct report *report, const struct eval_view *view)
{
    char pairs[40], line[500];
    double accuracy = json_value(view->answer, "accuracy"), ece = json_value(view->answer, "ece");
    scale_count((double)view->pairs, pairs, sizeof pairs);
    snprintf(
        line, sizeof line,
        "The model decides %.1f %% of %s evaluation pairs correctly. %s (calibration error %.1f "
        "points).",
        100 * accuracy, pairs, calibration_words(ece), 100 * ece);
    markup_string(&report->summary, line);
    if (ece >= 0.05) warn_of_calibration(report, view, ece);
    double best = json_value(view->answer, "best_accuracy");
    const json_t *interval = json_object_get(json_object_get(view->answer, "ci"), "accuracy");
    double high = json_number_value(json_array_get(interval, 1)); /* 0 without an interval */
    if (best - accuracy > 0.015 && best > high) /* the best of many thresholds is always higher */
        warn(report, "quality",
             "Threshold %.2f would decide %.1f %% of this file correctly instead of %.1f %%. Train "
             "with a dev file, or choose another operating point.",
             json_value(view->answer, "best_threshold"), 100 * best, 100 * accuracy);
    if (view->pairs < 200)
        warn(report, "quality", "Only %zu pairs were evaluated. All figures are very uncertain.",
             view->pairs);
}

static void lead_others(struct report *report, const struct eval_view *view)
{
    char rows[40], line[400];
    scale_count((double)view->corpus->rows, rows, sizeof rows);
    if (view->corpus->labels == FILM_LABELS_SCORES)
        snprintf(line, sizeof line,
                 "On %s scored pairs, the correlation between probability and score is %.3f "
                 "(Pearson) or %.3f (Spearman).",
                 rows, json_value(view->answer, "pearson"), json_value(view->answer, "spearman"));
    else
        snprintf(
            line, sizeof line,
            "The ten nearest neighbours predict the right category for %.1f %% of %s sentences.",
            100 * json_value(json_object_get(view->answer, "category_accuracy"), "10"), rows);
    markup_string(&report->summary, line);
}

static void lead_without(struct report *report)
{
    const json_t *figures = json_object_get(report->about, "figures");
    double accuracy = json_value(figures, "balanced_accuracy");
    markup_raw(&report->summary,
               report->options->eval
                   ? "The model was not evaluated: the evaluation file has no labels."
                   : "The model was not evaluated: no labelled evaluation file was given.");
    if (isfinite(accuracy))
        markup_print(&report->summary,
                     " In training, its balanced accuracy on held-out pairs was %.1f %%.",
                     100 * accuracy);
}

static void balance_card(struct report *report, const struct eval_view *view)
{
    double same = 0;
    char value[40];
    if (!has_pairs(view->corpus) || !view->pairs) return;
    for (size_t i = 0; i < view->pairs; i++) same += view->label[i] >= 0.5f;
    snprintf(value, sizeof value, "%.0f : %.0f", 100 * same / (double)view->pairs,
             100 - 100 * same / (double)view->pairs);
    card(report, value, "class balance", "percent labelled same : different");
}

static void cards(struct report *report, const struct eval_view *view)
{
    figure_card(report, view, "accuracy", 1, "accuracy", "correct decisions");
    figure_card(report, view, "precision", 1, "precision", "of the pairs called the same");
    figure_card(report, view, "recall", 1, "recall", "of the pairs labelled the same");
    figure_card(report, view, "ece", 1, "calibration error",
                "mean gap between probability and observed share");
    figure_card(report, view, "auc", 0, "AUC",
                "probability that a duplicate ranks above a non-duplicate");
    figure_card(report, view, "log_loss", 0, "log loss", "0.693 is random guessing");
    balance_card(report, view);
    figure_card(report, view, "pearson", 0, "Pearson", "correlation of probability and score");
    figure_card(report, view, "spearman", 0, "Spearman",
                "rank correlation of probability and score");
    figure_card(report, view, "triplet_accuracy", 1, "triplets", "ranked correctly");
    static const char *const depths[][2] = {
        {"1", "nearest neighbour"}, {"5", "5 neighbours"}, {"10", "10 neighbours"}};
    const json_t *shares = json_object_get(view->answer, "category_accuracy");
    for (int i = 0; i < 3; i++) {
        double share = json_value(shares, depths[i][0]);
        char value[40];
        snprintf(value, sizeof value, "%.1f %%", 100 * share);
        if (isfinite(share)) card(report, value, depths[i][1], "category predicted correctly");
    }
}

/* Describes the model in one line. */
static void write_model_summary(struct report *report)
{
    const film_model *model = report->model;
    char features[40];
    scale_count(features_count(&model->features), features, sizeof features);
    markup_raw(&report->summary, "<p class=\"model\">Method ");
    markup_string(&report->summary, model->settings.method);
    markup_print(&report->summary, ", %s features, ", features);
    if (word_map_exists(&model->encoder.map))
        markup_print(&report->summary, "%zu-dimensional vectors, ", model->encoder.dim);
    else
        markup_raw(&report->summary, "no vectors, ");
    markup_print(&report->summary, "decision by %s</p>\n",
                 model->decision.full ? "words, traits and memory"
                                      : "a threshold on the similarity");
}

/* What was promised in training, and what its threshold does with near misses. */
static void write_promise(struct report *report)
{
    const json_t *point = json_object_get(json_object_get(report->about, "figures"), "operating");
    const json_t *near = json_object_get(point, "near_misses"),
                 *labelled = json_object_get(near, "labelled"), *bounds;
    double precision = json_value(labelled, "precision");
    if (!near) return;
    bounds = json_object_get(point, "interval");
    markup_print(&report->summary,
                 "<p>The threshold was chosen for a precision of %g %%. In training it was %.1f %% "
                 "(%.0f to %.0f) on unseen pairs",
                 100 * json_value(point, "target"), 100 * json_value(point, "precision"),
                 100 * json_number_value(json_array_get(bounds, 0)),
                 100 * json_number_value(json_array_get(bounds, 1)));
    bounds = json_object_get(labelled, "interval");
    if (isfinite(precision))
        markup_print(&report->summary,
                     ", and %.1f %% (%.0f to %.0f) on those that differ in little", 100 * precision,
                     100 * json_number_value(json_array_get(bounds, 0)),
                     100 * json_number_value(json_array_get(bounds, 1)));
    bounds = json_object_get(near, "interval");
    if (json_value(near, "pairs") > 0)
        markup_print(&report->summary,
                     ". Near misses: %.0f of %.0f made-up ones were called the same (%.1f %%, %.1f "
                     "to %.1f)",
                     json_value(near, "called_same"), json_value(near, "pairs"),
                     100 * json_value(near, "share"),
                     100 * json_number_value(json_array_get(bounds, 0)),
                     100 * json_number_value(json_array_get(bounds, 1)));
    markup_raw(&report->summary, ".</p>\n");
}

void summary_begin(struct report *report, const struct eval_view *view)
{
    write_model_summary(report);
    markup_raw(&report->summary, "<p class=\"lead\">");
    if (!view)
        lead_without(report);
    else if (has_pairs(view->corpus))
        lead_pairs(report, view);
    else
        lead_others(report, view);
    markup_raw(&report->summary, "</p>\n");
    write_promise(report);
    markup_raw(&report->summary, "<div class=\"cards\">\n");
    if (view) cards(report, view);
    if (view && view->corpus->skipped)
        warn(report, "data", "Bad rows skipped in %s: %llu.", file_name(report->options->eval),
             (unsigned long long)view->corpus->skipped);
}

void summary_end(struct report *report)
{
    markup_raw(&report->summary, "</div>\n");
}
