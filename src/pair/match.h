/* Two sentences to a verdict and its reasons: every probability comes from match_score. Swapping
 * the two gives the same bits. */
#ifndef PAIR_MATCH_H
#define PAIR_MATCH_H

#include "pair/decision.h"
#include "film.h"

/* How to answer; made by match_rule from the caller's options. */
struct match_rule {
    int full, memory, identity; /* of what the verdict is made */
    int no_reasons;             /* film_match: match_score will do */
    size_t most_reasons;        /* film_match: what match_pair is told */
    double prior_log_odds;
};

/* Scratch space and result, one per thread. */
struct match {
    const struct decision *decision;
    struct match_rule rule;
    struct survey survey;
    double identity; /* what the pair got for being identical */
    film_reason *reasons;
    size_t reason_count, reasons_capacity;
    uint32_t *order; /* while the strongest are chosen */
    size_t order_capacity;
    double *shares; /* of tokens and features, while reasons are made */
    size_t shares_capacity;
    struct tree_terms terms;
    /* The words of either side one behind the other, a space between: phrases are pieces of it. */
    struct match_words {
        char *bytes;
        size_t capacity;
        size_t start[ITEMS_MOST_WORDS + 1]; /* of each word, and one behind the last's space */
    } words[2];
};

/* log(prior / (1 - prior)); refuses what is not between 0 and 1. */
film_status match_prior(double prior, double *log_odds, film_error *error);

/* OPTIONS NULL: the defaults. FILM_USAGE when they make no sense for this decision. */
film_status match_rule(struct match_rule *rule, const struct decision *decision,
                       const film_answer_options *options, film_error *error);

film_status match_init(struct match *match, const struct decision *decision,
                       const struct match_rule *rule, film_error *error);
void match_free(struct match *match);

/* The verdict without its reasons. */
film_status match_score(struct match *match, film_text a, film_text b, film_verdict *verdict,
                        film_error *error);

/* And with them, or (MOST not 0) the strongest of them. */
film_status match_pair(struct match *match, film_text a, film_text b, size_t most,
                       film_verdict *verdict, film_error *error);

#endif
