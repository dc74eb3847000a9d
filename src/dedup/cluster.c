/* Average-linkage clustering: pairs by decreasing probability, merged if the mean between two
 * clusters reaches the threshold. Unlike single linkage, it does not chain. It knows items, not
 * texts. */
#include "dedup/cluster.h"
#include "base/sort.h"
#include "base/keytab.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/union_find.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

/* A pair to try, and its connected component. */
struct edge {
    uint32_t part, a, b;
    float probability;
};

/* A connected component: its edges are edge[first .. last). */
struct component_span {
    uint32_t root, size;
    size_t first, last;
};

/* Clusters as linked lists: root[i] is a member, the same for all members. */
struct clustering {
    const struct cluster_problem *problem;
    uint32_t *root, *next, *tail, *size; /* next: NONE at the end; tail, size: by root */
    uint64_t *apart_start;               /* by item: the items labelled different from it */
    uint32_t *apart;
    struct edge *edges;
    size_t edge_count;
    struct component_span *parts;
    size_t part_count;
    uint64_t demanded, contradictions;
    size_t done; /* edges processed */
};

/* Scores computed on demand in one component, so that none is computed twice. */
struct demand {
    int thread;
    struct keytab keys; /* a << 32 | b; created on first use */
    float *value;
    size_t capacity;
    size_t count;
};

static void clustering_free(struct clustering *work)
{
    mem_free(work->root);
    mem_free(work->next);
    mem_free(work->tail);
    mem_free(work->size);
    mem_free(work->apart_start);
    mem_free(work->apart);
    mem_free(work->edges);
    mem_free(work->parts);
}

/* ---- Labels ---- */

static film_status list_apart(struct clustering *work, film_error *error)
{
    film_status status = FILM_OK;
    const struct cluster_problem *problem = work->problem;
    size_t items = problem->pairs->count;
    TRY_ALLOC(work->apart_start = mem_zeroed(items + 2, sizeof *work->apart_start), error);
    uint64_t *start = work->apart_start;
    for (size_t i = 0; i < problem->label_count; i++) {
        if (problem->labels[i].same) continue;
        start[problem->labels[i].a + 2]++;
        start[problem->labels[i].b + 2]++;
    }
    for (size_t i = 2; i < items + 2; i++) start[i] += start[i - 1];
    TRY_ALLOC(work->apart = mem_array((size_t)start[items + 1], sizeof *work->apart), error);
    for (size_t i = 0; i < problem->label_count; i++) {
        const struct record_set_label *label = &problem->labels[i];
        if (label->same) continue;
        work->apart[start[label->a + 1]++] = label->b;
        work->apart[start[label->b + 1]++] = label->a;
    }
done:
    return status;
}

/* Returns whether a label "different" separates the two clusters. */
static int kept_apart(const struct clustering *work, uint32_t a, uint32_t b)
{
    uint32_t fewer = work->size[a] < work->size[b] ? a : b, other = fewer == a ? b : a;
    for (uint32_t i = fewer; i != NONE; i = work->next[i])
        for (uint64_t at = work->apart_start[i]; at < work->apart_start[i + 1]; at++)
            if (work->root[work->apart[at]] == other) return 1;
    return 0;
}

/* ---- Merging ---- */

/* The list of a root starts with the root. Of equal sizes, the smaller item stays root. */
static void join(struct clustering *work, uint32_t a, uint32_t b)
{
    int keep_a = work->size[a] != work->size[b] ? work->size[a] > work->size[b] : a < b;
    uint32_t kept = keep_a ? a : b, gone = keep_a ? b : a;
    for (uint32_t i = gone; i != NONE; i = work->next[i]) work->root[i] = kept;
    work->next[work->tail[kept]] = gone;
    work->tail[kept] = work->tail[gone];
    work->size[kept] += work->size[gone];
}

static film_status probability_of(struct clustering *work, struct demand *demand, uint32_t a,
                                  uint32_t b, int on_demand, float *probability, film_error *error)
{
    film_status status = FILM_OK;
    const struct cluster_problem *problem = work->problem;
    uint32_t low = a < b ? a : b, high = a < b ? b : a, at;
    uint64_t key = (uint64_t)low << 32 | high;
    *probability = -1;
    if (cluster_pairs_find(problem->pairs, low, high, probability)) return FILM_OK;
    if (demand->count) {
        at = keytab_find(&demand->keys, key);
        if (at != KEYTAB_NONE) *probability = demand->value[at];
        if (at != KEYTAB_NONE) return FILM_OK;
    }
    if (!on_demand) return FILM_OK;
    TRY(problem->scorer.score(problem->scorer.user, demand->thread, low, high, probability, error));
    if (!demand->keys.keys) TRY(keytab_init(&demand->keys, error));
    void *value = demand->value;
    TRY_ALLOC(mem_grow(&value, &demand->capacity, demand->count + 1, sizeof *demand->value), error);
    demand->value = value;
    TRY(keytab_add(&demand->keys, key, &at, error));
    demand->value[at] = *probability;
    demand->count++;
done:
    return status;
}

static size_t sample(const struct clustering *work, uint32_t root, uint32_t out[CLUSTER_SAMPLE])
{
    size_t size = work->size[root], count = 0, at = 0;
    for (uint32_t i = root; i != NONE && count < CLUSTER_SAMPLE; i = work->next[i], at++)
        if (size <= CLUSTER_SAMPLE || at * CLUSTER_SAMPLE / size >= count) out[count++] = i;
    return count;
}

/* Returns whether the mean probability between the two clusters reaches the threshold. Known pairs
 * come first; then pairs are scored until the others cannot change the outcome. */
static film_status mean_reaches(struct clustering *work, struct demand *demand, uint32_t a,
                                uint32_t b, int *reaches, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t left[CLUSTER_SAMPLE], right[CLUSTER_SAMPLE];
    uint16_t unknown[CLUSTER_SAMPLE * CLUSTER_SAMPLE];
    size_t lefts = sample(work, a, left), rights = sample(work, b, right), missing = 0;
    double sum = 0, needed = work->problem->threshold * (double)(lefts * rights);
    float probability;
    needed -= 1e-9 * needed; /* a pair exactly at the threshold reaches it */
    for (size_t i = 0; i < lefts * rights; i++) {
        TRY(probability_of(work, demand, left[i / rights], right[i % rights], 0, &probability,
                           error));
        if (probability < 0)
            unknown[missing++] = (uint16_t)i;
        else
            sum += (double)probability;
    }
    while (missing && sum < needed && sum + (double)missing >= needed) {
        size_t i = unknown[--missing];
        TRY(probability_of(work, demand, left[i / rights], right[i % rights], 1, &probability,
                           error));
        sum += (double)probability;
    }
    *reaches = sum >= needed;
done:
    return status;
}

/* ---- Connected components ---- */

static int by_part(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    if (a->probability != b->probability) return a->probability > b->probability ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static int by_size(const void *left, const void *right)
{
    const struct component_span *a = left, *b = right;
    size_t edges_a = a->last - a->first, edges_b = b->last - b->first;
    if (edges_a != edges_b) return edges_a > edges_b ? -1 : 1; /* the largest starts first */
    return a->root < b->root ? -1 : a->root > b->root;
}

static film_status collect_edges(struct clustering *work, struct union_find *sets,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct cluster_problem *problem = work->problem;
    const struct cluster_pairs *pairs = problem->pairs;
    size_t count = 0;
    for (uint64_t i = 0; i < pairs->start[pairs->count]; i++)
        count += (double)pairs->probability[i] >= problem->threshold;
    TRY_ALLOC(work->edges = mem_array(count, sizeof *work->edges), error);
    for (uint32_t a = 0; a < pairs->count; a++)
        for (uint64_t at = pairs->start[a]; at < pairs->start[a + 1]; at++) {
            if (!((double)pairs->probability[at] >= problem->threshold)) continue;
            work->edges[work->edge_count++] =
                (struct edge){0, a, pairs->other[at], pairs->probability[at]};
            union_find_join(sets, a, pairs->other[at]);
        }
    for (size_t i = 0; i < problem->label_count; i++)
        if (problem->labels[i].same)
            union_find_join(sets, problem->labels[i].a, problem->labels[i].b);
    for (size_t i = 0; i < count; i++)
        work->edges[i].part = union_find_root(sets, work->edges[i].a);
    sort_array(work->edges, count, sizeof *work->edges, by_part);
done:
    return status;
}

static film_status find_parts(struct clustering *work, uint32_t *largest, film_error *error)
{
    film_status status = FILM_OK;
    struct union_find sets = {0};
    uint32_t *size = NULL;
    uint32_t items = work->problem->pairs->count;
    TRY(union_find_init(&sets, items, error));
    TRY(collect_edges(work, &sets, error));
    TRY_ALLOC(size = mem_zeroed(items, sizeof *size), error);
    for (uint32_t i = 0; i < items; i++) {
        uint32_t of_part = ++size[union_find_root(&sets, i)];
        if (of_part > *largest) *largest = of_part;
    }
    for (size_t i = 0; i < work->edge_count; i++)
        work->part_count += i == 0 || work->edges[i].part != work->edges[i - 1].part;
    TRY_ALLOC(work->parts = mem_array(work->part_count, sizeof *work->parts), error);
    size_t parts = 0;
    for (size_t i = 0; i < work->edge_count; i++) {
        uint32_t root = work->edges[i].part;
        if (i == 0 || root != work->edges[i - 1].part)
            work->parts[parts++] = (struct component_span){root, size[root], i, i};
        work->parts[parts - 1].last = i + 1;
    }
    sort_array(work->parts, parts, sizeof *work->parts, by_size);
done:
    union_find_free(&sets);
    mem_free(size);
    return status;
}

/* ---- Run ---- */

static film_status start_clustering(struct clustering *work, film_error *error)
{
    film_status status = FILM_OK;
    const struct cluster_problem *problem = work->problem;
    size_t items = problem->pairs->count;
    TRY_ALLOC(work->root = mem_array(items, sizeof *work->root), error);
    TRY_ALLOC(work->next = mem_array(items, sizeof *work->next), error);
    TRY_ALLOC(work->tail = mem_array(items, sizeof *work->tail), error);
    TRY_ALLOC(work->size = mem_array(items, sizeof *work->size), error);
    for (uint32_t i = 0; i < items; i++) {
        work->root[i] = work->tail[i] = i;
        work->next[i] = NONE;
        work->size[i] = 1;
    }
    TRY(list_apart(work, error));
    for (size_t i = 0; i < problem->label_count; i++) {
        if (!problem->labels[i].same) continue;
        uint32_t a = work->root[problem->labels[i].a], b = work->root[problem->labels[i].b];
        if (a == b) continue;
        if (kept_apart(work, a, b))
            work->contradictions++;
        else
            join(work, a, b);
    }
done:
    return status;
}

/* Returns FILM_OK, or why all should stop. Only the calling thread may call the callback of the
 * caller. */
static film_status report_progress(struct clustering *work, struct threads_worker *worker,
                                   size_t edges, film_error *error)
{
    size_t done = __atomic_add_fetch(&work->done, edges, __ATOMIC_RELAXED);
    film_status status = threads_status(worker);
    if (status != FILM_OK || worker->number != 0) return status;
    return progress_report(&work->problem->progress, "clusters", (double)done,
                           (double)work->edge_count, error);
}

static film_status cluster_component(struct clustering *work, struct threads_worker *worker,
                                     const struct component_span *part, struct demand *demand,
                                     film_error *error)
{
    enum { OFTEN = 256 };
    film_status status = FILM_OK;
    int reaches;
    for (size_t e = part->first; e < part->last; e++) {
        if ((e - part->first) % OFTEN == 0)
            TRY(report_progress(work, worker, part->last - e < OFTEN ? part->last - e : OFTEN,
                                error));
        uint32_t a = work->root[work->edges[e].a], b = work->root[work->edges[e].b];
        if (a == b || kept_apart(work, a, b)) continue;
        TRY(mean_reaches(work, demand, a, b, &reaches, error));
        if (reaches) join(work, a, b);
    }
done:
    keytab_free(&demand->keys);
    mem_free(demand->value);
    demand->value = NULL;
    demand->capacity = 0;
    return status;
}

/* The work of one thread. The calling thread has the first and largest component, so that it can
 * report progress. */
static film_status take_parts(struct threads_worker *worker, void *user, film_error *error)
{
    struct clustering *work = user;
    film_status status = FILM_OK;
    uint64_t demanded = 0;
    size_t p, end;
    while (threads_next(worker, &p, &end)) {
        struct demand demand = {.thread = worker->number};
        status = cluster_component(work, worker, &work->parts[p], &demand, error);
        demanded += demand.count;
        if (status != FILM_OK) break;
    }
    threads_lock(worker);
    work->demanded += demanded;
    threads_unlock(worker);
    return status;
}

film_status cluster_run(const struct cluster_problem *problem, uint32_t *cluster,
                        struct cluster_figures *figures, film_error *error)
{
    film_status status = FILM_OK;
    struct clustering work = {.problem = problem};
    uint32_t largest = 0, items = problem->pairs->count;
    TRY(start_clustering(&work, error));
    TRY(find_parts(&work, &largest, error));
    TRY(threads_for(problem->threads, work.part_count, 1, take_parts, &work, error));
    /* Number clusters by their smallest member; `tail` is free for reuse. */
    for (uint32_t i = 0; i < items; i++) work.tail[i] = NONE;
    for (uint32_t i = 0; i < items; i++) {
        if (work.tail[work.root[i]] == NONE) work.tail[work.root[i]] = i;
        cluster[i] = work.tail[work.root[i]];
    }
    if (figures) *figures = (struct cluster_figures){largest, work.demanded, work.contradictions};
done:
    clustering_free(&work);
    return status;
}
