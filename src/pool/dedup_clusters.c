/* From judged pairs to clusters of records, their representatives, and what is told of them. */
#include "base/mem.h"
#include "pool/dedup.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum { SAMPLE = 64 }; /* of a larger cluster, the others a mean is taken over */

struct groups {
    struct dedup *dedup;
    struct cluster_pairs pairs;
    uint32_t *cluster;  /* by item: the smallest item of its cluster */
    uint32_t *start;    /* items + 1: where the items of the cluster that an item names begin */
    uint32_t *items;    /* cluster by cluster, rising */
    float *probability; /* by item: to the representative's item */
    uint32_t *face;     /* by item that names a cluster: the record that represents it */
    uint32_t *order;    /* clusters by their first records */
    uint32_t clusters;  /* all, those of one record too */
};

static void groups_free(struct groups *groups)
{
    cluster_pairs_free(&groups->pairs);
    mem_free(groups->cluster);
    mem_free(groups->start);
    mem_free(groups->items);
    mem_free(groups->probability);
    mem_free(groups->face);
    mem_free(groups->order);
}

static film_status score_items(void *user, int thread, uint32_t a, uint32_t b, float *probability,
                               film_error *error)
{
    const struct dedup *dedup = user;
    return compare_one(&dedup->compare, thread, dedup->pile->texts[a], dedup->pile->texts[b],
                       probability, error);
}

static film_status probability_of(const struct groups *groups, int thread, uint32_t a, uint32_t b,
                                  float *probability, film_error *error)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    *probability = 1;
    if (a == b || cluster_pairs_find(&groups->pairs, low, high, probability)) return FILM_OK;
    return score_items(groups->dedup, thread, low, high, probability, error);
}

/* ---- representatives ---- */

static uint32_t copies(const struct pile *pile, uint32_t item)
{
    return pile->start[item + 1] - pile->start[item];
}

/* Of records with the same words, the shortest, then the first. */
static uint32_t face_of(const struct pile *pile, uint32_t item)
{
    uint32_t best = pile->members[pile->start[item]];
    for (uint32_t m = pile->start[item] + 1; m < pile->start[item + 1]; m++)
        if (pile->records[pile->members[m]].text.length < pile->records[best].text.length)
            best = pile->members[m];
    return best;
}

/* The mean over the other records of the cluster: copies of its own words are 1. */
static film_status mean_of(const struct groups *groups, int thread, const uint32_t *items,
                           size_t count, size_t own, double *mean, film_error *error)
{
    film_status status = FILM_OK;
    const struct pile *pile = groups->dedup->pile;
    double sum = copies(pile, items[own]) - 1.0, weight = sum;
    size_t sampled = count < SAMPLE ? count : SAMPLE;
    for (size_t s = 0; s < sampled; s++) {
        uint32_t other = items[s * count / sampled];
        float probability;
        if (other == items[own]) continue;
        TRY(probability_of(groups, thread, items[own], other, &probability, error));
        sum += (double)probability * copies(pile, other);
        weight += copies(pile, other);
    }
    *mean = weight > 0 ? sum / weight : 1;
done:
    return status;
}

static int stands_before(const struct pile *pile, uint32_t a, uint32_t b)
{
    size_t length_a = pile->records[a].text.length, length_b = pile->records[b].text.length;
    return length_a != length_b ? length_a < length_b : a < b;
}

static film_status represent(struct groups *groups, int thread, uint32_t cluster, film_error *error)
{
    film_status status = FILM_OK;
    const struct pile *pile = groups->dedup->pile;
    const uint32_t *items = groups->items + groups->start[cluster];
    size_t count = groups->start[cluster + 1] - groups->start[cluster], best = 0;
    double best_mean = -1;
    for (size_t i = 0; i < count; i++) {
        double mean = 1;
        if (count > 1) TRY(mean_of(groups, thread, items, count, i, &mean, error));
        /* Sums in another order differ in the last bits: that is a tie too. */
        int tie = fabs(mean - best_mean) < 1e-9;
        if (tie ? stands_before(pile, face_of(pile, items[i]), face_of(pile, items[best]))
                : mean > best_mean)
            best = i;
        if (!tie && mean > best_mean) best_mean = mean;
    }
    groups->face[cluster] = face_of(pile, items[best]);
    for (size_t i = 0; i < count; i++)
        TRY(probability_of(groups, thread, items[best], items[i], &groups->probability[items[i]],
                           error));
done:
    return status;
}

static film_status represent_all(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t items = groups->dedup->pile->items;
#pragma omp parallel num_threads(groups->dedup->compare.threads)
    {
        film_error own_error;
        film_status own = FILM_OK;
#pragma omp for schedule(dynamic, 64)
        for (uint32_t i = 0; i < items; i++)
            if (own == FILM_OK && groups->cluster[i] == i)
                own = represent(groups, omp_get_thread_num(), i, &own_error);
        if (own != FILM_OK) {
#pragma omp critical(dedup_represent)
            status = status_set(error, own, "%s", own_error.message);
        }
    }
    return status;
}

/* ---- making groups ---- */

static film_status make_clusters(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    struct dedup *dedup = groups->dedup;
    struct cluster_figures figures;
    uint32_t items = dedup->pile->items;
    TRY(cluster_pairs_make(&groups->pairs, dedup->pairs, dedup->pair_count, items, error));
    mem_free(dedup->pairs); /* half of the memory at this point */
    dedup->pairs = NULL;
    TRY_ALLOC(groups->cluster = mem_array(items, sizeof *groups->cluster), error);
    struct cluster_problem problem = {.pairs = &groups->pairs,
                                      .labels = dedup->labels,
                                      .label_count = dedup->label_count,
                                      .threshold = dedup->compare.threshold,
                                      .scorer = {score_items, dedup},
                                      .threads = dedup->compare.threads,
                                      .progress = dedup->options->progress};
    TRY(cluster_run(&problem, groups->cluster, &figures, error));
    dedup->result->connected = figures.connected;
    dedup->result->contradictions += figures.contradictions;
    dedup->result->compared += figures.demanded;
done:
    return status;
}

/* Items of one cluster beside each other, and clusters in the order of their first records. */
static film_status sort_groups(struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    const struct pile *pile = groups->dedup->pile;
    uint32_t items = pile->items, *at = NULL;
    TRY_ALLOC(groups->start = mem_zeroed((size_t)items + 1, sizeof *groups->start), error);
    TRY_ALLOC(groups->items = mem_array(items, sizeof *groups->items), error);
    TRY_ALLOC(groups->probability = mem_array(items, sizeof *groups->probability), error);
    TRY_ALLOC(groups->face = mem_array(items, sizeof *groups->face), error);
    TRY_ALLOC(groups->order = mem_array(items, sizeof *groups->order), error);
    TRY_ALLOC(at = mem_zeroed((size_t)items + 1, sizeof *at), error);
    for (uint32_t i = 0; i < items; i++) groups->start[groups->cluster[i] + 1]++;
    for (uint32_t i = 0; i < items; i++) groups->start[i + 1] += groups->start[i];
    for (uint32_t i = 0; i < items; i++)
        groups->items[groups->start[groups->cluster[i]] + at[groups->cluster[i]]++] = i;
    for (uint32_t i = 0; i < items; i++) at[i] = 0;
    for (size_t record = 0; record < pile->count; record++) {
        uint32_t cluster = groups->cluster[pile->item[record]];
        if (!at[cluster]) groups->order[groups->clusters++] = cluster;
        at[cluster] = 1;
    }
done:
    mem_free(at);
    return status;
}

/* ---- telling ---- */

static int by_probability(const void *left, const void *right)
{
    const film_member *a = left, *b = right;
    if (a->representative != b->representative) return a->representative ? -1 : 1;
    if (a->probability != b->probability) return a->probability > b->probability ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

struct telling {
    film_member *members;
    size_t count, capacity;
    size_t number; /* of the cluster */
};

static film_status collect(const struct groups *groups, uint32_t cluster, struct telling *telling,
                           film_error *error)
{
    const struct pile *pile = groups->dedup->pile;
    telling->count = 0;
    for (uint32_t i = groups->start[cluster]; i < groups->start[cluster + 1]; i++) {
        uint32_t item = groups->items[i];
        void *members = telling->members;
        int grown = mem_grow(&members, &telling->capacity, telling->count + copies(pile, item),
                             sizeof *telling->members);
        telling->members = members;
        if (!grown) return status_no_memory(error);
        for (uint32_t m = pile->start[item]; m < pile->start[item + 1]; m++)
            telling->members[telling->count++] =
                (film_member){.at = pile->members[m],
                              .record = pile->records[pile->members[m]],
                              .probability = (double)groups->probability[item],
                              .representative = pile->members[m] == groups->face[cluster]};
    }
    return FILM_OK;
}

static film_status tell_groups(const struct groups *groups, film_error *error)
{
    film_status status = FILM_OK;
    const film_dedup_options *options = groups->dedup->options;
    film_dedup_result *result = groups->dedup->result;
    struct telling telling = {0};
    for (uint32_t c = 0; c < groups->clusters; c++) {
        TRY(collect(groups, groups->order[c], &telling, error));
        if (telling.count > 1) {
            result->clusters++;
            result->clustered += telling.count;
        }
        if (telling.count > result->largest) result->largest = telling.count;
        if (telling.count == 1 && !options->singles) continue;
        telling.number++;
        qsort(telling.members, telling.count, sizeof *telling.members, by_probability);
        for (size_t i = 0; i < telling.count; i++) {
            telling.members[i].cluster = telling.number;
            telling.members[i].size = telling.count;
            TRY(dedup_told(options->member(options->user, &telling.members[i]), error));
        }
    }
done:
    mem_free(telling.members);
    return status;
}

film_status dedup_clusters(struct dedup *dedup, film_error *error)
{
    film_status status = FILM_OK;
    struct groups groups = {.dedup = dedup};
    TRY(make_clusters(&groups, error));
    TRY(sort_groups(&groups, error));
    TRY(represent_all(&groups, error));
    TRY(tell_groups(&groups, error));
done:
    groups_free(&groups);
    return status;
}
