/* Learning a map: what every method is given, and what it gives back.
 *
 * A method is a function of its input alone. To learn without a fold, or on top of a BERT
 * encoder, the same function is called with another input. Everything an input points to belongs
 * to the caller and must outlive the call. */
#ifndef LEARN_LEARN_H
#define LEARN_LEARN_H

#include "base/checkpoint_state.h"
#include "embed/encoder.h"
#include "la/svd.h"
#include "learn/corpus.h"
#include "learn/stream.h"
#include "learn/training_log.h"
#include "film_train.h"

struct learn_input {
    film_method method; /* never AUTO */
    const film_train_options
        *options;                /* of the methods; rank, similarity, seed, threads, progress */
    size_t dim;                  /* wanted; a map on an SVD has at most its rank */
    size_t epochs, batch;        /* 0: what suits the method */
    const struct corpus *corpus; /* rows with labels, and the communicator; of a method that
                                          streams, a sample */
    const struct corpus *dev;    /* maps are judged on these rows while they are learned; no
                                          rows: the last map is taken */
    const struct features *features;
    const struct csr *x;           /* a row per distinct sentence of the corpus */
    const struct network *network; /* a BERT encoder, or NULL: the map is learned on top of it, */
    const float *encoded;          /* and its vectors (sentences x network_dim) replace x */
    const struct stream_source *stream;        /* for methods that stream their rows */
    const struct checkpointing *checkpointing; /* NULL: learning cannot be paused */
    struct training_log *log;                  /* NULL: nothing is written down */
};

struct learned_map {
    float *map;   /* inputs x dim; NULL: the method has none */
    size_t dim;   /* of a vector; 0: there are none */
    float *sigma; /* rank singular values, where the method starts from an SVD */
    size_t rank;
    /* Not FILM_OK: learning was stopped early and this is the best so far. FILM_CANCELLED, or
     * why no checkpoint could be written. */
    film_status interrupted;
    film_error interruption;
};
void learned_map_free(struct learned_map *learned);

typedef film_status (*learn_method)(const struct learn_input *input, struct learned_map *out,
                                    film_error *error);

/* Features alone; an SVD (L = U'); FILM and its streaming version; ranking; the black box, whose
 * weights are in the input's network. OUT starts empty; free it after a failure as well. */
film_status learn_tfidf(const struct learn_input *input, struct learned_map *out,
                        film_error *error);
film_status learn_svd(const struct learn_input *input, struct learned_map *out, film_error *error);
film_status learn_film(const struct learn_input *input, struct learned_map *out, film_error *error);
film_status learn_mfilm(const struct learn_input *input, struct learned_map *out,
                        film_error *error);
film_status learn_rank(const struct learn_input *input, struct learned_map *out, film_error *error);
film_status learn_deep(const struct learn_input *input, struct learned_map *out, film_error *error);

/* By the input's method. FILM_BAD_INPUT where the labels do not allow it. */
film_status learn_map(const struct learn_input *input, struct learned_map *out, film_error *error);

/* What a method is called, and what it takes where the user left it open. */
struct learn_defaults {
    const char *name;
    unsigned features;
    size_t dim; /* 0: the rank */
};
const struct learn_defaults *learn_defaults(film_method method);

/* ---- For the methods ---- */

/* How many numbers a sentence is before the map: features, or the network's. */
size_t learn_inputs(const struct learn_input *input);

/* Sentences to where they are in the basis of SVD. */
struct encoder learn_projection(const struct learn_input *input, const struct svd *svd);

/* The SVD of x, or of the network's vectors. Hands its singular values to OUT, and out->dim is
 * the dimensions wanted but at most its rank. */
film_status learn_factorise(const struct learn_input *input, struct svd *svd,
                            struct learned_map *out, film_error *error);

/* The checkpointer of a learner that starts from data of hash START; *OUT is NULL where the
 * input has none. */
film_status learn_checkpointer(const struct learn_input *input, uint64_t start,
                               const struct checkpointer **out, film_error *error);

/* Learning was stopped after DONE of TOTAL steps, or because CHECKPOINTER could not save. */
void learned_map_stopped(struct learned_map *learned, const struct checkpointer *checkpointer,
                         size_t done, size_t total, const char *steps);

#endif
