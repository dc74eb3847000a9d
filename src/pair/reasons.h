/* A verdict taken apart. The weights of all reasons and the verdict's bias add up to its log-odds.
 *
 * Of the similarity: with y_a = sum_w x_w L_w, cos = sum_w x_w (L_w . y_b) / (|y_a| |y_b|), and
 * likewise over the words of b; each side explains half of it. (A product likewise; of minus the
 * squared distance, a word of a has -x_w L_w . (y_a - y_b), one of b the same with the other sign.)
 *
 * Of the full decision: every feature's evidence goes to the words it comes from, a shared one half
 * to either side; every item of two words is a reason of its own; so is every term of one or two
 * traits, as the difference it makes against the average training pair; and memory. */
#ifndef PAIR_REASONS_H
#define PAIR_REASONS_H

#include "pair/match.h"
#include "film.h"

/* For the pair match_score has just seen. All of them, in no order, in match->reasons. */
film_status reasons_of_similarity(struct match *match, film_verdict *verdict, film_error *error);

film_status reasons_of_decision(struct match *match, film_error *error);

/* Hands out all of match->reasons or (MOST not 0) only so many, strongest first. */
film_status reasons_give(struct match *match, size_t most, film_verdict *verdict,
                         film_error *error);

/* Strongest first; of equal weights, in the order of the text. */
void reasons_sort(film_reason *reasons, size_t count);

#endif
