/* The decision without labels, and what a few labels may change of it.
 *
 * Without labels the decision is a fixed line over five traits: the means of three similarities
 * (sentence vectors, letters, words with the same or a similar spelling), less a penalty where
 * numbers or a negation differ. Its calibration comes from random pairs (calibrate_blind). All of
 * it is free of language: letters stand in for stemming.
 *
 * A decision learned from a few dozen labels is worse than this line: ten pairs near a threshold
 * say nothing of the million pairs that nobody would label. So the line is the prior, and few
 * labels choose the threshold only: probabilities, and with them duplicates, stay as they were. */
#ifndef LEARN_PRIOR_H
#define LEARN_PRIOR_H

#include "learn/learn.h"
#include "pair/decision.h"

/* From this number of labelled pairs on, map, evidence and trees are learned. With other sentences
 * beside the labelled ones, in which duplicates are to be found, it is the second number. On FAQ,
 * one run: duplicates without labels have precision 0.94 and recall 0.10; a decision learned from
 * 320 labels has 0.26 and 0.11, from 1,000 labels 0.77 and 0.34, from 3,000 labels 0.96 and
 * 0.79. */
enum { PRIOR_FEW = 300, PRIOR_FEW_IN_POOL = 1000, PRIOR_FEW_RECORDS = 100 };

/* DECISION comes with its encoder, which has a map, and becomes the decision without labels. */
film_status prior_decision(const struct learn_input *input, struct decision *decision,
                           film_error *error);

/* Learns how far the labels of the input count where DECISION, which has learned from them, looks
 * for duplicates in a whole set of sentences. */
film_status prior_pool_rule(const struct learn_input *input, struct decision *decision,
                            film_error *error);

/* Calibrates a decision that was learned from duplicates and random pairs: known duplicates get the
 * odds that they have without labels. Nothing is known of pairs that look alike, so the decision
 * may order pairs better, but finds as many of the duplicates as before. (On Quora, the odds of
 * duplicates against random pairs made accuracy 0.63 of 0.71 without labels.) MARGIN and
 * RESEMBLANCE (count) are those of the duplicates, out of fold; both are sorted. DECISION has its
 * pool rule. */
void prior_calibrate(const struct decision *decision, float *margin, float *resemblance,
                     size_t count, struct calibration *line);

/* Chooses the threshold of a prior decision on the labelled pairs of the input. It moves where
 * cross-validation supports it, otherwise it stays. */
film_status prior_threshold(const struct learn_input *input, struct decision *decision,
                            film_error *error);

#endif
