/* film pool clusters: lists the clusters of a pool for review, and edits them. */
#include "pool.h"
#include "sheet.h"

#include <stdlib.h>
#include <string.h>

struct values {
    film_cluster_order order;
    size_t from, most;
    double wait;
    int threads;
};

static const struct option options[] = {
    {.name = "order",
     .kind = OPTION_CHOICE,
     .at = offsetof(struct values, order),
     .argument = "size|doubt",
     .help = "the largest or the most doubtful first; reviewed ones are last",
     .fallback = "size"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPTION_COUNT,
     .at = offsetof(struct values, most),
     .argument = "N",
     .help = "maximum number of clusters; 0: all",
     .fallback = "0"},
    {.name = "skip",
     .kind = OPTION_COUNT,
     .at = offsetof(struct values, from),
     .argument = "N",
     .help = "skip the first N clusters",
     .fallback = "0"},
    THREADS_OPTION(struct values, threads),
    WAIT_OPTION(struct values, wait),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    ((struct values *)given)->wait = POOL_WAIT;
}

static film_status list_clusters(film_pool *pool, const struct values *values, int quiet,
                                 film_pool_cluster_fn call, void *user,
                                 film_pool_clusters_result *found, film_error *error)
{
    film_pool_clusters_options wanted = {
        .size = sizeof wanted,
        .order = values->order,
        .from = values->from,
        .most = values->most,
        .answer = {.size = sizeof wanted.answer, .threads = values->threads},
        .progress = progress_start(quiet),
        .call = call,
        .user = user};
    film_status status = film_pool_list_clusters(pool, &wanted, found, error);
    progress_end();
    return status;
}

/* ---- listing ---- */

static int write_cluster(void *user, const film_pool_cluster *cluster)
{
    struct sheet *sheet = user;
    for (size_t i = 0; i < cluster->count; i++) {
        const film_pool_member *member = &cluster->members[i];
        sheet_number(sheet, "cluster", "%.0f", (double)(cluster->place + 1));
        sheet_number(sheet, "weakest", "%.6f", cluster->weakest);
        sheet_flag(sheet, "reviewed", cluster->reviewed);
        sheet_text(sheet, "id", member->id);
        sheet_text(sheet, "text", member->text);
        sheet_number(sheet, "probability", "%.6f", member->probability);
        sheet_flag(sheet, "representative", member->representative);
        sheet_end_row(sheet);
    }
    return sheet->status != FILM_OK;
}

static int run_list(film_pool *pool, const struct values *values, const struct command *command)
{
    film_error error = {0};
    struct sheet sheet;
    const struct kept none = {.names = NULL};
    film_pool_clusters_result found = {.size = sizeof found};
    sheet_open(&sheet, "-", command->json);
    sheet_header(&sheet, "cluster\tweakest\treviewed\tid\ttext\tprobability\trepresentative",
                 &none);
    film_status status =
        list_clusters(pool, values, command->quiet, write_cluster, &sheet, &found, &error);
    int code = report(sheet_close(&sheet, status, &error), &error);
    if (code == EXIT_DONE && !command->quiet)
        fprintf(stderr, "%s of %s, %s reviewed, at threshold %g\n",
                counted(found.clusters, "cluster"), counted(found.sentences, "sentence"),
                grouped(found.reviewed), found.threshold);
    return code;
}

/* ---- editing ---- */

/* The ids that an edit names, and those of the other members of their clusters. */
struct naming {
    const film_text *given;
    size_t given_count;
    film_text *named, *rest;
    size_t named_count, rest_count, named_room, rest_room;
    film_status status;
};

static int is_named(const struct naming *naming, film_text id)
{
    for (size_t i = 0; i < naming->given_count; i++)
        if (naming->given[i].length == id.length &&
            memcmp(naming->given[i].bytes, id.bytes, id.length) == 0)
            return 1;
    return 0;
}

static film_status add_copy(film_text **list, size_t *count, size_t *room, film_text id)
{
    if (*count == *room) {
        size_t larger = 2 * *room + 64;
        film_text *grown = realloc(*list, larger * sizeof *grown);
        if (!grown) return FILM_NO_MEMORY;
        *list = grown;
        *room = larger;
    }
    char *bytes = malloc(id.length + 1);
    if (!bytes) return FILM_NO_MEMORY;
    memcpy(bytes, id.bytes, id.length);
    (*list)[(*count)++] = (film_text){bytes, id.length};
    return FILM_OK;
}

static int take_cluster(void *user, const film_pool_cluster *cluster)
{
    struct naming *naming = user;
    size_t given = 0;
    for (size_t i = 0; i < cluster->count; i++)
        given += (size_t)is_named(naming, cluster->members[i].id);
    for (size_t i = 0; given && i < cluster->count && naming->status == FILM_OK; i++) {
        film_text id = cluster->members[i].id;
        naming->status =
            is_named(naming, id)
                ? add_copy(&naming->named, &naming->named_count, &naming->named_room, id)
                : add_copy(&naming->rest, &naming->rest_count, &naming->rest_room, id);
    }
    return naming->status != FILM_OK;
}

static void free_copies(film_text *list, size_t count)
{
    for (size_t i = 0; i < count; i++) free((char *)(uintptr_t)list[i].bytes);
    free(list);
}

static int ignore_sentence(void *user, const film_sentence *sentence)
{
    (void)user, (void)sentence;
    return 0;
}

/* "same" is about whole clusters: their other members are added to the ids. "split" needs the
 * members that stay. */
static film_status complete_edit(film_pool *pool, const struct values *values, int quiet,
                                 film_cluster_edit *edit, struct naming *naming, film_error *error)
{
    struct values all = {.threads = values->threads};
    film_status status = FILM_OK;
    if (edit->action != FILM_CLUSTER_SAME && edit->action != FILM_CLUSTER_SPLIT) return FILM_OK;
    naming->given = edit->ids;
    naming->given_count = edit->count;
    status = list_clusters(pool, &all, quiet, take_cluster, naming, NULL, error);
    if (naming->status != FILM_OK) status = no_memory(error);
    if (status != FILM_OK) return status;
    if (edit->action == FILM_CLUSTER_SAME) {
        for (size_t i = 0; i < edit->count && status == FILM_OK; i++)
            status = add_copy(&naming->rest, &naming->rest_count, &naming->rest_room, edit->ids[i]);
        edit->ids = naming->rest;
        edit->count = naming->rest_count;
        return status == FILM_OK ? status : no_memory(error);
    }
    edit->rest = naming->rest;
    edit->rest_count = naming->rest_count;
    if (edit->rest_count) return FILM_OK;
    for (size_t i = 0; i < edit->count && status == FILM_OK; i++) {
        status = film_pool_get(pool, edit->ids[i], ignore_sentence, NULL, error);
        if (status == FILM_END) {
            snprintf(error->message, sizeof error->message,
                     "the pool has no sentence with id \"%.100s\"", edit->ids[i].bytes);
            status = error->status = FILM_BAD_INPUT;
        }
    }
    if (status != FILM_OK) return status;
    snprintf(error->message, sizeof error->message,
             "no cluster has other members than these ids: there is nothing to split");
    return error->status = FILM_BAD_INPUT;
}

static int run_edit(film_pool *pool, const struct values *values, film_cluster_action action,
                    const struct command *command)
{
    film_error error = {0};
    struct naming naming = {.given = NULL};
    uint64_t labels = 0;
    film_cluster_edit edit = {.size = sizeof edit, .action = action};
    film_status status = FILM_OK;
    film_text *ids = calloc((size_t)command->count, sizeof *ids);
    if (!ids) return report(no_memory(&error), &error);
    for (int i = 2; i < command->count; i++) ids[edit.count++] = film_string(command->words[i]);
    edit.ids = ids;
    status = complete_edit(pool, values, command->quiet, &edit, &naming, &error);
    if (status == FILM_OK) status = film_pool_edit_clusters(pool, &edit, &labels, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && command->json)
        printf("{\"labels\": %llu}\n", (unsigned long long)labels);
    else if (code == EXIT_DONE && !command->quiet)
        fprintf(stderr, "%s changed\n", counted(labels, "label"));
    free(ids);
    free_copies(naming.named, naming.named_count);
    free_copies(naming.rest, naming.rest_count);
    return code;
}

static int run(const struct command *command, void *given)
{
    static const char *const actions[] = {"same", "split", "represent"};
    const struct values *values = given;
    int action = 0;
    while (command->count > 1 && action < FILM_CLUSTER_ACTION_COUNT &&
           strcmp(command->words[1], actions[action]) != 0)
        action++;
    if (action == FILM_CLUSTER_ACTION_COUNT)
        return usage_error(command->verb, "\"%s\" is not same, split or represent",
                           command->words[1]);
    film_error error = {0};
    film_pool *pool = NULL;
    int code = report(pool_open(command->words[0], values->wait, &pool, &error), &error);
    if (code == EXIT_DONE)
        code = command->count == 1 ? run_list(pool, values, command)
                                   : run_edit(pool, values, (film_cluster_action)action, command);
    film_pool_close(pool);
    return code;
}

const struct verb pool_clusters = {
    "pool clusters",
    LIBRARY_POOL,
    "List the clusters of duplicates for review, and edit them",
    .arguments = "POOL [same|split|represent ID...] [options]",
    .min_words = 1,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "same confirms the clusters of these ids, or merges them. split takes the ids out of "
        "their\n"
        "clusters. represent makes one id the representative. Edits are stored as labels, which\n"
        "film dedup obeys and film train --pool learns from. weakest is the lowest probability of "
        "a member.\n\n"
        "examples:\n"
        "  film pool clusters faq.pool --order doubt -n 10\n"
        "  film pool clusters faq.pool split 17\n"};
