/* The decision without labels, and what a few labels may change of it.
 *
 * Without labels the decision is a fixed line over five traits: the means of three similarities
 * (sentence vectors, letters, words with the same or a similar spelling), less a penalty where
 * numbers or a negation differ. Its calibration comes from random pairs (calibrate_blind). All of
 * it is free of language: letters stand in for stemming.
 *
 * The line is the prior of what few labels say: a ridge regression of all traits shrinks towards
 * it, and cross-validation chooses how far (prior_fit.c). Ten pairs near a threshold say nothing of
 * the million pairs that nobody would label, so duplicates in a set of sentences stay as they were
 * until labels are many (prior_pool_rule). */
#ifndef LEARN_PRIOR_H
#define LEARN_PRIOR_H

#include "learn/learn.h"
#include "pair/decision.h"

/* From this number of labelled pairs on, map, evidence and trees are learned. */
enum { PRIOR_FEW = 300, PRIOR_FEW_RECORDS = 100 };

/* DECISION comes with its encoder, which has a map, and becomes the decision without labels. */
film_status prior_decision(const struct learn_input *input, struct decision *decision,
                           film_error *error);

/* Learns how far the labels of the input count where DECISION, which has learned from them, looks
 * for duplicates in a whole set of sentences. The second is for a decision without labels that is
 * about to learn, and counts this number of labels; 0: they do not count there. */
film_status prior_pool_rule(const struct learn_input *input, struct decision *decision,
                            film_error *error);
film_status prior_pool_weight(size_t labels, struct decision *decision, film_error *error);

/* Calibrates a decision that was learned from duplicates and random pairs. Nothing is known of
 * pairs that look alike, so odds against random pairs are too high: on Quora they made accuracy
 * 0.63 of 0.71 without labels. What is known is how many duplicates are found: even odds are where
 * 85 % are (accuracy 0.72, and 0.78 on FAQ; from 75 to 90 % found it changes by 2 points), and the
 * slope is that of the decision without labels. MARGIN and RESEMBLANCE (count) are those of the
 * duplicates, out of fold; both are sorted. DECISION has its pool rule. */
void prior_calibrate(const struct decision *decision, float *margin, float *resemblance,
                     size_t count, struct calibration *line);

/* Lets the labelled pairs of the input change weights and threshold of a decision without labels,
 * each where cross-validation supports it by more than one standard error. Otherwise it stays. */
film_status prior_learn(const struct learn_input *input, struct decision *decision,
                        film_error *error);

#endif
