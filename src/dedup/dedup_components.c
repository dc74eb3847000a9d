/* Connected components of the scored pairs (union-find), assigned to the processes with all their
 * data, largest first. dedup_clusters.c clusters them. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/union_find.h"
#include "dedup/dedup.h"

#include <stdlib.h>
#include <string.h>

enum { ALONE = UINT32_MAX };

struct assignment {
    struct dedup *dedup;
    struct union_find sets; /* all items */
    /* By the smallest item of a component: the process it is assigned to, or ALONE. */
    uint32_t *worker;
    struct mailbox pairs;
};

void dedup_parts_free(struct dedup_parts *parts)
{
    mem_free(parts->number);
    mem_free(parts->copies);
    mem_free(parts->face);
    mem_free(parts->length);
    mem_free(parts->text);
    mailbox_free(&parts->items);
    mem_free(parts->pairs);
    mem_free(parts->labels);
    memset(parts, 0, sizeof *parts);
}

uint32_t dedup_face(const struct record_set *set, uint32_t item)
{
    uint32_t best = set->members[set->start[item]];
    uint64_t best_rank = record_set_rank(set, set->at ? set->at[best] : best);
    for (uint32_t m = set->start[item] + 1; m < set->start[item + 1]; m++) {
        uint32_t record = set->members[m];
        uint64_t rank = record_set_rank(set, set->at ? set->at[record] : record);
        int shorter = set->records[record].text.length < set->records[best].text.length;
        if (rank > best_rank || (rank == best_rank && shorter)) {
            best = record;
            best_rank = rank;
        }
    }
    return best;
}

/* ---- Connectivity ---- */

/* Each process sends to the others only its pairs that connect new components. */
static film_status connect(struct assignment *assignment, film_error *error)
{
    film_status status = FILM_OK;
    struct dedup *dedup = assignment->dedup;
    struct union_find *sets = &assignment->sets;
    uint32_t *joined = NULL;
    size_t count = 0, capacity = 0, *sizes = NULL;
    void *all = NULL, *grown = NULL;
    TRY(union_find_init(sets, dedup->set->all_items, error));
    for (size_t i = 0; i < dedup->label_count; i++)
        if (dedup->labels[i].same) union_find_join(sets, dedup->labels[i].a, dedup->labels[i].b);
    for (size_t i = 0; i < dedup->pair_count; i++) {
        const struct cluster_pair *pair = &dedup->pairs[i];
        if (!((double)pair->probability >= dedup->search.threshold)) continue;
        if (!union_find_join(sets, pair->a, pair->b)) continue;
        int there = mem_grow(&grown, &capacity, count + 2, sizeof *joined);
        joined = grown;
        TRY_ALLOC(there, error);
        joined[count++] = pair->a;
        joined[count++] = pair->b;
    }
    if (dedup->comm->size == 1) goto done;
    TRY(comm_gather_all(dedup->comm, joined, count * sizeof *joined, &all, &sizes, error));
    count = 0;
    for (int p = 0; p < dedup->comm->size; p++) count += sizes[p] / sizeof *joined;
    const uint32_t *theirs = all;
    for (size_t i = 0; i < count; i += 2) union_find_join(sets, theirs[i], theirs[i + 1]);
done:
    mem_free(joined);
    mem_free(all);
    mem_free(sizes);
    return status;
}

struct sized {
    uint32_t root, size;
};

static int by_size(const void *left, const void *right)
{
    const struct sized *a = left, *b = right;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->root < b->root ? -1 : a->root > b->root;
}

/* Assigns the largest first, each to the process with the fewest items so far (greedy balancing).
 * Every process computes the same. */
static film_status assign(struct assignment *assignment, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t items = assignment->sets.count, *worker = NULL;
    size_t processes = (size_t)assignment->dedup->comm->size, count = 0;
    struct sized *parts = NULL;
    uint64_t *load = mem_zeroed(processes, sizeof *load);
    TRY_ALLOC(load, error);
    TRY_ALLOC(worker = assignment->worker = mem_zeroed(items, sizeof *worker), error);
    for (uint32_t i = 0; i < items; i++) worker[union_find_root(&assignment->sets, i)]++;
    for (uint32_t i = 0; i < items; i++) count += worker[i] > 1;
    TRY_ALLOC(parts = mem_array(count, sizeof *parts), error);
    count = 0;
    for (uint32_t i = 0; i < items; i++) {
        if (worker[i] > 1) parts[count++] = (struct sized){i, worker[i]};
        worker[i] = ALONE;
    }
    if (count) sort_array(parts, count, sizeof *parts, by_size);
    for (size_t i = 0; i < count; i++) {
        size_t least = 0;
        for (size_t p = 1; p < processes; p++)
            if (load[p] < load[least]) least = p;
        load[least] += parts[i].size;
        worker[parts[i].root] = (uint32_t)least;
    }
done:
    mem_free(load);
    mem_free(parts);
    return status;
}

/* ---- Sending ---- */

static uint32_t worker_of(struct assignment *assignment, uint32_t item)
{
    return assignment->worker[union_find_root(&assignment->sets, item)];
}

static film_status send_items(struct assignment *assignment, struct dedup_parts *parts,
                              film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = assignment->dedup->set;
    for (uint32_t i = 0; i < set->items; i++) {
        uint32_t number = round_robin_number(set->comm, set->comm->rank, i);
        uint32_t to = worker_of(assignment, number), face = dedup_face(set, i);
        if (to == ALONE) continue;
        uint32_t sent[] = {number, set->start[i + 1] - set->start[i],
                           set->at ? set->at[face] : face,
                           (uint32_t)set->records[face].text.length};
        TRY(mailbox_put(&parts->items, (int)to, sent, sizeof sent, error));
        TRY(mailbox_put_text(&parts->items, (int)to, set->texts[i], error));
    }
    TRY(mailbox_send(&parts->items, error));
done:
    return status;
}

/* Pairs between two components are not needed any more. */
static film_status send_pairs(struct assignment *assignment, film_error *error)
{
    film_status status = FILM_OK;
    struct dedup *dedup = assignment->dedup;
    for (size_t i = 0; i < dedup->pair_count; i++) {
        const struct cluster_pair *pair = &dedup->pairs[i];
        uint32_t root = union_find_root(&assignment->sets, pair->a);
        if (root != union_find_root(&assignment->sets, pair->b)) continue;
        TRY(mailbox_put(&assignment->pairs, (int)assignment->worker[root], pair, sizeof *pair,
                        error));
    }
    mem_free(dedup->pairs); /* most of the memory at this point */
    dedup->pairs = NULL;
    dedup->pair_count = 0;
    TRY(mailbox_send(&assignment->pairs, error));
done:
    return status;
}

/* ---- Receiving ---- */

struct came {
    uint32_t values[4]; /* number, copies, face, length */
    film_text text;
};

static int items_by_number(const void *left, const void *right)
{
    const struct came *a = left, *b = right;
    return a->values[0] < b->values[0] ? -1 : a->values[0] > b->values[0];
}

static film_status take_items(struct dedup_parts *parts, film_error *error)
{
    film_status status = FILM_OK;
    struct came *came = NULL;
    size_t count = 0, capacity = 0;
    void *grown = NULL;
    for (; mailbox_next(&parts->items); count++) {
        int there = mem_grow(&grown, &capacity, count + 1, sizeof *came);
        came = grown;
        TRY_ALLOC(there, error);
        mailbox_get(&parts->items, came[count].values, sizeof came->values);
        came[count].text = mailbox_get_text(&parts->items);
    }
    if (count) sort_array(came, count, sizeof *came, items_by_number);
    parts->count = (uint32_t)count;
    TRY_ALLOC((parts->number = mem_array(count, sizeof *parts->number)) &&
                  (parts->copies = mem_array(count, sizeof *parts->copies)) &&
                  (parts->face = mem_array(count, sizeof *parts->face)) &&
                  (parts->length = mem_array(count, sizeof *parts->length)) &&
                  (parts->text = mem_array(count, sizeof *parts->text)),
              error);
    for (size_t i = 0; i < count; i++) {
        parts->number[i] = came[i].values[0];
        parts->copies[i] = came[i].values[1];
        parts->face[i] = came[i].values[2];
        parts->length[i] = came[i].values[3];
        parts->text[i] = came[i].text;
    }
done:
    mem_free(came);
    return status;
}

static film_status take_pairs(struct assignment *assignment, struct dedup_parts *parts,
                              const uint32_t *place, film_error *error)
{
    film_status status = FILM_OK;
    size_t capacity = 0;
    void *grown = NULL;
    while (mailbox_next(&assignment->pairs)) {
        struct cluster_pair pair;
        int there = mem_grow(&grown, &capacity, parts->pair_count + 1, sizeof pair);
        parts->pairs = grown;
        TRY_ALLOC(there, error);
        mailbox_get(&assignment->pairs, &pair, sizeof pair);
        parts->pairs[parts->pair_count++] =
            (struct cluster_pair){place[pair.a], place[pair.b], pair.probability};
    }
done:
    return status;
}

static film_status take_labels(struct assignment *assignment, struct dedup_parts *parts,
                               const uint32_t *place, film_error *error)
{
    film_status status = FILM_OK;
    const struct dedup *dedup = assignment->dedup;
    TRY_ALLOC(parts->labels = mem_array(dedup->label_count, sizeof *parts->labels), error);
    for (size_t i = 0; i < dedup->label_count; i++) {
        const struct record_set_label *label = &dedup->labels[i];
        uint32_t root = union_find_root(&assignment->sets, label->a);
        if (root == union_find_root(&assignment->sets, label->b) &&
            assignment->worker[root] == (uint32_t)dedup->comm->rank)
            parts->labels[parts->label_count++] =
                (struct record_set_label){place[label->a], place[label->b], label->same};
    }
done:
    return status;
}

film_status dedup_parts_make(struct dedup *dedup, struct dedup_parts *parts, film_error *error)
{
    film_status status = FILM_OK;
    struct assignment assignment = {.dedup = dedup};
    uint32_t *place = NULL;
    *parts = (struct dedup_parts){0};
    TRY(mailbox_init(&parts->items, dedup->comm, error));
    TRY(mailbox_init(&assignment.pairs, dedup->comm, error));
    TRY(connect(&assignment, error));
    TRY(assign(&assignment, error));
    TRY(send_items(&assignment, parts, error));
    TRY(take_items(parts, error));
    TRY(send_pairs(&assignment, error));
    TRY_ALLOC(place = mem_array(dedup->set->all_items, sizeof *place), error);
    for (uint32_t i = 0; i < parts->count; i++) place[parts->number[i]] = i;
    TRY(take_pairs(&assignment, parts, place, error));
    TRY(take_labels(&assignment, parts, place, error));
done:
    union_find_free(&assignment.sets);
    mem_free(assignment.worker);
    mailbox_free(&assignment.pairs);
    mem_free(place);
    return status;
}
