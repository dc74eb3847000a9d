/* What the files hold, and what about them makes figures doubtful. */
#include "base/mem.h"
#include "plot/scale.h"
#include "report/holdings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_fact(struct markup *out, const char *name, size_t count, const char *note)
{
    char number[40];
    scale_count((double)count, number, sizeof number);
    fact(out, name, "%s%s", number, note);
}

/* ---- One file ---- */

static void write_balance(struct report *report, const struct holdings *file)
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
             "%s is out of balance: %.1f %% of its pairs are labelled the same. Accuracy is then a "
             "poor measure; look at AUC and at both kinds of mistake.",
             file->name, 100 * share);
}

static void write_pair_facts(struct report *report, const struct holdings *file)
{
    struct markup *out = &report->body;
    count_fact(out, "pairs standing more than once", file->repeated, " further rows");
    count_fact(out, "pairs with both labels", file->contradicting, "");
    count_fact(out, "labelled different, connected by others", file->connected,
               file->connected ? " (a chain of \"same\" leads from one to the other)" : "");
    count_fact(out, "same words, labelled different", file->identical, "");
    /* A few of ten thousand are people's ordinary disagreement. */
    if (1000 * (file->contradicting + file->connected) > file->count)
        warn(
            report, "data",
            "Labels of %s contradict each other: %zu pairs carry both labels, %zu pairs are called "
            "different although others connect them.",
            file->name, file->contradicting, file->connected);
}

static int larger_first(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return a[1] > b[1] ? -1 : a[1] < b[1] ? 1 : a[0] < b[0] ? -1 : a[0] > b[0];
}

/* The largest categories as bars. */
static film_status draw_categories(struct report *report, const struct holdings *file,
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
    qsort(size, count, sizeof *size, larger_first);
    for (size_t i = 0; i < shown; i++) {
        x[i] = (double)i;
        y[i] = size[i][1];
        names[i] = strtab_get(&corpus->categories, (uint32_t)size[i][0]);
    }
    char about[120];
    snprintf(about, sizeof about, "The largest %zu of %zu.", shown, count);
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
        warn(report, "data", "%zu sentences of %s stand under more than one category.", file->split,
             file->name);
done:
    mem_free(size);
    return status;
}

/* How often each score occurs. */
static void draw_scores(struct report *report, const struct holdings *file, const char *id)
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
                        .about = "How many pairs have which score.",
                        .x = {.title = "score"},
                        .y = {.title = "pairs"},
                        .series = &series,
                        .count = 1};
    plots_begin(report);
    plot_write(&report->body, &plot);
    plots_end(report);
}

/* Some of the pairs that contradict others. */
static void write_odd(struct report *report, const struct holdings *file)
{
    struct markup *out = &report->body;
    if (!file->odd_count) return;
    markup_raw(out, "<details><summary>Pairs that contradict others</summary>\n");
    for (size_t i = 0; i < file->odd_count; i++) {
        size_t pair = file->odd[i];
        const uint32_t sentence[2] = {file->pairs.a[pair], file->pairs.b[pair]};
        markup_print(out, "<div class=\"pair\"><span class=\"p\">%s</span>",
                     file->pairs.label[pair] >= 0.5f ? "same" : "different");
        for (int side = 0; side < 2; side++) {
            markup_raw(out, "<p><bdi>");
            markup_text(out, strtab_get(&file->corpus->sentences, sentence[side]), REPORT_TEXT);
            markup_raw(out, "</bdi></p>");
        }
        markup_raw(out, "</div>\n");
    }
    markup_raw(out, "</details>\n");
}

static film_status write_file(struct report *report, const struct holdings *file, const char *role,
                              film_error *error)
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
    count_fact(out, "rows", file->corpus->rows, "");
    count_fact(out, "distinct sentences", file->sentences, "");
    if (file->corpus->skipped) count_fact(out, "bad rows passed over", file->corpus->skipped, "");
    if (has_pairs(file->corpus)) write_pair_facts(report, file);
    markup_raw(out, "</table></div>\n");
    write_odd(report, file);
    snprintf(id, sizeof id, "data-%s", strcmp(role, "trained on") == 0 ? "train" : "eval");
    if (file->corpus->labels == FILM_LABELS_CATEGORIES)
        TRY(draw_categories(report, file, id, error));
    if (file->corpus->labels == FILM_LABELS_SCORES) draw_scores(report, file, id);
    markup_raw(out, "</div>\n");
done:
    return status;
}

/* ---- Between the two ---- */

static film_status write_leaks(struct report *report, const struct holdings *eval,
                               const struct holdings *train, uint32_t questions, film_error *error)
{
    struct leaks leaks;
    struct markup *out = &report->body;
    film_status status = leaks_find(&leaks, eval, train, questions, error);
    if (status != FILM_OK) return status;
    markup_raw(out, "<h3>Does the training data know what was measured on?</h3>"
                    "<div class=\"scroll\"><table>\n");
    count_fact(out, "sentences trained on", leaks.sentences, "");
    if (eval->count) {
        count_fact(out, "pairs with a question trained on", leaks.either, "");
        count_fact(out, "pairs with both questions trained on", leaks.both, "");
        count_fact(out, "pairs trained on as they are", leaks.pair, "");
        count_fact(out, "of these, with the other label", leaks.opposed, "");
    }
    markup_raw(out, "</table></div>\n");
    if (eval->count && leaks.either)
        warn(report, "data",
             "%zu of the %zu pairs measured on (%.1f %%) have a question the model was trained on, "
             "%zu stand "
             "in the training data as they are: the figures promise too much for new questions.",
             leaks.either, eval->count, 100 * (double)leaks.either / (double)eval->count,
             leaks.pair);
    else if (leaks.sentences)
        warn(report, "data",
             "%zu of the %u sentences measured on (%.1f %%) are in the training data: the figures "
             "promise "
             "too much for new ones.",
             leaks.sentences, eval->sentences,
             100 * (double)leaks.sentences / (double)eval->sentences);
    if (has_pairs(eval->corpus) && has_pairs(train->corpus)) {
        double here = (double)eval->same / (double)eval->count;
        double there = (double)train->same / (double)train->count;
        if (fabs(here - there) > 0.15)
            warn(report, "data",
                 "Duplicates are %.0f %% of the pairs measured on but %.0f %% of those trained on. "
                 "FILM weighs the classes evenly; set the prior to the share expected in use.",
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

static film_status write_audit(struct report *report, const struct holdings *file,
                               const struct holdings *others, uint32_t questions, const char *key,
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
    markup_raw(&report->body, "<h3>Labels of <bdi>");
    markup_string(&report->body, file->name);
    markup_raw(&report->body, "</bdi> told without reading a word</h3>");
    if (!isfinite(audit.auc)) {
        not_shown(report, "Selection-bias audit", "it needs 20 pairs or more and both labels.");
        return FILM_OK;
    }
    markup_print(
        &report->body,
        "<p id=\"audit-%s\">From how often its questions occur and whom they share, a handful of "
        "numbers tells <b>%.1f %%</b> of the labels right on pairs kept apart; always saying the "
        "more frequent label is right for <b>%.1f %%</b>. AUC <b>%.3f</b> (0.5: the counts "
        "say nothing).</p>",
        key, 100 * audit.accuracy, 100 * audit.majority, audit.auc);
    plots_begin(report);
    snprintf(id, sizeof id, "audit-%s-count", key);
    draw_buckets(report, id, "By how often the more frequent question occurs", "rows of the file",
                 counts, audit.by_count, audit.count_pairs);
    snprintf(id, sizeof id, "audit-%s-common", key);
    draw_buckets(report, id, "By the questions both are paired with",
                 "further questions paired with both", commons, audit.by_common,
                 audit.common_pairs);
    plots_end(report);
    if (audit_is_telling(&audit))
        warn(report, "data",
             "Labels of %s can be told without reading: %.1f %% right from how often questions "
             "occur, "
             "against %.1f %% for always the same answer (AUC %.2f). The pairs were not collected "
             "at "
             "random.",
             file->name, 100 * audit.accuracy, 100 * audit.majority, audit.auc);
    return FILM_OK;
}

film_status data_section(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    const film_report_options *options = report->options;
    struct questions numbers = {0};
    struct holdings eval = {0}, train = {0};
    char name[300];
    section_begin(
        report, "data", "The data",
        "What the files hold, and what about them could make the figures look better or worse "
        "than they are. Questions of the same words count as one.");
    TRY(questions_init(&numbers, error));
    if (view)
        TRY(holdings_make(&eval, file_name(options->eval), view->corpus, view->own, &numbers,
                          &options->progress, error));
    snprintf(name, sizeof name, "%.250s%s",
             options->train_count ? file_name(options->train[0]) : "",
             options->train_count > 1 ? " and more" : "");
    if (report->train.rows)
        TRY(holdings_make(&train, name, &report->train, report->train.sentences.count, &numbers,
                          &options->progress, error));
    uint32_t questions = numbers.hashes.count;
    if (!view && !report->train.rows)
        not_shown(report, "Data summary, leaks and audit", "give evaluation and training files.");
    plots_begin(report);
    if (view) TRY(write_file(report, &eval, "measured on", error));
    if (report->train.rows) TRY(write_file(report, &train, "trained on", error));
    plots_end(report);
    if (view && report->train.rows)
        TRY(write_leaks(report, &eval, &train, questions, error));
    else if (view)
        not_shown(report, "Leaks between training and measuring", "give the training files.");
    if (view && has_pairs(view->corpus))
        TRY(write_audit(report, &eval, train.count ? &train : NULL, questions, "eval", error));
    if (train.count && has_pairs(&report->train))
        TRY(write_audit(report, &train, NULL, questions, "train", error));
    section_end(report);
done:
    holdings_free(&eval);
    holdings_free(&train);
    questions_free(&numbers);
    return status;
}
