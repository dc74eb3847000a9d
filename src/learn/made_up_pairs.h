/* Unrelated pairs, which labelled files lack, as additional negatives for the trees.
 *
 * People label pairs that look similar and have several words. Trees trained on these alone
 * extrapolate badly: they gave "hello" and "banana" a probability of 0.74 on Quora. So the trees
 * also see synthetic pairs: random training sentences, excerpts of one to four words from them,
 * made-up words, and empty texts. They are labelled negative. The map, the evidence, the
 * calibration and the threshold do not use them: those describe pairs as they were labelled. */
#ifndef LEARN_MADE_UP_PAIRS_H
#define LEARN_MADE_UP_PAIRS_H

#include "learn/corpus.h"
#include "learn/edits.h"
#include "learn/labelled_edits.h"
#include "pair/decision.h"

struct made_up_pairs {
    size_t count;
    float *x;      /* count x traits */
    float *base;   /* linear model and evidence */
    float *target; /* 1: they mean the same */
    float *weight; /* 0 where they share a word by chance, or labels contradict */
};

struct made_up_options {
    size_t count; /* unrelated pairs to draw */
    size_t edits; /* sentences to edit (learn/edits.h) */
    uint64_t seed;
    int threads;
    const struct labelled_edits *labelled; /* edits that these contradict have no weight */
};

/* DECISION has its linear model, evidence and encoder. Free after a failure as well. */
film_status made_up_pairs_draw(const struct corpus *corpus, const struct decision *decision,
                               const struct made_up_options *options, struct made_up_pairs *out,
                               film_error *error);
void made_up_pairs_free(struct made_up_pairs *pairs);

/* Returns whether labels let this kind of edit change the meaning (learn/guarantees_fit.h). */
int made_up_allowed(unsigned guarantees, enum edit_kind kind);

#endif
