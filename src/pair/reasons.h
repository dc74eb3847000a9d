/* Attribution of a verdict to reasons. The weights of all reasons and the bias of the verdict add
 * up to its log-odds.
 *
 * Similarity: with y_a = sum_w x_w L_w, cos = sum_w x_w (L_w . y_b) / (|y_a| |y_b|), and likewise
 * over the words of b; each side explains half of it. The inner product works the same way. For
 * minus the squared distance, a word of a contributes -x_w L_w . (y_a - y_b), and a word of b the
 * same with the opposite sign.
 *
 * Full decision: the evidence of a feature goes to the words that it comes from, half to either
 * side when it is shared. Every item of two words is a reason of its own. So is every term of one
 * or two traits, as its difference from the average training pair; and so is memory. */
#ifndef PAIR_REASONS_H
#define PAIR_REASONS_H

#include "pair/match.h"
#include "film.h"

/* For the pair of the last match_score: begins a list of the MOST strongest reasons, or of all
 * (0). The next two append reasons, unsorted, to match->reasons; they leave out those that are
 * certainly not among the strongest. Reasons of the similarity: begin with 0. */
film_status reasons_begin(struct match *match, size_t most, film_error *error);

film_status reasons_of_similarity(struct match *match, film_verdict *verdict, film_error *error);

film_status reasons_of_decision(struct match *match, film_error *error);

/* Sets the reasons of VERDICT: all, or (MOST > 0) the strongest MOST. Strongest first. */
void reasons_give(struct match *match, size_t most, film_verdict *verdict);

/* Sorts by decreasing strength; equal weights in text order. */
void reasons_sort(film_reason *reasons, size_t count);

#endif
