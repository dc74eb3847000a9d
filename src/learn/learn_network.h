/* FILM-BERT: opens a BERT encoder and computes the vectors of all sentences with it. The vectors
 * replace the sparse rows in an ordinary input (learn/learn.h); everything from the SVD on is the
 * same. */
#ifndef LEARN_LEARN_NETWORK_H
#define LEARN_LEARN_NETWORK_H

#include "learn/corpus.h"
#include "learn/training_log.h"
#include "learn/word_vectors.h"
#include "bert/network.h"
#include "film_train.h"

/* Opens the options' BERT encoder into *NETWORK and the cache of its vectors into *CACHE (NULL:
 * none); for method DEEP with an initialised black box. Both belong to the caller, after a failure
 * too. */
film_status learn_network_open(const film_train_options *options, struct network **network,
                               struct vector_cache **cache, film_error *error);

/* For method DEEP on word vectors: *NETWORK = an initialised black box on top of VECTORS, whose
 * rows it takes, and of the words of FEATURES, which must outlive it. */
film_status learn_network_words(const film_train_options *options, const struct features *features,
                                struct word_vectors *vectors, struct network **network,
                                film_error *error);

/* Initialises the black box for token vectors of WIDTH numbers. */
film_status learn_deep_start(const film_train_options *options, size_t width, struct deep *deep,
                             film_error *error);

struct encode_input {
    const struct network *network;
    const struct vector_cache *cache; /* used by the network; may be NULL */
    const struct corpus *corpus, *dev;
    const film_train_options *options;
    struct training_log *log;
};

/* *VECTORS (sentences of the corpus x network_dim); free with mem_free. Vectors of dev sentences
 * stay in the network's memory. */
film_status learn_network_encode(const struct encode_input *input, float **vectors,
                                 film_error *error);

#endif
