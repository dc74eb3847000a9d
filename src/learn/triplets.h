/* Labels to triplets (anchor, similar, dissimilar).
 *
 * Three kinds of labels. Pairs with 0/1: union-find over the positive pairs gives clusters, and
 * every sentence of a pair is an anchor. Categories: the category is the cluster. Explicit
 * triplets: taken as they are. For the first two an anchor draws
 *     positives  from its cluster, its own partners first;
 *     negatives  its labelled ones, carried over to the whole cluster of the partner (the partners
 *                themselves first); then hard ones, from the caller's nearest neighbours; then
 *                random ones; never from its own cluster, never twice.
 * An anchor without a positive or without a negative gets no triplet and does not count.
 *
 * The q-th triplet of an anchor joins its positive q mod P with its negative q mod N, for q below
 * max(P, N). FILM averages over an anchor's triplets (w_i = sum (v_j - v_k) / (t_i + 1)), so all P
 * N combinations would give the same direction and only cost memory.
 *
 * A negative pair inside one cluster is a contradiction: counted, kept out of the negatives. Every
 * anchor draws from its own generator (seed, anchor), one after the other: no threads, the same
 * bytes everywhere; 165,000 anchors take a fraction of a second.
 *
 * Memory: 8 bytes per triplet, 12 per anchor; while building about 40 per sentence, 16 per pair. */
#ifndef LEARN_TRIPLETS_H
#define LEARN_TRIPLETS_H

#include "base/status.h"

#include <stdint.h>

#define TRIPLETS_NONE UINT32_MAX

struct triplets {
    size_t sentences;
    size_t anchors;       /* those with at least one triplet */
    size_t count;         /* triplets */
    uint32_t *anchor;     /* anchors: sentence ids, rising */
    size_t *start;        /* anchors + 1: triplets of anchor a are start[a] .. start[a+1] */
    uint32_t *similar;    /* count: j */
    uint32_t *dissimilar; /* count: k */
    /* In a job, where these are the anchors of one process: each one's place among those of all,
     * rising. NULL: these are all. */
    uint32_t *place;
    /* What was found on the way: */
    size_t clusters;       /* with two members or more */
    size_t largest;        /* members of the largest cluster */
    size_t contradictions; /* negative pairs inside a cluster; degenerate explicit triplets */
    size_t labelled, hard, random;             /* negatives drawn of each kind */
    size_t without_positive, without_negative; /* labelled sentences that could not be anchors */
};

struct triplet_pair {
    uint32_t a, b;
    uint32_t same; /* 0 or 1 */
};

struct triplet_options {
    size_t positives; /* most per anchor; likewise below */
    size_t labelled;
    size_t hard;
    size_t random;
    int alone; /* a sentence without a positive is its own; cost 0.8 points on Quora's dev set */
    size_t hard_skip; /* pass over so many nearest ones of another cluster: often unlabelled
                         duplicates */
    /* ROW[i]: where sentence i stands in the neighbours; TRIPLETS_NONE: it is no anchor here but
     * in another process of a job. NULL: all may be anchors, each where it is. */
    const uint32_t *row;
    /* Nearest sentences under a current map, best first, WIDTH per row, TRIPLETS_NONE where
     * there are fewer; the sentence itself is passed over. May be NULL. */
    const uint32_t *neighbours;
    size_t neighbour_width;
    uint64_t seed;
};

/* 5 positives, 5 labelled, 5 hard (none skipped), 5 random negatives. */
void triplets_defaults(struct triplet_options *options);

film_status triplets_from_pairs(size_t sentences, const struct triplet_pair *pairs, size_t count,
                                const struct triplet_options *options, struct triplets *out,
                                film_error *error);

/* CATEGORY[i] of sentence i, dense numbers from 0; TRIPLETS_NONE: not labelled, neither anchor nor
 * drawn. */
film_status triplets_from_categories(size_t sentences, const uint32_t *category,
                                     const struct triplet_options *options, struct triplets *out,
                                     film_error *error);

/* COUNT rows (anchor, similar, dissimilar), in any order. Rows that use a sentence twice are
 * contradictions. */
film_status triplets_from_triplets(size_t sentences, const uint32_t (*rows)[3], size_t count,
                                   struct triplets *out, film_error *error);

void triplets_free(struct triplets *triplets);

/* Self-check: ids in range, starts rising, no sentence twice in a triplet. 0: broken. */
int triplets_valid(const struct triplets *triplets);

#endif
