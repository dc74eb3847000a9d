/* What labels say about single edits: how often pairs that differ in "on" and "off" alone are
 * labelled the same. Made-up pairs that labels contradict are not learned from. */
#ifndef LEARN_LABELLED_EDITS_H
#define LEARN_LABELLED_EDITS_H

#include "learn/evidence_fit.h"

struct labelled_edits {
    struct keytab keys; /* items ITEM_EDIT_AMONG of at least two labelled pairs */
    double *balance;    /* by number: weight of pairs labelled the same, minus that of others */
};

/* Counts the edits of ROWS, whose pairs have TARGET and WEIGHT. Free after a failure as well. */
film_status labelled_edits_count(struct labelled_edits *edits, const struct evidence_rows *rows,
                                 const float *target, const float *weight, film_error *error);
void labelled_edits_free(struct labelled_edits *edits);

/* Returns whether labelled pairs with one of these edits, and as many others, mostly say otherwise:
 * the same where SAME is 0. A tie contradicts too: both readings occur. */
int labelled_edits_contradict(const struct labelled_edits *edits, const struct items *items,
                              int same);

#endif
