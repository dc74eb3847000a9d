/* The section Data: describes the files, and reports leaks, contradictions and selection bias. */
#include "base/mem.h"
#include "base/sort.h"
#include "plot/scale.h"
#include "report/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_fact(struct markup *out, const char *name, size_t count)
{
    char number[40];
    scale_count((double)count, number, sizeof number);
    fact(out, name, "%s", number);
}

/* ---- One file ---- */

static void write_balance(struct report *report, const struct file_stats *file)
{
    double share = (double)file->same / (double)file->count;
    char line[120];
    snprintf(line, sizeof line, "%.1f %% labelled the same, %.1f %% different", 100 * share,
             100 * (1 - share));
    markup_print(&report->body,
                 "<div class=\"balance\" role=\"img\" aria-label=\"%s\"><i class=\"k1\" "
                 "style=\"width:%.1f%%\"></i><i class=\"k2\" style=\"width:%.1f%%\"></i></div>"
                 "<p><small>%s</small></p>",
                 line, 100 * share, 100 * (1 - share), line);
    if (share < 0.2 || share > 0.8)
        warn(report, "data",
             "%s is unbalanced: %.1f %% of its pairs are labelled the same. Accuracy is a poor "
             "measure then; look at precision and recall.",
             file->name, 100 * share);
}

static void write_pair_facts(struct report *report, const struct file_stats *file)
{
    struct markup *out = &report->body;
    count_fact(out, "repeated pairs", file->repeated);
    count_fact(out, "pairs with both labels", file->contradicting);
    count_fact(out, "labelled different, but connected by \"same\" pairs", file->connected);
    count_fact(out, "identical words, labelled different", file->identical);
    /* Up to one in a thousand is normal: people disagree. */
    if (1000 * (file->contradicting + file->connected) > file->count)
        warn(report, "data",
             "Labels of %s contradict each other: %zu pairs have both labels, and %zu pairs are "
             "labelled different although a chain of pairs labelled the same connects them.",
             file->name, file->contradicting, file->connected);
}

static int larger_category_first(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return a[1] > b[1] ? -1 : a[1] < b[1] ? 1 : a[0] < b[0] ? -1 : a[0] > b[0];
}

/* Draws the sizes of the largest categories. */
static film_status draw_categories(struct report *report, const struct file_stats *file,
                                   const char *id, film_error *error)
{
    enum { SHOWN = 24 };
    film_status status = FILM_OK;
    const struct corpus *corpus = file->corpus;
    size_t count = corpus->categories.count, shown = count < SHOWN ? count : SHOWN;
    double(*size)[2] = mem_array(count, sizeof *size), x[SHOWN], y[SHOWN];
    film_text names[SHOWN];
    TRY_ALLOC(size, error);
    for (size_t c = 0; c < count; c++) size[c][0] = (double)c, size[c][1] = 0;
    for (size_t i = 0; i < corpus->rows; i++)
        if (corpus->category[i] != STRTAB_NONE) size[corpus->category[i]][1]++;
    sort_array(size, count, sizeof *size, larger_category_first);
    for (size_t i = 0; i < shown; i++) {
        x[i] = (double)i;
        y[i] = size[i][1];
        names[i] = strtab_get(&corpus->categories, (uint32_t)size[i][0]);
    }
    char about[120];
    snprintf(about, sizeof about, "The largest %zu of %zu categories.", shown, count);
    struct plot_series series = {.name = "sentences",
                                 .kind = PLOT_BARS,
                                 .colour = 1,
                                 .x = x,
                                 .y = y,
                                 .count = shown,
                                 .label = names};
    struct plot plot = {.id = id,
                        .title = "Categories",
                        .about = about,
                        .x = {.title = "category"},
                        .y = {.title = "sentences"},
                        .series = &series,
                        .count = 1,
                        .names = names,
                        .name_count = shown};
    plots_begin(report);
    plot_write(&report->body, &plot);
    plots_end(report);
    if (file->split)
        warn(report, "data", "%zu sentences of %s have more than one category.", file->split,
             file->name);
done:
    mem_free(size);
    return status;
}

/* Draws the histogram of the scores. */
static void draw_scores(struct report *report, const struct file_stats *file, const char *id)
{
    enum { BINS = 20 };
    double low = INFINITY, high = -INFINITY, x[BINS], y[BINS] = {0};
    for (size_t i = 0; i < file->count; i++) {
        low = fmin(low, (double)file->pairs.label[i]);
        high = fmax(high, (double)file->pairs.label[i]);
    }
    double width = high > low ? (high - low) / BINS : 1;
    for (size_t i = 0; i < file->count; i++)
        y[(int)fmin(((double)file->pairs.label[i] - low) / width, BINS - 1)]++;
    for (int i = 0; i < BINS; i++) x[i] = low + (i + 0.5) * width;
    struct plot_series series = {.name = "pairs",
                                 .kind = PLOT_BARS,
                                 .colour = 1,
                                 .x = x,
                                 .y = y,
                                 .count = BINS,
                                 .width = 0.9 * width};
    struct plot plot = {.id = id,
                        .title = "Scores",
                        .about = "Number of pairs by score.",
                        .x = {.title = "score"},
                        .y = {.title = "pairs"},
                        .series = &series,
                        .count = 1};
    plots_begin(report);
    plot_write(&report->body, &plot);
    plots_end(report);
}

static film_status write_file(struct report *report, const struct file_stats *file,
                              const char *role, film_error *error)
{
    film_status status = FILM_OK;
    static const char *const kinds[FILM_LABELS_COUNT] = {
        "", "none", "pairs, same or different", "pairs with scores", "triplets", "categories"};
    struct markup *out = &report->body;
    char id[40];
    markup_raw(out, "<div><h3><bdi>");
    markup_string(out, file->name);
    markup_print(out, "</bdi> <small>- %s</small></h3>", role);
    if (has_pairs(file->corpus) && file->count) write_balance(report, file);
    markup_raw(out, "<div class=\"scroll\"><table>\n");
    fact(out, "labels", "%s", kinds[file->corpus->labels]);
    count_fact(out, "rows", file->corpus->rows);
    count_fact(out, "distinct sentences", file->sentences);
    if (file->corpus->skipped) count_fact(out, "bad rows skipped", file->corpus->skipped);
    if (has_pairs(file->corpus)) write_pair_facts(report, file);
    markup_raw(out, "</table></div>\n");
    snprintf(id, sizeof id, "data-%s", strcmp(role, "training data") == 0 ? "train" : "eval");
    if (file->corpus->labels == FILM_LABELS_CATEGORIES)
        TRY(draw_categories(report, file, id, error));
    if (file->corpus->labels == FILM_LABELS_SCORES) draw_scores(report, file, id);
    markup_raw(out, "</div>\n");
done:
    return status;
}

/* ---- Leaks ---- */

/* Writes " Without them, accuracy is ..." where there are enough other pairs to tell. */
static void clean_text(const struct leaks *leaks, double accuracy, char *out, size_t room)
{
    enum { ENOUGH = 50 };
    out[0] = 0;
    if (leaks->clean >= ENOUGH && isfinite(accuracy))
        snprintf(out, room, " Without them, accuracy is %.1f %% instead of %.1f %%.",
                 100 * (double)leaks->clean_right / (double)leaks->clean, 100 * accuracy);
}

/* A leak matters if pairs themselves are repeated, if hardly any pair is free of it, or if the
 * accuracy is lower without it by half a point and more than chance explains. */
static int leak_matters(const struct leaks *leaks, size_t count, double accuracy)
{
    if (!leaks->either) return 0;
    if (100 * leaks->pair >= count || 5 * leaks->clean < count || !isfinite(accuracy)) return 1;
    double clean = (double)leaks->clean_right / (double)leaks->clean;
    double chance = accuracy * (1 - accuracy) * (1 / (double)leaks->clean - 1 / (double)count);
    return accuracy - clean >= fmax(0.005, 2 * sqrt(fmax(chance, 0)));
}

static void warn_of_leaks(struct report *report, const struct leaks *leaks,
                          const struct file_stats *eval, double accuracy)
{
    char without[120];
    clean_text(leaks, accuracy, without, sizeof without);
    if (eval->count && leak_matters(leaks, eval->count, accuracy))
        warn(report, "data",
             "%zu of the %zu evaluation pairs (%.1f %%) contain a training question, and %zu are "
             "also pairs of the training data. The figures are too optimistic for new "
             "questions.%s",
             leaks->either, eval->count, 100 * (double)leaks->either / (double)eval->count,
             leaks->pair, without);
    else if (!eval->count && 100 * leaks->sentences >= eval->sentences)
        warn(report, "data",
             "%zu of the %u evaluation sentences (%.1f %%) are in the training data. The figures "
             "are too optimistic for new sentences.",
             leaks->sentences, eval->sentences,
             100 * (double)leaks->sentences / (double)eval->sentences);
}

static film_status write_leaks(struct report *report, const struct eval_view *view,
                               const struct file_stats *eval, const struct file_stats *train,
                               uint32_t questions, film_error *error)
{
    struct leaks leaks;
    struct markup *out = &report->body;
    double accuracy = json_value(view->answer, "accuracy");
    film_status status =
        leaks_find(&leaks, eval, train, questions, isfinite(accuracy) ? view->same : NULL, error);
    if (status != FILM_OK) return status;
    markup_raw(out, "<h3>Leaks: evaluation data in the training data</h3>"
                    "<div class=\"scroll\"><table>\n");
    count_fact(out, "sentences also in the training data", leaks.sentences);
    if (eval->count) {
        count_fact(out, "pairs with at least one training question", leaks.either);
        count_fact(out, "pairs with two training questions", leaks.both);
        count_fact(out, "pairs also in the training data", leaks.pair);
        count_fact(out, "... with the opposite label", leaks.opposed);
        if (leaks.either && leaks.clean && isfinite(accuracy))
            fact(out, "accuracy on pairs without a training question", "%.1f %%",
                 100 * (double)leaks.clean_right / (double)leaks.clean);
    }
    markup_raw(out, "</table></div>\n");
    warn_of_leaks(report, &leaks, eval, accuracy);
    if (has_pairs(eval->corpus) && has_pairs(train->corpus)) {
        double here = (double)eval->same / (double)eval->count;
        double there = (double)train->same / (double)train->count;
        if (fabs(here - there) > 0.15)
            warn(report, "data",
                 "%.0f %% of the evaluation pairs are duplicates, but %.0f %% of the training "
                 "pairs. "
                 "FILM weights both classes equally; set the prior to the share expected in use.",
                 100 * here, 100 * there);
    }
    return FILM_OK;
}

/* ---- The audit ---- */

static void draw_buckets(struct report *report, const char *id, const char *title, const char *axis,
                         const char *const *names, const double *share, const size_t *pairs)
{
    double x[AUDIT_BUCKETS];
    film_text name[AUDIT_BUCKETS], label[AUDIT_BUCKETS];
    char text[AUDIT_BUCKETS][80];
    for (int i = 0; i < AUDIT_BUCKETS; i++) {
        x[i] = i;
        name[i] = film_string(names[i]);
        snprintf(text[i], sizeof text[i], "%s: %.1f %% of %zu pairs", names[i], 100 * share[i],
                 pairs[i]);
        label[i] = film_string(text[i]);
    }
    struct plot_series series = {.name = "labelled the same",
                                 .kind = PLOT_BARS,
                                 .colour = 1,
                                 .x = x,
                                 .y = share,
                                 .count = AUDIT_BUCKETS,
                                 .label = label};
    struct plot plot = {.id = id,
                        .title = title,
                        .x = {.title = axis},
                        .y = {.title = "labelled the same", .percent = 1, .low = 0, .high = 1},
                        .series = &series,
                        .count = 1,
                        .names = name,
                        .name_count = AUDIT_BUCKETS};
    plot_write(&report->body, &plot);
}

static film_status write_audit(struct report *report, const struct file_stats *file,
                               const struct file_stats *others, uint32_t questions, const char *key,
                               film_error *error)
{
    static const char *const counts[] = {"once", "twice", "3 times", "4 to 5", "6 to 10", "more"};
    static const char *const commons[] = {"none", "1", "2", "3 to 5", "6 to 10", "more"};
    struct audit audit;
    struct audit_pairs judged = {file->a, file->b, file->pairs.label, file->count}, other;
    char id[60];
    if (others) other = (struct audit_pairs){others->a, others->b, NULL, others->count};
    film_status status = audit_measure(&audit, &judged, others ? &other : NULL, questions,
                                       report->options->seed, report->options->threads, error);
    if (status != FILM_OK) return status;
    if (!isfinite(audit.auc)) {
        not_shown(report, "Selection bias", "This needs at least 20 pairs and both labels.");
        return FILM_OK;
    }
    markup_raw(&report->body, "<details><summary>Selection bias in <bdi>");
    markup_string(&report->body, file->name);
    markup_print(&report->body, "</bdi> <small>- %s</small></summary>",
                 audit_is_biased(&audit) ? "labels can be predicted without reading"
                                         : "none that matters");
    markup_print(
        &report->body,
        "<p id=\"audit-%s\">Can labels be predicted without reading the sentences? Counts of how "
        "often questions occur, and with which others, predict <b>%.1f %%</b> of the held-out "
        "labels correctly. Always predicting the more frequent label is correct for <b>%.1f "
        "%%</b>. AUC <b>%.3f</b> (0.5: no bias).</p>",
        key, 100 * audit.accuracy, 100 * audit.majority, audit.auc);
    plots_begin(report);
    snprintf(id, sizeof id, "audit-%s-count", key);
    draw_buckets(report, id, "By frequency of the more frequent question",
                 "occurrences in the file", counts, audit.by_count, audit.count_pairs);
    snprintf(id, sizeof id, "audit-%s-common", key);
    draw_buckets(report, id, "By number of common partners", "questions paired with both", commons,
                 audit.by_common, audit.common_pairs);
    plots_end(report);
    markup_raw(&report->body, "</details>\n");
    /* Only the evaluation data makes figures look better. */
    if (audit_is_biased(&audit) && strcmp(key, "eval") == 0)
        warn(report, "data",
             "Labels of %s can be predicted without reading the sentences: question counts predict "
             "%.1f %% correctly, the more frequent label only %.1f %% (AUC %.2f). FILM does not "
             "count "
             "questions, but a system that does looks better here than in use.",
             file->name, 100 * audit.accuracy, 100 * audit.majority, audit.auc);
    return FILM_OK;
}

film_status data_section(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    const film_report_options *options = report->options;
    struct questions numbers = {0};
    struct file_stats eval = {0}, train = {0};
    char name[300];
    section_begin(
        report, "data", "Data",
        "Contents of the files, and problems that make the figures look better or worse than "
        "they are. Questions with the same words count as one.");
    TRY(questions_init(&numbers, error));
    if (view)
        TRY(file_stats_make(&eval, file_name(options->eval), view->corpus, view->own, &numbers,
                            &options->progress, error));
    snprintf(name, sizeof name, "%.250s%s",
             options->train_count ? file_name(options->train[0]) : "",
             options->train_count > 1 ? " and more" : "");
    if (report->train.rows)
        TRY(file_stats_make(&train, name, &report->train, report->train.sentences.count, &numbers,
                            &options->progress, error));
    uint32_t questions = numbers.hashes.count;
    if (!view && !report->train.rows)
        not_shown(report, "Data summary, leaks and audit",
                  "This needs an evaluation or a training file.");
    plots_begin(report);
    if (view) TRY(write_file(report, &eval, "evaluation data", error));
    if (report->train.rows) TRY(write_file(report, &train, "training data", error));
    plots_end(report);
    if (view && has_pairs(view->corpus))
        TRY(labels_of_pairs(report, view, &eval, "labels-eval", error));
    if (report->train.rows && has_pairs(&report->train))
        TRY(labels_of_pairs(report, NULL, &train, "labels-train", error));
    if (view && view->voted) TRY(labels_of_categories(report, view, error));
    if (view && report->train.rows)
        TRY(write_leaks(report, view, &eval, &train, questions, error));
    else if (view)
        not_shown(report, "Leaks between training and evaluation data",
                  "This needs the training files.");
    if (view && has_pairs(view->corpus))
        TRY(write_audit(report, &eval, train.count ? &train : NULL, questions, "eval", error));
    if (train.count && has_pairs(&report->train))
        TRY(write_audit(report, &train, NULL, questions, "train", error));
    section_end(report);
done:
    file_stats_free(&eval);
    file_stats_free(&train);
    questions_free(&numbers);
    return status;
}
