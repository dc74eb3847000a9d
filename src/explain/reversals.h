/* What would change a verdict: the smallest edits that reverse it, and the words that cause the
 * weight of each group. Every reversal was judged. */
#ifndef EXPLAIN_REVERSALS_H
#define EXPLAIN_REVERSALS_H

#include "explain/differences.h"
#include "explain/edit_trials.h"

enum {
    REVERSALS_MOST = 3,
    CAUSES_WORDS = 6,
    EDITS_MOST = 6 * DIFFERENCE_WORDS /* single edits that are considered */
};

/* An edit and what it is expected to gain before it was judged. */
struct proposal {
    struct word_edit edit;
    double expected;
    const struct edit_trial *trial; /* NULL: not judged */
};

/* Scratch space and result, one per thread; zero-initialise it. */
struct reversals {
    struct edit_trials trials;
    struct proposal proposal[EDITS_MOST];
    film_text_edit edits[REVERSALS_MOST][TRIAL_EDITS];
    char *text[REVERSALS_MOST][2];
    film_reversal list[REVERSALS_MOST];
    size_t count;
    size_t cause_words[FAMILIES][CAUSES_WORDS];
    film_group_cause causes[FAMILIES + RECORD_FIELDS_MOST];
};

void reversals_free(struct reversals *reversals);

/* The explained pair. */
struct explained_pair {
    const struct match *match;
    const struct words *words;
    const struct record_values *values;
    const struct differences *differences;
};

/* Adds reversals and causes to WHY, the explanation of PAIR. */
film_status reversals_find(struct reversals *reversals, const struct explained_pair *pair,
                           double threshold, film_explanation *why, film_error *error);

/* Names the words that cause each group of WHY, from the trials that were judged (causes.c). */
void causes_find(struct reversals *reversals, const struct differences *differences,
                 film_explanation *why);

#endif
