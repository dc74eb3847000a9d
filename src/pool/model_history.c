/* The models that a pool had: reads and writes their list (a setting of the pool), their verdicts
 * on unseen labels, and their files. It trains nothing; learn.c and restore.c do the exchange. */
#include "pool/model_history.h"
#include "base/file.h"
#include "base/jsonfile.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The list ---- */

static int is_id(const char *text)
{
    return text && strlen(text) == HISTORY_ID - 1 &&
           strspn(text, "0123456789abcdef") == HISTORY_ID - 1;
}

/* A share from JSON; NaN where it is missing or impossible. */
static double history_share(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    double share = json_is_number(value) ? json_number_value(value) : NAN;
    return share >= 0 && share <= 1 ? share : NAN;
}

static uint64_t history_number(const json_t *object, const char *key)
{
    double value = json_number_value(json_object_get(object, key));
    return value >= 0 && value < 9e15 ? (uint64_t)value : 0;
}

static json_t *whole_number(const json_t *object, const char *key)
{
    return json_integer((json_int_t)history_number(object, key));
}

/* The setting may hold anything: entries without a valid id are skipped. */
static void read_entries(const json_t *list, struct model_history *history)
{
    size_t i;
    const json_t *entry;
    json_array_foreach(list, i, entry)
    {
        const char *id = json_string_value(json_object_get(entry, "id"));
        const char *when = json_string_value(json_object_get(entry, "when"));
        if (!is_id(id) || history->count == HISTORY_KEPT || history_find(history, id)) continue;
        struct history_model *model = &history->list[history->count++];
        *model = (struct history_model){.labels = history_number(entry, "labels"),
                                        .change = history_number(entry, "change"),
                                        .accuracy = history_share(entry, "accuracy"),
                                        .low = history_share(entry, "low"),
                                        .high = history_share(entry, "high")};
        memcpy(model->id, id, HISTORY_ID);
        snprintf(model->when, sizeof model->when, "%s", when ? when : "");
    }
}

film_status history_read(struct db *db, struct model_history *history, film_error *error)
{
    film_status status = FILM_OK;
    char *text = NULL;
    json_t *root = NULL;
    *history = (struct model_history){.count = 0};
    TRY(store_get(db, "learning", &text, error));
    if (!text) goto done;
    TRY(jsonfile_parse(text, strlen(text), db->path, &root, error));
    read_entries(json_object_get(root, "models"), history);
    json_t *last = json_object_get(root, "last");
    if (json_is_object(last)) history->last = json_incref(last);
    /* The parser makes every number a real. */
    if (history->last && (jsonfile_put(last, "labels", whole_number(last, "labels")) != 0 ||
                          jsonfile_put(last, "compared", whole_number(last, "compared")) != 0))
        TRY(status_no_memory(error));
done:
    json_decref(root);
    mem_free(text);
    return status;
}

film_status history_write(struct db *db, const struct model_history *history, film_error *error)
{
    film_status status = FILM_OK;
    char *text = NULL;
    json_t *list = json_array();
    for (size_t i = 0; i < history->count; i++) {
        const struct history_model *model = &history->list[i];
        jsonfile_append(list, json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "id", model->id,
                                        "when", model->when, "labels", (json_int_t)model->labels,
                                        "change", (json_int_t)model->change, "accuracy",
                                        jsonfile_number(model->accuracy), "low",
                                        jsonfile_number(model->low), "high",
                                        jsonfile_number(model->high)));
    }
    json_t *root = json_pack("{s:o, s:O?}", "models", list, "last", history->last);
    TRY(jsonfile_dump(root, JSON_COMPACT, &text, error));
    TRY(store_set(db, "learning", film_string(text), error));
done:
    json_decref(root);
    film_free(text);
    return status;
}

void history_free(struct model_history *history)
{
    json_decref(history->last);
    *history = (struct model_history){.count = 0};
}

struct history_model *history_find(struct model_history *history, const char *id)
{
    for (size_t i = 0; i < history->count; i++)
        if (strcmp(history->list[i].id, id) == 0) return &history->list[i];
    return NULL;
}

static void take_out(struct model_history *history, const char *id)
{
    struct history_model *model = history_find(history, id);
    if (!model) return;
    size_t after = (size_t)(history->list + history->count - (model + 1));
    memmove(model, model + 1, after * sizeof *model);
    history->count--;
}

static void put_first(struct model_history *history, const struct history_model *model)
{
    struct history_model copy = *model;
    take_out(history, model->id);
    if (history->count > HISTORY_KEPT) history->count = HISTORY_KEPT;
    memmove(history->list + 1, history->list, history->count * sizeof *history->list);
    history->list[0] = copy;
    history->count++;
}

film_status history_add(struct db *db, struct model_history *history,
                        const struct history_model *newer, const struct history_model *older,
                        film_error *error)
{
    film_status status = FILM_OK;
    for (int i = 0; i < 2; i++) {
        const struct history_model *model = i == 0 ? older : newer;
        if (model) put_first(history, model);
        if (history->count <= HISTORY_KEPT) continue;
        TRY(history_put_verdicts(db, history->list[HISTORY_KEPT].id, NULL, 0, error));
        history->count = HISTORY_KEPT;
    }
done:
    return status;
}

/* ---- Verdicts ---- */

static void verdicts_name(const char *id, char name[32])
{
    snprintf(name, 32, "held/%s", id);
}

film_status history_verdicts(struct db *db, const char *id, struct held_verdict **list,
                             size_t *count, film_error *error)
{
    static const char sql[] = "SELECT value FROM setting WHERE name = ?1";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    char name[32];
    int row;
    *list = NULL;
    *count = 0;
    verdicts_name(id, name);
    TRY(db_prepare(db, sql, &statement, error));
    db_bind_text(statement, 1, film_string(name));
    TRY(db_step(db, statement, &row, error));
    if (!row) goto done;
    const void *bytes = sqlite3_column_blob(statement, 0);
    size_t size = (size_t)sqlite3_column_bytes(statement, 0);
    TRY(db_row_read(db, error));
    *count = size / sizeof **list;
    TRY_ALLOC(*list = mem_array(*count, sizeof **list), error);
    if (*count) memcpy(*list, bytes, *count * sizeof **list);
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status history_put_verdicts(struct db *db, const char *id, const struct held_verdict *list,
                                 size_t count, film_error *error)
{
    static const char put[] = "INSERT OR REPLACE INTO setting VALUES (?1, ?2)";
    static const char take[] = "DELETE FROM setting WHERE name = ?1";
    sqlite3_stmt *statement;
    char name[32];
    verdicts_name(id, name);
    film_status status = db_prepare(db, count ? put : take, &statement, error);
    if (status != FILM_OK) return status;
    db_bind_text(statement, 1, film_string(name));
    if (count) sqlite3_bind_blob64(statement, 2, list, count * sizeof *list, SQLITE_STATIC);
    return db_finish(db, statement, error);
}

/* ---- Files ---- */

char *history_path(const film_pool *pool, const char *id)
{
    size_t room = strlen(pool->file) + HISTORY_ID + sizeof ".models/.film";
    char *path = mem_array(room, 1);
    if (path && id)
        snprintf(path, room, "%s.models/%s.film", pool->file, id);
    else if (path)
        snprintf(path, room, "%s.models", pool->file);
    return path;
}

film_status history_keep(const film_pool *pool, const char *id, const void *bytes, size_t size,
                         film_error *error)
{
    film_status status = FILM_OK;
    struct film_output *output = NULL;
    char *folder = history_path(pool, NULL), *path = history_path(pool, id);
    TRY_ALLOC(folder && path, error);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        TRY(status_errno(error, "cannot create the folder %s", folder));
    if (!bytes || access(path, R_OK) == 0) goto done;
    TRY(output_open(path, &output, error));
    TRY(output_write(output, bytes, size, error));
    struct film_output *complete = output;
    output = NULL;
    TRY(output_commit(complete, error));
done:
    if (output) output_discard(output);
    mem_free(folder);
    mem_free(path);
    return status;
}

/* Whether NAME is a file of ours that nothing needs: an unlisted model, or one half-written. */
static int is_left_over(const char *name, struct model_history *history)
{
    char id[HISTORY_ID] = {0};
    if (strlen(name) < HISTORY_ID + 4) return 0;
    memcpy(id, name, HISTORY_ID - 1);
    return is_id(id) && strncmp(name + HISTORY_ID - 1, ".film", 5) == 0 &&
           (name[HISTORY_ID + 4] || !history_find(history, id));
}

void history_prune(const film_pool *pool, struct model_history *history)
{
    char *folder = history_path(pool, NULL);
    DIR *files = folder ? opendir(folder) : NULL;
    for (struct dirent *file; files && (file = readdir(files));)
        if (is_left_over(file->d_name, history)) unlinkat(dirfd(files), file->d_name, 0);
    if (files) closedir(files);
    mem_free(folder);
}
