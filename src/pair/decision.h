/* The decision: what is seen of a pair, to log-odds.
 *
 *     log-odds = scale * (line(traits) + word evidence + trees(traits) + network) + bias
 *                + memory + identity + prior
 *
 * The line and word evidence are the margin the trees start from, so they stay exact for every
 * trait, word and word pair; the trees have depth 2, so they are sums of terms of one or two
 * traits; calibration is affine; memory speaks only where both questions are known. Everything is a
 * sum, and match.h takes it apart.
 *
 * The network's part, weight * (similarity - mean), is that of a model with a BERT encoder and
 * stands outside of the trees: whoever trained the encoder may have shown it the very pairs the
 * trees learn from, and on those its similarity is far more certain than on new ones. Its one
 * weight is learned on other pairs.
 *
 * A model that was trained without labels, or only for a threshold, has just the line of its
 * similarity:
 *
 *     log-odds = scale * similarity + bias + identity + prior
 *
 * Identity: two sentences of the same words in the same order are the same, whatever was
 * learned. */
#ifndef PAIR_DECISION_H
#define PAIR_DECISION_H

#include "pair/calibrate.h"
#include "pair/linear.h"
#include "pair/memory.h"
#include "pair/survey.h"
#include "pair/tree_terms.h"
#include "film.h"

struct decision {
    const struct encoder *encoder;
    struct calibration similarity; /* the line of the similarity alone */
    int full;                      /* the rest is there */
    struct calibration margin;     /* from the sum of the following to log-odds */
    struct linear line;            /* over the traits that were not learned from labels */
    struct evidence evidence;
    struct trees trees; /* over all traits, in their order */
    struct tree_terms_plan plan;
    char **term_name;     /* of each term of the plan: "edits", "edits and shared words" */
    struct memory memory; /* may be empty */
    struct decision_network {
        double weight; /* 0: no network, or nothing known about what it is worth */
        double mean;   /* the similarity that speaks neither for nor against */
    } network;
};

/* What the network's reason is called. */
#define DECISION_NETWORK "similarity of the encoder"
#define DECISION_BLACK_BOX "a network that cannot be explained"

/* What the network adds to the margin. */
double decision_network(const struct decision *decision, const struct survey *survey);

/* Frees all but the encoder. */
void decision_free(struct decision *decision);

/* Prepares what is not stored: the plan of the terms. The trees have been checked. */
film_status decision_prepare(struct decision *decision, film_error *error);

/* Line, evidence, trees and network of a pair that was surveyed. */
double decision_margin(const struct decision *decision, const struct survey *survey);

/* What lifts the log-odds of the same words in the same order (or the same bytes) from LOG_ODDS,
 * before the prior, to DECISION_IDENTICAL; 0 for others. A probability of 0.9975: people do label
 * such pairs as different, once in a few hundred. */
#define DECISION_IDENTICAL 6.0
double decision_identity(const struct survey *survey, double log_odds);

/* What memory knows of it. */
enum memory_answer decision_memory(const struct decision *decision, const struct survey *survey);

#endif
