/* Data: what the files hold, and problems that make figures look better or worse than they are.
 *
 * data.eval and data.train are {name, labels, rows, sentences, skipped, pairs, same, repeated,
 * contradicting, connected, identical, suspicious, more_suspicious, worst, odd, categories: [[name,
 * sentences]], category_count, scores: {low, width, pairs: []}, audit}. data.leaks counts what of
 * the one is in the other. */
#include "base/mem.h"
#include "base/sort.h"
#include "report/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- One file ---- */

static void warn_of_labels(struct report *report, const struct file_stats *file)
{
    double share = (double)file->same / (double)file->count;
    if (file->count && (share < 0.2 || share > 0.8))
        warn(report, "data",
             "%s is unbalanced: %.1f %% of its pairs are labelled the same. Accuracy is a poor "
             "measure then; look at precision and recall.",
             file->name, 100 * share);
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

/* The sizes of the largest categories. */
static film_status write_categories(struct report *report, const struct file_stats *file,
                                    film_error *error)
{
    enum { SHOWN = 24 };
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    const struct corpus *corpus = file->corpus;
    size_t count = corpus->categories.count;
    double(*size)[2] = mem_array(count, sizeof *size);
    TRY_ALLOC(size, error);
    for (size_t c = 0; c < count; c++) size[c][0] = (double)c, size[c][1] = 0;
    for (size_t i = 0; i < corpus->rows; i++)
        if (corpus->category[i] != STRTAB_NONE) size[corpus->category[i]][1]++;
    sort_array(size, count, sizeof *size, larger_category_first);
    put_count(to, "category_count", count);
    put_open(to, "categories", '[');
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        put_open(to, NULL, '[');
        put_sentence(to, NULL, strtab_get(&corpus->categories, (uint32_t)size[i][0]));
        put_number(to, NULL, size[i][1]);
        writer_close(to, ']');
    }
    writer_close(to, ']');
    if (file->split)
        warn(report, "data", "%zu sentences of %s have more than one category.", file->split,
             file->name);
done:
    mem_free(size);
    return status;
}

/* The histogram of the scores. */
static void write_scores(struct writer *to, const struct file_stats *file)
{
    enum { BINS = 20 };
    double low = INFINITY, high = -INFINITY, pairs[BINS] = {0};
    for (size_t i = 0; i < file->count; i++) {
        low = fmin(low, (double)file->pairs.label[i]);
        high = fmax(high, (double)file->pairs.label[i]);
    }
    double width = high > low ? (high - low) / BINS : 1;
    for (size_t i = 0; i < file->count; i++)
        pairs[(int)fmin(((double)file->pairs.label[i] - low) / width, BINS - 1)]++;
    put_open(to, "scores", '{');
    put_number(to, "low", low);
    put_number(to, "width", width);
    put_numbers(to, "pairs", pairs, BINS);
    writer_close(to, '}');
}

static film_status write_counts(struct report *report, const struct file_stats *file,
                                film_error *error)
{
    static const char *const kinds[FILM_LABELS_COUNT] = {"",       "none",     "pairs",
                                                         "scores", "triplets", "categories"};
    struct writer *to = &report->data;
    const struct corpus *corpus = file->corpus;
    put_string(to, "name", file->name);
    put_string(to, "labels", kinds[corpus->labels]);
    put_count(to, "rows", corpus->rows);
    put_count(to, "sentences", file->sentences);
    put_count(to, "skipped", corpus->skipped);
    if (corpus->labels == FILM_LABELS_CATEGORIES) return write_categories(report, file, error);
    if (corpus->labels == FILM_LABELS_SCORES) write_scores(to, file);
    if (!has_pairs(corpus)) return FILM_OK;
    put_count(to, "pairs", file->count);
    put_count(to, "same", file->same);
    put_count(to, "repeated", file->repeated);
    put_count(to, "contradicting", file->contradicting);
    put_count(to, "connected", file->connected);
    put_count(to, "identical", file->identical);
    warn_of_labels(report, file);
    return FILM_OK;
}

/* ---- The audit ---- */

static void put_buckets(struct writer *to, const char *key, const double *share,
                        const size_t *pairs)
{
    put_open(to, key, '[');
    for (int i = 0; i < AUDIT_BUCKETS; i++)
        put_point(to, (double[]){share[i], (double)pairs[i]}, 2);
    writer_close(to, ']');
}

/* KEY "eval": only the evaluation data makes figures look better. */
static film_status write_audit(struct report *report, const struct file_stats *file,
                               const struct file_stats *others, uint32_t questions, const char *key,
                               film_error *error)
{
    struct writer *to = &report->data;
    struct audit audit;
    struct audit_pairs judged = {file->a, file->b, file->pairs.label, file->count}, other;
    if (others) other = (struct audit_pairs){others->a, others->b, NULL, others->count};
    film_status status = audit_measure(&audit, &judged, others ? &other : NULL, questions,
                                       report->options->seed, report->options->threads, error);
    if (status != FILM_OK || !isfinite(audit.auc)) return status;
    put_open(to, "audit", '{');
    put_number(to, "accuracy", audit.accuracy);
    put_number(to, "majority", audit.majority);
    put_number(to, "auc", audit.auc);
    put_truth(to, "biased", audit_is_biased(&audit));
    put_buckets(to, "by_count", audit.by_count, audit.count_pairs);
    put_buckets(to, "by_common", audit.by_common, audit.common_pairs);
    writer_close(to, '}');
    if (audit_is_biased(&audit) && key[0] == 'e')
        warn(report, "data",
             "Labels of %s can be predicted without reading the sentences: question counts predict "
             "%.1f %% correctly, the more frequent label only %.1f %% (AUC %.2f). FILM does not "
             "count "
             "questions, but a system that does looks better here than in use.",
             file->name, 100 * audit.accuracy, 100 * audit.majority, audit.auc);
    return FILM_OK;
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
    struct writer *to = &report->data;
    double accuracy = json_value(view->answer, "accuracy");
    film_status status =
        leaks_find(&leaks, eval, train, questions, isfinite(accuracy) ? view->same : NULL, error);
    if (status != FILM_OK) return status;
    put_open(to, "leaks", '{');
    put_count(to, "sentences", leaks.sentences);
    if (eval->count) {
        put_count(to, "either", leaks.either);
        put_count(to, "both", leaks.both);
        put_count(to, "pairs", leaks.pair);
        put_count(to, "opposed", leaks.opposed);
        if (leaks.either && leaks.clean && isfinite(accuracy))
            put_number(to, "accuracy", (double)leaks.clean_right / (double)leaks.clean);
    }
    writer_close(to, '}');
    warn_of_leaks(report, &leaks, eval, accuracy);
    if (has_pairs(eval->corpus) && has_pairs(train->corpus)) {
        double here = (double)eval->same / (double)eval->count;
        double there = (double)train->same / (double)train->count;
        if (fabs(here - there) > 0.15)
            warn(report, "data",
                 "%.0f %% of the evaluation pairs are duplicates, but %.0f %% of the training "
                 "pairs. FILM weights both classes equally; set the prior to the share expected in "
                 "use.",
                 100 * here, 100 * there);
    }
    return FILM_OK;
}

/* ---- Both files ---- */

/* VIEW: the evaluation of the file; NULL: a training file. */
static film_status write_file(struct report *report, const struct eval_view *view,
                              const struct file_stats *file, const struct file_stats *others,
                              uint32_t questions, film_error *error)
{
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    const char *key = view ? "eval" : "train";
    put_open(to, key, '{');
    TRY(write_counts(report, file, error));
    if (has_pairs(file->corpus)) TRY(labels_of_pairs(to, view, file, error));
    if (view && view->voted) TRY(labels_of_categories(to, view, error));
    if (has_pairs(file->corpus) && file->count)
        TRY(write_audit(report, file, others, questions, key, error));
    writer_close(to, '}');
done:
    return status;
}

film_status data_part(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    const film_report_options *options = report->options;
    struct questions numbers = {0};
    struct file_stats eval = {0}, train = {0};
    int trained = report->train.rows > 0;
    TRY(questions_init(&numbers, error));
    if (view)
        TRY(file_stats_make(&eval, file_name(options->eval), view->corpus, view->own, &numbers,
                            &options->progress, error));
    if (trained)
        TRY(file_stats_make(&train, report->train_name, &report->train,
                            report->train.sentences.count, &numbers, &options->progress, error));
    uint32_t questions = numbers.hashes.count;
    put_open(&report->data, "data", '{');
    if (view)
        TRY(write_file(report, view, &eval, train.count ? &train : NULL, questions, error));
    if (trained) TRY(write_file(report, NULL, &train, NULL, questions, error));
    if (view && trained) TRY(write_leaks(report, view, &eval, &train, questions, error));
    writer_close(&report->data, '}');
done:
    file_stats_free(&eval);
    file_stats_free(&train);
    questions_free(&numbers);
    return status;
}
