/* The functions of libfilm-train that verbs of libfilm may need: BERT encoders and pairwise kNN.
 * The train module exports this table. */
#include "modules.h"

const struct train_calls film_train_calls = {
    .register_encoders = film_train_register,
    .neighbours = film_neighbours,
    .bert_open = film_bert_open,
    .bert_round = film_bert_round,
    .bert_close = film_bert_close,
    .bert_dim = film_bert_dim,
    .bert_describe = film_bert_describe,
    .bert_embed = film_bert_embed,
    .set_reference = film_set_reference,
    .train = film_train,
};
