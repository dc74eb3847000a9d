/* film_eval.h - measure a model on labelled files, and decide pairs by the rule of the paper.
 *
 *     film_eval_result result = {.size = sizeof result};
 *     if (film_eval(model, "dev.tsv", NULL, &result, &error) == FILM_OK)
 *         printf("accuracy %.3f\n", result.accuracy.value);
 *     film_eval_result_free(&result);
 *
 * film_types.h has the rules of all calls. This header is part of libfilm-train; film_train.h
 * includes it. */
#ifndef FILM_EVAL_H
#define FILM_EVAL_H

#include "film.h"
#include "film_io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Operating points ----------------------------------------------------------------------- */

/* How the operating point is chosen, which is the threshold for "same". */
typedef enum film_criterion {
    FILM_ACCURACY = 0,
    FILM_F1,
    /* The lowest threshold whose precision is at least the target with 95 % confidence. Pairs of
     * the same sentence count as dependent. If there is none, the strictest threshold. */
    FILM_PRECISION,
    /* The highest threshold whose recall is at least the target with 95 % confidence. */
    FILM_RECALL,
    FILM_CRITERION_COUNT
} film_criterion;

typedef struct film_operating {
    film_criterion criterion;
    /* The precision or recall to reach: above 0, up to 1. */
    double target;
} film_operating;

/* ---- Measuring a model ---------------------------------------------------------------------- */

/* How pairs are decided when a model is evaluated. */
typedef enum film_eval_decision {
    /* These three are those of film_decision. */
    FILM_EVAL_AUTO = 0,
    FILM_EVAL_FULL,
    FILM_EVAL_THRESHOLD,
    /* The rule of the paper: pairwise kNN with the best k of the sweep. */
    FILM_EVAL_KNN,
    FILM_EVAL_DECISION_COUNT
} film_eval_decision;

/* "auto", "full", "threshold" or "knn". */
FILM_API const char *film_eval_decision_name(film_eval_decision decision);

/* When pairwise kNN calls two sentences similar. */
typedef enum film_knn {
    /* Each is among the other's k nearest. */
    FILM_KNN_MUTUAL = 0,
    /* One is among the other's k nearest. */
    FILM_KNN_EITHER,
    FILM_KNN_COUNT
} film_knn;

/* "mutual" or "either". */
FILM_API const char *film_knn_name(film_knn knn);

typedef struct film_eval_options {
    size_t size;
    film_table_options table;
    /* The sweep of pairwise kNN over k; 0, 0: 1 to 55. */
    size_t k_first, k_last;
    /* Skip the sweep. */
    int no_knn;
    film_knn knn;
    film_eval_decision decision;
    /* As in film_answer_options, but FILM_PRIOR_AUTO is the share of duplicates in this file. The
     * kNN decision does not use the prior. */
    int no_memory;
    double prior;
    /* The probability at which pairs are the same; 0: the model's own operating point. */
    double threshold;
    /* Also choose an operating point on this file; NULL: do not. Without a prior, a precision or
     * recall is that of the share of duplicates in the file. */
    const film_operating *operating;
    /* A second model, compared on the same rows; NULL: none. */
    const film_model *against;
    /* The names of the two models; NULL: "the first model", "the second model". */
    const char *names[2];
    /* A file whose sentences are searched for duplicates, and how to read it; NULL: none. */
    const char *pool;
    film_table_options pool_table;
    /* Search for this number of duplicates, the first of the file; 0: all. */
    size_t pool_queries;
    /* Resamples for the confidence intervals; 0: 1000; FILM_NONE: no intervals. */
    size_t bootstrap;
    uint64_t seed;
    int threads;
    film_progress progress;
} film_eval_options;

/* A figure and its 95 % bootstrap interval. Each is NaN where it does not apply. */
typedef struct film_figure {
    double value, low, high;
} film_figure;

/* Pairwise kNN with one k: counts and rates. A rate is NaN where the file has no such pairs. */
typedef struct film_knn_point {
    size_t k;
    uint64_t true_positives, false_positives, true_negatives, false_negatives;
    double cross_entropy, accuracy;
    double true_positive_rate, true_negative_rate, false_positive_rate, false_negative_rate;
} film_knn_point;

/* What the rule "same when the probability is at least `threshold`" gives when a share of
 * film_eval_result.prior of the pairs are duplicates. A share is NaN where it is not defined. */
typedef struct film_threshold_point {
    double threshold;
    double precision, recall;
    /* The share of all pairs that are called the same. */
    double called_same;
    /* Whether this is the threshold of the decisions. */
    int used;
} film_threshold_point;

/* Near misses of one kind: pairs, and those that are called the same. */
typedef struct film_near_kind {
    const char *name;
    uint64_t pairs, called_same;
} film_near_kind;

/* What the threshold for a precision does with near misses: pairs that differ in little. */
typedef struct film_near_misses {
    /* Made-up pairs that mean something else, those that are called the same, and bounds of their
     * share, each with 95 % confidence. */
    uint64_t pairs, called_same;
    double low, high;
    film_near_kind kinds[9];
    /* Labelled pairs that differ in one word, or in nothing but numbers, negations, opposites or
     * exchanged words; those called the same, and their precision with its bounds. */
    uint64_t labelled, labelled_called_same;
    double precision, precision_low, precision_high;
} film_near_misses;

/* The operating point that a file chooses. */
typedef struct film_operating_point {
    film_operating wanted;
    double threshold;
    /* Whether the target is reached with 95 % confidence. */
    int reached;
    double accuracy, precision, recall, f1;
    /* Bounds of the wanted precision or recall, each with 95 % confidence, and the number of pairs
     * it is a share of; NaN and 0 for the other criteria. */
    double low, high;
    uint64_t pairs;
    /* The share of duplicates that the figures hold for. */
    double prior;
    /* Criterion precision, pairs and triplets of sentences; otherwise its counts are 0. */
    film_near_misses near_misses;
} film_operating_point;

/* A figure of two models, and the first minus the second with its 95 % interval. */
typedef struct film_difference {
    double first, second, difference, low, high;
} film_difference;

/* Two models on the same rows. */
typedef struct film_comparison {
    const char *first, *second;
    film_difference accuracy, f1, log_loss, auc, brier, pearson, spearman;
    /* McNemar's test over decisions: the rows that only the first and only the second got right.
     * Scores have no decisions: mcnemar_p is then NaN. The statistic is the chi-square; it is NaN
     * where the exact binomial test was used. */
    uint64_t only_first_right, only_second_right;
    int mcnemar_exact;
    double mcnemar_statistic, mcnemar_p;
    /* 1: the first is better, -1: the second is better, 0: no significant difference. */
    int better;
    /* The conclusion as a sentence. */
    const char *sentence;
} film_comparison;

/* Search quality: the share of queries whose duplicate is among the first 1, 10 and 36 answers, and
 * the mean reciprocal rank. */
typedef struct film_retrieval {
    uint64_t queries, pool;
    double recall_1, recall_10, recall_36, mean_reciprocal_rank;
} film_retrieval;

/* A category of a model on a file. */
typedef struct film_class_figure {
    const char *category;
    /* Rows of the file that have it. */
    uint64_t rows;
    double precision, recall, f1;
} film_class_figure;

/* Rows of CATEGORY that got the category ANSWERED. */
typedef struct film_confusion {
    const char *category, *answered;
    uint64_t count;
} film_confusion;

/* The number of confusions that a result lists at most. */
enum { FILM_CONFUSIONS = 20 };

/* Categories as film_classify_many answers them, before "none" is said. */
typedef struct film_class_result {
    /* The mean F1 of the categories that occur in the file. */
    double macro_f1;
    const film_class_figure *classes;
    size_t class_count;
    /* The most frequent first. */
    const film_confusion *confusions;
    size_t confusion_count;
    /* Rows whose category the model does not have: "none" is right for them. */
    uint64_t unknown_rows;
    /* The area under the ROC curve of the probability of none; NaN without such rows. */
    double none_auroc;
    /* The share of the other rows that are not answered with "none", and the share of unknown rows
     * that are. */
    double answered, refused;
} film_class_result;

/* The result of film_eval (docs/reference/measures.md). Free it with film_eval_result_free. */
typedef struct film_eval_result {
    size_t size;
    /* The memory of the pointers below. */
    void *owned;
    uint64_t rows, sentences, skipped;
    film_labels labels;
    /* The decision that was used; never AUTO. */
    film_eval_decision decision;
    double prior;
    /* The threshold of the options; NaN: the model's own operating point. */
    double threshold;
    /* Labelled pairs and triplets. */
    film_figure accuracy, best_accuracy, log_loss, f1, auc, average_precision, ece, brier;
    double best_threshold;
    film_figure triplet_accuracy;
    /* Scores. */
    film_figure pearson, spearman;
    double pearson_log_odds;
    /* Categories, decided by the nearest 1, 5 and 10 sentences. */
    film_figure category_accuracy[3];
    /* The sweep of pairwise kNN, by rising k. Without a sweep the counts and k are 0. */
    film_knn knn;
    const film_knn_point *knn_points;
    size_t knn_point_count, best_k, elbow_k;
    /* NULL unless the options request it. */
    const film_operating_point *operating;
    const film_comparison *against;
    const film_retrieval *retrieval;
    /* Labelled pairs and triplets: precision and recall of the decisions, and the decisions
     * counted. They are those of the file, with its own share of duplicates. */
    film_figure precision, recall;
    uint64_t true_positives, false_positives, true_negatives, false_negatives;
    /* What other thresholds give at `prior`, by rising threshold. Empty for the kNN decision. */
    const film_threshold_point *thresholds;
    size_t threshold_count;
    /* Categories, for a model that was trained on categories; `accuracy` is theirs then. NULL
     * otherwise. */
    const film_class_result *classes;
} film_eval_result;

/* Measures a model on a labelled file. */
FILM_API film_status film_eval(const film_model *model, const char *path,
                               const film_eval_options *options, film_eval_result *result,
                               film_error *error);
FILM_API void film_eval_result_free(film_eval_result *result);

/* A result as one JSON object: rows, accuracy, best_accuracy, log_loss, f1, precision, ..., ci,
 * confusion, thresholds, knn, retrieval, operating, against; null where a figure does not apply.
 * Free it with film_free. */
FILM_API film_status film_eval_json(const film_eval_result *result, char **json, film_error *error);

/* ---- The paper's decision for new pairs ----------------------------------------------------- */

typedef struct film_neighbour_options {
    size_t size;
    film_table_options table;
    /* Two sentences are the same when they are among each other's k nearest; 0: 36, as the paper
     * chose. */
    size_t k;
    film_knn knn;
    /* A file whose sentences are possible neighbours too, and how to read it; NULL: only those of
     * the pairs. */
    const char *pool;
    film_table_options pool_table;
    int threads;
    film_progress progress;
} film_neighbour_options;

/* Decides the pairs of a file by pairwise kNN. *DEPTH receives one number per row: the smallest k
 * from which its sentences count as the same, 0 for two equal sentences, and the options' k + 1
 * where they do not count as the same. Neighbours are searched exactly, by the model's
 * similarity, among the distinct sentences of the file and the pool. Free *DEPTH with film_free.
 * Returns FILM_USAGE for a model without vectors. */
FILM_API film_status film_neighbours(const film_model *model, const char *path,
                                     const film_neighbour_options *options, uint32_t **depth,
                                     size_t *rows, film_error *error);

#ifdef __cplusplus
}
#endif
#endif
