/* Duplicate detection among the records of a set: candidates, scoring, clusters,
 * representatives. */
#ifndef DEDUP_DEDUP_H
#define DEDUP_DEDUP_H

#include "base/keytab.h"
#include "dedup/cluster.h"
#include "dedup/candidates.h"
#include "dedup/record_set.h"
#include "film_pool.h"

struct dedup_near;    /* a pair near the threshold */
struct dedup_waiting; /* a pair to be scored */

/* A pair of records to be reported, by their positions. */
struct dedup_reported {
    uint32_t first, second; /* first < second */
    float probability;
};

struct dedup {
    struct record_set *set;
    const film_dedup_options *options;
    film_dedup_result *result;
    struct candidates search;
    struct record_set_label *labels; /* between items, a < b, each pair once */
    size_t label_count;
    struct keytab labelled; /* a << 32 | b -> its position in `labels` */
    int has_labelled;
    uint32_t *lists; /* items x candidates */

    struct dedup_waiting *batch;
    size_t batch_count;

    struct dedup_reported *reported;
    size_t reported_count, reported_capacity;

    struct cluster_pair *pairs; /* the scored ones; kept when clusters are requested */
    size_t pair_count, pair_capacity;
    struct dedup_near *near;
    size_t near_count, near_capacity;
};

/* Runs on a filled set with its labels, and groups it. RESULT is not NULL. */
film_status dedup_run(struct record_set *set, const film_model *model,
                      const film_dedup_options *options, film_dedup_result *result,
                      film_error *error);

/* The begin and the end of every entry point (film_dedup.h, film_pool.h): options with their
 * defaults, an empty set to fill, and the figures, which are returned also after a failure. The end
 * frees the set. */
struct dedup_call {
    film_dedup_options options;
    film_dedup_result result;
    struct record_set set;
};
film_status dedup_call_start(struct dedup_call *call, const film_dedup_options *options,
                             film_dedup_result *result, film_error *error);
/* Reports the names of the other columns. */
void dedup_call_columns(const struct dedup_call *call);
film_status dedup_call_end(struct dedup_call *call, film_status status, film_dedup_result *result);

/* dedup_judge.c: scores the candidates in the lists and reports the pairs found; frees the
 * lists. */
film_status dedup_judge(struct dedup *dedup, film_error *error);

/* recall.c: estimates the share of duplicates that is in the lists. */
film_status dedup_recall(struct dedup *dedup, const struct index *index, film_error *error);

/* dedup_report.c: the status for the result of a callback: FILM_CANCELLED unless 0. */
film_status dedup_stopped(int stop, film_error *error);
/* Notes a pair of records, in either order, to be reported to options->pair. */
film_status dedup_note(struct dedup *dedup, uint32_t a, uint32_t b, float probability,
                       film_error *error);
/* Reports the noted pairs in the order of their records. */
film_status dedup_report(struct dedup *dedup, film_error *error);
/* Notes pairs of identical text: each record with the first of them. */
film_status dedup_note_identical(struct dedup *dedup, film_error *error);
/* Pairs near the threshold: dedup_consider adds a pair of items, the second function reports
 * the nearest. */
film_status dedup_consider(struct dedup *dedup, uint32_t a, uint32_t b, const film_verdict *verdict,
                           film_error *error);
film_status dedup_report_nearest(struct dedup *dedup, film_error *error);

/* dedup_clusters.c: clusters the scored pairs, frees them, and reports the clusters to
 * options->member. */
film_status dedup_clusters(struct dedup *dedup, film_error *error);

#endif
