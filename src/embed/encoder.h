/* Sentence to vector, the one way a sentence is embedded, whether by the command line, the server
 * or an evaluation. Two kinds:
 *
 *     y = L x    x the TF-IDF row; or, where there is no map, x itself
 *     y = M e    e the vector of a BERT encoder, M a map learned on top of it; or, where there
 *                is none (the black box, bert/deep.h), the network's own vector
 *
 * Of the second kind words still have their rows, and may have their map: the decision reads
 * both. */
#ifndef EMBED_ENCODER_H
#define EMBED_ENCODER_H

#include "embed/features.h"
#include "embed/network.h"
#include "film.h"

/* A view: what it points to belongs to the model. */
struct encoder {
    const struct features *features;
    const float
        *map; /* features x dim, row-major: row w is the vector of feature w (L transposed) */
    size_t dim;
    film_similarity similarity; /* how two vectors are compared */
    /* The lengths of the map's rows say what features are worth (rank). Those of an SVD, and of
     * what is built on one, only say how frequent they are. */
    int weighs;
    /* Of the second kind only: */
    const struct network *network;
    const float *network_map; /* the network's dim x network_dim, row-major, or NULL */
    size_t network_dim;
};

/* Do sentences have vectors, and how long are they? */
static inline int encoder_has_vectors(const struct encoder *encoder)
{
    return encoder->network || encoder->map;
}

static inline size_t encoder_dim(const struct encoder *encoder)
{
    return encoder->network ? encoder->network_dim : encoder->dim;
}

/* The similarity of two vectors (encoder_dim each); 0 where a cosine is asked of a zero vector. */
double encoder_similarity(const struct encoder *encoder, const float *a, const float *b);

/* The same of two sparse rows, for an encoder without a map. */
double encoder_sparse_similarity(const struct encoder *encoder, const struct feature_row *a,
                                 const struct feature_row *b);

/* Readies COUNT vectors for la/flat.h: its inner products, less the row's PENALTY (count floats),
 * then rank as the similarity does. */
void encoder_prepare(const struct encoder *encoder, float *vectors, size_t count, int threads,
                     float *penalty);

/* OUT (dim) = what the words' map makes of TEXT (nothing without one); ROW keeps the sparse row. */
film_status encoder_read_words(const struct encoder *encoder, struct feature_row *row,
                               film_text text, float *out, film_error *error);

/* OUT (encoder_dim) = the vector of TEXT; ROW is scratch. */
film_status encoder_embed(const struct encoder *encoder, struct feature_row *row, film_text text,
                          float *out, film_error *error);

/* OUT (count x encoder_dim), in parallel. THREADS 0: all cores. */
film_status encoder_embed_all(const struct encoder *encoder, const film_text *texts, size_t count,
                              int threads, float *out, film_error *error);

/* Encodes TEXTS that will soon be asked for one by one, in batches; nothing where that gains
 * nothing. */
film_status encoder_expect(const struct encoder *encoder, const film_text *texts, size_t count,
                           int threads, film_error *error);

/* Most texts that can be expected at once. */
size_t encoder_expects(const struct encoder *encoder);

#endif
