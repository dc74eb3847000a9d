/* Pairs that have nothing to do with each other: what labelled files lack.
 *
 * People label pairs that look alike, questions of several words. Trees learned from these alone
 * guess about everything else; they guessed that "hello" and "banana" mean the same (0.74 on
 * Quora). So the trees also see made-up pairs: training sentences drawn by chance, pieces of one
 * to four words of them, made-up words, nothing at all. They count as different. The map and the
 * evidence do not see them, nor do the calibration and the threshold: those are about pairs as
 * they were labelled. */
#ifndef LEARN_UNRELATED_PAIRS_H
#define LEARN_UNRELATED_PAIRS_H

#include "learn/corpus.h"
#include "pair/decision.h"

struct unrelated_pairs {
    size_t count;
    float *x;      /* count x traits */
    float *base;   /* what line and evidence say */
    float *weight; /* 0: they share a word by chance */
};

struct unrelated_options {
    size_t count; /* pairs to draw */
    uint64_t seed;
    int threads;
};

/* DECISION has its line, evidence and encoder. In a job every process makes its share of
 * them and process 0 gets all, the others none. Free after a failure as well. */
film_status unrelated_pairs_draw(const struct corpus *corpus, const struct decision *decision,
                                 const struct unrelated_options *options,
                                 struct unrelated_pairs *out, film_error *error);
void unrelated_pairs_free(struct unrelated_pairs *pairs);

#endif
