/* The search for reversals, shared by proposals.c and reversals.c. */
#ifndef EXPLAIN_REVERSAL_SEARCH_H
#define EXPLAIN_REVERSAL_SEARCH_H

#include "explain/reversals.h"

/* A set of single edits. */
struct edit_set {
    unsigned char edit[TRIAL_EDITS];
    unsigned char count, words;
    double expected;
};

struct reversal_search {
    struct edit_trials *trials;
    const struct words *words;
    const struct record_values *values;
    const struct differences *differences;
    struct proposal *list;
    size_t count;
    const struct edit_trial *best; /* NULL: none */
    struct edit_set *sets;
};

/* Judges edits and remembers the smallest reversal. TRIAL may be NULL; see edit_trials_judge. */
film_status judge_edits(struct reversal_search *search, const struct word_edit *edits, size_t count,
                        int groups, const struct edit_trial **trial, film_error *error);

/* Proposes single edits: where the sentences differ, one takes the words of the other; or any word
 * is left out. In records, a value is also replaced by that of the other record, or left out. */
void propose_for_same(struct reversal_search *search);
void propose_for_different(struct reversal_search *search);

/* Proposes to delete phrases, by the gains of their words. */
void propose_phrases(struct reversal_search *search);

/* Returns what the weights of its words suggest that an edit gains. */
double expected_gain(const struct reversal_search *search, const struct word_edit *edit);

/* The order of proposals before they are judged. */
int higher_expected_first(const void *left, const void *right);

/* Judges the proposals from FROM on, those with the highest expectation first, at most MOST. */
film_status judge_proposals(struct reversal_search *search, size_t from, size_t most,
                            film_error *error);

#endif
