/* From a similarity to a probability: log-odds = scale * similarity + bias. */
#ifndef PAIR_CALIBRATE_H
#define PAIR_CALIBRATE_H

struct calibration {
    double scale, bias;
    double threshold; /* the similarity from which two sentences count as the same */
};

double calibrate_probability(double log_odds);

#endif
