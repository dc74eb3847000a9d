/* Learns the classifier of a model from categories: weights, examples, and when it says "none".
 *
 * Two to five fits each leave out a fifth of the sentences and a fifth of the categories. The
 * sentences left out show how far the two parts can be trusted, and those of the categories left
 * out show what a sentence of no category looks like. Made-up sentences (learn/made_up.h) stand for
 * queries about something else. */
#ifndef LEARN_CLASSIFIER_LEARN_H
#define LEARN_CLASSIFIER_LEARN_H

#include "learn/learn.h"
#include "model/classifier.h"

/* INPUT is the one that the words' map was learned from: a map that depends on labels is learned
 * again for each fit. ENCODER has the final map. RULE (may be NULL): take this rule instead
 * of learning it. OUT stays empty where the rows have fewer than two categories. */
film_status classifier_learn(const struct learn_input *input, const struct encoder *encoder,
                             const struct class_rule *rule, struct classifier *out,
                             film_error *error);

#endif
