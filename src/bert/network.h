/* A BERT encoder, or a black box on top of one (bert/deep.h), as a network (embed/network.h) that
 * remembers: sentences are encoded once, in batches, however they are asked for.
 *
 * Encoding a sentence takes a thousand times as long as looking it up, and pairs ask for the same
 * ones again and again. A vector depends on its sentence alone (bert/bert.h), so remembering
 * changes no answer. Any number of threads may ask. */
#ifndef BERT_NETWORK_H
#define BERT_NETWORK_H

#include "bert/bert.h"
#include "bert/deep.h"
#include "bert/vector_cache.h"
#include "embed/network.h"

/* For network_register. */
extern const struct network_interface bert_network;

/* Takes BERT, and moves what HEAD owns (may be NULL: the encoder's own vectors), also after a
 * failure: HEAD is empty afterwards. */
film_status network_new(struct bert *bert, struct deep *head, struct network **out,
                        film_error *error);

/* Of networks made here: */
const struct bert *network_bert(const struct network *network);
const struct deep *network_head(const struct network *network); /* or NULL */

/* While CACHE (may be NULL: no longer) is set, one thread at a time may ask. It belongs to the
 * caller. */
void network_use_cache(struct network *network, struct vector_cache *cache);

#endif
