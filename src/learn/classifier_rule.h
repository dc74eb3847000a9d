/* Learns how much a classifier's two parts count, and when the answer is "none of these", from
 * answers to sentences that its fits have not seen. */
#ifndef LEARN_CLASSIFIER_RULE_H
#define LEARN_CLASSIFIER_RULE_H

#include "model/classifier.h"

/* The answer of one fit to a sentence that it has not seen. */
struct held_answer {
    uint32_t target; /* category in the fit; CLASS_NONE: none of its categories */
    unsigned char fit, made_up;
    float nearest; /* similarity of the nearest example */
    float known, near, covered, halves, agreed, length, centre; /* the signs of these names */
    uint32_t items;
    size_t at; /* of its linear parts and shares in the pools below */
};
#define CLASS_NONE UINT32_MAX

struct held_answers {
    struct held_answer *list;
    size_t count, capacity;
    float *linear, *share; /* by category of the fit */
    size_t room, linear_capacity, share_capacity;
};

/* Measured on the held-out answers. */
struct class_measures {
    size_t sentences, others; /* of a known category; of none */
    double accuracy, log_loss;
    double none_auroc; /* categories left out against known ones; NaN: none was left out */
};

/* Copies the answer of ASKER. */
film_status held_answers_add(struct held_answers *held, const struct class_asker *asker,
                             struct held_answer answer, film_error *error);
void held_answers_free(struct held_answers *held);

/* FITS: the classifiers that answered. With too few answers RULE keeps its defaults. */
film_status class_rule_fit(const struct held_answers *held, struct classifier *fits,
                           struct class_rule *rule, struct class_measures *measures,
                           film_error *error);

#endif
