/* The head of a report: one sentence, a few figures, what needs attention. */
#include "report/summary.h"
#include "model/model.h"
#include "plot/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "[83.9, 85.3]" of a share in per cent, or of a plain figure; "" without an interval. */
static void interval_text(const struct eval_view *view, const char *key, int percent, char *out,
                          size_t room)
{
    const json_t *interval = json_object_get(json_object_get(view->answer, "ci"), key);
    out[0] = 0;
    if (json_array_size(interval) != 2) return;
    double low = json_number_value(json_array_get(interval, 0));
    double high = json_number_value(json_array_get(interval, 1));
    if (percent)
        snprintf(out, room, "; 95 %% interval %.1f to %.1f", 100 * low, 100 * high);
    else
        snprintf(out, room, "; 95 %% interval %.3f to %.3f", low, high);
}

/* A card of a figure that the evaluation has; nothing where it does not apply. */
static void figure_card(struct report *report, const struct eval_view *view, const char *key,
                        int percent, const char *name, const char *meaning)
{
    char value[40], interval[80], note[200];
    double number = number_of(view->answer, key);
    if (!isfinite(number)) return;
    snprintf(value, sizeof value, percent ? "%.1f %%" : "%.3f", percent ? 100 * number : number);
    interval_text(view, key, percent, interval, sizeof interval);
    snprintf(note, sizeof note, "%s%s", meaning, interval);
    card(report, value, name, note);
}

static const char *calibration_words(double ece)
{
    return ece < 0.02   ? "its probabilities can be taken at their word"
           : ece < 0.05 ? "its probabilities are a little off"
                        : "its probabilities should not be taken at their word";
}

static void lead_pairs(struct report *report, const struct eval_view *view)
{
    char pairs[40], line[500];
    double accuracy = number_of(view->answer, "accuracy"), ece = number_of(view->answer, "ece");
    scale_count((double)view->pairs, pairs, sizeof pairs);
    snprintf(
        line, sizeof line,
        "Of the %s pairs it was measured on it decides %.1f %% right; %s (off by %.1f points on "
        "average).",
        pairs, 100 * accuracy, calibration_words(ece), 100 * ece);
    markup_string(&report->summary, line);
    if (ece >= 0.05)
        warn(report, "quality",
             "Probabilities are off by %.1f points on average on this file: its share of "
             "duplicates or "
             "its kind of sentence differs from the training data. Quote decisions, not "
             "probabilities.",
             100 * ece);
    double best = number_of(view->answer, "best_accuracy");
    if (best - accuracy > 0.015)
        warn(report, "quality",
             "Another threshold (%.2f) would decide %.1f %% of this file right instead of %.1f %%: "
             "train with a dev file, or choose another operating point.",
             number_of(view->answer, "best_threshold"), 100 * best, 100 * accuracy);
    if (view->pairs < 200)
        warn(report, "quality", "Only %zu pairs were measured: all figures may be off by a lot.",
             view->pairs);
}

static void lead_others(struct report *report, const struct eval_view *view)
{
    char rows[40], line[400];
    scale_count((double)view->corpus->rows, rows, sizeof rows);
    if (view->corpus->labels == FILM_LABELS_SCORES)
        snprintf(line, sizeof line,
                 "On %s scored pairs its probability follows the score with a correlation of %.3f "
                 "(Pearson), its order with %.3f (Spearman).",
                 rows, number_of(view->answer, "pearson"), number_of(view->answer, "spearman"));
    else
        snprintf(
            line, sizeof line,
            "Of %s sentences, %.1f %% get their own category from their ten nearest neighbours.",
            rows, 100 * number_of(json_object_get(view->answer, "category_accuracy"), "10"));
    markup_string(&report->summary, line);
}

static void lead_without(struct report *report)
{
    const json_t *figures = json_object_get(report->about, "figures");
    double accuracy = number_of(figures, "balanced_accuracy");
    markup_raw(&report->summary,
               report->options->eval
                   ? "The file to measure on has no labels."
                   : "It was not measured: no labelled evaluation file was given.");
    if (isfinite(accuracy))
        markup_print(&report->summary,
                     " While training, %.1f %% of the pairs kept apart were decided right.",
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
    card(report, value, "class balance", "per cent labelled the same and different");
}

static void cards(struct report *report, const struct eval_view *view)
{
    figure_card(report, view, "accuracy", 1, "accuracy", "decisions that are right");
    figure_card(report, view, "ece", 1, "calibration error",
                "how far probabilities are from what happens");
    figure_card(report, view, "auc", 0, "AUC", "how often a duplicate outranks another pair");
    figure_card(report, view, "log_loss", 0, "log loss", "0.693 is guessing");
    balance_card(report, view);
    figure_card(report, view, "pearson", 0, "Pearson", "of probability and score");
    figure_card(report, view, "spearman", 0, "Spearman", "of their ranks");
    figure_card(report, view, "triplet_accuracy", 1, "triplets", "ranked right");
    static const char *const depths[][2] = {
        {"1", "nearest neighbour"}, {"5", "5 neighbours"}, {"10", "10 neighbours"}};
    const json_t *shares = json_object_get(view->answer, "category_accuracy");
    for (int i = 0; i < 3; i++) {
        double share = number_of(shares, depths[i][0]);
        char value[40];
        snprintf(value, sizeof value, "%.1f %%", 100 * share);
        if (isfinite(share)) card(report, value, depths[i][1], "name the right category");
    }
}

/* Who it is: the settings that matter, in one line. */
static void describe_model(struct report *report)
{
    const film_model *model = report->model;
    char features[40];
    scale_count(features_count(&model->features), features, sizeof features);
    markup_raw(&report->summary, "<p class=\"model\">Method ");
    markup_string(&report->summary, model->settings.method);
    markup_print(&report->summary, ", %s features, ", features);
    if (model->encoder.map)
        markup_print(&report->summary, "vectors of %zu numbers; ", model->encoder.dim);
    else
        markup_raw(&report->summary, "no vectors; ");
    markup_print(&report->summary, "decides by %s</p>\n",
                 model->decision.full ? "words, traits and memory"
                                      : "one threshold on the similarity");
}

void summary_begin(struct report *report, const struct eval_view *view)
{
    describe_model(report);
    markup_raw(&report->summary, "<p class=\"lead\">");
    if (!view)
        lead_without(report);
    else if (has_pairs(view->corpus))
        lead_pairs(report, view);
    else
        lead_others(report, view);
    markup_raw(&report->summary, "</p>\n<div class=\"cards\">\n");
    if (view) cards(report, view);
    if (view && view->corpus->skipped)
        warn(report, "data", "%llu bad rows of %s were passed over.",
             (unsigned long long)view->corpus->skipped, file_name(report->options->eval));
}

void summary_end(struct report *report)
{
    markup_raw(&report->summary, "</div>\n");
}
