/* Two sentences to a verdict and its reasons.
 *
 * log-odds = scale * similarity + bias. The similarity is a sum over the words of either sentence:
 * with y_a = sum_w x_w L_w, cos = sum_w x_w (L_w . y_b) / (|y_a| |y_b|), and likewise over the words
 * of b; each side explains half of it. (A product likewise; of minus the squared distance, a word of
 * a has -x_w L_w . (y_a - y_b), one of b the same with the other sign.) All weights and the bias add
 * up to the log-odds, and swapping the sentences gives the same bits. */
#ifndef PAIR_MATCH_H
#define PAIR_MATCH_H

#include "embed/encoder.h"
#include "pair/calibrate.h"

/* Scratch space and result, one per thread. */
struct match {
    struct feature_row row[2];
    float *vector[2]; /* dim each */
    film_reason *reasons;
    double *token_weight;
    double prior_log_odds; /* added to the bias; 0: both answers equally likely */
    size_t reasons_capacity, weight_capacity;
};

film_status match_init(struct match *match, const struct encoder *encoder, film_error *error);
void match_free(struct match *match);

/* The verdict without its reasons. Every probability of a pair comes from here: match_pair adds the
 * reasons, score_pairs (pair/score.h) does it for many. */
film_status match_score(struct match *match, const struct encoder *encoder,
                        const struct calibration *calibration, film_text a, film_text b,
                        film_verdict *verdict, film_error *error);

film_status match_pair(struct match *match, const struct encoder *encoder,
                       const struct calibration *calibration, film_text a, film_text b,
                       film_verdict *verdict, film_error *error);

#endif
