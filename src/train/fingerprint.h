/* The fingerprint of a training run: its options, its rows and what is computed from them before
 * learning starts. A checkpoint can be resumed only by the same run. */
#ifndef TRAIN_FINGERPRINT_H
#define TRAIN_FINGERPRINT_H

#include "la/csr.h"
#include "learn/corpus.h"
#include "film_train.h"

/* What distinguishes two runs; a view. */
struct training_identity {
    const film_train_options *options;
    const char *method; /* its name */
    size_t dim;
    unsigned groups; /* of features */
    const struct corpus *corpus, *dev;
    const struct csr *x;
};

/* START is a hash of what the method's learner starts from (SVD and triplets, or pairs). The result
 * is one JSON object as text; free with mem_free. */
film_status fingerprint_make(const struct training_identity *training, uint64_t start, char **out,
                             film_error *error);

/* Returns FILM_BAD_INPUT with the difference unless THEN equals NOW. THEN comes from a file and may
 * be anything. PATH is the checkpoint's. */
film_status fingerprint_compare(const char *then, const char *now, const char *path,
                                film_error *error);

#endif
