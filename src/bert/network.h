/* A BERT encoder, or a black box (bert/deep.h) on top of one or of word vectors, as a network
 * (embed/network.h) that caches vectors: each sentence is encoded once, in batches.
 *
 * Encoding a sentence takes a thousand times as long as looking it up, and pairs repeat sentences.
 * A vector depends on its sentence alone (bert/bert.h), so caching changes no result. Any number of
 * threads may use it. */
#ifndef BERT_NETWORK_H
#define BERT_NETWORK_H

#include "bert/bert.h"
#include "bert/deep.h"
#include "bert/deep_words.h"
#include "bert/vector_cache.h"
#include "embed/network.h"

/* For network_register. */
extern const struct network_interface bert_network;

/* The parts of a network. Either BERT or WORDS is the input; a network of words has a head. */
struct network_parts {
    struct bert *bert;       /* NULL: word vectors */
    struct deep_words words; /* their features must outlive the network */
    struct deep head;        /* zeroed: the vectors are the encoder's own */
};

/* Frees what PARTS own and empties them. */
void network_parts_free(struct network_parts *parts);

/* Takes ownership of the contents of PARTS, also on failure. */
film_status network_new(struct network_parts *parts, struct network **out, film_error *error);

/* The head of a network that network_new made; NULL without one. */
const struct deep *network_head(const struct network *network);

/* The token matrices that are the input of the head. */
film_status network_tokens(const struct network *network, const film_text *texts, size_t count,
                           int threads, struct bert_states *out, film_error *error);

/* Uses CACHE, which belongs to the caller, until it is set to NULL. Meanwhile only one thread at a
 * time may use the network. */
void network_use_cache(struct network *network, struct vector_cache *cache);

#endif
