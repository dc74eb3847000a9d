/* The functions of film_pool.h that read or change a few rows: get, list, remove, labels, clusters.
 * Each is one transaction. Adding is in add.c. */
#include "base/mem.h"
#include "base/jsonfile.h"
#include "base/sized.h"
#include "pool/pool.h"
#include "text/value.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

film_status film_pool_get(film_pool *pool, film_text id, film_sentence_fn call, void *user,
                          film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = NULL;
    struct store_sentence sentence;
    int found;
    if (!pool || !id.bytes || !call) return pool_missing(error, "pool, id or call");
    TRY(pool_read(pool, &db, error));
    TRY(store_find(db, id, &sentence, &found, error));
    if (found)
        call(user, &sentence.fields);
    else
        status = FILM_END;
done:
    pool_read_end(pool, db);
    return status;
}

struct listing {
    film_sentence_fn call;
    void *user;
};

static int list_one(void *user, const struct store_sentence *sentence)
{
    const struct listing *listing = user;
    return listing->call(listing->user, &sentence->fields);
}

film_status film_pool_list(film_pool *pool, const film_pool_filter *filter, film_sentence_fn call,
                           void *user, film_error *error)
{
    struct listing listing = {call, user};
    struct db *db = NULL;
    if (!pool || !call) return pool_missing(error, pool ? "call" : "pool");
    film_pool_filter with = {0};
    film_status status = sized_options(&with, sizeof with, filter, "film_pool_filter", error);
    if (status != FILM_OK) return status;
    status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = store_each(db, &with, list_one, &listing, error);
    pool_read_end(pool, db);
    return status;
}

film_status film_pool_labels(film_pool *pool, film_label_fn call, void *user, film_error *error)
{
    struct db *db = NULL;
    if (!pool || !call) return pool_missing(error, pool ? "call" : "pool");
    film_status status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = store_each_label(db, call, user, error);
    pool_read_end(pool, db);
    return status;
}

struct pair_listing {
    film_pair_fn call;
    void *user;
};

static int list_pair(void *user, film_text a, film_text b, int same)
{
    const struct pair_listing *listing = user;
    const film_pair pair = {a, b, same};
    return listing->call(listing->user, &pair);
}

film_status film_pool_labelled_pairs(film_pool *pool, film_pair_fn call, void *user,
                                     film_error *error)
{
    struct pair_listing listing = {call, user};
    struct db *db = NULL;
    if (!pool || !call) return pool_missing(error, pool ? "call" : "pool");
    film_status status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = store_each_pair(db, list_pair, &listing, error);
    pool_read_end(pool, db);
    return status;
}

/* ---- Clusters ---- */

/* Who gets the clusters. */
struct cluster_listing {
    film_cluster_fn call;
    void *user;
    int stop; /* the caller has enough */
};

/* Members BEGIN .. END of ORDER, which are one cluster. */
static film_status list_cluster(struct db *db, const struct store_clusters *clusters,
                                const size_t *order, size_t begin, size_t end,
                                struct cluster_listing *listing, film_error *error)
{
    film_status status = FILM_OK;
    struct store_sentence sentence;
    char *name = NULL;
    size_t length = 0;
    int found;
    for (size_t i = begin; i < end && !listing->stop; i++) {
        TRY(store_find_number(db, clusters->numbers[order[i]], &sentence, &found, error));
        if (!found) continue; /* a damaged pool: film pool check reports it */
        if (!name) {
            length = sentence.fields.id.length;
            TRY_ALLOC(name = mem_string(sentence.fields.id.bytes, length), error);
        }
        listing->stop = listing->call(listing->user, (film_text){name, length}, sentence.fields.id);
    }
done:
    mem_free(name);
    return status;
}

/* Sorts the members by cluster: a stable counting sort by root. */
static film_status group(const struct store_clusters *clusters, size_t **starts, size_t **order,
                         film_error *error)
{
    film_status status = FILM_OK;
    size_t count = clusters->count;
    TRY_ALLOC(*starts = mem_zeroed(count + 2, sizeof **starts), error);
    TRY_ALLOC(*order = mem_array(count, sizeof **order), error);
    for (size_t i = 0; i < count; i++) (*starts)[clusters->root[i] + 2]++;
    for (size_t i = 2; i < count + 2; i++) (*starts)[i] += (*starts)[i - 1];
    for (size_t i = 0; i < count; i++) (*order)[(*starts)[clusters->root[i] + 1]++] = i;
done:
    return status;
}

film_status film_pool_clusters(film_pool *pool, film_cluster_fn call, void *user, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = NULL;
    struct store_clusters clusters = {0};
    struct cluster_listing listing = {call, user, 0};
    size_t *starts = NULL, *order = NULL;
    if (!pool || !call) return pool_missing(error, pool ? "call" : "pool");
    TRY(pool_read(pool, &db, error));
    TRY(store_clusters(db, &clusters, error));
    TRY(group(&clusters, &starts, &order, error));
    for (size_t i = 0; i < clusters.count && !listing.stop; i++)
        if (starts[i + 1] - starts[i] > 1)
            TRY(list_cluster(db, &clusters, order, starts[i], starts[i + 1], &listing, error));
done:
    mem_free(starts);
    mem_free(order);
    store_clusters_free(&clusters);
    pool_read_end(pool, db);
    return status;
}

/* ---- Description ---- */

/* Copies a setting of the pool; empty when it has none. */
static film_status copy_setting(struct db *db, const char *name, char *out, size_t room,
                                film_error *error)
{
    char *value = NULL;
    film_status status = store_get(db, name, &value, error);
    if (status == FILM_OK) snprintf(out, room, "%s", value ? value : "");
    mem_free(value);
    return status;
}

static film_status describe_pool(struct db *db, film_pool_description *out, film_error *error)
{
    film_status status = FILM_OK;
    struct store_clusters clusters = {0};
    int64_t sentences, labels, size;
    TRY(db_number(db, "SELECT count(*) FROM sentence", &sentences, error));
    TRY(db_number(db, "SELECT count(*) FROM label WHERE " STORE_LABELLED, &labels, error));
    TRY(db_number(db, "SELECT value FROM setting WHERE name = 'model_size'", &size, error));
    TRY(store_changes(db, &out->changes, error));
    TRY(store_clusters(db, &clusters, error));
    TRY(copy_setting(db, "model_checksum", out->model_checksum, sizeof out->model_checksum, error));
    TRY(copy_setting(db, "created", out->created, sizeof out->created, error));
    TRY(copy_setting(db, "identity", out->identity, sizeof out->identity, error));
    TRY(pool_stored_threshold(db, &out->threshold, error));
    out->sentences = (uint64_t)sentences;
    out->labels = (uint64_t)labels;
    out->clusters = clusters.clusters;
    out->model_bytes = (uint64_t)size;
done:
    store_clusters_free(&clusters);
    return status;
}

film_status film_pool_describe(film_pool *pool, film_pool_description *result, film_error *error)
{
    struct db *db = NULL;
    if (!pool || !result) return pool_missing(error, pool ? "result" : "pool");
    film_pool_description about = {.dim = 0};
    film_status status = sized_check(result, "film_pool_description", error);
    if (status != FILM_OK) return status;
    status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = pool_dim(db, pool->path, &about.dim, error);
    if (status == FILM_OK) status = describe_pool(db, &about, error);
    if (status == FILM_OK) sized_fill(result, &about, sizeof about);
    pool_read_end(pool, db);
    return status;
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

film_status film_pool_describe_json(film_pool *pool, char **json, film_error *error)
{
    film_status status = FILM_OK;
    film_pool_description about = {.size = sizeof about};
    json_t *answer = NULL;
    if (!pool || !json) return pool_missing(error, pool ? "json" : "pool");
    *json = NULL;
    TRY(film_pool_describe(pool, &about, error));
    answer = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:s?, s:s?, s:o?, s:{s:s?, s:I}}", "film",
                       film_version(), "sentences", (json_int_t)about.sentences, "labels",
                       (json_int_t)about.labels, "clusters", (json_int_t)about.clusters, "changes",
                       (json_int_t)about.changes, "dim", (json_int_t)about.dim, "created",
                       or_null(about.created), "identity", or_null(about.identity), "threshold",
                       about.threshold > 0 ? json_real(about.threshold) : json_null(), "model",
                       "checksum", or_null(about.model_checksum), "bytes",
                       (json_int_t)about.model_bytes);
    TRY(jsonfile_dump(answer, 0, json, error));
done:
    json_decref(answer);
    return status;
}

/* ---- Changes ---- */

static film_status no_such_id(const film_pool *pool, film_text id, film_error *error)
{
    char shown[VALUE_SHOWN];
    return status_set(error, FILM_BAD_INPUT, "%s has no sentence with id \"%s\"", pool->path,
                      value_show(id, shown));
}

film_status film_pool_remove(film_pool *pool, const film_text *ids, size_t count,
                             int ignore_missing, uint64_t *removed, film_error *error)
{
    film_status status = FILM_OK;
    struct store_write write;
    struct store_sentence sentence;
    uint64_t gone = 0;
    int found, writing = 0;
    if (removed) *removed = 0;
    if (!pool || (count && !ids)) return pool_missing(error, pool ? "ids" : "pool");
    TRY(pool_write(pool, NULL, "removing", 0, &write, error));
    writing = 1;
    for (size_t i = 0; i < count; i++) {
        TRY(store_find(write.db, ids[i], &sentence, &found, error));
        if (!found && !ignore_missing) TRY(no_such_id(pool, ids[i], error));
        if (!found) continue;
        TRY(store_remove(&write, sentence.number, error));
        gone++;
    }
    TRY(pool_commit(pool, &write, error));
    if (removed) *removed = gone;
done:
    if (writing) pool_write_end(pool);
    return status;
}

film_status pool_number(film_pool *pool, struct db *db, film_text id, int64_t *number,
                        film_error *error)
{
    film_status status = FILM_OK;
    struct store_sentence sentence;
    int found;
    if (!id.bytes) TRY(pool_missing(error, "an id"));
    TRY(store_find(db, id, &sentence, &found, error));
    if (!found) TRY(no_such_id(pool, id, error));
    *number = sentence.number;
done:
    return status;
}

/* What is done with a pair: it gets a label, or loses it. */
struct labelling {
    const char *phase, *origin; /* NULL: the origin of each row */
    int remove;
};

static film_status put_label(film_pool *pool, struct store_write *write,
                             const film_pool_label_row *label, const struct labelling *how,
                             int *changed, film_error *error)
{
    film_status status = FILM_OK;
    int64_t a, b;
    film_text origin = how->origin            ? film_string(how->origin)
                       : label->origin.length ? label->origin
                                              : film_string("user");
    TRY(pool_number(pool, write->db, label->a, &a, error));
    TRY(pool_number(pool, write->db, label->b, &b, error));
    if (a == b) TRY(status_set(error, FILM_USAGE, "a sentence cannot be labelled with itself"));
    if (how->remove)
        TRY(store_unlabel(write, a, b, changed, error));
    else
        TRY(store_label(write, a, b, label->same, origin, changed, error));
done:
    return status;
}

static film_status change_labels(film_pool *pool, const film_pool_label_row *labels, size_t count,
                                 const struct labelling *how, uint64_t *changed, film_error *error)
{
    film_status status = FILM_OK;
    struct store_write write;
    uint64_t new_ones = 0;
    int is_new, writing = 0;
    if (changed) *changed = 0;
    if (!pool || (count && !labels)) return pool_missing(error, pool ? "labels" : "pool");
    TRY(pool_write(pool, NULL, how->phase, 0, &write, error));
    writing = 1;
    for (size_t i = 0; i < count; i++) {
        TRY(put_label(pool, &write, &labels[i], how, &is_new, error));
        new_ones += is_new != 0;
    }
    TRY(pool_commit(pool, &write, error));
    if (changed) *changed = new_ones;
done:
    if (writing) pool_write_end(pool);
    return status;
}

film_status film_pool_label_many(film_pool *pool, const film_pool_label_row *labels, size_t count,
                                 const char *origin, uint64_t *changed, film_error *error)
{
    const struct labelling how = {"labelling", origin && *origin ? origin : NULL, 0};
    return change_labels(pool, labels, count, &how, changed, error);
}

film_status film_pool_unlabel(film_pool *pool, const film_pool_label_row *labels, size_t count,
                              uint64_t *removed, film_error *error)
{
    const struct labelling how = {"removing labels", NULL, 1};
    return change_labels(pool, labels, count, &how, removed, error);
}

film_status film_pool_label(film_pool *pool, film_text a, film_text b, int same, const char *origin,
                            film_error *error)
{
    film_pool_label_row label = {.a = a, .b = b, .same = same};
    return film_pool_label_many(pool, &label, 1, origin, NULL, error);
}
