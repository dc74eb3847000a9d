/* Learning a map: the input and the output of every method.
 *
 * A method is a function of its input alone. To train without a fold, or on top of a BERT encoder,
 * the same function is called with a different input. Everything that an input points to belongs to
 * the caller and must outlive the call. */
#ifndef LEARN_LEARN_H
#define LEARN_LEARN_H

#include "embed/encoder.h"
#include "la/svd.h"
#include "learn/corpus.h"
#include "learn/stream.h"
#include "learn/training_log.h"
#include "learn/word_vectors.h"
#include "film_train.h"

struct learn_input {
    film_method method;                /* never AUTO */
    const film_train_options *options; /* of the methods; rank, similarity, seed, threads, ... */
    size_t dim;                        /* wanted; a map on an SVD has at most its rank */
    size_t epochs, batch;              /* 0: the method's default */
    /* Labelled rows. For a streaming method this is a sample. */
    const struct corpus *corpus;
    /* Maps are validated on these rows during training. Without rows, the last map is used. */
    const struct corpus *dev;
    const struct features *features;
    const struct csr *x; /* one row per distinct sentence of the corpus */
    /* A BERT encoder or NULL. With an encoder the map is learned on top of it, and ENCODED
     * (sentences x network_dim) replaces x. */
    const struct network *network;
    const float *encoded;
    /* Vectors of the words or NULL (learn/word_vectors.h): the map is learned on top of them. */
    const struct word_vectors *word_vectors;
    const struct stream_source *stream; /* for streaming methods */
    struct training_log *log;           /* NULL: nothing is logged */
};

struct learned_map {
    float *map;   /* inputs x dim; NULL: the method has none */
    size_t dim;   /* length of a vector; 0: there are no vectors */
    float *sigma; /* rank singular values, where the method starts from an SVD */
    size_t rank;
};
void learned_map_free(struct learned_map *learned);

typedef film_status (*learn_method)(const struct learn_input *input, struct learned_map *out,
                                    film_error *error);

/* The methods: features alone; an SVD (L = U'); FILM and its streaming version; ranking; the black
 * box, whose weights are in the input's network. OUT starts empty; free it after a failure as
 * well. */
film_status learn_tfidf(const struct learn_input *input, struct learned_map *out,
                        film_error *error);
film_status learn_svd(const struct learn_input *input, struct learned_map *out, film_error *error);
film_status learn_film(const struct learn_input *input, struct learned_map *out, film_error *error);
film_status learn_mfilm(const struct learn_input *input, struct learned_map *out,
                        film_error *error);
film_status learn_rank(const struct learn_input *input, struct learned_map *out, film_error *error);
film_status learn_deep(const struct learn_input *input, struct learned_map *out, film_error *error);

/* Calls the input's method. FILM_BAD_INPUT when the labels do not allow it. */
film_status learn_map(const struct learn_input *input, struct learned_map *out, film_error *error);

/* The name of a method and its defaults. */
struct learn_defaults {
    const char *name;
    unsigned features;
    size_t dim; /* 0: the rank */
};
const struct learn_defaults *learn_defaults(film_method method);

/* Returns whether the map depends on labels, so that it must be learned again for each fold. */
int learn_uses_labels(film_method method);

/* ---- For the methods ---- */

/* The length of a sentence's input vector: the number of features, or the network's dimension. */
size_t learn_inputs(const struct learn_input *input);

/* An encoder that projects sentences into the basis of SVD. */
struct encoder learn_projection(const struct learn_input *input, const struct svd *svd);

/* Computes the SVD of x or of the network's vectors. Moves its singular values to OUT and sets
 * out->dim to the wanted dimension, at most the rank. */
film_status learn_factorise(const struct learn_input *input, struct svd *svd,
                            struct learned_map *out, film_error *error);

#endif
