/* Turns labels into triplets: clusters by union-find, then positives and labelled, hard and random
 * negatives of every anchor. Hard negatives come from the caller's neighbours; nothing is embedded
 * here. */
#include "learn/triplets.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/union_find.h"

#include <string.h>

void triplets_defaults(struct triplet_options *options)
{
    *options = (struct triplet_options){.positives = 5, .labelled = 5, .hard = 5, .random = 5};
}

void triplets_free(struct triplets *t)
{
    mem_free(t->anchor), mem_free(t->start), mem_free(t->similar), mem_free(t->dissimilar);
    *t = (struct triplets){0};
}

int triplets_valid(const struct triplets *t)
{
    for (size_t a = 0; a < t->anchors; a++) {
        uint32_t i = t->anchor[a];
        if (i >= t->sentences || t->start[a] >= t->start[a + 1]) return 0;
        if (a > 0 && t->anchor[a - 1] >= i) return 0;
        for (size_t q = t->start[a]; q < t->start[a + 1]; q++) {
            uint32_t j = t->similar[q], k = t->dissimilar[q];
            if (j >= t->sentences || k >= t->sentences || i == k || j == k) return 0;
        }
    }
    return t->anchors == 0 || (t->start[0] == 0 && t->start[t->anchors] == t->count);
}

/* ---- Lists: some ids for each of COUNT keys, in the order given (a CSR without values) ---- */

struct lists {
    size_t *start; /* count + 1 */
    uint32_t *item;
};

static void lists_free(struct lists *l)
{
    mem_free(l->start), mem_free(l->item);
}

/* Call lists_count for every entry, then lists_ready, then lists_put in order. While filling, the
 * starts are shifted by one, so that no second cursor array is needed. */
static film_status lists_init(struct lists *l, size_t count, film_error *error)
{
    *l = (struct lists){.start = mem_zeroed(count + 2, sizeof *l->start)};
    return l->start ? FILM_OK : status_no_memory(error);
}

static void lists_count(struct lists *l, uint32_t key)
{
    l->start[key + 2]++;
}

static film_status lists_ready(struct lists *l, size_t count, film_error *error)
{
    for (size_t i = 2; i < count + 2; i++) l->start[i] += l->start[i - 1];
    l->item = mem_array(l->start[count + 1], sizeof *l->item);
    return l->item ? FILM_OK : status_no_memory(error);
}

static void lists_put(struct lists *l, uint32_t key, uint32_t item)
{
    l->item[l->start[key + 1]++] = item;
}

static size_t lists_size(const struct lists *l, uint32_t key)
{
    return l->start[key + 1] - l->start[key];
}

static const uint32_t *lists_of(const struct lists *l, uint32_t key)
{
    return l->item + l->start[key];
}

/* ---- Drawing ---- */

struct maker {
    size_t sentences;
    const struct triplet_options *options;
    uint32_t *cluster;    /* sentence -> cluster; TRIPLETS_NONE: not labelled */
    struct lists members; /* cluster -> sentences */
    struct lists similar; /* sentence -> partners of its positive pairs; empty for categories */
    /* sentence -> partners of its negative pairs, without contradictions */
    struct lists different;
    uint32_t *drawable; /* labelled sentences, the source of random negatives */
    size_t drawables;
    uint32_t *positive, *negative; /* of the current anchor */
    size_t positives, negatives;
    uint32_t *pool; /* scratch for sampling without replacement */
    size_t pool_capacity;
    struct triplets *out;
    size_t anchor_capacity, start_capacity, similar_capacity, dissimilar_capacity;
};

static void maker_free(struct maker *m)
{
    lists_free(&m->members), lists_free(&m->similar), lists_free(&m->different);
    mem_free(m->cluster), mem_free(m->drawable), mem_free(m->pool);
    mem_free(m->positive), mem_free(m->negative);
}

/* Adds ID unless it is present or the list is full; returns 1 when added. Lists are short. */
static int add_new(uint32_t *list, size_t *count, size_t limit, uint32_t id)
{
    if (*count >= limit) return 0;
    for (size_t i = 0; i < *count; i++)
        if (list[i] == id) return 0;
    list[(*count)++] = id;
    return 1;
}

/* Fills LIST up to LIMIT from the pool (POOLED ids) by sampling without replacement. */
static void draw_from_pool(struct maker *m, struct rng *rng, size_t pooled, uint32_t *list,
                           size_t *count, size_t limit)
{
    for (size_t left = pooled; left > 0 && *count < limit; left--) {
        size_t at = (size_t)rng_below(rng, left);
        uint32_t id = m->pool[at];
        m->pool[at] = m->pool[left - 1];
        add_new(list, count, limit, id);
    }
}

static film_status draw_positives(struct maker *m, uint32_t anchor, struct rng *rng,
                                  film_error *error)
{
    size_t limit = m->options->positives, pooled = 0;
    uint32_t home = m->cluster[anchor];
    m->positives = 0;
    if (m->similar.start)
        for (size_t i = 0; i < lists_size(&m->similar, anchor); i++)
            if (lists_of(&m->similar, anchor)[i] != anchor)
                add_new(m->positive, &m->positives, limit, lists_of(&m->similar, anchor)[i]);
    if (m->positives >= limit) return FILM_OK;
    size_t size = lists_size(&m->members, home);
    if (!mem_grow((void **)&m->pool, &m->pool_capacity, size, sizeof *m->pool))
        return status_no_memory(error);
    for (size_t i = 0; i < size; i++)
        if (lists_of(&m->members, home)[i] != anchor)
            m->pool[pooled++] = lists_of(&m->members, home)[i];
    draw_from_pool(m, rng, pooled, m->positive, &m->positives, limit);
    if (m->positives == 0 && limit > 0 && m->options->alone) m->positive[m->positives++] = anchor;
    return FILM_OK;
}

/* The partners of negative pairs, then the other members of their clusters. */
static film_status draw_labelled(struct maker *m, uint32_t anchor, struct rng *rng,
                                 film_error *error)
{
    size_t pooled = 0, limit = m->options->labelled;
    if (!m->different.start) return FILM_OK;
    size_t partners = lists_size(&m->different, anchor);
    const uint32_t *partner = lists_of(&m->different, anchor);
    for (size_t i = 0; i < partners; i++) add_new(m->negative, &m->negatives, limit, partner[i]);
    for (size_t i = 0; i < partners && m->negatives < limit; i++) {
        uint32_t there = m->cluster[partner[i]];
        size_t size = lists_size(&m->members, there);
        if (!mem_grow((void **)&m->pool, &m->pool_capacity, pooled + size, sizeof *m->pool))
            return status_no_memory(error);
        memcpy(m->pool + pooled, lists_of(&m->members, there), size * sizeof *m->pool);
        pooled += size;
    }
    draw_from_pool(m, rng, pooled, m->negative, &m->negatives, limit);
    m->out->labelled += m->negatives;
    return FILM_OK;
}

static void draw_hard(struct maker *m, uint32_t anchor)
{
    const struct triplet_options *o = m->options;
    size_t before = m->negatives, limit = before + o->hard, skip = o->hard_skip;
    if (!o->neighbours) return;
    const uint32_t *near = o->neighbours + anchor * o->neighbour_width;
    for (size_t i = 0; i < o->neighbour_width && m->negatives < limit; i++) {
        uint32_t id = near[i];
        if (id >= m->sentences || id == anchor || m->cluster[id] == TRIPLETS_NONE ||
            m->cluster[id] == m->cluster[anchor])
            continue;
        if (skip > 0)
            skip--;
        else
            add_new(m->negative, &m->negatives, limit, id);
    }
    m->out->hard += m->negatives - before;
}

/* Draws random negatives. With few clusters a draw may hit the own cluster; we give up after some
 * tries rather than list the complement. */
static void draw_random(struct maker *m, uint32_t anchor, struct rng *rng)
{
    size_t before = m->negatives, limit = before + m->options->random;
    for (size_t tries = 4 * m->options->random + 16; tries > 0 && m->negatives < limit; tries--) {
        uint32_t id = m->drawable[rng_below(rng, m->drawables)];
        if (m->cluster[id] != m->cluster[anchor]) add_new(m->negative, &m->negatives, limit, id);
    }
    m->out->random += m->negatives - before;
}

static film_status emit(struct maker *m, uint32_t anchor, film_error *error)
{
    struct triplets *t = m->out;
    size_t more = m->positives > m->negatives ? m->positives : m->negatives;
    if (!mem_grow((void **)&t->anchor, &m->anchor_capacity, t->anchors + 1, sizeof *t->anchor) ||
        !mem_grow((void **)&t->start, &m->start_capacity, t->anchors + 2, sizeof *t->start) ||
        !mem_grow((void **)&t->similar, &m->similar_capacity, t->count + more,
                  sizeof *t->similar) ||
        !mem_grow((void **)&t->dissimilar, &m->dissimilar_capacity, t->count + more,
                  sizeof *t->dissimilar))
        return status_no_memory(error);
    t->anchor[t->anchors] = anchor;
    t->start[t->anchors++] = t->count;
    for (size_t q = 0; q < more; q++) {
        t->similar[t->count] = m->positive[q % m->positives];
        t->dissimilar[t->count++] = m->negative[q % m->negatives];
    }
    t->start[t->anchors] = t->count;
    return FILM_OK;
}

static film_status draw_anchor(struct maker *m, uint32_t anchor, film_error *error)
{
    film_status status = FILM_OK;
    struct rng rng;
    rng_seed_part(&rng, m->options->seed, anchor);
    TRY(draw_positives(m, anchor, &rng, error));
    if (m->positives == 0) {
        m->out->without_positive++;
        goto done;
    }
    m->negatives = 0;
    TRY(draw_labelled(m, anchor, &rng, error));
    draw_hard(m, anchor);
    draw_random(m, anchor, &rng);
    if (m->negatives > 0)
        TRY(emit(m, anchor, error));
    else
        m->out->without_negative++;
done:
    return status;
}

/* Lists the members of every cluster and the labelled sentences, then draws for all anchors. */
static film_status draw_all(struct maker *m, size_t clusters, film_error *error)
{
    film_status status = FILM_OK;
    const struct triplet_options *o = m->options;
    size_t negatives = o->labelled + o->hard + o->random;
    TRY(lists_init(&m->members, clusters, error));
    TRY_ALLOC(m->drawable = mem_array(m->sentences, sizeof *m->drawable), error);
    for (uint32_t i = 0; i < m->sentences; i++) {
        if (m->cluster[i] == TRIPLETS_NONE) continue;
        lists_count(&m->members, m->cluster[i]);
        m->drawable[m->drawables++] = i;
    }
    TRY(lists_ready(&m->members, clusters, error));
    for (size_t i = 0; i < m->drawables; i++)
        lists_put(&m->members, m->cluster[m->drawable[i]], m->drawable[i]);
    for (uint32_t c = 0; c < clusters; c++) {
        size_t size = lists_size(&m->members, c);
        m->out->clusters += size > 1;
        if (size > m->out->largest) m->out->largest = size;
    }
    TRY_ALLOC(m->positive = mem_array(o->positives, sizeof *m->positive), error);
    TRY_ALLOC(m->negative = mem_array(negatives, sizeof *m->negative), error);
    for (size_t i = 0; i < m->drawables; i++) TRY(draw_anchor(m, m->drawable[i], error));
done:
    return status;
}

/* ---- The three kinds of labels ---- */

/* Clusters from the positive pairs; a sentence in no pair stays unlabelled. */
static film_status cluster_pairs(struct maker *m, const struct triplet_pair *pairs, size_t count,
                                 film_error *error)
{
    film_status status = FILM_OK;
    struct union_find sets;
    TRY(union_find_init(&sets, m->sentences, error));
    TRY_ALLOC(m->cluster = mem_array(m->sentences, sizeof *m->cluster), error);
    memset(m->cluster, 0xff, m->sentences * sizeof *m->cluster);
    for (size_t i = 0; i < count; i++)
        if (pairs[i].same) union_find_join(&sets, pairs[i].a, pairs[i].b);
    for (size_t i = 0; i < count; i++) {
        m->cluster[pairs[i].a] = union_find_root(&sets, pairs[i].a);
        m->cluster[pairs[i].b] = union_find_root(&sets, pairs[i].b);
    }
done:
    union_find_free(&sets);
    return status;
}

/* Lists positive and negative partners by sentence; contradictions are only counted. */
static film_status partner_lists(struct maker *m, const struct triplet_pair *pairs, size_t count,
                                 film_error *error)
{
    film_status status = FILM_OK;
    TRY(lists_init(&m->similar, m->sentences, error));
    TRY(lists_init(&m->different, m->sentences, error));
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < count; i++) {
            struct triplet_pair p = pairs[i];
            struct lists *l = p.same ? &m->similar : &m->different;
            if (!p.same && m->cluster[p.a] == m->cluster[p.b]) {
                m->out->contradictions += (size_t)fill;
                continue;
            }
            if (fill)
                lists_put(l, p.a, p.b), lists_put(l, p.b, p.a);
            else
                lists_count(l, p.a), lists_count(l, p.b);
        }
        if (fill) break;
        TRY(lists_ready(&m->similar, m->sentences, error));
        TRY(lists_ready(&m->different, m->sentences, error));
    }
done:
    return status;
}

film_status triplets_from_pairs(size_t sentences, const struct triplet_pair *pairs, size_t count,
                                const struct triplet_options *options, struct triplets *out,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct maker m = {.sentences = sentences, .options = options, .out = out};
    *out = (struct triplets){.sentences = sentences};
    for (size_t i = 0; i < count; i++)
        if (pairs[i].a >= sentences || pairs[i].b >= sentences || pairs[i].same > 1)
            TRY(status_set(error, FILM_USAGE,
                           "pair %zu (%u, %u, %u): ids must be below %zu and labels 0 or 1", i,
                           pairs[i].a, pairs[i].b, pairs[i].same, sentences));
    TRY(cluster_pairs(&m, pairs, count, error));
    TRY(partner_lists(&m, pairs, count, error));
    TRY(draw_all(&m, sentences, error)); /* a cluster's id is its smallest member */
done:
    maker_free(&m);
    if (status != FILM_OK) triplets_free(out);
    return status;
}

film_status triplets_from_categories(size_t sentences, const uint32_t *category,
                                     const struct triplet_options *options, struct triplets *out,
                                     film_error *error)
{
    film_status status = FILM_OK;
    struct maker m = {.sentences = sentences, .options = options, .out = out};
    size_t clusters = 0;
    *out = (struct triplets){.sentences = sentences};
    TRY_ALLOC(m.cluster = mem_array(sentences, sizeof *m.cluster), error);
    for (size_t i = 0; i < sentences; i++) {
        m.cluster[i] = category[i];
        if (category[i] != TRIPLETS_NONE && category[i] >= clusters)
            clusters = (size_t)category[i] + 1;
    }
    TRY(draw_all(&m, clusters, error));
done:
    maker_free(&m);
    if (status != FILM_OK) triplets_free(out);
    return status;
}

film_status triplets_from_triplets(size_t sentences, const uint32_t (*rows)[3], size_t count,
                                   struct triplets *out, film_error *error)
{
    film_status status = FILM_OK;
    struct lists by_anchor = {0};
    *out = (struct triplets){.sentences = sentences};
    if (count > UINT32_MAX || sentences > UINT32_MAX - 1)
        TRY(status_set(error, FILM_USAGE, "%zu triplets of %zu sentences are too many", count,
                       sentences));
    TRY(lists_init(&by_anchor, sentences, error));
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < count; i++) {
            uint32_t a = rows[i][0], j = rows[i][1], k = rows[i][2];
            if (a >= sentences || j >= sentences || k >= sentences)
                TRY(status_set(error, FILM_USAGE, "triplet %zu (%u, %u, %u): ids must be below %zu",
                               i, a, j, k, sentences));
            if (a == j || a == k || j == k)
                out->contradictions += (size_t)fill;
            else if (fill)
                lists_put(&by_anchor, a, (uint32_t)i);
            else
                lists_count(&by_anchor, a);
        }
        if (!fill) TRY(lists_ready(&by_anchor, sentences, error));
    }
    size_t kept = by_anchor.start[sentences];
    for (uint32_t i = 0; i < sentences; i++) out->anchors += lists_size(&by_anchor, i) > 0;
    TRY_ALLOC(out->anchor = mem_array(out->anchors, sizeof *out->anchor), error);
    TRY_ALLOC(out->start = mem_zeroed(out->anchors + 1, sizeof *out->start), error);
    TRY_ALLOC(out->similar = mem_array(kept, sizeof *out->similar), error);
    TRY_ALLOC(out->dissimilar = mem_array(kept, sizeof *out->dissimilar), error);
    size_t a = 0;
    for (uint32_t i = 0; i < sentences; i++) {
        if (lists_size(&by_anchor, i) == 0) continue;
        out->anchor[a] = i;
        out->start[++a] = by_anchor.start[i + 1];
    }
    for (size_t q = 0; q < kept; q++) {
        out->similar[q] = rows[by_anchor.item[q]][1];
        out->dissimilar[q] = rows[by_anchor.item[q]][2];
    }
    out->count = kept;
done:
    lists_free(&by_anchor);
    if (status != FILM_OK) triplets_free(out);
    return status;
}
