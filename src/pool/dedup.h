/* Duplicates among the records of a pile: candidates, judging, clusters, representatives. */
#ifndef POOL_DEDUP_H
#define POOL_DEDUP_H

#include "base/keytab.h"
#include "pool/cluster.h"
#include "pool/compare.h"
#include "pool/pile.h"

struct dedup_near; /* a pair near the threshold */

struct dedup {
    struct pile *pile;
    const film_dedup_options *options;
    film_dedup_result *result;
    struct compare compare;
    struct pile_label *labels; /* between items, a < b, each pair once */
    size_t label_count;
    struct keytab labelled; /* a << 32 | b -> its place in `labels` */
    int has_labelled;
    uint32_t *lists; /* items x candidates */

    struct compare_pair *batch; /* waiting to be judged */
    size_t batch_count;

    struct cluster_pair *pairs; /* judged; kept when clusters are wanted */
    size_t pair_count, pair_capacity;
    struct dedup_near *near;
    size_t near_count;
};

/* Over a pile that was filled, with its labels; it is grouped here. RESULT is not NULL. */
film_status dedup_run(struct pile *pile, const film_model *model, const film_dedup_options *options,
                      film_dedup_result *result, film_error *error);

/* dedup_clusters.c: clusters of the judged pairs, told to options->member. */
film_status dedup_clusters(struct dedup *dedup, film_error *error);

/* What a callback said: FILM_CANCELLED unless 0. */
film_status dedup_told(int stop, film_error *error);

#endif
