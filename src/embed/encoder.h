/* Embedding of a sentence as a vector. The command line, the server and evaluations all use this
 * function. There are two kinds of encoder:
 *
 *     y = L x    x is the TF-IDF row; without a map, y = x
 *     y = M e    e is the vector of a BERT encoder, M a map learned on top of it; without M
 *                (the black box, bert/deep.h), y = e
 *
 * In the second kind, words still have TF-IDF rows and may have a map: the decision reads both. */
#ifndef EMBED_ENCODER_H
#define EMBED_ENCODER_H

#include "embed/features.h"
#include "embed/network.h"
#include "embed/word_map.h"
#include "text/relations.h"
#include "film.h"

/* A view: the model owns the memory. */
struct encoder {
    const struct features *features;
    struct word_map map; /* row w is the vector of feature w (L transposed) */
    size_t dim;
    film_similarity similarity; /* how two vectors are compared */
    /* The row lengths of the map express the importance of features (method rank). In a map from an
     * SVD, or derived from one, they only express frequency. */
    int weighs;
    /* What is known about words, for the decision; NULL: nothing. */
    const struct relations *relations;
    /* The fields of records (pair/record_fields.h); NULL: sentences. */
    const struct record_fields *fields;
    /* Only in the second kind: */
    const struct network *network;
    const float *network_map; /* the network's dim x network_dim, row-major, or NULL */
    size_t network_dim;
};

/* encoder_has_vectors: whether sentences have dense vectors. encoder_dim: their dimension. */
static inline int encoder_has_vectors(const struct encoder *encoder)
{
    return encoder->network || word_map_exists(&encoder->map);
}

static inline size_t encoder_dim(const struct encoder *encoder)
{
    return encoder->network ? encoder->network_dim : encoder->dim;
}

/* Similarity of two vectors (encoder_dim each). The cosine with a zero vector is 0. */
double encoder_similarity(const struct encoder *encoder, const float *a, const float *b);

/* The same from the inner product of two vectors and their squared lengths. */
double encoder_similarity_of(const struct encoder *encoder, double product,
                             const double squares[2]);

/* Similarity of two sparse rows, for an encoder without a map. */
double encoder_sparse_similarity(const struct encoder *encoder, const struct feature_row *a,
                                 const struct feature_row *b);

/* Prepares COUNT vectors for la/flat.h: inner products minus PENALTY (count floats, one per row)
 * then rank as the similarity does. */
void encoder_prepare(const struct encoder *encoder, float *vectors, size_t count, int threads,
                     float *penalty);

/* Returns whether the words that the lexicon keeps have the sums of this encoder's map. */
int encoder_has_sums(const struct encoder *encoder);

/* OUT (dim) = the vector of TEXT under the map of the words (nothing without a map). ROW keeps the
 * sparse row. */
film_status encoder_read_words(const struct encoder *encoder, struct feature_row *row,
                               film_text text, float *out, film_error *error);

/* OUT (encoder_dim) = the vector of TEXT; ROW is scratch. */
film_status encoder_embed(const struct encoder *encoder, struct feature_row *row, film_text text,
                          float *out, film_error *error);

/* OUT (count x encoder_dim), in parallel. THREADS 0: all cores. */
film_status encoder_embed_all(const struct encoder *encoder, const film_text *texts, size_t count,
                              int threads, float *out, film_error *error);

/* Encodes TEXTS in batches ahead of single requests for them. Does nothing where batches gain
 * nothing. */
film_status encoder_expect(const struct encoder *encoder, const film_text *texts, size_t count,
                           int threads, film_error *error);

/* The largest useful COUNT of encoder_expect. */
size_t encoder_expects(const struct encoder *encoder);

#endif
