/* Data: what the files hold, and problems that make figures look better or worse than they are.
 *
 * data.eval and data.train are {name, labels, rows: {read, skipped, sentences}, pairs: {all, same,
 * repeated, contradicting, connected, identical}, suspicious, more_suspicious, worst, odd,
 * categories: [[name, sentences]], category_count, scores: {low, width, pairs: []}, audit}.
 * data.leaks counts what of the one is in the other. */
#include "base/mem.h"
#include "report/labels.h"

#include <math.h>
#include <stdio.h>

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

/* The sizes of the largest categories. */
static film_status write_categories(struct report *report, const struct file_stats *file,
                                    film_error *error)
{
    enum { SHOWN = 24 };
    struct writer *to = &report->data;
    const struct strtab *names = &file->corpus->categories;
    struct category_size *size;
    film_status status = categories_by_size(file->corpus, &size, error);
    if (status != FILM_OK) return status;
    put_json(to, "category_count", json_integer((json_int_t)names->count));
    put_open(to, "categories", '[');
    for (size_t i = 0; i < names->count && i < SHOWN; i++)
        put_json(to, NULL,
                 json_pack("[o, I]", sentence_json(strtab_get(names, size[i].category)),
                           (json_int_t)size[i].rows));
    writer_close(to, ']');
    mem_free(size);
    if (file->split)
        warn(report, "data", "%zu sentences of %s have more than one category.", file->split,
             file->name);
    return FILM_OK;
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
    put_json(to, "low", number_json(low));
    put_json(to, "width", number_json(width));
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
    put_json(to, "name", text_json(film_string(file->name), REPORT_LONGEST));
    put_json(to, "labels", json_string(kinds[corpus->labels]));
    put_json(to, "rows",
             json_pack("{s:I, s:I, s:I}", "read", (json_int_t)corpus->rows, "skipped",
                       (json_int_t)corpus->skipped, "sentences", (json_int_t)file->sentences));
    if (corpus->labels == FILM_LABELS_CATEGORIES) return write_categories(report, file, error);
    if (corpus->labels == FILM_LABELS_SCORES) write_scores(to, file);
    if (!has_pairs(corpus)) return FILM_OK;
    put_json(to, "pairs",
             json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "all", (json_int_t)file->count, "same",
                       (json_int_t)file->same, "repeated", (json_int_t)file->repeated,
                       "contradicting", (json_int_t)file->contradicting, "connected",
                       (json_int_t)file->connected, "identical", (json_int_t)file->identical));
    warn_of_labels(report, file);
    return FILM_OK;
}

/* ---- The audit ---- */

static void put_buckets(struct writer *to, const char *key, const double *share,
                        const size_t *pairs)
{
    put_open(to, key, '[');
    for (int i = 0; i < AUDIT_BUCKETS; i++)
        put_numbers(to, NULL, (double[]){share[i], (double)pairs[i]}, 2);
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
    put_json(to, "accuracy", number_json(audit.accuracy));
    put_json(to, "majority", number_json(audit.majority));
    put_json(to, "auc", number_json(audit.auc));
    put_json(to, "biased", json_boolean(audit_is_biased(&audit)));
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
    double accuracy = json_value(view->answer, "accuracy");
    film_status status =
        leaks_find(&leaks, eval, train, questions, isfinite(accuracy) ? view->same : NULL, error);
    if (status != FILM_OK) return status;
    double clean = leaks.either && leaks.clean && isfinite(accuracy)
                       ? (double)leaks.clean_right / (double)leaks.clean
                       : (double)NAN;
    put_json(&report->data, "leaks",
             eval->count
                 ? json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "sentences",
                             (json_int_t)leaks.sentences, "either", (json_int_t)leaks.either,
                             "both", (json_int_t)leaks.both, "pairs", (json_int_t)leaks.pair,
                             "opposed", (json_int_t)leaks.opposed, "accuracy", number_json(clean))
                 : json_pack("{s:I}", "sentences", (json_int_t)leaks.sentences));
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
    if (view) TRY(write_file(report, view, &eval, train.count ? &train : NULL, questions, error));
    if (trained) TRY(write_file(report, NULL, &train, NULL, questions, error));
    if (view && trained) TRY(write_leaks(report, view, &eval, &train, questions, error));
    writer_close(&report->data, '}');
done:
    file_stats_free(&eval);
    file_stats_free(&train);
    questions_free(&numbers);
    return status;
}
