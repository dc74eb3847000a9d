/* Trials: sets of edits applied to a pair, and the verdict on the edited pair. */
#ifndef EXPLAIN_EDIT_TRIALS_H
#define EXPLAIN_EDIT_TRIALS_H

#include "explain/values.h"
#include "pair/match.h"
#include "text/record_text.h"

enum {
    TRIALS_MOST = 200,      /* judgements */
    TRIALS_NETWORK = 60,    /* judgements with a network, which take milliseconds */
    TRIALS_BYTES = 2000000, /* judged in all */
    TRIAL_EDITS = 3,
    TRIAL_PHRASE = 4 /* words of an edit */
};

/* Words FROM .. TO of a sentence (0: a, 1: b), as numbers in struct words, that words BY .. BY_TO
 * of the other sentence replace; BY == BY_TO: they are deleted. Words belong to one value. With
 * VALUE, value number VALUE - 1 is replaced by that of the other record, or left out; the words are
 * then those of the two values. */
struct word_edit {
    int sentence;
    size_t from, to, by, by_to;
    size_t value; /* 0: words */
    int left_out; /* of a value */
    int atom;     /* of a value: counts as one word */
};

struct edit_trial {
    struct word_edit edit[TRIAL_EDITS]; /* those of a first, in the order of the text */
    size_t count, words;
    double gain; /* change of the log-odds, away from the verdict */
    int reversed;
    double probability;
    double *family; /* FAMILIES + 1: weights of the groups; NULL unless requested */
};

/* Scratch space and result, one per thread; zero-initialise it. */
struct edit_trials {
    struct match match; /* its own: the explained pair stays as it was read */
    int ready;
    const struct words *words;
    const struct record_values *values;
    double threshold; /* a probability; 0: that of the model */
    film_verdict before;
    double need; /* gain that reverses the verdict, if nothing else changes */
    size_t limit, count;
    struct edit_trial list[TRIALS_MOST];
    double family[TRIALS_MOST][FAMILIES + 1];
    struct record_text room[2];
};

void edit_trials_free(struct edit_trials *trials);

/* Prepares trials on the pair that MATCH has judged as WHY says. */
film_status edit_trials_begin(struct edit_trials *trials, const struct match *match,
                              const struct words *words, const struct record_values *values,
                              const film_explanation *why, double threshold, film_error *error);

/* Returns whether an edit only takes away. */
int word_edit_deletes(const struct word_edit *edit);

/* Returns the number of words that an edit changes. */
size_t word_edit_size(const struct word_edit *edit);

/* Judges the pair with COUNT edits. *TRIAL is the result, an earlier one where these edits were
 * tried before, or NULL: the edits overlap, leave a sentence without words, are more than
 * TRIAL_EDITS even where adjacent deletions are merged, or no judgement is left. GROUPS: computes
 * the weights of the groups. */
film_status edit_trials_judge(struct edit_trials *trials, const struct word_edit *edits,
                              size_t count, int groups, const struct edit_trial **trial,
                              film_error *error);

/* Returns a sentence of a trial. It is written to room that the next call for the same sentence
 * reuses. */
film_status edit_trials_text(struct edit_trials *trials, const struct edit_trial *trial,
                             int sentence, film_text *text, film_error *error);

/* Sums up the reasons without a word by family: FAMILIES + 1 weights, the last that of fields. */
void family_weights(const film_verdict *verdict, double *weights);

#endif
