/* Embeds sentences: TF-IDF row times the learned map, or a BERT encoder's vector. Learns
 * neither. */
#include "embed/encoder.h"
#include "base/mem.h"
#include "base/threads.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* From a product and the two squared lengths. */
static double compare(film_similarity similarity, double product, double squares_a,
                      double squares_b)
{
    if (similarity == FILM_DOT) return product;
    if (similarity == FILM_EUCLIDEAN) return 2 * product - (squares_a + squares_b);
    double lengths = sqrt(squares_a * squares_b);
    return lengths > 0 ? product / lengths : 0;
}

double encoder_similarity(const struct encoder *encoder, const float *a, const float *b)
{
    size_t dim = encoder_dim(encoder);
    return compare(encoder->similarity, vec_dot(a, b, dim), vec_dot(a, a, dim), vec_dot(b, b, dim));
}

double encoder_sparse_similarity(const struct encoder *encoder, const struct feature_row *a,
                                 const struct feature_row *b)
{
    double product = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->id[i] == b->id[j]) product += (double)a->value[i] * (double)b->value[j];
        size_t next_i = i + (a->id[i] <= b->id[j]);
        j += b->id[j] <= a->id[i];
        i = next_i;
    }
    return compare(encoder->similarity, product, vec_dot(a->value, a->value, a->count),
                   vec_dot(b->value, b->value, b->count));
}

void encoder_prepare(const struct encoder *encoder, float *vectors, size_t count, int threads,
                     float *penalty)
{
    size_t dim = encoder_dim(encoder);
#pragma omp parallel for num_threads(threads)
    for (size_t i = 0; i < count; i++) {
        float *vector = vectors + i * dim;
        if (encoder->similarity == FILM_COSINE) vec_normalise(vector, dim);
        penalty[i] = encoder->similarity == FILM_EUCLIDEAN
                         ? (float)(0.5 * vec_dot(vector, vector, dim))
                         : 0.0f;
    }
}

film_status encoder_read_words(const struct encoder *encoder, struct feature_row *row,
                               film_text text, float *out, film_error *error)
{
    film_status status = features_transform(encoder->features, row, text, error);
    if (status != FILM_OK || !encoder->map) return status;
    memset(out, 0, encoder->dim * sizeof *out);
    /* The rows of the map are far apart: ask for the next one while adding this one. */
    for (size_t i = 0; i < row->count; i++) {
        if (i + 2 < row->count) {
            const float *ahead = encoder->map + (size_t)row->id[i + 2] * encoder->dim;
            for (size_t at = 0; at < encoder->dim; at += 16) __builtin_prefetch(ahead + at);
        }
        const float *feature = encoder->map + (size_t)row->id[i] * encoder->dim;
        vec_add_scaled(out, row->value[i], feature, encoder->dim);
    }
    return FILM_OK;
}

enum {
    STRETCH = 256, /* sentences a thread takes at a time: enough to hide what it costs to ask */
    BATCH = 4096   /* sentences a network encodes at a time */
};

/* ---- On top of a network ---- */

/* OUT = M e, in a fixed order of additions whatever else is embedded with it. */
static void map_vector(const struct encoder *encoder, const float *e, float *out)
{
    size_t dim = encoder->network_dim, inputs = network_dim(encoder->network);
    if (!encoder->network_map) {
        memcpy(out, e, dim * sizeof *out);
        return;
    }
    memset(out, 0, dim * sizeof *out);
    for (size_t i = 0; i < inputs; i++)
        vec_add_scaled(out, e[i], encoder->network_map + i * dim, dim);
}

static film_status embed_by_network(const struct encoder *encoder, const film_text *texts,
                                    size_t count, int threads, float *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t inputs = network_dim(encoder->network), batch = count < BATCH ? count : BATCH;
    float *vectors = mem_array(batch, inputs * sizeof *vectors);
    TRY_ALLOC(vectors, error);
    threads = threads_use(threads);
    for (size_t first = 0; first < count; first += batch) {
        size_t here = count - first < batch ? count - first : batch;
        TRY(network_encode(encoder->network, texts + first, here, threads, vectors, error));
#pragma omp parallel for num_threads(here > STRETCH ? threads : 1)
        for (size_t i = 0; i < here; i++)
            map_vector(encoder, vectors + i * inputs, out + (first + i) * encoder->network_dim);
    }
done:
    mem_free(vectors);
    return status;
}

film_status encoder_expect(const struct encoder *encoder, const film_text *texts, size_t count,
                           int threads, film_error *error)
{
    if (!encoder->network || count == 0) return FILM_OK;
    float *vectors = mem_array(count, network_dim(encoder->network) * sizeof *vectors);
    if (!vectors) return status_no_memory(error);
    film_status status = network_encode(encoder->network, texts, count, threads, vectors, error);
    mem_free(vectors);
    return status;
}

size_t encoder_expects(const struct encoder *encoder)
{
    return encoder->network ? network_room(encoder->network) : SIZE_MAX;
}

/* ---- Either kind ---- */

film_status encoder_embed(const struct encoder *encoder, struct feature_row *row, film_text text,
                          float *out, film_error *error)
{
    return encoder->network ? embed_by_network(encoder, &text, 1, 1, out, error)
                            : encoder_read_words(encoder, row, text, out, error);
}

film_status encoder_embed_all(const struct encoder *encoder, const film_text *texts, size_t count,
                              int threads, float *out, film_error *error)
{
    film_status status = FILM_OK;
    if (encoder->network) return embed_by_network(encoder, texts, count, threads, out, error);
    size_t stretches = (count + STRETCH - 1) / STRETCH;
    threads = threads_use(threads);
    if ((size_t)threads > stretches) threads = stretches ? (int)stretches : 1;
#pragma omp parallel num_threads(threads)
    {
        struct feature_row row;
        film_error own_error;
        film_status own = feature_row_init(&row, encoder->features, &own_error);
#pragma omp for schedule(dynamic, 1)
        for (size_t s = 0; s < stretches; s++) {
            size_t end = (s + 1) * STRETCH < count ? (s + 1) * STRETCH : count;
            for (size_t i = s * STRETCH; i < end && own == FILM_OK; i++)
                own =
                    encoder_read_words(encoder, &row, texts[i], out + i * encoder->dim, &own_error);
        }
        if (own != FILM_OK) {
#pragma omp critical
            status = status_set(error, own, "%s", own_error.message);
        }
        feature_row_free(&row);
    }
    return status;
}
