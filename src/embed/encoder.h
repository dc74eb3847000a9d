/* Sentence to vector: y = L x, with x the TF-IDF row; or, where there is no map, x itself. The one way a
 * sentence is embedded, whether by the command line, the server or an evaluation. */
#ifndef EMBED_ENCODER_H
#define EMBED_ENCODER_H

#include "embed/features.h"

/* A view: what it points to belongs to the model. */
struct encoder {
    const struct features *features;
    const float
        *map; /* features x dim, row-major: row w is the vector of feature w (L transposed) */
    size_t dim;
    film_similarity similarity; /* how two vectors are compared */
    /* The lengths of the map's rows say what features are worth (rank). Those of an SVD, and of what is built
     * on one, only say how frequent they are. */
    int weighs;
};

/* The similarity of two vectors (dim each); 0 where a cosine is asked of a zero vector. */
double encoder_similarity(const struct encoder *encoder, const float *a, const float *b);

/* The same of two sparse rows, for an encoder without a map. */
double encoder_sparse_similarity(const struct encoder *encoder, const struct feature_row *a,
                                 const struct feature_row *b);

/* Readies COUNT vectors for near/flat.h: its inner products, less the row's PENALTY (count floats), then
 * rank as the similarity does. */
void encoder_prepare(const struct encoder *encoder, float *vectors, size_t count, int threads,
                     float *penalty);

/* OUT (dim) = the vector of TEXT; ROW keeps the sparse row it came from. */
film_status encoder_embed(const struct encoder *encoder, struct feature_row *row, film_text text,
                          float *out, film_error *error);

/* OUT (count x dim), in parallel. THREADS 0: all cores. */
film_status encoder_embed_all(const struct encoder *encoder, const film_text *texts, size_t count,
                              int threads, float *out, film_error *error);

#endif
