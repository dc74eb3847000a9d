/* Platt calibration of a similarity: log-odds = scale * similarity + bias. */
#ifndef PAIR_CALIBRATE_H
#define PAIR_CALIBRATE_H

struct calibration {
    double scale, bias;
    /* From this similarity on, two sentences count as the same. */
    double threshold;
};

double calibrate_probability(double log_odds);

#endif
