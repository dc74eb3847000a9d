/* FILM-BERT: a BERT encoder, and the vectors of all sentences from it. They take the place of
 * the sparse rows in an ordinary input (learn/learn.h), and everything from the SVD on is the
 * same. */
#ifndef LEARN_LEARN_NETWORK_H
#define LEARN_LEARN_NETWORK_H

#include "learn/corpus.h"
#include "learn/training_log.h"
#include "bert/network.h"
#include "film_train.h"

/* The BERT encoder of the options, to *NETWORK, and the cache of its vectors, to *CACHE (NULL:
 * none); for method DEEP with the black box as it starts. Both are the caller's, after a failure
 * too. */
film_status learn_network_open(const film_train_options *options, struct network **network,
                               struct vector_cache **cache, film_error *error);

/* The black box as it starts, on tokens of WIDTH numbers. */
film_status learn_deep_start(const film_train_options *options, size_t width, struct deep *deep,
                             film_error *error);

struct encode_input {
    const struct network *network;
    const struct vector_cache *cache; /* which the network uses, or NULL */
    const struct corpus *corpus, *dev;
    const film_train_options *options;
    struct training_log *log;
};

/* *VECTORS (sentences of the corpus x network_dim), freed with mem_free; those of the dev
 * sentences are remembered by the network. */
film_status learn_network_encode(const struct encode_input *input, float **vectors,
                                 film_error *error);

#endif
