/* Turns labels into triplets (anchor, similar, dissimilar).
 *
 * There are three kinds of labels. Pairs with 0/1: union-find over the positive pairs gives
 * clusters, and every sentence of a pair is an anchor. Categories: the category is the cluster.
 * Explicit triplets are taken as they are. For the first two kinds an anchor draws
 *     positives  from its cluster, its labelled partners first;
 *     negatives  its labelled ones, extended to the whole cluster of the partner (the partners
 *                themselves first); then hard ones, from the caller's nearest neighbours; then
 *                random ones; never from its own cluster, never twice.
 * An anchor without a positive or without a negative gets no triplet and does not count.
 *
 * The q-th triplet of an anchor combines its positive q mod P with its negative q mod N, for q
 * below max(P, N). FILM averages over an anchor's triplets (w_i = sum (v_j - v_k) / (t_i + 1)), so
 * all P N combinations would give the same direction and only cost memory.
 *
 * A negative pair inside one cluster is a contradiction: it is counted and not used as a negative.
 * Every anchor has its own random generator (seed, anchor), and the code is sequential, so the
 * result is the same everywhere; 165,000 anchors take a fraction of a second.
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
    uint32_t *anchor;     /* anchors: sentence ids, ascending */
    size_t *start;        /* anchors + 1: triplets of anchor a are start[a] .. start[a+1] - 1 */
    uint32_t *similar;    /* count: j */
    uint32_t *dissimilar; /* count: k */
    /* Statistics: */
    size_t clusters;       /* with two members or more */
    size_t largest;        /* members of the largest cluster */
    size_t contradictions; /* negative pairs inside a cluster; degenerate explicit triplets */
    size_t labelled, hard, random;             /* negatives drawn of each kind */
    size_t without_positive, without_negative; /* labelled sentences that are not anchors */
};

struct triplet_pair {
    uint32_t a, b;
    uint32_t same; /* 0 or 1 */
};

struct triplet_options {
    size_t positives; /* maximum per anchor, as are the next three */
    size_t labelled;
    size_t hard;
    size_t random;
    /* A sentence without a positive is its own positive. Cost 0.8 points on Quora's dev set. */
    int alone;
    /* Skip this number of nearest sentences of another cluster: often unlabelled duplicates. */
    size_t hard_skip;
    /* Nearest sentences of each sentence under the current map, best first, WIDTH per sentence,
     * TRIPLETS_NONE where there are fewer. The sentence itself is skipped. May be NULL. */
    const uint32_t *neighbours;
    size_t neighbour_width;
    uint64_t seed;
};

/* 5 positives, 5 labelled, 5 hard (none skipped), 5 random negatives. */
void triplets_defaults(struct triplet_options *options);

film_status triplets_from_pairs(size_t sentences, const struct triplet_pair *pairs, size_t count,
                                const struct triplet_options *options, struct triplets *out,
                                film_error *error);

/* CATEGORY[i] is that of sentence i, dense numbers from 0. TRIPLETS_NONE: the sentence has no label
 * and is not used. */
film_status triplets_from_categories(size_t sentences, const uint32_t *category,
                                     const struct triplet_options *options, struct triplets *out,
                                     film_error *error);

/* COUNT rows (anchor, similar, dissimilar), in any order. Rows that use a sentence twice are
 * contradictions. */
film_status triplets_from_triplets(size_t sentences, const uint32_t (*rows)[3], size_t count,
                                   struct triplets *out, film_error *error);

void triplets_free(struct triplets *triplets);

/* Returns 1 when ids are in range, starts ascend and no triplet repeats a sentence, else 0. */
int triplets_valid(const struct triplets *triplets);

#endif
