/* From scored pairs to clusters of records and their representatives, and reporting them. The
 * clustering itself is in cluster.c. */
#include "base/mem.h"
#include "base/sort.h"
#include "base/threads.h"
#include "base/union_find.h"
#include "dedup/dedup.h"

#include <math.h>

/* A mean uses at most this number of the other items of a larger cluster. */
enum { SAMPLE = 64 };

/* A record to be reported, by its position. */
struct member_entry {
    uint32_t first; /* the first record of its cluster */
    uint32_t at;
    float probability;
    int representative;
};

struct groups {
    struct dedup *dedup;
    struct cluster_pairs pairs;
    uint32_t *cluster;  /* by item: the smallest item of its cluster */
    uint32_t *start;    /* items + 1: start of the items of the cluster named by an item */
    uint32_t *items;    /* by cluster, ascending */
    uint32_t *face;     /* by item: the record that represents it */
    float *probability; /* by item: to the item of the representative */
    uint32_t *best;     /* by item that names a cluster: its representative item */
    struct member_entry *entries;
    size_t entry_count;
};

static void groups_free(struct groups *groups)
{
    cluster_pairs_free(&groups->pairs);
    mem_free(groups->cluster);
    mem_free(groups->start);
    mem_free(groups->items);
    mem_free(groups->face);
    mem_free(groups->probability);
    mem_free(groups->best);
    mem_free(groups->entries);
}

/* Number of records of an item. */
static uint32_t copies_of(const struct record_set *set, uint32_t item)
{
    return set->start[item + 1] - set->start[item];
}

static film_status score_items(void *user, int thread, uint32_t a, uint32_t b, float *probability,
                               film_error *error)
{
    const struct groups *groups = user;
    const film_text *texts = groups->dedup->set->texts;
    return candidates_judge_one(&groups->dedup->search, thread, texts[a], texts[b], probability,
                                error);
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
    const struct record_set *set = groups->dedup->set;
    double sum = copies_of(set, items[own]) - 1.0, weight = sum;
    size_t sampled = count < SAMPLE ? count : SAMPLE;
    for (size_t s = 0; s < sampled; s++) {
        uint32_t other = items[s * count / sampled];
        float probability;
        if (other == items[own]) continue;
        TRY(probability_of(groups, thread, items[own], other, &probability, error));
        sum += (double)probability * copies_of(set, other);
        weight += copies_of(set, other);
    }
    *mean = weight > 0 ? sum / weight : 1;
done:
    return status;
}

/* The record that represents an item: the one that a person chose, the shortest, the first. */
static uint32_t face_of(const struct record_set *set, uint32_t item)
{
    const uint32_t *members = set->members + set->start[item];
    uint32_t best = members[0];
    uint64_t best_rank = record_set_rank(set, best);
    for (uint32_t m = 1; m < copies_of(set, item); m++) {
        uint64_t rank = record_set_rank(set, members[m]);
        int shorter = set->records[members[m]].text.length < set->records[best].text.length;
        if (rank > best_rank || (rank == best_rank && shorter)) {
            best = members[m];
            best_rank = rank;
        }
    }
    return best;
}

static int comes_before(const struct groups *groups, uint32_t a, uint32_t b)
{
    const film_record *records = groups->dedup->set->records;
    uint32_t left = groups->face[a], right = groups->face[b];
    if (records[left].text.length != records[right].text.length)
        return records[left].text.length < records[right].text.length;
    return left < right;
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
        uint64_t rank = record_set_rank(groups->dedup->set, groups->face[items[i]]);
        if (rank < best_rank) continue;
        if (rank > best_rank) best_mean = -1; /* a person chose it */
        best_rank = rank;
        if (count > 1) TRY(mean_similarity(groups, thread, items, count, i, &mean, error));
        /* Sums in another order differ in the last bits: treat that as a tie. */
        int tie = fabs(mean - best_mean) < 1e-9;
        if (tie ? comes_before(groups, items[i], items[best]) : mean > best_mean) best = i;
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
    return threads_for(groups->dedup->search.threads, groups->dedup->set->items, 64, represent_some,
                       groups, error);
}

/* ---- Clusters ---- */

/* Drops the pairs between two connected components. Most pairs are, and no mean needs them. */
static film_status drop_separate_pairs(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    struct union_find sets = {0};
    size_t kept = 0;
    TRY(union_find_init(&sets, dedup->set->items, error));
    for (size_t i = 0; i < dedup->label_count; i++)
        if (dedup->labels[i].same) union_find_join(&sets, dedup->labels[i].a, dedup->labels[i].b);
    for (size_t i = 0; i < dedup->pair_count; i++)
        if ((double)dedup->pairs[i].probability >= dedup->search.threshold)
            union_find_join(&sets, dedup->pairs[i].a, dedup->pairs[i].b);
    for (size_t i = 0; i < dedup->pair_count; i++)
        if (union_find_root(&sets, dedup->pairs[i].a) == union_find_root(&sets, dedup->pairs[i].b))
            dedup->pairs[kept++] = dedup->pairs[i];
    dedup->pair_count = kept;
done:
    union_find_free(&sets);
    return status;
}

static film_status make_clusters(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    struct dedup *dedup = groups->dedup;
    uint32_t items = dedup->set->items;
    struct cluster_figures figures;
    TRY(drop_separate_pairs(dedup, error));
    TRY(cluster_pairs_make(&groups->pairs, dedup->pairs, dedup->pair_count, items, error));
    mem_free(dedup->pairs); /* they are in groups->pairs now */
    dedup->pairs = NULL;
    TRY_ALLOC(groups->cluster = mem_array(items, sizeof *groups->cluster), error);
    struct cluster_problem problem = {.pairs = &groups->pairs,
                                      .labels = dedup->labels,
                                      .label_count = dedup->label_count,
                                      .threshold = dedup->search.threshold,
                                      .scorer = {score_items, groups},
                                      .threads = dedup->search.threads,
                                      .progress = dedup->options->progress};
    TRY(cluster_run(&problem, groups->cluster, &figures, error));
    dedup->result->connected = figures.connected;
    dedup->result->contradictions += figures.contradictions;
    dedup->result->compared += figures.demanded;
done:
    return status;
}

/* Sorts the items by cluster. */
static film_status sort_groups(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = groups->dedup->set;
    uint32_t items = set->items, *at = NULL;
    TRY_ALLOC(groups->start = mem_zeroed((size_t)items + 1, sizeof *groups->start), error);
    TRY_ALLOC(groups->items = mem_array(items, sizeof *groups->items), error);
    TRY_ALLOC(groups->face = mem_array(items, sizeof *groups->face), error);
    TRY_ALLOC(groups->probability = mem_array(items, sizeof *groups->probability), error);
    TRY_ALLOC(groups->best = mem_array(items, sizeof *groups->best), error);
    TRY_ALLOC(at = mem_zeroed((size_t)items + 1, sizeof *at), error);
    for (uint32_t i = 0; i < items; i++) groups->start[groups->cluster[i] + 1]++;
    for (uint32_t i = 0; i < items; i++) groups->start[i + 1] += groups->start[i];
    for (uint32_t i = 0; i < items; i++)
        groups->items[groups->start[groups->cluster[i]] + at[groups->cluster[i]]++] = i;
    for (uint32_t i = 0; i < items; i++) groups->face[i] = face_of(set, i);
done:
    mem_free(at);
    return status;
}

/* ---- From items to records ---- */

/* Number of records of a cluster. */
static size_t cluster_records(const struct groups *groups, uint32_t cluster)
{
    size_t count = 0;
    for (uint32_t i = groups->start[cluster]; i < groups->start[cluster + 1]; i++)
        count += copies_of(groups->dedup->set, groups->items[i]);
    return count;
}

/* Counts the clusters and the records to be reported. */
static void count_clusters(struct groups *groups)
{
    film_dedup_result *result = groups->dedup->result;
    for (uint32_t i = 0; i < groups->dedup->set->items; i++) {
        if (groups->cluster[i] != i) continue;
        size_t size = cluster_records(groups, i);
        result->clusters += size > 1;
        result->clustered += size > 1 ? size : 0;
        if (size > result->largest) result->largest = size;
        if (size > 1 || groups->dedup->options->singles) groups->entry_count += size;
    }
}

/* Writes the records of a cluster to OUT. Returns their number. */
static size_t list_records(const struct groups *groups, uint32_t cluster, struct member_entry *out)
{
    const struct record_set *set = groups->dedup->set;
    uint32_t face = groups->face[groups->best[cluster]], first = UINT32_MAX;
    size_t count = 0;
    for (uint32_t i = groups->start[cluster]; i < groups->start[cluster + 1]; i++) {
        uint32_t item = groups->items[i];
        const uint32_t *members = set->members + set->start[item];
        if (members[0] < first) first = members[0];
        for (uint32_t m = 0; m < copies_of(set, item); m++)
            out[count++] = (struct member_entry){.at = members[m],
                                                 .probability = groups->probability[item],
                                                 .representative = members[m] == face};
    }
    for (size_t i = 0; i < count; i++) out[i].first = first;
    return count;
}

static int by_first(const void *left, const void *right)
{
    const struct member_entry *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    if (a->representative != b->representative) return a->representative ? -1 : 1;
    if (a->probability != b->probability) return a->probability > b->probability ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Lists the records to be reported, sorted by the first records of their clusters. */
static film_status make_entries(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0;
    count_clusters(groups);
    TRY_ALLOC(groups->entries = mem_array(groups->entry_count, sizeof *groups->entries), error);
    for (uint32_t i = 0; i < groups->dedup->set->items; i++)
        if (groups->cluster[i] == i &&
            (groups->dedup->options->singles || cluster_records(groups, i) > 1))
            count += list_records(groups, i, groups->entries + count);
    if (count) sort_array(groups->entries, count, sizeof *groups->entries, by_first);
done:
    return status;
}

static film_status report_groups(const struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    const struct record_set *set = groups->dedup->set;
    const film_dedup_options *options = groups->dedup->options;
    const struct member_entry *entries = groups->entries;
    size_t count = groups->entry_count;
    film_member member = {0};
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || entries[i].first != entries[i - 1].first) {
            member.cluster++;
            for (member.cluster_size = 1;
                 i + member.cluster_size < count &&
                 entries[i + member.cluster_size].first == entries[i].first;)
                member.cluster_size++;
        }
        member.at = entries[i].at;
        member.record = set->records[entries[i].at];
        member.others = others_unpack(&set->others, &member.record.id, 0);
        member.probability = (double)entries[i].probability;
        member.representative = entries[i].representative;
        TRY(dedup_stopped(options->member(options->user, &member), error));
    }
done:
    return status;
}

film_status dedup_clusters(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    struct groups groups = {.dedup = dedup};
    TRY(make_clusters(&groups, error));
    TRY(sort_groups(&groups, error));
    TRY(represent_all(&groups, error));
    TRY(make_entries(&groups, error));
    TRY(report_groups(&groups, error));
done:
    groups_free(&groups);
    return status;
}
