/* Clusters duplicates by union-find and draws the pairs of an epoch and their labelled negatives at
 * random. It computes no vectors. */
#include "learn/rank_draw.h"
#include "base/mem.h"
#include "base/union_find.h"

#include <string.h>

/* ---- Labels ---- */

static film_status check_pairs(const struct rank_pair *pairs, size_t count, size_t sentences,
                               const char *kind, film_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].a >= sentences || pairs[i].b >= sentences)
            return status_set(error, FILM_USAGE,
                              "%s pair %zu: sentence out of range; there are %zu sentences", kind,
                              i, sentences);
    return FILM_OK;
}

static film_status cluster_sentences(struct rank_draw *draw, const struct rank_labels *labels,
                                     film_error *error)
{
    film_status status = FILM_OK;
    struct union_find sets = {0};
    TRY_ALLOC(draw->pairs = mem_array(labels->positives, sizeof *draw->pairs), error);
    TRY_ALLOC(draw->cluster = mem_array(draw->sentences, sizeof *draw->cluster), error);
    TRY(union_find_init(&sets, draw->sentences, error));
    for (size_t i = 0; i < labels->positives; i++) {
        struct rank_pair pair = labels->positive[i];
        if (pair.a == pair.b) continue; /* nothing to learn from such a pair */
        union_find_join(&sets, pair.a, pair.b);
        draw->pairs[draw->pair_count++] = pair;
    }
    for (uint32_t s = 0; s < draw->sentences; s++) draw->cluster[s] = union_find_root(&sets, s);
    for (uint32_t s = 0; s < draw->sentences; s++) draw->clusters += draw->cluster[s] == s;
done:
    union_find_free(&sets);
    return status;
}

/* Lists the labelled negatives of every sentence, in the order of the file. */
static film_status list_negatives(struct rank_draw *draw, const struct rank_labels *labels,
                                  film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(draw->negative = mem_zeroed(draw->sentences + 2, sizeof *draw->negative), error);
    TRY_ALLOC(draw->negative_of = mem_array(labels->negatives, 2 * sizeof *draw->negative_of),
              error);
    TRY_ALLOC(draw->opposed = mem_array(labels->negatives, sizeof *draw->opposed), error);
    size_t *place = draw->negative + 1; /* counts, then positions; finally shifted by one */
    for (size_t i = 0; i < labels->negatives; i++) {
        struct rank_pair pair = labels->negative[i];
        if (draw->cluster[pair.a] == draw->cluster[pair.b]) {
            draw->contradictions++;
            continue;
        }
        draw->opposed[draw->opposed_count++] = pair;
        place[pair.a + 1]++;
        place[pair.b + 1]++;
    }
    for (size_t s = 0; s < draw->sentences; s++) place[s + 1] += place[s];
    for (size_t i = 0; i < labels->negatives; i++) {
        struct rank_pair pair = labels->negative[i];
        if (draw->cluster[pair.a] == draw->cluster[pair.b]) continue;
        draw->negative_of[place[pair.a]++] = pair.b;
        draw->negative_of[place[pair.b]++] = pair.a;
    }
done:
    return status;
}

film_status rank_draw_init(struct rank_draw *draw, size_t sentences,
                           const struct rank_labels *labels, uint64_t seed, film_error *error)
{
    film_status status = FILM_OK;
    *draw = (struct rank_draw){.sentences = sentences};
    rng_seed(&draw->rng, seed);
    TRY(check_pairs(labels->positive, labels->positives, sentences, "positive", error));
    TRY(check_pairs(labels->negative, labels->negatives, sentences, "negative", error));
    TRY(cluster_sentences(draw, labels, error));
    TRY(list_negatives(draw, labels, error));
    if (draw->pair_count == 0)
        TRY(status_set(error, FILM_USAGE,
                       "no positive pairs; add pairs labelled the same, or use method svd"));
done:
    if (status != FILM_OK) rank_draw_free(draw);
    return status;
}

void rank_draw_free(struct rank_draw *draw)
{
    mem_free(draw->pairs);
    mem_free(draw->opposed);
    mem_free(draw->cluster);
    mem_free(draw->negative);
    mem_free(draw->negative_of);
    memset(draw, 0, sizeof *draw);
}

/* ---- Batches ---- */

static void shuffle(struct rank_pair *pairs, size_t count, struct rng *rng)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = rng_below(rng, i);
        struct rank_pair pair = pairs[j];
        pairs[j] = pairs[i - 1];
        pairs[i - 1] = rng_next(rng) & 1 ? pair : (struct rank_pair){pair.b, pair.a};
    }
}

void rank_draw_shuffle(struct rank_draw *draw)
{
    shuffle(draw->pairs, draw->pair_count, &draw->rng);
}

/* The next labelled negative pair; reshuffles all of them when they are used up. */
static struct rank_pair next_opposed(struct rank_draw *draw)
{
    if (draw->opposed_next == 0) shuffle(draw->opposed, draw->opposed_count, &draw->rng);
    struct rank_pair pair = draw->opposed[draw->opposed_next++];
    if (draw->opposed_next == draw->opposed_count) draw->opposed_next = 0;
    return pair;
}

static uint32_t labelled_negative(struct rank_draw *draw, uint32_t sentence)
{
    size_t start = draw->negative[sentence], count = draw->negative[sentence + 1] - start;
    return count ? draw->negative_of[start + rng_below(&draw->rng, count)] : UINT32_MAX;
}

/* A hard candidate for PAIR: a labelled negative of one of its sentences, or UINT32_MAX. */
static uint32_t hard_candidate(struct rank_draw *draw, struct rank_pair pair)
{
    uint32_t labelled = labelled_negative(draw, pair.a);
    if (labelled == UINT32_MAX) labelled = labelled_negative(draw, pair.b);
    draw->labelled_drawn += labelled != UINT32_MAX;
    return labelled;
}

void rank_draw_batch(struct rank_draw *draw, size_t first, size_t pairs, size_t hard,
                     size_t opposed, struct rank_rows *out)
{
    size_t at = 2 * pairs;
    for (size_t i = 0; i < pairs; i++) {
        out->row[i] = draw->pairs[first + i].a;
        out->row[pairs + i] = draw->pairs[first + i].b;
    }
    for (size_t i = 0; i < pairs; i++)
        for (size_t slot = 0; slot < hard; slot++) {
            uint32_t found = hard_candidate(draw, draw->pairs[first + i]);
            if (found != UINT32_MAX) out->row[at++] = found;
        }
    out->pairs = pairs;
    out->hard = at - 2 * pairs;
    out->opposed = draw->opposed_count ? opposed : 0;
    for (size_t i = 0; i < out->opposed; i++) {
        struct rank_pair pair = next_opposed(draw);
        out->row[at++] = pair.a;
        out->row[at++] = pair.b;
    }
}
