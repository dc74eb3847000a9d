/* Reads and writes what a pool knows of its models (a setting of the pool) and their verdicts on
 * unseen labels. It trains nothing; learn.c, update.c and restore.c do the exchange. */
#include "pool/model_history.h"
#include "base/jsonfile.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Reads the entry KEY, if it is about the model ID. The setting may hold anything. */
static void read_model(const json_t *root, const char *key, const char *id,
                       struct history_model *model)
{
    const json_t *entry = json_object_get(root, key);
    const char *entry_id = json_string_value(json_object_get(entry, "id"));
    const char *when = json_string_value(json_object_get(entry, "when"));
    *model = (struct history_model){.accuracy = NAN, .low = NAN, .high = NAN};
    snprintf(model->id, sizeof model->id, "%s", id ? id : "");
    if (!id || !entry_id || strcmp(entry_id, id) != 0) return;
    model->labels = history_number(entry, "labels");
    model->change = history_number(entry, "change");
    model->accuracy = history_share(entry, "accuracy");
    model->low = history_share(entry, "low");
    model->high = history_share(entry, "high");
    snprintf(model->when, sizeof model->when, "%s", when ? when : "");
}

film_status history_read(struct db *db, struct model_history *history, film_error *error)
{
    static const char change_sql[] = "SELECT value FROM setting WHERE name = 'model_change'";
    film_status status = FILM_OK;
    char *text = NULL, *present = NULL, *earlier = NULL;
    int64_t change;
    json_t *root = NULL;
    *history = (struct model_history){.last = NULL};
    TRY(store_get(db, "learning", &text, error));
    TRY(store_get(db, "model_checksum", &present, error));
    TRY(store_get(db, "earlier_checksum", &earlier, error));
    if (text) TRY(jsonfile_parse(text, strlen(text), db->path, &root, error));
    read_model(root, "present", present, &history->present);
    read_model(root, "earlier", earlier, &history->earlier);
    /* A model that was not learned here may have seen every label given before it came. */
    TRY(db_number(db, change_sql, &change, error));
    history->present.change = change > 0 ? (uint64_t)change : 0;
    json_t *last = json_object_get(root, "last");
    if (json_is_object(last)) history->last = json_incref(last);
    /* The parser makes every number a real. */
    if (history->last && (jsonfile_put(last, "labels", whole_number(last, "labels")) != 0 ||
                          jsonfile_put(last, "compared", whole_number(last, "compared")) != 0))
        TRY(status_no_memory(error));
done:
    json_decref(root);
    mem_free(text);
    mem_free(present);
    mem_free(earlier);
    return status;
}

static json_t *model_json(const struct history_model *model)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "id", model->id, "when", model->when,
                     "labels", (json_int_t)model->labels, "change", (json_int_t)model->change,
                     "accuracy", jsonfile_number(model->accuracy), "low",
                     jsonfile_number(model->low), "high", jsonfile_number(model->high));
}

film_status history_write(struct db *db, const struct model_history *history, film_error *error)
{
    film_status status = FILM_OK;
    char *text = NULL;
    json_t *root = json_pack("{s:o, s:o, s:O?}", "present", model_json(&history->present),
                             "earlier", model_json(&history->earlier), "last", history->last);
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
    *history = (struct model_history){.last = NULL};
}

film_status history_exchange(struct db *db, const struct history_model *present, film_error *error)
{
    film_status status = FILM_OK;
    struct model_history history;
    TRY(history_read(db, &history, error));
    if (strcmp(history.present.id, present->id) != 0) {
        if (*history.earlier.id && strcmp(history.earlier.id, present->id) != 0)
            TRY(history_put_verdicts(db, history.earlier.id, NULL, 0, error));
        history.earlier = history.present;
    }
    history.present = *present;
    TRY(history_write(db, &history, error));
    TRY(store_set_number(db, "model_change", (int64_t)present->change, error));
done:
    history_free(&history);
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
