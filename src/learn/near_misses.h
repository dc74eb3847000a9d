/* How a decision treats near misses at a precision's threshold: made-up pairs that differ in one
 * edit which changes the meaning (learn/edits.h), and labelled pairs that differ in as little. An
 * automatic answer fails there first, and most files have few such pairs. */
#ifndef LEARN_NEAR_MISSES_H
#define LEARN_NEAR_MISSES_H

#include "learn/corpus.h"
#include "learn/edits.h"
#include "learn/decision_threshold.h"
#include "pair/score.h"

#include <jansson.h>

/* The decision that judges, and how. Where the rule has no guarantees, those that apply count as
 * "different" at every threshold. */
struct near_judge {
    const struct decision *decision;
    struct match_rule rule;
    uint64_t seed;
    int threads;
    size_t most;               /* pairs to make up */
    const unsigned char *seen; /* by sentence: not 0 where training has it; NULL: nowhere */
};

/* Made-up pairs that mean something else, one edited sentence each. */
struct near_misses {
    double *log_odds;
    unsigned char *kind; /* enum edit_kind */
    size_t count;
};

/* Returns whether near misses are measured for this operating point: a precision of sentences,
 * where "different" is a matter of meaning. Categories are wider, and records have fields. */
int near_misses_wanted(const film_operating *operating, const struct corpus *corpus);

/* Makes up a pair of each sentence that was not seen and appends it with its log-odds. Which
 * sentences and edits are drawn depends on the set of texts, not on their order. Free NEAR after a
 * failure as well. */
enum { NEAR_MOST = 2000 };
film_status near_misses_make_up(struct near_misses *near, const struct near_judge *judge,
                                const struct strtab *sentences, film_error *error);
void near_misses_free(struct near_misses *near);

/* IS_NEAR[i] = NEAR_PAIR where pair I differs in one word, or in nothing but numbers, negations,
 * opposites or exchanged words; NEAR_GUARANTEED where a guarantee calls it different; else 0. */
enum { NEAR_PAIR = 1, NEAR_GUARANTEED = 2 };
film_status near_misses_mark(const struct near_judge *judge, const struct score_source *pairs,
                             size_t count, unsigned char *is_near, film_error *error);

/* Both, for labelled pairs of a corpus that is not shared and for its sentences. */
film_status near_misses_gather(struct near_misses *near, const struct near_judge *judge,
                               const struct corpus *corpus, const struct labelled_pairs *pairs,
                               unsigned char *is_near, film_error *error);

/* Counts the made-up pairs from LOG_ODDS on; measures the precision of the labelled pairs of ROWS
 * that IS_NEAR marks, at POINT's threshold, prior and wanted precision. */
film_status near_misses_measure(const struct near_misses *near, double log_odds,
                                const struct operating_rows *rows, const unsigned char *is_near,
                                const film_operating_point *point, film_near_misses *out,
                                film_error *error);

/* The same for a threshold that was chosen on SCORED, all in log-odds, and logged; adds the figures
 * to the logged operating point. Does nothing without a log. */
film_status near_misses_log(const struct near_misses *near, const struct scored_pairs *scored,
                            const unsigned char *is_near, double log_odds, struct training_log *log,
                            film_error *error);

/* {"pairs", "called_same", "share", "interval", "kinds": {NAME: [pairs, called the same]},
 * "labelled": {"pairs", "called_same", "precision", "interval"}}; undefined values are null. */
json_t *near_misses_json(const film_near_misses *near);

#endif
