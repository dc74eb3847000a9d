#include "learn/rank_draw.h"
#include "base/mem.h"
#include "base/union_find.h"
#include "embed/vec.h"

#include <string.h>

/* ---- Labels ---- */

static film_status check_pairs(const struct rank_pair *pairs, size_t count, size_t sentences,
                               const char *kind, film_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].a >= sentences || pairs[i].b >= sentences)
            return status_set(error, FILM_USAGE, "%s pair %zu names a sentence beyond the %zu",
                              kind, i, sentences);
    return FILM_OK;
}

static film_status find_clusters(struct rank_draw *draw, const struct rank_labels *labels,
                                 film_error *error)
{
    film_status status = FILM_OK;
    struct union_find sets = {0};
    TRY_ALLOC(draw->pairs = mem_array(labels->positives, sizeof *draw->pairs), error);
    TRY_ALLOC(draw->cluster = mem_array(draw->sentences, sizeof *draw->cluster), error);
    TRY(union_find_init(&sets, draw->sentences, error));
    for (size_t i = 0; i < labels->positives; i++) {
        struct rank_pair pair = labels->positive[i];
        if (pair.a == pair.b)
            continue; /* nothing to learn from, and no other may be its negative */
        union_find_join(&sets, pair.a, pair.b);
        draw->pairs[draw->pair_count++] = pair;
    }
    for (uint32_t s = 0; s < draw->sentences; s++) draw->cluster[s] = union_find_root(&sets, s);
    for (uint32_t s = 0; s < draw->sentences; s++) draw->clusters += draw->cluster[s] == s;
done:
    union_find_free(&sets);
    return status;
}

/* The labelled negatives of every sentence, in the order of the file. */
static film_status list_negatives(struct rank_draw *draw, const struct rank_labels *labels,
                                  film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(draw->negative = mem_zeroed(draw->sentences + 2, sizeof *draw->negative), error);
    TRY_ALLOC(draw->negative_of = mem_array(labels->negatives, 2 * sizeof *draw->negative_of),
              error);
    TRY_ALLOC(draw->opposed = mem_array(labels->negatives, sizeof *draw->opposed), error);
    size_t *place = draw->negative + 1; /* counts, then places; shifted by one in the end */
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
    TRY(find_clusters(draw, labels, error));
    TRY(list_negatives(draw, labels, error));
    if (draw->pair_count == 0)
        TRY(status_set(error, FILM_USAGE,
                       "no positive pairs: the ranking objective needs sentences that mean the "
                       "same"));
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
    mem_free(draw->mined);
    csr_free(&draw->features);
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

/* The next labelled negative pair; all of them in a new order when they are used up. */
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

/* A hard candidate for PAIR; slots of odd number take a mined one first. */
static uint32_t hard_candidate(struct rank_draw *draw, struct rank_pair pair, size_t slot)
{
    uint32_t labelled = labelled_negative(draw, pair.a);
    if (labelled == UINT32_MAX) labelled = labelled_negative(draw, pair.b);
    uint32_t mined = draw->mined ? draw->mined[pair.a] : UINT32_MAX;
    if (mined != UINT32_MAX && (slot % 2 || labelled == UINT32_MAX)) {
        draw->mined_drawn++;
        return mined;
    }
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
            uint32_t found = hard_candidate(draw, draw->pairs[first + i], slot + i);
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

/* ---- Mining ---- */

enum {
    HEAVIEST = 4,  /* features of a sentence that candidates are looked up by */
    STRETCH = 1024 /* sentences of each process whose vectors are computed at a time */
};

/* The places of a row's heaviest entries; returns how many. */
static size_t heaviest(const struct csr *x, size_t row, size_t place[HEAVIEST])
{
    size_t count = 0;
    for (size_t k = x->start[row]; k < x->start[row + 1]; k++) {
        size_t at = count < HEAVIEST ? count++ : HEAVIEST;
        for (; at > 0 && x->val[k] > x->val[place[at - 1]]; at--)
            if (at < HEAVIEST) place[at] = place[at - 1];
        if (at < HEAVIEST) place[at] = k;
    }
    return count;
}

/* What mining looks at: the sentences of this process. */
struct mine {
    const struct csr *x;
    size_t first;   /* number of the first sentence */
    const float *y; /* sentences x dim, of length 1 */
    size_t dim, tries;
};

static uint32_t nearest_of_some(const struct rank_draw *draw, const struct mine *mine,
                                size_t sentence, struct rng *rng)
{
    const struct csr *x = mine->x;
    const uint32_t *cluster = draw->cluster + mine->first;
    size_t place[HEAVIEST], count = heaviest(x, sentence, place);
    uint32_t best = UINT32_MAX;
    double best_cosine = -2.0;
    for (size_t i = 0; i < mine->tries && count; i++) {
        size_t f = x->col[place[i % count]], start = draw->features.start[f];
        size_t other = start + rng_below(rng, draw->features.start[f + 1] - start);
        uint32_t found = draw->features.col[other];
        if (cluster[found] == cluster[sentence]) continue;
        double cosine =
            vec_dot(mine->y + sentence * mine->dim, mine->y + found * mine->dim, mine->dim);
        if (cosine <= best_cosine) continue;
        best = (uint32_t)mine->first + found;
        best_cosine = cosine;
    }
    return best;
}

/* The sentences FIRST .. FIRST + STRETCH of every process, of those it has: *COUNT to ROWS, and of each how
 * many, in OF. */
static void next_stretch(const struct rank_fetch *fetch, size_t first, uint32_t *rows,
                         size_t *count, size_t *of)
{
    *count = 0;
    for (int i = 0; i < fetch->comm->size; i++) {
        size_t begin = fetch->first[i] + first, end = begin + STRETCH;
        if (end > fetch->first[i + 1]) end = fetch->first[i + 1];
        of[i] = begin < end ? end - begin : 0;
        for (size_t row = begin; row < end; row++) rows[(*count)++] = (uint32_t)row;
    }
}

/* y (own sentences x all columns) = vectors of length 1. All processes go through a stretch of each one's
 * sentences at a time, compute their columns and hand them to whose they are. */
static film_status embed_own(const struct rank_map *map, const struct csr *x,
                             struct rank_fetch *fetch, int threads, float *y, film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)map->comm->size, most = 0, d = map->all_dim, count;
    int rank = map->comm->rank;
    uint32_t *rows = mem_array(processes * STRETCH, sizeof *rows);
    float *out = mem_array(processes * STRETCH * map->dim, sizeof *out);
    float *in = mem_array(STRETCH * d, sizeof *in);
    size_t *of = mem_array(3 * processes, sizeof *of);
    TRY_ALLOC(rows && out && in && of, error);
    size_t *out_sizes = of + processes, *in_sizes = of + 2 * processes;
    for (size_t i = 0; i < processes; i++) {
        size_t has = fetch->first[i + 1] - fetch->first[i];
        if (has > most) most = has;
    }
    for (size_t first = 0; first < most; first += STRETCH) {
        next_stretch(fetch, first, rows, &count, of);
        TRY(rank_fetch_rows(fetch, x, rows, count, (struct rank_dropout){0}, threads, error));
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
        for (size_t i = 0; i < count; i++)
            rank_map_project(map, fetch->col + fetch->start[i], fetch->val + fetch->start[i],
                             fetch->start[i + 1] - fetch->start[i], out + i * map->dim);
        for (size_t i = 0; i < processes; i++) {
            out_sizes[i] = of[i] * map->dim * sizeof *out;
            in_sizes[i] = of[rank] * rank_map_dim(map, (int)i) * sizeof *in;
        }
        TRY(comm_exchange(map->comm, out, out_sizes, in, in_sizes, error));
        if (of[rank]) rank_map_join(map, in, of[rank], threads, y + first * d);
    }
    for (size_t i = 0; i < x->rows; i++) vec_normalise(y + i * d, d);
done:
    mem_free(rows);
    mem_free(out);
    mem_free(in);
    mem_free(of);
    return status;
}

film_status rank_draw_mine(struct rank_draw *draw, const struct csr *x, const struct rank_map *map,
                           size_t tries, uint64_t seed, int threads, film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)map->comm->size, elements;
    struct rank_fetch fetch = {0};
    uint32_t *own = NULL;
    float *y = NULL;
    if (!draw->features.start) TRY(csr_transpose(x, threads, &draw->features, error));
    if (!draw->mined)
        TRY_ALLOC(draw->mined = mem_array(draw->sentences, sizeof *draw->mined), error);
    TRY_ALLOC(!__builtin_mul_overflow(x->rows, map->all_dim, &elements) &&
                  (y = mem_array(elements, sizeof *y)) && (own = mem_array(x->rows, sizeof *own)),
              error);
    TRY(rank_fetch_init(&fetch, map->comm, processes * STRETCH, error));
    TRY(rank_fetch_number(&fetch, x->rows, error));
    TRY(embed_own(map, x, &fetch, threads, y, error));
    struct mine mine = {x, fetch.first[map->comm->rank], y, map->all_dim, tries};
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (size_t s = 0; s < x->rows; s++) {
        struct rng rng;
        rng_seed_part(&rng, seed, mine.first + s);
        own[s] = nearest_of_some(draw, &mine, s, &rng);
    }
    for (size_t i = 0; i < processes; i++)
        fetch.sizes[i] = (fetch.first[i + 1] - fetch.first[i]) * sizeof *own;
    TRY(comm_gather(map->comm, own, draw->mined, fetch.sizes, error));
done:
    rank_fetch_free(&fetch);
    mem_free(own);
    mem_free(y);
    return status;
}
