/* film_pool_models and film_pool_restore: describes the two models of a pool, and exchanges
 * them. */
#include "base/jsonfile.h"
#include "base/mem.h"
#include "pool/model_history.h"

static json_t *entry_json(const struct history_model *model, int in_service)
{
    return json_pack("{s:s, s:o, s:I, s:o, s:o, s:o, s:b}", "id", model->id, "when",
                     *model->when ? json_string(model->when) : json_null(), "labels",
                     (json_int_t)model->labels, "accuracy", jsonfile_number(model->accuracy), "low",
                     jsonfile_number(model->low), "high", jsonfile_number(model->high),
                     "in_service", in_service);
}

static film_status print_history(struct db *db, const struct model_history *history, char **json,
                                 film_error *error)
{
    film_status status = FILM_OK;
    int64_t labels, seen = 0;
    json_t *root = NULL, *list = json_array();
    TRY(db_number(db, "SELECT count(*) FROM label WHERE " STORE_LABELLED, &labels, error));
    jsonfile_append(list, entry_json(&history->present, 1));
    if (*history->earlier.id) jsonfile_append(list, entry_json(&history->earlier, 0));
    if (history->last) seen = (int64_t)json_number_value(json_object_get(history->last, "labels"));
    root = json_pack("{s:I, s:I, s:O?, s:O}", "labels", (json_int_t)labels, "new_labels",
                     (json_int_t)(labels > seen ? labels - seen : 0), "last", history->last,
                     "models", list);
    TRY(jsonfile_dump(root, 0, json, error));
done:
    json_decref(list);
    json_decref(root);
    return status;
}

film_status film_pool_models(film_pool *pool, char **json, film_error *error)
{
    film_status status = FILM_OK;
    struct model_history history = {.last = NULL};
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

static film_status read_earlier(film_pool *pool, struct model_history *history, void **bytes,
                                size_t *size, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = NULL;
    TRY(pool_read(pool, &db, error));
    TRY(history_read(db, history, error));
    if (!*history->earlier.id)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s has no earlier model to restore; it has had one model only",
                       pool->path));
    TRY(store_get_model(db, STORE_EARLIER, bytes, size, error));
done:
    pool_read_end(pool, db);
    return status;
}

film_status film_pool_restore(film_pool *pool, int threads, const film_progress *progress,
                              film_error *error)
{
    film_status status = FILM_OK;
    struct model_history history = {.last = NULL};
    void *bytes = NULL;
    struct pool_exchange exchange = {.name = "the earlier model",
                                     .threads = threads,
                                     .progress = progress,
                                     .replaces = history.present.id,
                                     .learned = &history.earlier};
    if (!pool) return pool_missing(error, "pool");
    TRY(pool_check_local(pool, error));
    TRY(read_earlier(pool, &history, &bytes, &exchange.size, error));
    exchange.bytes = bytes;
    TRY(pool_exchange_model(pool, &exchange, NULL, error));
done:
    history_free(&history);
    mem_free_aligned(bytes);
    return status;
}
