/* Handles the clusters of a pool: listing them for review (GET /v1/clusters) and editing them (POST
 * /v1/clusters). */
#include "fields.h"
#include "route.h"

#include <stdlib.h>
#include <string.h>

enum { CLUSTERS_DEFAULT = 20, CLUSTERS_MOST = 1000 };

/* ---- listing ---- */

static int add_cluster(void *user, const film_pool_cluster *cluster)
{
    struct bytes *out = user;
    bytes_format(out, "%s{\"place\": %zu, \"size\": %zu, \"weakest\": ",
                 out->data && out->data[out->length - 1] == '}' ? ", " : "", cluster->place,
                 cluster->count);
    bytes_real(out, cluster->weakest);
    bytes_text(out, ", \"reviewed\": ");
    bytes_flag(out, cluster->reviewed);
    bytes_text(out, ", \"members\": [");
    for (size_t i = 0; i < cluster->count; i++) {
        const film_pool_member *member = &cluster->members[i];
        bytes_text(out, i ? ", {\"id\": " : "{\"id\": ");
        bytes_string(out, member->id);
        bytes_text(out, ", \"text\": ");
        bytes_string(out, member->text);
        bytes_text(out, ", \"probability\": ");
        bytes_real(out, member->probability);
        bytes_text(out, ", \"representative\": ");
        bytes_flag(out, member->representative);
        bytes_text(out, "}");
    }
    bytes_text(out, "]}");
    return out->failed;
}

static int read_argument(const char *given, const char *name, unsigned long long least,
                         unsigned long long most, size_t *value, struct response *response)
{
    char *end = NULL;
    if (!given) return 1;
    unsigned long long number = strtoull(given, &end, 10);
    if (strspn(given, "0123456789") == 0 || *end || number < least || number > most)
        return response_error(response, 400, "%s must be a whole number from %llu to %llu", name,
                              least, most);
    *value = (size_t)number;
    return 1;
}

static int read_order(const char *given, film_cluster_order *order, struct response *response)
{
    if (!given) return 1;
    *order = strcmp(given, "doubt") == 0 ? FILM_CLUSTERS_BY_DOUBT : FILM_CLUSTERS_BY_SIZE;
    return *order == FILM_CLUSTERS_BY_DOUBT || strcmp(given, "size") == 0 ||
           response_error(response, 400, "order must be size or doubt");
}

static void answer_clusters(struct worker *worker, const struct request *request,
                            struct response *response)
{
    film_error error;
    struct bytes *out = &response->body;
    film_pool_clusters_result found = {.size = sizeof found};
    film_pool_clusters_options options = {.size = sizeof options,
                                          .most = CLUSTERS_DEFAULT,
                                          .progress = worker_progress(worker),
                                          .call = add_cluster,
                                          .user = out};
    options.answer.threads = worker->service->options.threads;
    if (!read_argument(request->number, "n", 1, CLUSTERS_MOST, &options.most, response) ||
        !read_argument(request->from, "from", 0, UINT32_MAX, &options.from, response) ||
        !read_order(request->order, &options.order, response))
        return;
    bytes_text(out, "{\"clusters\": [");
    film_status status =
        film_pool_list_clusters(worker->generation->pool, &options, &found, &error);
    if (status != FILM_OK) {
        response_failure(response, status, &error);
        return;
    }
    bytes_format(out,
                 "], \"sentences\": %llu, \"count\": %llu, \"clustered\": %llu, \"reviewed\": %llu,"
                 " \"threshold\": ",
                 (unsigned long long)found.sentences, (unsigned long long)found.clusters,
                 (unsigned long long)found.clustered, (unsigned long long)found.reviewed);
    bytes_real(out, found.threshold);
    bytes_text(out, "}\n");
}

/* ---- editing ---- */

#define CLUSTER_ACTIONS "same|split|represent"

struct clusters_request {
    int action;
    const json_t *ids, *rest;
};

static const struct field clusters_fields[] = {
    {.name = "action",
     .kind = FIELD_WORD,
     .at = offsetof(struct clusters_request, action),
     .words = CLUSTER_ACTIONS},
    {.name = "ids", .kind = FIELD_LIST, .at = offsetof(struct clusters_request, ids)},
    {.name = "rest", .kind = FIELD_LIST, .at = offsetof(struct clusters_request, rest)},
    {.name = NULL}};

static void edit_clusters(struct worker *worker, const film_cluster_edit *edit,
                          struct response *response)
{
    static const char *const names[] = {"same", "split", "represent"};
    film_error error;
    uint64_t labels = 0;
    film_status status = film_pool_edit_clusters(worker->generation->pool, edit, &labels, &error);
    if (status != FILM_OK)
        response_failure(response, status, &error);
    else
        bytes_format(&response->body, "{\"action\": \"%s\", \"labels\": %llu}\n",
                     names[edit->action], (unsigned long long)labels);
}

static void answer_edit_clusters(struct worker *worker, const struct request *request,
                                 struct response *response)
{
    json_t *root = NULL;
    struct clusters_request wanted = {.action = -1};
    film_text *ids = NULL, *rest = NULL;
    size_t most = worker->service->options.limits.texts;
    film_cluster_edit edit = {.size = sizeof edit};
    if (fields_read(request, clusters_fields, &wanted, &root, response)) {
        if (wanted.action < 0)
            response_error(response, 400, "action is missing: " CLUSTER_ACTIONS);
        else if ((!wanted.ids ||
                  fields_texts(wanted.ids, "ids", most, &ids, &edit.count, response)) &&
                 (!wanted.rest ||
                  fields_texts(wanted.rest, "rest", most, &rest, &edit.rest_count, response))) {
            edit.action = (film_cluster_action)wanted.action;
            edit.ids = ids;
            edit.rest = rest;
            edit_clusters(worker, &edit, response);
        }
    }
    free(ids);
    free(rest);
    json_decref(root);
}

const struct route clusters_routes[] = {
    {.method = METHOD_GET,
     .path = "/v1/clusters",
     .summary = "List the clusters of the pool for review",
     .answer = answer_clusters,
     .batch = 1,
     .needs_pool = 1},
    {.method = METHOD_POST,
     .path = "/v1/clusters",
     .summary = "Merge, split or confirm clusters, or choose a representative",
     .fields = clusters_fields,
     .answer = answer_edit_clusters,
     .slow = 1,
     .needs_pool = 1,
     .writes = 1},
    {.path = NULL}};
