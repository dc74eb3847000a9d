/* Duplicate detection among the records of a set: candidates, scoring, clusters, representatives.
 *
 * In a job, items are assigned to processes round-robin (dedup/record_set.h), each with an index
 * over its items. dedup/candidates.h finds candidates. The owner of the candidate scores a pair;
 * the other text is sent to it, about one text and 8 bytes per candidate. Connected components are
 * then assigned to processes with all their data. The first process reports all results, pairs in
 * the order of their records. With n items and p scored pairs in all N
 * processes, each process holds texts, vectors, index and lists of n / N, p / N pairs of 12 bytes,
 * and, while clustering, 8 bytes for each of the n items and 8 for each pair that first connects
 * two components. In the end, the first process holds 28 bytes for each reported record. The
 * largest connected component must fit into one process. */
#ifndef DEDUP_DEDUP_H
#define DEDUP_DEDUP_H

#include "base/keytab.h"
#include "base/mailbox.h"
#include "dedup/cluster.h"
#include "dedup/candidates.h"
#include "dedup/record_set.h"
#include "film_pool.h"

struct dedup_near;    /* a pair near the threshold */
struct dedup_waiting; /* a pair to be scored */

/* A pair to be reported, sorted by the positions of its records. */
struct dedup_reported {
    uint32_t first, second;
    struct record_set_ref a, b;
    float probability;
};

struct dedup {
    struct record_set *set;
    const struct comm *comm;
    const film_dedup_options *options;
    film_dedup_result *result;
    struct candidates search;
    struct record_set_label *labels; /* between items, a < b, each pair once */
    size_t label_count;
    struct keytab labelled; /* a << 32 | b -> its position in `labels` */
    int has_labelled;
    uint32_t *lists; /* own items x candidates */

    /* Texts to be sent to the owners of their candidates. */
    struct mailbox questions;
    struct dedup_waiting *batch;
    size_t batch_count;

    /* of this process; in the first process finally of all */
    struct dedup_reported *reported;
    size_t reported_count, reported_capacity;
    struct mailbox reports;
    struct record_set_ref *refs; /* of the pairs that are fetched at a time */
    struct record_set_found found;

    struct cluster_pair *pairs; /* scored here; kept when clusters are requested */
    size_t pair_count, pair_capacity;
    struct dedup_near *near;
    size_t near_count, near_capacity;
};

/* Runs on a filled set with its labels, and groups it. RESULT is not NULL. */
film_status dedup_run(struct record_set *set, const film_model *model,
                      const film_dedup_options *options, film_dedup_result *result,
                      film_error *error);

/* The begin and the end of every entry point of film_pool.h: options with their defaults, an empty
 * set to fill, and the figures, which are returned also after a failure. The end frees the set. */
struct dedup_call {
    const struct comm *comm;
    uint64_t sent; /* bytes sent before the call */
    film_dedup_options options;
    film_dedup_result result;
    struct record_set set;
};
film_status dedup_call_start(struct dedup_call *call, const film_dedup_options *options,
                             film_dedup_result *result, film_error *error);
/* Reports the names of the other columns. */
void dedup_call_columns(const struct dedup_call *call);
film_status dedup_call_end(struct dedup_call *call, film_status status, film_dedup_result *result,
                           film_error *error);

/* dedup_judge.c: scores the candidates in the lists and reports the pairs found; frees the
 * lists. */
film_status dedup_judge(struct dedup *dedup, film_error *error);

/* recall.c: estimates the share of duplicates that is in the lists. In one process only. */
film_status dedup_recall(struct dedup *dedup, const struct index *index, film_error *error);

/* dedup_report.c: the status for the result of a callback: FILM_CANCELLED unless 0. */
film_status dedup_stopped(int stop, film_error *error);
/* Records a pair to be reported to options->pair. */
film_status dedup_note(struct dedup *dedup, struct dedup_reported reported, film_error *error);
/* Reports the recorded pairs of all processes, in the order of their records. */
film_status dedup_report(struct dedup *dedup, film_error *error);
/* Records pairs of identical text: each record with the first of them. */
film_status dedup_note_identical(struct dedup *dedup, film_error *error);
/* Pairs near the threshold: dedup_consider adds a pair to the candidates, the second function
 * reports the nearest of all. */
film_status dedup_consider(struct dedup *dedup, uint32_t a, uint32_t b, const film_verdict *verdict,
                           film_error *error);
film_status dedup_report_nearest(struct dedup *dedup, film_error *error);

/* dedup_clusters.c: clusters the scored pairs and reports them to options->member. */
film_status dedup_clusters(struct dedup *dedup, film_error *error);

/* dedup_components.c: the connected components of two or more items that this process works on. Its
 * items are renumbered in the same order. */
struct dedup_parts {
    uint32_t count;
    uint32_t *number; /* by item: its global number */
    uint32_t *copies; /* number of its records */
    uint32_t *face;   /* position of the representative record: the shortest, then the first */
    uint32_t *length; /* bytes of that record's text */
    film_text *text;
    struct mailbox items; /* owns the texts */
    struct cluster_pair *pairs;
    size_t pair_count;
    struct record_set_label *labels;
    size_t label_count;
};
/* Frees dedup->pairs. */
film_status dedup_parts_make(struct dedup *dedup, struct dedup_parts *parts, film_error *error);
void dedup_parts_free(struct dedup_parts *parts);

/* Returns the representative record of an item of this process. */
uint32_t dedup_face(const struct record_set *set, uint32_t item);

#endif
