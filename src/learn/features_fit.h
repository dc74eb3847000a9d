/* Learns the vocabulary of TF-IDF rows (embed/features.h), and builds matrices of such rows. */
#ifndef LEARN_FEATURES_FIT_H
#define LEARN_FEATURES_FIT_H

#include "embed/features.h"
#include "la/csr.h"

struct features_options {
    unsigned groups;     /* bit set of GROUP_BIT */
    size_t min_df;       /* least number of sentences that contain a feature */
    size_t max_features; /* per group; 0: no limit */
    int threads;
    film_progress progress;
    struct packed_rows *packed; /* receives the rows, and X only their starts; NULL: X has them */
};

/* Learns vocabulary and idf from SENTENCES and returns their rows in X (may be NULL). Reads each
 * sentence once. Takes ownership of TOKENIZER, also when the call fails. */
film_status features_fit(struct features *features, struct tokenizer *tokenizer,
                         const struct strtab *sentences, const struct features_options *options,
                         struct csr *x, film_error *error);

/* The rows of COUNT texts as a matrix (count x features). */
film_status features_matrix(const struct features *features, const film_text *texts, size_t count,
                            struct csr *out, film_error *error);

#endif
