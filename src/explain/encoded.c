/* Explains the contribution of a BERT encoder to a pair: exactly where it is linear, by occlusion
 * (leaving words out) where it is not. It explains nothing inside a black box. */
#include "explain/encoded.h"
#include "base/mem.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* ---- Dimensions of the encoder ---- */

static void offer(struct encoded *encoded, film_encoder_share share)
{
    size_t at = encoded->count;
    while (at > 0 && fabs(encoded->list[at - 1].share) < fabs(share.share)) at--;
    if (at == ENCODED_MOST) return;
    if (encoded->count < ENCODED_MOST) encoded->count++;
    memmove(&encoded->list[at + 1], &encoded->list[at],
            (encoded->count - 1 - at) * sizeof *encoded->list);
    encoded->list[at] = share;
}

/* y_a . y_b = sum over i of e_a[i] (M_i . y_b), and the same from the other side; the share is the
 * mean of both. */
static film_status share_dimensions(struct encoded *encoded, const struct reading *reading,
                                    film_error *error)
{
    film_status status = FILM_OK;
    const struct encoder *encoder = reading->encoder;
    const struct reading_side *side = reading->side;
    size_t inputs = encoder->network->dim, dim = encoder->network_dim;
    film_text texts[2] = {side[0].text, side[1].text};
    float *e = mem_array(2 * inputs, sizeof *e);
    TRY_ALLOC(e, error);
    TRY(network_encode(encoder->network, texts, 2, 1, e, error));
    double factor = 0.5;
    if (encoder->similarity == FILM_COSINE) {
        double lengths = sqrt(vec_dot(side[0].encoded, side[0].encoded, dim) *
                              vec_dot(side[1].encoded, side[1].encoded, dim));
        factor = lengths > 0 ? 0.5 / lengths : 0;
    }
    for (size_t i = 0; i < inputs; i++) {
        const float *row = encoder->network_map + i * dim;
        double share = factor * ((double)e[i] * vec_dot(row, side[1].encoded, dim) +
                                 (double)e[inputs + i] * vec_dot(row, side[0].encoded, dim));
        encoded->sum += share;
        offer(encoded, (film_encoder_share){i, share});
    }
done:
    mem_free(e);
    return status;
}

/* ---- Occlusion ---- */

/* Returns TEXT without bytes START .. END. */
static film_text without(film_text text, size_t start, size_t end, char *to)
{
    if (start) memcpy(to, text.bytes, start);
    if (end < text.length) memcpy(to + start, text.bytes + end, text.length - end);
    return (film_text){to, text.length - (end - start)};
}

static film_status leave_out(struct words *words, const struct reading *reading, int sentence,
                             film_error *error)
{
    film_status status = FILM_OK;
    const struct encoder *encoder = reading->encoder;
    int a = reading->swapped ? 1 : 0, here = sentence ? !a : a;
    const struct reading_side *side = &reading->side[here];
    const float *other = reading->side[!here].encoded;
    film_word_share *list = words->list + words->first[sentence];
    size_t count = words->first[sentence + 1] - words->first[sentence], dim = encoder->network_dim;
    if (count > ENCODED_WORDS) count = ENCODED_WORDS;
    film_text texts[ENCODED_WORDS];
    char *bytes = mem_array(count, side->text.length + 1);
    float *vectors = mem_array(count, dim * sizeof *vectors);
    TRY_ALLOC(bytes && vectors, error);
    for (size_t i = 0; i < count; i++)
        texts[i] =
            without(side->text, list[i].start, list[i].end, bytes + i * (side->text.length + 1));
    TRY(encoder_embed_all(encoder, texts, count, 1, vectors, error));
    double similarity = encoder_similarity(encoder, side->encoded, other);
    for (size_t i = 0; i < count; i++)
        list[i].left_out = encoder_similarity(encoder, vectors + i * dim, other) - similarity;
done:
    mem_free(bytes);
    mem_free(vectors);
    return status;
}

film_status encoded_find(struct encoded *encoded, struct words *words,
                         const struct reading *reading, film_error *error)
{
    film_status status = FILM_OK;
    encoded->count = 0;
    encoded->sum = 0;
    if (!reading->encoder->network_map) return FILM_OK; /* a black box is not explained */
    TRY(share_dimensions(encoded, reading, error));
    for (int sentence = 0; sentence < 2; sentence++)
        TRY(leave_out(words, reading, sentence, error));
done:
    return status;
}
