/* film_pool_models and film_pool_restore: lists the models that a pool had, and puts one of them in
 * service again. */
#include "base/checksum.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "pool/model_history.h"

#include <math.h>
#include <string.h>

static json_t *entry_json(const struct history_model *model, const char *present)
{
    return json_pack("{s:s, s:o, s:I, s:o, s:o, s:o, s:b}", "id", model->id, "when",
                     *model->when ? json_string(model->when) : json_null(), "labels",
                     (json_int_t)model->labels, "accuracy", jsonfile_number(model->accuracy), "low",
                     jsonfile_number(model->low), "high", jsonfile_number(model->high),
                     "in_service", strcmp(model->id, present) == 0);
}

static film_status print_history(struct db *db, struct model_history *history, char **json,
                                 film_error *error)
{
    film_status status = FILM_OK;
    char *present = NULL;
    int64_t labels, seen = 0;
    json_t *root = NULL, *list = json_array();
    TRY(store_get(db, "model_checksum", &present, error));
    TRY(db_number(db, "SELECT count(*) FROM label WHERE " STORE_LABELLED, &labels, error));
    if (present && !history_find(history, present)) {
        struct history_model other = {.accuracy = NAN, .low = NAN, .high = NAN};
        strncpy(other.id, present, sizeof other.id - 1);
        jsonfile_append(list, entry_json(&other, present));
    }
    for (size_t i = 0; i < history->count; i++)
        jsonfile_append(list, entry_json(&history->list[i], present ? present : ""));
    if (history->last) seen = (int64_t)json_number_value(json_object_get(history->last, "labels"));
    root = json_pack("{s:I, s:I, s:O?, s:O}", "labels", (json_int_t)labels, "new_labels",
                     (json_int_t)(labels > seen ? labels - seen : 0), "last", history->last,
                     "models", list);
    TRY(jsonfile_dump(root, 0, json, error));
done:
    json_decref(list);
    json_decref(root);
    mem_free(present);
    return status;
}

film_status film_pool_models(film_pool *pool, char **json, film_error *error)
{
    film_status status = FILM_OK;
    struct model_history history = {.count = 0};
    struct db *db = NULL;
    if (!pool || !json) return pool_missing(error, pool ? "json" : "pool");
    *json = NULL;
    TRY(pool_read(pool, &db, error));
    TRY(history_read(db, &history, error));
    TRY(print_history(db, &history, json, error));
done:
    pool_read_end(pool, db);
    history_free(&history);
    return status;
}

/* ---- Restoring ---- */

/* *CHOSEN = the entry of ID; without one, the entry after that of the model in service. */
static film_status choose_model(film_pool *pool, const char *id, struct history_model *chosen,
                                char **present, film_error *error)
{
    film_status status = FILM_OK;
    struct model_history history = {.count = 0};
    struct db *db = NULL;
    const struct history_model *found = NULL;
    TRY(pool_read(pool, &db, error));
    TRY(history_read(db, &history, error));
    TRY(store_get(db, "model_checksum", present, error));
    if (id) {
        found = history_find(&history, id);
    } else {
        found = *present ? history_find(&history, *present) : NULL;
        if (found && ++found == history.list + history.count) found = NULL;
    }
    if (!found && id)
        TRY(status_set(error, FILM_BAD_INPUT, "%s has no model %s; list its models first",
                       pool->path, id));
    if (!found)
        TRY(status_set(error, FILM_BAD_INPUT, "%s has no earlier model to restore", pool->path));
    *chosen = *found;
done:
    pool_read_end(pool, db);
    history_free(&history);
    return status;
}

/* The labels that the restored model has seen are those from when it was learned. */
static film_status write_restored(void *user, struct db *db, film_error *error)
{
    const struct history_model *chosen = user;
    return store_set_number(db, "model_change", (int64_t)chosen->change, error);
}

film_status film_pool_restore(film_pool *pool, const char *id, int threads,
                              const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    struct history_model chosen;
    char *path = NULL, *present = NULL;
    void *bytes = NULL;
    struct pool_exchange exchange = {
        .threads = threads, .progress = progress, .also = write_restored, .user = &chosen};
    if (!pool) return pool_missing(error, "pool");
    TRY(pool_check_local(pool, error));
    TRY(choose_model(pool, id, &chosen, &present, error));
    if (present && strcmp(present, chosen.id) == 0) goto done;
    TRY_ALLOC(path = history_path(pool, chosen.id), error);
    TRY(pool_model_bytes(path, &bytes, &exchange.size, error));
    if (strcmp(checksum_print(checksum_bytes(bytes, exchange.size)).digits, chosen.id) != 0)
        TRY(status_set(error, FILM_BAD_INPUT, "%s is damaged: checksum mismatch; restore another",
                       path));
    exchange.bytes = bytes;
    exchange.name = path;
    exchange.replaces = present;
    TRY(pool_exchange_model(pool, &exchange, NULL, error));
done:
    mem_free(path);
    mem_free(present);
    mem_free_aligned(bytes);
    return status;
}
