/* film_review.h - a person chooses the threshold of a pool and reviews its clusters.
 *
 * film_pool.h includes this header; the rules there hold. It is part of libfilm-pool. */
#ifndef FILM_REVIEW_H
#define FILM_REVIEW_H

#include "film_pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Thresholds ----------------------------------------------------------------------------- */

/* Stores the probability from which two sentences of this pool are the same, below 1; 0 removes it.
 * From then on, the pool's model decides by it (film_match, film_pool_search), and film_pool_dedup
 * uses it as its default. It survives another model. FILM_USAGE for a pool in PostgreSQL. */
FILM_API film_status film_pool_set_threshold(film_pool *pool, double threshold, film_error *error);

/* What a threshold would do among random pairs: a sentence of the pool and one of its three nearest
 * neighbours. */
typedef struct film_pool_threshold_point {
    double threshold;
    /* The share of pairs that it calls the same. */
    double share;
    /* Precision and recall as the model expects them, from its probabilities alone; -1: it calls
     * no pair the same. */
    double expected_precision, expected_recall;
    /* Estimates from the answers of reviews with their 95 % intervals. -1: no answer is above the
     * threshold (precision), or no answer is "the same" (recall). */
    double precision, precision_low, precision_high;
    double recall, recall_low, recall_high;
    /* Answers on pairs that the threshold calls the same. */
    uint64_t answers;
} film_pool_threshold_point;
typedef int (*film_pool_threshold_fn)(void *user, const film_pool_threshold_point *point);

/* The answers from which on an estimate is more than a hint. */
enum { FILM_THRESHOLDS_ENOUGH = 50 };

typedef struct film_thresholds_options {
    size_t size;
    /* The number of random pairs, at most 100,000; 0: 1000. A small pool gives fewer. */
    size_t sample;
    /* 0: the same pairs at each call. */
    uint64_t seed;
    /* The share of wrong answers among those called the same, for `budget_at`; 0: none. */
    double budget;
    /* How many pairs `example` gets per hundredth of probability; 0: 3. */
    size_t examples;
    film_answer_options answer;
    film_progress progress;
    /* Called for the thresholds 0.01, 0.02, ... 0.99; may be NULL. Non-zero stops. */
    film_pool_threshold_fn point;
    /* Called with random pairs, by ascending probability; may be NULL. */
    film_review_fn example;
    void *user;
} film_thresholds_options;

typedef struct film_thresholds {
    size_t size;
    /* Random pairs judged, and answers of reviews with a recorded probability. */
    uint64_t pairs, answers;
    /* The share of pairs whose range of probability has answers. */
    double covered;
    /* Whether there are FILM_THRESHOLDS_ENOUGH answers that cover 95 % of the pairs. */
    int enough;
    /* The stored threshold; 0: none. */
    double threshold;
    /* The lowest threshold within the budget, by the answers if there are enough, otherwise by the
     * model's expectation; its threshold is 0 when none is. */
    film_pool_threshold_point budget_at;
} film_thresholds;

/* Estimates precision and recall over the threshold. Each answer of a review (film_review_origin)
 * has the probability that the model gave before it knew the answer. Review prefers some
 * probabilities, so answers are weighted: those in one range of probability stand for the share of
 * the pool's random pairs in that range. */
FILM_API film_status film_pool_thresholds(film_pool *pool, const film_thresholds_options *options,
                                          film_thresholds *result, film_error *error);

/* ---- Reviewing clusters --------------------------------------------------------------------- */

typedef struct film_pool_member {
    film_text id, text;
    /* The probability that it means the same as the representative, as in film_member. */
    double probability;
    int representative;
} film_pool_member;

/* A cluster that film_pool_dedup forms. */
typedef struct film_pool_cluster {
    /* Its place in the chosen order, from 0. */
    size_t place;
    /* Two or more, the representative first, then by decreasing probability. */
    const film_pool_member *members;
    size_t count;
    /* The lowest probability of a member. */
    double weakest;
    /* Whether labels of "same" connect all members: a person has confirmed the cluster. */
    int reviewed;
} film_pool_cluster;
typedef int (*film_pool_cluster_fn)(void *user, const film_pool_cluster *cluster);

typedef enum film_cluster_order {
    /* The largest first. */
    FILM_CLUSTERS_BY_SIZE = 0,
    /* The lowest `weakest` first. */
    FILM_CLUSTERS_BY_DOUBT,
    FILM_CLUSTER_ORDER_COUNT
} film_cluster_order;

typedef struct film_pool_clusters_options {
    size_t size;
    /* Clusters that were reviewed come last in every order. */
    film_cluster_order order;
    /* Skip this number of clusters, and report at most this number; 0: all. */
    size_t from, most;
    /* As in film_dedup_options. */
    double threshold;
    film_answer_options answer;
    film_progress progress;
    /* Called once per cluster; non-zero stops. */
    film_pool_cluster_fn call;
    void *user;
} film_pool_clusters_options;

typedef struct film_pool_clusters_result {
    size_t size;
    uint64_t sentences, clusters, clustered, reviewed;
    double threshold;
    /* Edits that can be undone. */
    uint64_t undoable;
} film_pool_clusters_result;

/* Lists the clusters of a pool for a person to review. RESULT may be NULL. */
FILM_API film_status film_pool_list_clusters(film_pool *pool,
                                             const film_pool_clusters_options *options,
                                             film_pool_clusters_result *result, film_error *error);

typedef enum film_cluster_action {
    /* The sentences of `ids` all mean the same. With the members of one cluster this marks it as
     * reviewed; with those of several it merges them. */
    FILM_CLUSTER_SAME = 0,
    /* None of the sentences of `ids` means the same as one of `rest`. */
    FILM_CLUSTER_SPLIT,
    /* The only sentence of `ids` represents its cluster. FILM_USAGE for a pool in PostgreSQL. */
    FILM_CLUSTER_REPRESENT,
    /* Takes the last edit back that was not taken back yet. */
    FILM_CLUSTER_UNDO,
    FILM_CLUSTER_ACTION_COUNT
} film_cluster_action;

/* The most pairs that one edit labels. */
enum { FILM_CLUSTER_MOST = 10000 };

typedef struct film_cluster_edit {
    size_t size;
    film_cluster_action action;
    const film_text *ids;
    size_t count;
    const film_text *rest;
    size_t rest_count;
} film_cluster_edit;

typedef struct film_cluster_edited {
    size_t size;
    /* Labels that were added, changed or removed. */
    uint64_t labels;
    /* Edits that can still be undone; the last 100 can. */
    uint64_t undoable;
    /* What was done, or undone. */
    film_cluster_action action;
} film_cluster_edited;

/* Edits clusters, all or nothing. Edits become labels with the origin "cluster", which
 * film_pool_dedup obeys and training uses. An undo restores the labels as they were, except those
 * that were changed since. FILM_END: there is nothing to undo. RESULT may be NULL. */
FILM_API film_status film_pool_edit_clusters(film_pool *pool, const film_cluster_edit *edit,
                                             film_cluster_edited *result, film_error *error);

#ifdef __cplusplus
}
#endif
#endif
