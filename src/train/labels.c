#include "train/labels.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

enum { DRAWN_PAIRS = 20000 }; /* enough for a threshold: its accuracy is known to half a per cent */

void labelled_pairs_free(struct labelled_pairs *pairs)
{
    mem_free(pairs->a);
    mem_free(pairs->b);
    mem_free(pairs->target);
    memset(pairs, 0, sizeof *pairs);
}

static void add(struct labelled_pairs *pairs, uint32_t a, uint32_t b, float target)
{
    pairs->a[pairs->count] = a;
    pairs->b[pairs->count] = b;
    pairs->target[pairs->count++] = target;
}

static void take_scores(const struct corpus *corpus, struct labelled_pairs *out)
{
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < corpus->rows; i++) {
        low = fminf(low, corpus->label[i]);
        high = fmaxf(high, corpus->label[i]);
    }
    float range = high > low ? high - low : 1.0f;
    for (size_t i = 0; i < corpus->rows; i++)
        add(out, corpus->a[i], corpus->b[i], (corpus->label[i] - low) / range);
}

static void draw_categories(const struct corpus *corpus, struct rng *rng, size_t wanted,
                            struct labelled_pairs *out)
{
    size_t same = 0, different = 0;
    /* Rows of one category usually stand together: half of the draws look close by. */
    for (size_t tries = 0; tries < 40 * wanted && same + different < wanted; tries++) {
        size_t i = rng_below(rng, corpus->rows), j = rng_below(rng, corpus->rows);
        if (tries % 2) j = (i + 1 + rng_below(rng, 50)) % corpus->rows;
        if (corpus->a[i] == corpus->a[j]) continue;
        int match = corpus->category[i] == corpus->category[j];
        if ((match ? same : different) >= wanted / 2) continue;
        *(match ? &same : &different) += 1;
        add(out, corpus->a[i], corpus->a[j], match ? 1.0f : 0.0f);
    }
}

static void draw_blind(const struct corpus *corpus, struct rng *rng, size_t wanted,
                       struct labelled_pairs *out)
{
    for (size_t tries = 0; tries < 4 * wanted && out->count < wanted; tries++) {
        uint32_t a = (uint32_t)rng_below(rng, corpus->sentences.count);
        uint32_t b = (uint32_t)rng_below(rng, corpus->sentences.count);
        if (a != b) add(out, a, b, 0.0f);
    }
}

film_status labels_to_pairs(const struct corpus *corpus, uint64_t seed, struct labelled_pairs *out,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct rng rng;
    size_t room = 2 * corpus->rows > DRAWN_PAIRS ? 2 * corpus->rows : DRAWN_PAIRS;
    memset(out, 0, sizeof *out);
    rng_seed(&rng, seed);
    TRY_ALLOC((out->a = mem_array(room, sizeof *out->a)) &&
                  (out->b = mem_array(room, sizeof *out->b)) &&
                  (out->target = mem_array(room, sizeof *out->target)),
              error);
    switch (corpus->labels) {
    case FILM_LABELS_PAIRS:
        for (size_t i = 0; i < corpus->rows; i++)
            add(out, corpus->a[i], corpus->b[i], corpus->label[i]);
        break;
    case FILM_LABELS_SCORES:
        take_scores(corpus, out);
        break;
    case FILM_LABELS_TRIPLETS:
        for (size_t i = 0; i < corpus->rows; i++) {
            add(out, corpus->a[i], corpus->b[i], 1.0f);
            add(out, corpus->a[i], corpus->c[i], 0.0f);
        }
        break;
    case FILM_LABELS_CATEGORIES:
        draw_categories(corpus, &rng, DRAWN_PAIRS, out);
        break;
    default:
        draw_blind(corpus, &rng, DRAWN_PAIRS, out);
    }
done:
    if (status != FILM_OK) labelled_pairs_free(out);
    return status;
}

film_status labels_similarities(const struct corpus *corpus, const struct labelled_pairs *pairs,
                                const struct encoder *encoder, int threads, float *out,
                                film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = encoder->dim, sentences = corpus->sentences.count;
    float *vectors = NULL;
    film_text *texts = mem_array(sentences, sizeof *texts);
    TRY_ALLOC(texts, error);
    TRY_ALLOC(vectors = mem_array(sentences * dim, sizeof *vectors), error);
    for (uint32_t i = 0; i < sentences; i++) texts[i] = strtab_get(&corpus->sentences, i);
    TRY(encoder_embed_all(encoder, texts, sentences, threads, vectors, error));
    threads = threads_use(threads);
#pragma omp parallel for num_threads(threads)
    for (size_t i = 0; i < pairs->count; i++) {
        const float *a = vectors + pairs->a[i] * dim, *b = vectors + pairs->b[i] * dim;
        out[i] = (float)encoder_similarity(encoder, a, b);
    }
done:
    mem_free(texts);
    mem_free(vectors);
    return status;
}
