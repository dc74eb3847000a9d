/* A BERT encoder, optionally with a black box on top of it (bert/deep.h), as a network
 * (embed/network.h) that caches vectors: each sentence is encoded once, in batches.
 *
 * Encoding a sentence takes a thousand times as long as looking it up, and pairs repeat sentences.
 * A vector depends on its sentence alone (bert/bert.h), so caching changes no result. Any number of
 * threads may use it. */
#ifndef BERT_NETWORK_H
#define BERT_NETWORK_H

#include "bert/bert.h"
#include "bert/deep.h"
#include "bert/vector_cache.h"
#include "embed/network.h"

/* For network_register. */
extern const struct network_interface bert_network;

/* Takes ownership of BERT and of HEAD's contents, also on failure; HEAD is empty afterwards. HEAD
 * may be NULL: then the vectors are the encoder's own. */
film_status network_new(struct bert *bert, struct deep *head, struct network **out,
                        film_error *error);

/* The parts of a network that network_new made; the head may be NULL. */
const struct bert *network_bert(const struct network *network);
const struct deep *network_head(const struct network *network);

/* Uses CACHE, which belongs to the caller, until it is set to NULL. Meanwhile only one thread at a
 * time may use the network. */
void network_use_cache(struct network *network, struct vector_cache *cache);

#endif
