/* From scored pairs to clusters of records and their representatives, and reporting them. The
 * clustering itself is in cluster.c. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/threads.h"
#include "dedup/dedup.h"

#include <math.h>
#include <stdlib.h>

/* A mean uses at most this number of the other items of a larger cluster. */
enum { SAMPLE = 64 };

/* A record to be reported. */
struct member_entry {
    uint32_t first; /* position of the first record of its cluster */
    uint32_t at;    /* its own position */
    uint32_t cluster;
    struct record_set_ref ref;
    float probability;
    uint32_t representative;
};

/* Items are those of the connected components of this process. */
struct groups {
    struct dedup *dedup;
    struct dedup_parts parts;
    struct cluster_pairs pairs;
    uint32_t *cluster;  /* by item: the smallest item of its cluster */
    uint32_t *start;    /* items + 1: start of the items of the cluster named by an item */
    uint32_t *items;    /* by cluster, ascending */
    float *probability; /* by item: to the item of the representative */
    uint32_t *best;     /* by item that names a cluster: its representative item */
    struct mailbox outcomes, reports;
    struct member_entry *entries; /* in the first process: what is reported */
    size_t entry_count, entry_capacity;
};

/* The result that the owner of an item needs. */
struct outcome {
    uint32_t number, cluster;
    uint32_t face;    /* position of the representative record */
    uint32_t several; /* the cluster has more items */
    float probability;
};

static void groups_free(struct groups *groups)
{
    dedup_parts_free(&groups->parts);
    cluster_pairs_free(&groups->pairs);
    mem_free(groups->cluster);
    mem_free(groups->start);
    mem_free(groups->items);
    mem_free(groups->probability);
    mem_free(groups->best);
    mailbox_free(&groups->outcomes);
    mailbox_free(&groups->reports);
    mem_free(groups->entries);
}

static film_status score_items(void *user, int thread, uint32_t a, uint32_t b, float *probability,
                               film_error *error)
{
    const struct groups *groups = user;
    return candidates_judge_one(&groups->dedup->search, thread, groups->parts.text[a],
                                groups->parts.text[b], probability, error);
}

static film_status probability_of(struct groups *groups, int thread, uint32_t a, uint32_t b,
                                  float *probability, film_error *error)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    *probability = 1;
    if (a == b || cluster_pairs_find(&groups->pairs, low, high, probability)) return FILM_OK;
    return score_items(groups, thread, low, high, probability, error);
}

/* ---- Representatives ---- */

/* The mean over the other records of the cluster: copies of its own words count as 1. */
static film_status mean_similarity(struct groups *groups, int thread, const uint32_t *items,
                                   size_t count, size_t own, double *mean, film_error *error)
{
    film_status status = FILM_OK;
    const uint32_t *copies = groups->parts.copies;
    double sum = copies[items[own]] - 1.0, weight = sum;
    size_t sampled = count < SAMPLE ? count : SAMPLE;
    for (size_t s = 0; s < sampled; s++) {
        uint32_t other = items[s * count / sampled];
        float probability;
        if (other == items[own]) continue;
        TRY(probability_of(groups, thread, items[own], other, &probability, error));
        sum += (double)probability * copies[other];
        weight += copies[other];
    }
    *mean = weight > 0 ? sum / weight : 1;
done:
    return status;
}

static int comes_before(const struct dedup_parts *parts, uint32_t a, uint32_t b)
{
    return parts->length[a] != parts->length[b] ? parts->length[a] < parts->length[b]
                                                : parts->face[a] < parts->face[b];
}

static film_status represent(struct groups *groups, int thread, uint32_t cluster, film_error *error)
{
    film_status status = FILM_OK;
    const uint32_t *items = groups->items + groups->start[cluster];
    size_t count = groups->start[cluster + 1] - groups->start[cluster], best = 0;
    double best_mean = -1;
    uint64_t best_rank = 0;
    for (size_t i = 0; i < count; i++) {
        double mean = 1;
        uint64_t rank = record_set_rank(groups->dedup->set, groups->parts.face[items[i]]);
        if (rank < best_rank) continue;
        if (rank > best_rank) best_mean = -1; /* a person chose it */
        best_rank = rank;
        if (count > 1) TRY(mean_similarity(groups, thread, items, count, i, &mean, error));
        /* Sums in another order differ in the last bits: treat that as a tie. */
        int tie = fabs(mean - best_mean) < 1e-9;
        if (tie ? comes_before(&groups->parts, items[i], items[best]) : mean > best_mean) best = i;
        if (!tie && mean > best_mean) best_mean = mean;
    }
    groups->best[cluster] = items[best];
    for (size_t i = 0; i < count; i++)
        TRY(probability_of(groups, thread, items[best], items[i], &groups->probability[items[i]],
                           error));
done:
    return status;
}

static film_status represent_some(struct threads_worker *worker, void *user, film_error *error)
{
    struct groups *groups = user;
    film_status status = FILM_OK;
    size_t begin, end;
    while (threads_next(worker, &begin, &end))
        for (uint32_t i = (uint32_t)begin; i < end; i++)
            if (groups->cluster[i] == i) TRY(represent(groups, worker->number, i, error));
done:
    return status;
}

static film_status represent_all(struct groups *groups, film_error *error)
{
    return threads_for(groups->dedup->search.threads, groups->parts.count, 64, represent_some,
                       groups, error);
}

/* ---- Clusters ---- */

/* Combines the figures of all processes. */
static film_status add_figures(struct dedup *dedup, const struct cluster_figures *figures,
                               film_error *error)
{
    film_status status = FILM_OK;
    void *all = NULL;
    size_t *sizes = NULL;
    TRY(comm_gather_all(dedup->comm, figures, sizeof *figures, &all, &sizes, error));
    const struct cluster_figures *each = all;
    dedup->result->connected = dedup->set->all_items > 0;
    for (int p = 0; p < dedup->comm->size; p++) {
        if (each[p].connected > dedup->result->connected)
            dedup->result->connected = each[p].connected;
        dedup->result->contradictions += each[p].contradictions;
        dedup->result->compared += each[p].demanded;
    }
done:
    mem_free(all);
    mem_free(sizes);
    return status;
}

static film_status make_clusters(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    struct dedup *dedup = groups->dedup;
    struct dedup_parts *parts = &groups->parts;
    struct cluster_figures figures;
    TRY(dedup_parts_make(dedup, parts, error));
    TRY(cluster_pairs_make(&groups->pairs, parts->pairs, parts->pair_count, parts->count, error));
    mem_free(parts->pairs); /* they are in groups->pairs now */
    parts->pairs = NULL;
    TRY_ALLOC(groups->cluster = mem_array(parts->count, sizeof *groups->cluster), error);
    struct cluster_problem problem = {.pairs = &groups->pairs,
                                      .labels = parts->labels,
                                      .label_count = parts->label_count,
                                      .threshold = dedup->search.threshold,
                                      .scorer = {score_items, groups},
                                      .threads = dedup->search.threads,
                                      .progress = dedup->options->progress};
    TRY(cluster_run(&problem, groups->cluster, &figures, error));
    TRY(add_figures(dedup, &figures, error));
done:
    return status;
}

/* Sorts the items by cluster. */
static film_status sort_groups(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t items = groups->parts.count, *at = NULL;
    TRY_ALLOC(groups->start = mem_zeroed((size_t)items + 1, sizeof *groups->start), error);
    TRY_ALLOC(groups->items = mem_array(items, sizeof *groups->items), error);
    TRY_ALLOC(groups->probability = mem_array(items, sizeof *groups->probability), error);
    TRY_ALLOC(groups->best = mem_array(items, sizeof *groups->best), error);
    TRY_ALLOC(at = mem_zeroed((size_t)items + 1, sizeof *at), error);
    for (uint32_t i = 0; i < items; i++) groups->start[groups->cluster[i] + 1]++;
    for (uint32_t i = 0; i < items; i++) groups->start[i + 1] += groups->start[i];
    for (uint32_t i = 0; i < items; i++)
        groups->items[groups->start[groups->cluster[i]] + at[groups->cluster[i]]++] = i;
done:
    mem_free(at);
    return status;
}

/* ---- From items to records ---- */

/* Sends the records of an item of this process to the first process. */
static film_status send_entries(struct groups *groups, const struct outcome *outcome,
                                film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = groups->dedup->set;
    uint32_t item = round_robin_place(set->comm, outcome->number);
    uint32_t copies = set->start[item + 1] - set->start[item];
    if (!outcome->several && copies == 1 && !groups->dedup->options->singles) return FILM_OK;
    for (uint32_t m = 0; m < copies; m++) {
        uint32_t record = set->members[set->start[item] + m];
        uint32_t at = set->at ? set->at[record] : record;
        struct member_entry entry = {.at = at,
                                     .cluster = outcome->cluster,
                                     .ref = {outcome->number, m},
                                     .probability = outcome->probability,
                                     .representative = at == outcome->face};
        TRY(mailbox_put(&groups->reports, 0, &entry, sizeof entry, error));
    }
done:
    return status;
}

/* Sends the outcome of every item to its owner; items in no component are alone. */
static film_status send_outcomes(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = groups->dedup->set;
    const struct dedup_parts *parts = &groups->parts;
    uint8_t *known = NULL;
    struct outcome outcome;
    TRY(mailbox_init(&groups->outcomes, set->comm, error));
    TRY(mailbox_init(&groups->reports, set->comm, error));
    TRY_ALLOC(known = mem_zeroed(set->items, 1), error);
    for (uint32_t i = 0; i < parts->count; i++) {
        uint32_t cluster = groups->cluster[i];
        outcome = (struct outcome){
            parts->number[i], parts->number[cluster], parts->face[groups->best[cluster]],
            groups->start[cluster + 1] - groups->start[cluster] > 1, groups->probability[i]};
        TRY(mailbox_put(&groups->outcomes, round_robin_owner(set->comm, outcome.number), &outcome,
                        sizeof outcome, error));
    }
    TRY(mailbox_send(&groups->outcomes, error));
    while (mailbox_next(&groups->outcomes)) {
        mailbox_get(&groups->outcomes, &outcome, sizeof outcome);
        known[round_robin_place(set->comm, outcome.number)] = 1;
        TRY(send_entries(groups, &outcome, error));
    }
    for (uint32_t i = 0; i < set->items; i++) {
        uint32_t number = round_robin_number(set->comm, set->comm->rank, i), face;
        if (known[i]) continue;
        face = dedup_face(set, i);
        outcome = (struct outcome){number, number, set->at ? set->at[face] : face, 0, 1};
        TRY(send_entries(groups, &outcome, error));
    }
    TRY(mailbox_send(&groups->reports, error));
done:
    mem_free(known);
    return status;
}

/* ---- Reporting ---- */

static int by_cluster(const void *left, const void *right)
{
    const struct member_entry *a = left, *b = right;
    if (a->cluster != b->cluster) return a->cluster < b->cluster ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int by_first(const void *left, const void *right)
{
    const struct member_entry *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    if (a->representative != b->representative) return a->representative ? -1 : 1;
    if (a->probability != b->probability) return a->probability > b->probability ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* In the first process: receives the entries and sorts clusters by their first records. */
static film_status take_entries(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    film_dedup_result *result = groups->dedup->result;
    struct member_entry *entries = NULL;
    void *grown = NULL;
    size_t count = 0, size;
    for (; mailbox_next(&groups->reports); count++) {
        int there = mem_grow(&grown, &groups->entry_capacity, count + 1, sizeof *entries);
        entries = groups->entries = grown;
        TRY_ALLOC(there, error);
        mailbox_get(&groups->reports, &entries[count], sizeof *entries);
    }
    mailbox_free(&groups->reports);
    groups->entry_count = count;
    result->largest = groups->dedup->set->all_records > 0;
    if (count) sort_array(entries, count, sizeof *entries, by_cluster);
    for (size_t i = 0; i < count; i += size) {
        for (size = 0; i + size < count && entries[i + size].cluster == entries[i].cluster; size++)
            entries[i + size].first = entries[i].at;
        result->clusters += size > 1;
        result->clustered += size > 1 ? size : 0;
        if (size > result->largest) result->largest = size;
    }
    if (count) sort_array(entries, count, sizeof *entries, by_first);
done:
    return status;
}

/* Reports the entries FIRST .. LAST, whose records were fetched. */
static film_status report_some(const struct groups *groups, size_t first, size_t last,
                               film_member *member, film_error *error)
{
    film_status status = FILM_OK;
    const film_dedup_options *options = groups->dedup->options;
    const struct member_entry *entries = groups->entries;
    for (size_t i = first; i < last; i++) {
        if (i == 0 || entries[i].first != entries[i - 1].first) {
            member->cluster++;
            for (member->cluster_size = 1;
                 i + member->cluster_size < groups->entry_count &&
                 entries[i + member->cluster_size].first == entries[i].first;)
                member->cluster_size++;
        }
        member->at = entries[i].at;
        member->record = groups->dedup->found.records[i - first];
        member->others = others_unpack(&groups->dedup->set->others, &member->record.id, 0);
        member->probability = (double)entries[i].probability;
        member->representative = (int)entries[i].representative;
        TRY(dedup_stopped(options->member(options->user, member), error));
    }
done:
    return status;
}

static film_status report_groups(struct groups *groups, film_error *error)
{
    enum { SOME = 16384 };
    film_status status = FILM_OK;
    struct dedup *dedup = groups->dedup;
    struct record_set_ref *refs = NULL;
    film_member member = {0};
    uint64_t all = groups->entry_count;
    TRY_ALLOC(refs = mem_array(SOME, sizeof *refs), error);
    TRY(comm_broadcast(dedup->comm, &all, sizeof all, 0, error));
    for (size_t first = 0; first < all; first += SOME) {
        size_t last = groups->entry_count < first + SOME ? groups->entry_count : first + SOME;
        if (last < first) last = first; /* not the first process */
        for (size_t i = first; i < last; i++) refs[i - first] = groups->entries[i].ref;
        TRY(record_set_fetch(dedup->set, refs, last - first, &dedup->found, error));
        status = report_some(groups, first, last, &member, error);
        TRY(comm_agree(dedup->comm, status, error));
    }
    /* These were counted in the first process. */
    TRY(comm_broadcast(dedup->comm, dedup->result, sizeof *dedup->result, 0, error));
done:
    mem_free(refs);
    return status;
}

film_status dedup_clusters(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    struct groups groups = {.dedup = dedup};
    TRY(make_clusters(&groups, error));
    TRY(sort_groups(&groups, error));
    TRY(represent_all(&groups, error));
    TRY(send_outcomes(&groups, error));
    TRY(take_entries(&groups, error));
    TRY(report_groups(&groups, error));
done:
    groups_free(&groups);
    return status;
}
