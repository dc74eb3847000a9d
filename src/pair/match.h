/* The verdict on two sentences and its reasons. Every probability of the program comes from
 * match_score. Swapping the two sentences gives the same bits. */
#ifndef PAIR_MATCH_H
#define PAIR_MATCH_H

#include "pair/decision.h"
#include "film.h"

/* How to decide; match_rule sets it from the caller's options. */
struct match_rule {
    int full, memory, identity, guarantee; /* the terms that make up the verdict */
    int alone;                             /* known matches are not compared */
    int pool;                              /* pairs of a whole set: by the pool rule, if any */
    int no_reasons;                        /* film_match: compute the verdict only (match_score) */
    size_t most_reasons;                   /* film_match: the limit passed to match_pair */
    double prior_log_odds;
};

/* What is measured of a pair for its verdict, besides its trees. */
struct match_measures {
    double margin;          /* line and evidence, added before the trees */
    double network, parent; /* added after them */
    double matches;         /* the term of known matches */
    double resemblance;     /* for the pool rule */
    double similarity;
    enum memory_answer answer;
    int identical, guaranteed; /* whether these terms of the rule may apply */
};

/* Scratch space and result, one per thread. */
struct match {
    const struct decision *decision;
    struct match_rule rule;
    struct survey survey;
    double similarity;          /* of the pair */
    double identity, guarantee; /* these terms of the pair */
    struct match *parent;       /* of the parent's decision; NULL: it has no weight */
    double parent_term;         /* of the margin */
    struct match *known;        /* judges known matches; NULL: not needed yet */
    double matches_term;        /* of the log-odds */
    film_reason *reasons;
    size_t reason_count, reasons_capacity;
    size_t wanted;     /* the number of strongest reasons that are given; 0: all */
    double *strongest; /* the strengths of those so far */
    size_t strongest_capacity;
    double *shares; /* of tokens and features, while reasons are computed */
    size_t shares_capacity;
    float *traits; /* of the pairs of a block, and scratch; NULL: not needed yet */
    struct tree_terms terms;
    /* The words of either side, separated by spaces: phrases are ranges of these bytes. */
    struct match_words {
        char *bytes;
        size_t capacity;
        size_t start[ITEMS_MOST_WORDS + 1]; /* of each word, and the end */
    } words[2];
};

/* Computes log(prior / (1 - prior)). Fails unless 0 < PRIOR < 1. */
film_status match_prior(double prior, double *log_odds, film_error *error);

/* OPTIONS NULL: the defaults. FILM_USAGE when the options do not fit this decision. */
film_status match_rule(struct match_rule *rule, const struct decision *decision,
                       const film_answer_options *options, film_error *error);

/* How a parent's decision judges: by what it learned, without memory, identity and guarantees. */
struct match_rule match_parent_rule(const struct decision *parent);

film_status match_init(struct match *match, const struct decision *decision,
                       const struct match_rule *rule, film_error *error);
void match_free(struct match *match);

/* Computes the verdict without reasons, in two steps. After the first, the similarity is known and,
 * for a full decision, what comparison_start computes: a caller that does not need the verdict of
 * such a pair omits the second, which takes most of the time. */
film_status match_start(struct match *match, film_text a, film_text b, film_error *error);
film_status match_finish(struct match *match, film_verdict *verdict, film_error *error);

/* Between the two, for a full decision: the word evidence alone (survey.margin). */
film_status match_weigh(struct match *match, film_error *error);

/* Both. */
film_status match_score(struct match *match, film_text a, film_text b, film_verdict *verdict,
                        film_error *error);

/* The same for COUNT <= MATCH_BLOCK pairs: the same bits, faster. */
enum { MATCH_BLOCK = TREE_ROWS };
film_status match_score_block(struct match *match, const film_text *a, const film_text *b,
                              size_t count, film_verdict *verdicts, film_error *error);

/* Returns the log-odds from which a pair is the same. */
double match_threshold(const struct match *match);

/* Computes the verdict with all reasons, or with the MOST strongest (MOST > 0). */
film_status match_pair(struct match *match, film_text a, film_text b, size_t most,
                       film_verdict *verdict, film_error *error);

#endif
