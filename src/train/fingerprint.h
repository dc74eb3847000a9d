/* What a training is: its options, its rows and what was computed from them before learning began.
 * A checkpoint may be gone on from only in the same training. */
#ifndef TRAIN_FINGERPRINT_H
#define TRAIN_FINGERPRINT_H

#include "la/csr.h"
#include "learn/corpus.h"
#include "film_train.h"

/* What tells two trainings apart; a view. */
struct training_identity {
    const film_train_options *options;
    const char *method; /* by name */
    size_t dim;
    unsigned groups; /* of features */
    const struct corpus *corpus, *dev;
    const struct csr *x;
};

/* START: hash of what the method's learner starts from (the SVD, triplets; pairs). The result is
 * one JSON object as text; free with mem_free. */
film_status fingerprint_make(const struct training_identity *training, uint64_t start, char **out,
                             film_error *error);

/* FILM_BAD_INPUT with what differs, unless THEN (text from a file: may be anything) says the same
 * as NOW. PATH is the checkpoint. */
film_status fingerprint_compare(const char *then, const char *now, const char *path,
                                film_error *error);

#endif
