/* Explanation of a pair: the reasons of the verdict, grouped by word and by family, with links,
 * facts and examples. */
#ifndef EXPLAIN_PAIR_H
#define EXPLAIN_PAIR_H

#include "explain/differences.h"
#include "explain/encoded.h"
#include "explain/facts.h"
#include "explain/links.h"
#include "explain/nearest.h"
#include "explain/reversals.h"
#include "explain/words.h"
#include "pair/match.h"
#include "film.h"

/* Scratch space and result, one per thread; zero-initialise it. */
struct explainer {
    struct words words;
    struct record_values values;
    film_reason *reasons; /* of the groups, concatenated */
    size_t reasons_capacity;
    film_reason_group groups[FAMILIES + RECORD_FIELDS_MOST];
    film_field_share fields[RECORD_FIELDS_MOST];
    struct links links;
    struct encoded encoded;
    struct facts facts;
    struct nearest_examples nearest;
    struct differences differences;
    struct reversals *reversals; /* NULL: never requested */
};

void explainer_free(struct explainer *explainer);

film_status explain_pair(struct explainer *explainer, struct match *match, film_text a, film_text b,
                         film_explanation *out, film_error *error);

/* Adds what would change the verdict to WHY, the last explanation. */
film_status explain_reversals(struct explainer *explainer, const struct match *match,
                              double threshold, film_explanation *why, film_error *error);

#endif
