/* film_review.h - a person labels pairs of a pool, a model learns from the labels; a person chooses
 * the threshold and reviews the clusters.
 *
 * film_pool.h includes this header; the rules there hold. It is part of libfilm-pool. */
#ifndef FILM_REVIEW_H
#define FILM_REVIEW_H

#include "film_pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Review --------------------------------------------------------------------------------- */

/* A pair for a person to label. */
typedef struct film_review_pair {
    film_record first, second;
    /* What the model says now. */
    double probability;
    int same;
    /* Whether it was drawn at random: a random sentence and one of its three nearest neighbours.
     * The others are pairs that the model is least sure of. */
    int random;
} film_review_pair;
/* Non-zero stops. */
typedef int (*film_review_fn)(void *user, const film_review_pair *pair);

/* The most pairs of one call. */
enum { FILM_REVIEW_MOST = 1000 };

typedef struct film_review_options {
    size_t size;
    /* The number of pairs; 0: 10. Fewer come from a small pool. No sentence occurs twice. */
    size_t count;
    /* The share of random pairs, 0 to 1. Only these measure the model, because the others are
     * harder than average. */
    double random;
    /* 0: other pairs at each call. */
    uint64_t seed;
    film_answer_options answer;
    film_progress progress;
    film_review_fn call;
    /* Returns non-zero for a pair that must not be chosen; may be NULL. Pairs with a label never
     * are. */
    int (*skip)(void *user, film_text a, film_text b);
    void *user;
} film_review_options;

/* Chooses pairs for a person to label: pairs that the model is least sure of, and some at random.
 * The time does not grow with the number of pairs in the pool: candidates are neighbours of a
 * sample of sentences. */
FILM_API film_status film_pool_review(film_pool *pool, const film_review_options *options,
                                      film_error *error);

/* Writes the origin of the label (film_pool_label) that answers PAIR, NUL-terminated, into
 * FILM_REVIEW_ORIGIN bytes. It keeps how the pair was chosen and what the model said before, with
 * its probability. */
enum { FILM_REVIEW_ORIGIN = 32 };
FILM_API void film_review_origin(const film_review_pair *pair, char *origin);

/* Reads such an origin: sets `random`, `same` and `probability` of PAIR. Returns 0 for any other
 * text. */
FILM_API int film_review_read_origin(film_text origin, film_review_pair *pair);

typedef struct film_review_estimate {
    size_t size;
    /* Answers with an origin from film_review_origin, those on random pairs, and how many of these
     * the model had judged rightly before it knew the answer. */
    uint64_t answered, random, right;
    /* right / random, and its 95 % interval; 0 to 1 without answers. */
    double accuracy, low, high;
    /* The share of duplicates among random pairs, for film_train_options.random_share. Answers on
     * chosen pairs count too, as often as random ones have their probability (post-stratification,
     * with one imagined answer of each kind). 0.5 without answers on random pairs. */
    double share;
} film_review_estimate;

/* Estimates the accuracy on random pairs from the answers so far. */
FILM_API film_status film_pool_review_estimate(film_pool *pool, film_review_estimate *result,
                                               film_error *error);

/* ---- Learning from labels ------------------------------------------------------------------- */

/* What a model is trained on; valid during the call. */
typedef struct film_training_set {
    size_t size;
    const film_pair *pairs;
    size_t pair_count;
    /* All sentences of the pool. */
    const film_text *sentences;
    size_t sentence_count;
    /* The model in service, for film_train_options.edits. */
    const film_model *edits;
    /* The number of all labels, of which some are held out, for film_train_options.plan_pairs. */
    size_t plan_pairs;
    /* For film_train_options.random_share. */
    double random_share;
} film_training_set;

typedef struct film_learn_options {
    size_t size;
    /* Trains a model, usually by film_train. This library does not link libfilm-train. Required. */
    film_status (*train)(void *user, const film_training_set *set, film_model **out,
                         film_error *error);
    void *user;
    /* Take the new model over even if it is worse. */
    int force;
    /* Compare only, and write nothing. */
    int dry_run;
    int threads;
    film_progress progress;
} film_learn_options;

typedef struct film_learned {
    size_t size;
    /* Labels in the pool, and those on which both models were compared. */
    uint64_t labels, compared;
    /* Shares of right verdicts on pairs that the model had not seen. Pairs that were asked because
     * the model was unsure of them count less: each answer is weighted by the inverse of its chance
     * of being asked. LOW and HIGH are 95 % intervals. */
    double old_accuracy, new_accuracy, new_low, new_high;
    double difference, difference_low, difference_high;
    /* The exact McNemar test of the compared labels, without weights. */
    double p;
    /* The new model is in service (with `dry_run`: would be). */
    int taken;
    /* The id of the new model, NUL-terminated; empty: none was stored. */
    char id[24];
} film_learned;

/* Trains a model on the labels and sentences of a pool, and puts it in service if it is not worse
 * than the present one. Below 1,000 labels, five models are trained, each without a fifth of the
 * labels, and judge that fifth; below 2,000 labels two models do, from then on one. The present
 * model judges labels given after its training; its verdicts on earlier ones were stored when it
 * was learned in the same way.
 *
 * The exchange is one transaction, as in film_pool_update. The model before stays in the
 * pool, as the earlier one. Training without labels is FILM_BAD_INPUT. */
FILM_API film_status film_pool_learn(film_pool *pool, const film_learn_options *options,
                                     film_learned *result, film_error *error);

/* The models of a pool as one JSON object: {labels, new_labels, last, models: [{id, when, labels,
 * accuracy, low, high, in_service}]}: the one in service, then the earlier one if there is one.
 * Free it with film_free. */
FILM_API film_status film_pool_models(film_pool *pool, char **json, film_error *error);

/* Puts the earlier model in service again: the one that was there before the last film_pool_learn,
 * film_pool_update or film_pool_restore. The present one becomes the earlier one. */
FILM_API film_status film_pool_restore(film_pool *pool, int threads, const film_progress *progress,
                                       film_error *error);

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

/* Estimates precision and recall over the threshold. Each answer of a review that the model
 * in service has not seen has its probability; answers that it was trained on have that of models
 * without them, made when it was learned. Others are left out. Review prefers some
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

/* Edits clusters, all or nothing. Edits become labels with the origin "cluster", which
 * film_pool_dedup obeys and training uses. *LABELS is the number of labels that were added or
 * changed; LABELS may be NULL. */
FILM_API film_status film_pool_edit_clusters(film_pool *pool, const film_cluster_edit *edit,
                                             uint64_t *labels, film_error *error);

#ifdef __cplusplus
}
#endif
#endif
