/* Embeds sentences: TF-IDF row times the learned map, or the vector of a BERT encoder. It learns
 * neither; src/learn does. */
#include "embed/encoder.h"
#include "base/mem.h"
#include "base/threads.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* Similarity from an inner product and the two squared lengths. */
static double similarity_of(film_similarity similarity, double product, double squares_a,
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
    return similarity_of(encoder->similarity, vec_dot(a, b, dim), vec_dot(a, a, dim),
                         vec_dot(b, b, dim));
}

double encoder_similarity_of(const struct encoder *encoder, double product, const double squares[2])
{
    return similarity_of(encoder->similarity, product, squares[0], squares[1]);
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
    return similarity_of(encoder->similarity, product, vec_dot(a->value, a->value, a->count),
                         vec_dot(b->value, b->value, b->count));
}

/* Vectors that several threads compute. */
struct vectors {
    const struct encoder *encoder;
    const film_text *texts;
    const float *in;
    float *out, *penalty;
};

static film_status prepare_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct vectors *vectors = user;
    const struct encoder *encoder = vectors->encoder;
    size_t dim = encoder_dim(encoder), begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++) {
            float *vector = vectors->out + i * dim;
            if (encoder->similarity == FILM_COSINE) vec_normalise(vector, dim);
            vectors->penalty[i] = encoder->similarity == FILM_EUCLIDEAN
                                      ? (float)(0.5 * vec_dot(vector, vector, dim))
                                      : 0.0f;
        }
    return FILM_OK;
}

void encoder_prepare(const struct encoder *encoder, float *vectors, size_t count, int threads,
                     float *penalty)
{
    enum { GRAIN = 1024 };
    struct vectors job = {.encoder = encoder, .out = vectors, .penalty = penalty};
    (void)threads_for(threads, count, GRAIN, prepare_some, &job, NULL); /* cannot fail */
}

/* Adds what n-grams that occur several times have more or less than the sum of their occurrences:
 * tf is not linear. */
static void add_repeated(const struct encoder *encoder, const struct feature_row *row, float *out)
{
    enum { SOME = 64 };
    uint32_t id[SOME];
    float value[SOME];
    size_t count = 0;
    const uint32_t *position = row->scratch + row->repeated;
    for (size_t i = 0; i < row->repeated;) {
        size_t start = i;
        uint32_t gram = row->scratch[start];
        while (i < row->repeated && row->scratch[i] == gram) i++;
        float once = row->gram_factor * encoder->features->idf[gram];
        id[count] = gram;
        value[count++] = row->value[position[start]] - (float)(i - start + 1) * once;
        if (count < SOME && i < row->repeated) continue;
        word_map_add_rows(&encoder->map, id, value, count, out, encoder->dim);
        count = 0;
    }
}

/* OUT = the vector of a sentence whose features are those of its words: their rows, and the sums of
 * their n-grams that the lexicon keeps. */
static void sum_word_vectors(const struct encoder *encoder, const struct feature_row *row,
                             float *out)
{
    enum { SOME = 64 };
    const float *sum[SOME];
    size_t tokens = row->grams.tokens.count,
           words = feature_row_position(row, encoder->features->first[GROUP_CHAR]);
    word_map_sum(&encoder->map, row->id, row->value, words, out, encoder->dim);
    for (size_t first = 0; first < tokens; first += SOME) {
        size_t here = tokens - first < SOME ? tokens - first : SOME;
        for (size_t i = 0; i < here; i++) sum[i] = row->word[first + i]->sum;
        vec_add_sum(out, row->gram_factor, sum, here, encoder->dim);
    }
    add_repeated(encoder, row, out);
}

int encoder_has_sums(const struct encoder *encoder)
{
    const struct lexicon *lexicon = encoder->features->lexicon;
    return lexicon && word_map_exists(&lexicon->map) && lexicon->map.rows == encoder->map.rows &&
           lexicon->map.codes == encoder->map.codes;
}

film_status encoder_read_words(const struct encoder *encoder, struct feature_row *row,
                               film_text text, float *out, film_error *error)
{
    film_status status = features_transform(encoder->features, row, text, error);
    if (status != FILM_OK || !word_map_exists(&encoder->map)) return status;
    if (row->is_plain && encoder_has_sums(encoder))
        sum_word_vectors(encoder, row, out);
    else
        word_map_sum(&encoder->map, row->id, row->value, row->count, out, encoder->dim);
    return FILM_OK;
}

enum {
    STRETCH = 256, /* sentences per chunk: enough to hide the cost of taking a chunk */
    BATCH = 4096   /* sentences that a network encodes at a time */
};

/* ---- On top of a network ---- */

/* OUT = M e. The order of additions is fixed, whatever else is embedded at the same time. */
static void map_vector(const struct encoder *encoder, const float *e, float *out)
{
    size_t dim = encoder->network_dim, inputs = encoder->network->dim;
    if (!encoder->network_map) {
        memcpy(out, e, dim * sizeof *out);
        return;
    }
    memset(out, 0, dim * sizeof *out);
    for (size_t i = 0; i < inputs; i++)
        vec_add_scaled(out, e[i], encoder->network_map + i * dim, dim);
}

static film_status map_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct vectors *vectors = user;
    const struct encoder *encoder = vectors->encoder;
    size_t inputs = encoder->network->dim, dim = encoder->network_dim, begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++)
            map_vector(encoder, vectors->in + i * inputs, vectors->out + i * dim);
    return FILM_OK;
}

static film_status embed_by_network(const struct encoder *encoder, const film_text *texts,
                                    size_t count, int threads, float *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t inputs = encoder->network->dim, batch = count < BATCH ? count : BATCH;
    float *vectors = mem_array(batch, inputs * sizeof *vectors);
    TRY_ALLOC(vectors, error);
    threads = threads_count(threads);
    for (size_t first = 0; first < count; first += batch) {
        size_t here = count - first < batch ? count - first : batch;
        struct vectors job = {
            .encoder = encoder, .in = vectors, .out = out + first * encoder->network_dim};
        TRY(network_encode(encoder->network, texts + first, here, threads, vectors, error));
        TRY(threads_for(threads, here, STRETCH, map_some, &job, error));
    }
done:
    mem_free(vectors);
    return status;
}

film_status encoder_expect(const struct encoder *encoder, const film_text *texts, size_t count,
                           int threads, film_error *error)
{
    if (!encoder->network || count == 0) return FILM_OK;
    float *vectors = mem_array(count, encoder->network->dim * sizeof *vectors);
    if (!vectors) return status_no_memory(error);
    film_status status = network_encode(encoder->network, texts, count, threads, vectors, error);
    mem_free(vectors);
    return status;
}

size_t encoder_expects(const struct encoder *encoder)
{
    return encoder->network ? encoder->network->room : SIZE_MAX;
}

/* ---- Either kind ---- */

film_status encoder_embed(const struct encoder *encoder, struct feature_row *row, film_text text,
                          float *out, film_error *error)
{
    return encoder->network ? embed_by_network(encoder, &text, 1, 1, out, error)
                            : encoder_read_words(encoder, row, text, out, error);
}

static film_status read_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct vectors *vectors = user;
    const struct encoder *encoder = vectors->encoder;
    struct feature_row row;
    film_status status = FILM_OK;
    size_t begin, end;
    TRY(feature_row_init(&row, encoder->features, error));
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++)
            TRY(encoder_read_words(encoder, &row, vectors->texts[i],
                                   vectors->out + i * encoder->dim, error));
done:
    feature_row_free(&row);
    return status;
}

film_status encoder_embed_all(const struct encoder *encoder, const film_text *texts, size_t count,
                              int threads, float *out, film_error *error)
{
    struct vectors job = {.encoder = encoder, .texts = texts, .out = out};
    if (encoder->network) return embed_by_network(encoder, texts, count, threads, out, error);
    return threads_for(threads_count(threads), count, STRETCH, read_some, &job, error);
}
