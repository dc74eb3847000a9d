/* film_pool_list_clusters: the clusters of film_pool_dedup, sorted for a person to review. They are
 * kept until the pool or its model changes. Changing them is in cluster_edit.c. */
#include "base/mem.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/strtab.h"
#include "base/union_find.h"
#include "pool/batch.h"
#include "pool/pool.h"

struct listed_cluster {
    size_t first, count, number;
    double weakest;
    int reviewed;
};

/* What the clusters depend on. The version is SQLite's: it changes with every change by another
 * connection, and this one changes nothing. */
struct cluster_origin {
    int64_t version;
    const struct pool_learned *learned;
    film_decision decision;
    int no_memory;
    double prior, threshold;
};

struct cluster_browse {
    struct db db; /* reads the version */
    int has_db, complete;
    struct cluster_origin origin;
    film_pool_clusters_options options;
    film_pool_clusters_result result;
    struct batch texts; /* of the members */
    film_pool_member *members;
    size_t member_count, member_capacity;
    struct listed_cluster *clusters;
    size_t cluster_count, cluster_capacity;
    /* Sentences with a label "same", and what these connect. */
    struct strtab ids;
    uint32_t *joined; /* two ids per label */
    size_t joined_count, joined_capacity;
    struct union_find sets;
    film_status status;
    film_error *error;
};

/* ---- Clusters ---- */

static film_status add_listed(struct cluster_browse *browse, const film_member *member)
{
    film_status status = FILM_OK;
    film_error *error = browse->error;
    film_sentence kept = {.id = member->record.id, .text = member->record.text};
    void *members = browse->members, *clusters = browse->clusters;
    int grown = mem_grow(&members, &browse->member_capacity, browse->member_count + 1,
                         sizeof *browse->members);
    browse->members = members;
    TRY_ALLOC(grown, error);
    if (browse->cluster_count < member->cluster) {
        grown = mem_grow(&clusters, &browse->cluster_capacity, member->cluster,
                         sizeof *browse->clusters);
        browse->clusters = clusters;
        TRY_ALLOC(grown, error);
        browse->clusters[browse->cluster_count++] = (struct listed_cluster){
            .first = browse->member_count, .number = member->cluster, .weakest = 1};
    }
    TRY(batch_add(&browse->texts, &kept, 0, error));
    struct listed_cluster *cluster = &browse->clusters[browse->cluster_count - 1];
    cluster->count++;
    if (member->probability < cluster->weakest) cluster->weakest = member->probability;
    browse->members[browse->member_count++] = (film_pool_member){
        .probability = member->probability, .representative = member->representative};
done:
    return status;
}

static int take_listed(void *user, const film_member *member)
{
    struct cluster_browse *browse = user;
    browse->status = add_listed(browse, member);
    return browse->status != FILM_OK;
}

/* ---- Labels ---- */

static int take_joined(void *user, const film_pool_label_row *label)
{
    struct cluster_browse *browse = user;
    void *joined = browse->joined;
    uint32_t *pair;
    if (!label->same) return 0;
    int grown = mem_grow(&joined, &browse->joined_capacity, browse->joined_count + 2,
                         sizeof *browse->joined);
    browse->joined = joined;
    if (!grown) browse->status = status_no_memory(browse->error);
    if (!grown) return 1;
    pair = browse->joined + browse->joined_count;
    browse->joined_count += 2;
    browse->status =
        strtab_add(&browse->ids, label->a.bytes, label->a.length, &pair[0], browse->error);
    if (browse->status == FILM_OK)
        browse->status =
            strtab_add(&browse->ids, label->b.bytes, label->b.length, &pair[1], browse->error);
    return browse->status != FILM_OK;
}

static int is_reviewed(struct cluster_browse *browse, const struct listed_cluster *cluster)
{
    uint32_t root = STRTAB_NONE;
    for (size_t i = cluster->first; i < cluster->first + cluster->count; i++) {
        film_text id = browse->members[i].id;
        uint32_t at = strtab_find(&browse->ids, id.bytes, id.length);
        if (at == STRTAB_NONE) return 0;
        at = union_find_root(&browse->sets, at);
        if (i > cluster->first && at != root) return 0;
        root = at;
    }
    return 1;
}

static film_status find_reviewed(struct cluster_browse *browse, film_pool *pool, film_error *error)
{
    film_status status = FILM_OK;
    TRY(strtab_init(&browse->ids, error));
    TRY(film_pool_labels(pool, take_joined, browse, error));
    TRY(browse->status);
    TRY(union_find_init(&browse->sets, browse->ids.count, error));
    for (size_t i = 0; i < browse->joined_count; i += 2)
        union_find_join(&browse->sets, browse->joined[i], browse->joined[i + 1]);
    for (size_t i = 0; i < browse->cluster_count; i++) {
        browse->clusters[i].reviewed = is_reviewed(browse, &browse->clusters[i]);
        browse->result.reviewed += (uint64_t)browse->clusters[i].reviewed;
    }
done:
    return status;
}

/* ---- Order ---- */

static int by_cluster_order(const void *left, const void *right, void *user)
{
    const struct listed_cluster *a = left, *b = right;
    const film_cluster_order *order = user;
    int by_size = a->count == b->count ? 0 : a->count > b->count ? -1 : 1;
    int by_doubt = a->weakest == b->weakest ? 0 : a->weakest < b->weakest ? -1 : 1;
    if (a->reviewed != b->reviewed) return a->reviewed - b->reviewed;
    int first = *order == FILM_CLUSTERS_BY_SIZE ? by_size : by_doubt;
    int second = *order == FILM_CLUSTERS_BY_SIZE ? by_doubt : by_size;
    if (first || second) return first ? first : second;
    return a->number < b->number ? -1 : 1;
}

static film_status report_clusters(struct cluster_browse *browse)
{
    const film_pool_clusters_options *options = &browse->options;
    if (browse->cluster_count)
        sort_array_r(browse->clusters, browse->cluster_count, sizeof *browse->clusters,
                     by_cluster_order, &browse->options.order);
    for (size_t i = options->from; i < browse->cluster_count && options->call; i++) {
        const struct listed_cluster *cluster = &browse->clusters[i];
        if (options->most && i - options->from >= options->most) break;
        film_pool_cluster shown = {.place = i,
                                   .members = browse->members + cluster->first,
                                   .count = cluster->count,
                                   .weakest = cluster->weakest,
                                   .reviewed = cluster->reviewed};
        if (options->call(options->user, &shown)) return FILM_CANCELLED;
    }
    return FILM_OK;
}

/* ---- The call ---- */

static film_status find_browsed(struct cluster_browse *browse, film_pool *pool, film_error *error)
{
    film_status status = FILM_OK;
    film_dedup_result found = {.size = sizeof found};
    film_dedup_options dedup = {.size = sizeof dedup,
                                .answer = browse->options.answer,
                                .threshold = browse->options.threshold,
                                .progress = browse->options.progress,
                                .member = take_listed,
                                .user = browse};
    status = film_pool_dedup(pool, &dedup, &found, error);
    if (browse->status != FILM_OK) status = browse->status;
    if (status != FILM_OK) return status;
    /* The batch owns the texts, at addresses that are known only now. */
    for (size_t i = 0; i < browse->member_count; i++) {
        browse->members[i].id = browse->texts.rows[i].id;
        browse->members[i].text = browse->texts.rows[i].text;
    }
    browse->result.sentences = found.records;
    browse->result.clusters = found.clusters;
    browse->result.clustered = found.clustered;
    browse->result.threshold = found.threshold;
    return FILM_OK;
}

/* Frees what was found, and not the connection. */
static void browse_clear(struct cluster_browse *browse)
{
    struct cluster_browse empty = {.db = browse->db, .has_db = browse->has_db};
    batch_free(&browse->texts);
    mem_free(browse->members);
    mem_free(browse->clusters);
    mem_free(browse->joined);
    strtab_free(&browse->ids);
    union_find_free(&browse->sets);
    *browse = empty;
}

void cluster_browse_free(struct cluster_browse *browse)
{
    if (!browse) return;
    browse_clear(browse);
    if (browse->has_db) db_close(&browse->db);
    mem_free(browse);
}

static film_status find_origin(struct cluster_browse *browse, film_pool *pool,
                               const film_pool_clusters_options *options,
                               struct cluster_origin *origin, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = NULL;
    struct pool_learned *learned;
    *origin = (struct cluster_origin){.decision = options->answer.decision,
                                      .no_memory = options->answer.no_memory,
                                      .prior = options->answer.prior,
                                      .threshold = options->threshold};
    TRY(pool_read(pool, &db, error));
    TRY(pool_learned(pool, db, &learned, error));
    origin->learned = learned;
    if (!browse->has_db) TRY(pool_connect(pool, &browse->db, error));
    browse->has_db = 1;
    TRY(db_number(&browse->db, "PRAGMA data_version", &origin->version, error));
done:
    pool_read_end(pool, db);
    return status;
}

static int is_same_origin(const struct cluster_origin *a, const struct cluster_origin *b)
{
    return a->version == b->version && a->learned == b->learned && a->decision == b->decision &&
           a->no_memory == b->no_memory && a->prior == b->prior && a->threshold == b->threshold;
}

/* Finds the clusters, unless BROWSE has them. */
static film_status browse_update(struct cluster_browse *browse, film_pool *pool,
                                 const film_pool_clusters_options *options, film_error *error)
{
    film_status status = FILM_OK;
    struct cluster_origin origin;
    browse->error = error;
    TRY(find_origin(browse, pool, options, &origin, error));
    if (browse->complete && is_same_origin(&origin, &browse->origin)) goto done;
    browse_clear(browse);
    browse->error = error;
    browse->options = *options;
    TRY(find_browsed(browse, pool, error));
    TRY(find_reviewed(browse, pool, error));
    browse->origin = origin;
    browse->complete = 1;
done:
    browse->options = *options;
    return status;
}

/* Takes the clusters that were kept, or puts them back. */
static struct cluster_browse *exchange_browse(film_pool *pool, struct cluster_browse *browse)
{
    pthread_mutex_lock(&pool->lock);
    struct cluster_browse *before = pool->browse;
    pool->browse = browse;
    pthread_mutex_unlock(&pool->lock);
    return before;
}

film_status film_pool_list_clusters(film_pool *pool, const film_pool_clusters_options *options,
                                    film_pool_clusters_result *result, film_error *error)
{
    film_status status = FILM_OK;
    film_pool_clusters_options with = {0};
    struct cluster_browse *browse = NULL;
    if (!pool) return pool_missing(error, "pool");
    TRY(sized_check(result, "film_pool_clusters_result", error));
    TRY(sized_options(&with, sizeof with, options, "film_pool_clusters_options", error));
    if (with.order < 0 || with.order >= FILM_CLUSTER_ORDER_COUNT)
        TRY(status_set(error, FILM_USAGE, "unknown order %d", (int)with.order));
    browse = exchange_browse(pool, NULL);
    if (!browse) TRY_ALLOC(browse = mem_zeroed(1, sizeof *browse), error);
    TRY(browse_update(browse, pool, &with, error));
    TRY(report_clusters(browse));
    browse->result.size = sizeof browse->result;
    sized_fill(result, &browse->result, sizeof browse->result);
done:
    if (browse && browse->complete) browse = exchange_browse(pool, browse);
    cluster_browse_free(browse);
    return status;
}
