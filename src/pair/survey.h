/* The survey of a pair: everything computed before the decision. It has the aligned words, items,
 * word evidence and traits. Training and prediction compute it in the same way. */
#ifndef PAIR_SURVEY_H
#define PAIR_SURVEY_H

#include "pair/evidence.h"
#include "pair/record_fields.h"

/* Scratch space and result, one per thread. */
struct survey {
    struct reading reading;
    struct items items;
    struct comparison comparison;
    struct evidence_sums sums;
    double margin; /* of the word evidence */
    int weighed;   /* that margin is known */
    float *traits; /* traits_total() */
    struct field_scratch fields;
    struct survey_window *window; /* of long sentences; NULL: not needed yet */
};

film_status survey_init(struct survey *survey, const struct encoder *encoder, film_error *error);
void survey_free(struct survey *survey);

/* Reads the pair only: rows, vectors, words. */
film_status survey_read(struct survey *survey, film_text a, film_text b, film_error *error);

/* Reads the pair and computes evidence and traits, in two steps: after the first, the similarity
 * and the TF-IDF cosines of the comparison are known. Without evidence (NULL) neither items nor
 * their margin are computed. */
film_status survey_start(struct survey *survey, film_text a, film_text b, film_error *error);
film_status survey_finish(struct survey *survey, const struct evidence *evidence,
                          film_error *error);

/* Computes the margin of the word evidence alone; survey_finish then omits it. */
film_status survey_weigh(struct survey *survey, const struct evidence *evidence, film_error *error);

/* Both. */
film_status survey_make(struct survey *survey, const struct evidence *evidence, film_text a,
                        film_text b, film_error *error);

/* Similarity of the two sentence vectors; without a map, of the two sparse rows. */
double survey_similarity(const struct survey *survey);

#endif
