/* Duplicates among the records of a pile: candidates, judging, clusters, representatives.
 *
 * In a job every process has the items of its turns (dedup/record_set.h) with an index over them.
 * Candidates: dedup/candidates.h. A pair is judged by the owner of the candidate, to whom the other
 * text is sent: about a text and 8 bytes a candidate. Connected parts are then dealt to the
 * processes with all that belongs to them. What is told, is told by the first process in the order
 * in which one process alone would tell it. Of n items and p judged pairs of all N processes, each
 * holds texts, vectors, index and lists of n / N, p / N pairs of 12 bytes, and, while clusters are
 * made, 8 bytes of each of the n and 8 of each pair that first connects two parts; the first
 * process in the end 28 bytes of each record that is told. The largest connected part lies in one
 * process. */
#ifndef DEDUP_DEDUP_H
#define DEDUP_DEDUP_H

#include "base/keytab.h"
#include "base/mailbox.h"
#include "dedup/cluster.h"
#include "dedup/candidates.h"
#include "dedup/record_set.h"
#include "film_pool.h"

struct dedup_near;    /* a pair near the threshold */
struct dedup_waiting; /* a pair to be judged */

/* A pair to be told, and when: by `turn`, then by `place`. */
struct dedup_told {
    uint32_t turn, place;
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
    struct keytab labelled; /* a << 32 | b -> its place in `labels` */
    int has_labelled;
    uint32_t *lists; /* own items x candidates */

    struct mailbox questions; /* texts on their way to the owners of their candidates */
    struct dedup_waiting *batch;
    size_t batch_count;

    struct dedup_told *told; /* of this round; in the first process then of all */
    size_t told_count, told_capacity;
    struct mailbox telling;
    struct record_set_ref *refs;
    size_t ref_capacity;
    struct record_set_found found;

    struct cluster_pair *pairs; /* judged here; kept when clusters are wanted */
    size_t pair_count, pair_capacity;
    struct dedup_near *near;
    size_t near_count, near_capacity;
};

/* Over a pile that was filled, with its labels; it is grouped here. RESULT is not NULL. */
film_status dedup_run(struct record_set *set, const film_model *model,
                      const film_dedup_options *options, film_dedup_result *result,
                      film_error *error);

/* What every entry point of film_pool.h begins and ends with: options with their defaults, an
 * empty set to fill, and the figures, which are handed over also after a failure. The end frees
 * the set. */
struct dedup_call {
    const struct comm *comm;
    uint64_t sent; /* before */
    film_dedup_options options;
    film_dedup_result result;
    struct record_set set;
};
film_status dedup_call_start(struct dedup_call *call, const film_dedup_options *options,
                             film_dedup_result *result, film_error *error);
film_status dedup_call_end(struct dedup_call *call, film_status status, film_dedup_result *result,
                           film_error *error);

/* dedup_judge.c: judges the candidates in the lists and tells of the pairs found; frees the
 * lists. */
film_status dedup_judge(struct dedup *dedup, film_error *error);

/* dedup_tell.c: what a callback said: FILM_CANCELLED unless 0. */
film_status dedup_stopped(int stop, film_error *error);
/* Notes a pair to be told to options->pair. */
film_status dedup_note(struct dedup *dedup, struct dedup_told told, film_error *error);
/* Tells what all processes noted. */
film_status dedup_tell(struct dedup *dedup, film_error *error);
/* Records of the same words: each with the first of them. */
film_status dedup_tell_identical(struct dedup *dedup, film_error *error);
/* Pairs near the threshold: one to be considered; and the nearest of all, told. */
film_status dedup_consider(struct dedup *dedup, uint32_t a, uint32_t b, const film_verdict *verdict,
                           film_error *error);
film_status dedup_tell_nearest(struct dedup *dedup, film_error *error);

/* dedup_clusters.c: clusters of the judged pairs, told to options->member. */
film_status dedup_clusters(struct dedup *dedup, film_error *error);

/* dedup_parts.c: connected parts of two items or more, those this process works on; its items are
 * numbered anew, in the same order. */
struct dedup_parts {
    uint32_t count;
    uint32_t *number; /* by item: among those of all processes */
    uint32_t *copies; /* records of it */
    uint32_t *face;   /* position of the record to show: the shortest, then the first */
    uint32_t *length; /* bytes of that record's text */
    film_text *text;
    struct mailbox items; /* where the texts lie */
    struct cluster_pair *pairs;
    size_t pair_count;
    struct record_set_label *labels;
    size_t label_count;
};
/* Frees dedup->pairs. */
film_status dedup_parts_make(struct dedup *dedup, struct dedup_parts *parts, film_error *error);
void dedup_parts_free(struct dedup_parts *parts);

/* Of an item of this process: the record to show. */
uint32_t dedup_face(const struct record_set *set, uint32_t item);

#endif
