/* The decision: from the survey of a pair to log-odds.
 *
 *     log-odds = scale * (line(traits) + word evidence + trees(traits) + network + parent) + bias
 *                + memory + known matches + identity + prior
 *
 * This is a generalised additive model. The line and the word evidence are the margin that the
 * trees start from, so they stay exact for every trait, word and word pair. The trees have depth 2,
 * so they are sums of terms of one or two traits. Calibration is affine. Memory contributes only
 * where both questions are known, known matches (pair/known_matches.h) where one record is. Since
 * everything is a sum, match.h can attribute it to reasons.
 *
 * The network term, weight * (similarity - mean), exists in models with a BERT encoder. It is
 * outside of the trees, because the encoder may have been trained on the very pairs that the trees
 * learn from; its similarity is far more certain on those than on new pairs. The single weight is
 * learned on other pairs.
 *
 * The parent term, weight * log-odds of another model, exists where training began from that model
 * (learn/parent_fit.h). It is outside of the trees too: its weight is chosen on margins of pairs
 * that the rest has not seen, so it fades as the rest gets better.
 *
 * A model trained without labels, or only for a threshold, has just the calibrated similarity:
 *
 *     log-odds = scale * similarity + bias + identity + prior
 *
 * Identity: two sentences with the same words in the same order are the same, whatever was
 * learned. Guarantee: where a number, a negation, an opposite or an exchange of two words is the
 * only difference, a further term keeps the sum below the threshold, unless the labels showed that
 * such a difference keeps the meaning. */
#ifndef PAIR_DECISION_H
#define PAIR_DECISION_H

#include "pair/calibrate.h"
#include "pair/known_matches.h"
#include "pair/linear.h"
#include "pair/memory.h"
#include "pair/survey.h"
#include "pair/tree_terms.h"
#include "film.h"

/* Whether the first answer of a search answers the query (pair/answered.h). */
struct answer_rule {
    int learned;
    double scale, bias; /* of the score of the pair */
    double threshold;   /* of the probability; below: nothing answers the query */
};

/* How labels speak where duplicates are looked for in a whole set of sentences. Labelled pairs look
 * alike; most pairs of a set do not, and a few hundred labels say little about those. There
 *
 *     log-odds = (scale * resemblance + bias) * (1 - weight) + weight * (those of the decision)
 *
 * WEIGHT grows with the labels (learn/prior.h). */
struct pool_rule {
    double weight;              /* 0: the decision alone */
    struct calibration outside; /* of the resemblance, by unrelated pairs */
    struct linear line;         /* pair/resemblance.h; not stored */
};

struct decision {
    const struct encoder *encoder;
    struct calibration similarity; /* calibration of the similarity alone */
    double share;                  /* of duplicates among the labelled pairs; 0: unknown */
    int full;                      /* the fields below are set */
    struct calibration margin;     /* from the margin to log-odds */
    struct linear line;            /* over the traits that were not learned from labels */
    struct evidence evidence;
    struct trees trees; /* over all traits, in their order */
    struct tree_terms_plan plan;
    char **term_name;             /* of each term of the plan: "edits", "edits and shared words" */
    struct memory memory;         /* may be empty */
    struct known_matches matches; /* of records; may be empty */
    unsigned guarantees;          /* ONLY_NUMBER, ...: differences that alone are never the same */
    struct decision_network {
        double weight; /* 0: no network, or its weight is not known */
        double mean;   /* the neutral similarity */
    } network;
    struct decision_parent {
        const struct decision *decision; /* belongs to the model; NULL: none */
        double weight;                   /* of its log-odds in the margin; 0 or more */
    } parent;
    struct answer_rule answered;
    struct pool_rule pool;
    /* Not stored: log-odds from which a pair is the same, instead of the learned threshold. */
    int has_operating;
    double operating;
};

/* Name of the network's reason. */
#define DECISION_NETWORK "similarity of the encoder"
#define DECISION_BLACK_BOX "a network that cannot be explained"
#define DECISION_PARENT "the verdict of the model that training began from"

/* The log-odds of a parent are limited to this on both sides: it is never sure of other data. */
#define DECISION_PARENT_MOST 6.0

/* Returns the network term of the margin. */
double decision_network(const struct decision *decision, const struct survey *survey);

/* Frees all but the encoder and the parent's decision. */
void decision_free(struct decision *decision);

/* Computes what is not stored: the plan of the terms, and the line of the pool rule. The trees must
 * have been checked. */
film_status decision_prepare(struct decision *decision, film_error *error);

/* Returns LOG_ODDS, those of the margin, as the pool rule changes them. RESEMBLANCE: log-odds of
 * a surveyed pair by its line. */
double decision_resemblance(const struct decision *decision, const struct survey *survey);
double decision_in_pool(const struct decision *decision, double resemblance, double log_odds);

/* Returns whether the words are identical and in the same order, or the bytes are. For such a pair,
 * decision_identity returns what raises LOG_ODDS, before the prior, to DECISION_IDENTICAL: a
 * probability of 0.9975. Annotators label one such pair in a few hundred as different. */
#define DECISION_IDENTICAL 6.0
int decision_is_identical(const struct survey *survey);
double decision_identity(double log_odds);

/* Returns the guarantees that concern a pair: ONLY_NUMBER, ... or 0. */
unsigned decision_guarantees(const struct decision *decision, const struct survey *survey);

/* Returns what lowers LOG_ODDS, the sum of all else, to DECISION_BELOW under the threshold. */
#define DECISION_BELOW 1.0
double decision_guarantee(const struct decision *decision, double log_odds);

/* Looks the pair up in memory. */
enum memory_answer decision_memory(const struct decision *decision, const struct survey *survey);

#endif
