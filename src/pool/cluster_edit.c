/* film_pool_edit_clusters: what a person decides about clusters becomes labels. Each edit is one
 * transaction, which also stores how to undo it: a setting "undo:CHANGE" with the labels as they
 * were. A chosen representative is a setting "representative:NUMBER". */
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/sized.h"
#include "base/sort.h"
#include "pool/cluster_edit.h"
#include "pool/pool.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLUSTER_ORIGIN "cluster"

/* The edits that can be undone. */
enum { UNDO_MOST = 100, SETTING_NAME = 40 };

struct cluster_editing {
    film_pool *pool;
    film_cluster_edit edit;
    film_cluster_edited done;
    struct store_write write;
    int64_t *numbers, *rest; /* of the sentences */
    json_t *labels;          /* as they became and as they were:
                              * [a, b, same, same before, made, origin] */
    json_t *chosen;          /* [number, rank]: the representative as it was; NULL: unchanged */
};

/* ---- Labels ---- */

/* Labels a pair, and notes the label that it had. */
static film_status label_pair(struct cluster_editing *editing, int64_t a, int64_t b, int same,
                              film_error *error)
{
    film_status status = FILM_OK;
    struct store_label_row before;
    json_t *noted = NULL;
    int found, changed = 0;
    TRY(store_get_label(editing->write.db, a, b, &before, &found, error));
    if (found && before.same == same) goto done;
    noted = found ? json_pack("[I, I, i, i, s%, s%]", (json_int_t)before.a, (json_int_t)before.b,
                              same, before.same, before.made.bytes, before.made.length,
                              before.origin.bytes, before.origin.length)
                  : json_pack("[I, I, i, i, s, s]", (json_int_t)before.a, (json_int_t)before.b,
                              same, same, "", "");
    TRY(store_label(&editing->write, a, b, same, film_string(CLUSTER_ORIGIN), &changed, error));
    editing->done.labels += (uint64_t)(changed != 0);
    TRY_ALLOC(noted, error);
    TRY_ALLOC(jsonfile_append(editing->labels, json_incref(noted)) == 0, error);
done:
    json_decref(noted);
    return status;
}

static int numbers_ascend(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

/* Pairs of the list that are labelled "different" become the same: the list says so. */
static film_status overrule(struct cluster_editing *editing, const int64_t *sorted, size_t count,
                            film_error *error)
{
    static const char sql[] = "SELECT b FROM label WHERE a = ?1 AND same = 0 AND " STORE_LABELLED
                              " AND b > ?2 ORDER BY b LIMIT 1";
    film_status status = FILM_OK;
    sqlite3_stmt *statement;
    for (size_t i = 0; i < count; i++) {
        int64_t other = 0;
        int row = 1;
        while (row) {
            TRY(db_prepare(editing->write.db, sql, &statement, error));
            sqlite3_bind_int64(statement, 1, sorted[i]);
            sqlite3_bind_int64(statement, 2, other);
            TRY(db_step(editing->write.db, statement, &row, error));
            if (row) other = sqlite3_column_int64(statement, 0);
            sqlite3_reset(statement);
            if (row && bsearch(&other, sorted, count, sizeof *sorted, numbers_ascend))
                TRY(label_pair(editing, sorted[i], other, 1, error));
        }
    }
done:
    return status;
}

static film_status edit_same(struct cluster_editing *editing, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = editing->edit.count;
    for (size_t i = 1; i < count; i++)
        if (editing->numbers[i] != editing->numbers[0])
            TRY(label_pair(editing, editing->numbers[0], editing->numbers[i], 1, error));
    sort_array(editing->numbers, count, sizeof *editing->numbers, numbers_ascend);
    TRY(overrule(editing, editing->numbers, count, error));
done:
    return status;
}

static film_status edit_split(struct cluster_editing *editing, film_error *error)
{
    film_status status = FILM_OK;
    for (size_t i = 0; i < editing->edit.count; i++)
        for (size_t k = 0; k < editing->edit.rest_count; k++) {
            if (editing->numbers[i] == editing->rest[k])
                TRY(status_set(error, FILM_USAGE,
                               "a sentence is in both parts of the split; name it once"));
            TRY(label_pair(editing, editing->numbers[i], editing->rest[k], 0, error));
        }
done:
    return status;
}

/* ---- Representatives ---- */

/* Numbers are padded, so that names sort as numbers. RANK 0 removes it. */
static film_status set_representative(struct store_write *write, int64_t number, int64_t rank,
                                      int64_t *before, film_error *error)
{
    film_status status = FILM_OK;
    char name[SETTING_NAME], *value = NULL;
    snprintf(name, sizeof name, "representative:%019lld", (long long)number);
    TRY(store_get(write->db, name, &value, error));
    if (before) *before = value ? strtoll(value, NULL, 10) : 0;
    TRY(store_set_number(write->db, name, rank, error));
    write->change++;
done:
    mem_free(value);
    return status;
}

static film_status edit_represent(struct cluster_editing *editing, film_error *error)
{
    film_status status = FILM_OK;
    int64_t number = editing->numbers[0], before = 0;
    if (editing->pool->remote)
        TRY(status_set(error, FILM_USAGE,
                       "%s: a pool in PostgreSQL stores no representatives; edit a pool file",
                       editing->pool->path));
    /* The last change is the highest rank. */
    TRY(set_representative(&editing->write, number, (int64_t)editing->write.change + 1, &before,
                           error));
    TRY_ALLOC(editing->chosen = json_pack("[I, I]", (json_int_t)number, (json_int_t)before), error);
done:
    return status;
}

/* ---- Undo ---- */

static film_status count_undoable(struct db *db, uint64_t *count, film_error *error)
{
    int64_t number = 0;
    film_status status =
        db_number(db, "SELECT count(*) FROM setting WHERE name GLOB 'undo:*'", &number, error);
    *count = (uint64_t)number;
    return status;
}

film_status cluster_undoable(film_pool *pool, uint64_t *count, film_error *error)
{
    struct db *db = NULL;
    film_status status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = count_undoable(db, count, error);
    pool_read_end(pool, db);
    return status;
}

static film_status store_undo(struct cluster_editing *editing, film_error *error)
{
    static const char sql[] =
        "DELETE FROM setting WHERE name GLOB 'undo:*' AND name NOT IN (SELECT name FROM setting"
        " WHERE name GLOB 'undo:*' ORDER BY name DESC LIMIT 100)";
    film_status status = FILM_OK;
    char name[SETTING_NAME], *text = NULL;
    json_t *undo = json_pack("{s:i, s:O, s:O?}", "action", (int)editing->edit.action, "labels",
                             editing->labels, "representative", editing->chosen);
    _Static_assert(UNDO_MOST == 100, "the statement above has it, too");
    TRY(jsonfile_dump(undo, JSON_COMPACT, &text, error));
    snprintf(name, sizeof name, "undo:%019llu", (unsigned long long)editing->write.change);
    TRY(store_set(editing->write.db, name, film_string(text), error));
    TRY(db_run(editing->write.db, sql, error));
done:
    json_decref(undo);
    film_free(text);
    return status;
}

/* The last edit; *TEXT is NULL when there is none. Takes its setting away. */
static film_status take_undo(struct store_write *write, char **text, film_error *error)
{
    static const char sql[] = "SELECT name, value FROM setting WHERE name GLOB 'undo:*'"
                              " ORDER BY name DESC LIMIT 1";
    static const char remove_sql[] = "DELETE FROM setting WHERE name = ?1";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL, *removal;
    char name[SETTING_NAME];
    int row;
    TRY(db_prepare(write->db, sql, &statement, error));
    TRY(db_step(write->db, statement, &row, error));
    if (!row) goto done;
    film_text found = db_text(statement, 0), value = db_text(statement, 1);
    TRY(db_row_read(write->db, error));
    snprintf(name, sizeof name, "%.*s", (int)(found.length < 39 ? found.length : 39), found.bytes);
    TRY_ALLOC(*text = mem_string(value.bytes ? value.bytes : "", value.length), error);
    sqlite3_reset(statement);
    TRY(db_prepare(write->db, remove_sql, &removal, error));
    db_bind_text(removal, 1, film_string(name));
    TRY(db_finish(write->db, removal, error));
    write->other = 1;
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

/* A whole number from JSON; 0 where there is none. */
static int64_t number_in_json(const json_t *value)
{
    double number = json_number_value(value);
    return number > -9e15 && number < 9e15 ? (int64_t)number : 0;
}

/* Restores one label, unless it is no longer as the edit left it. The pool may hold anything:
 * values are only bound to statements. */
static film_status restore_label(struct cluster_editing *editing, const json_t *noted,
                                 film_error *error)
{
    film_status status = FILM_OK;
    struct store_label_row now, row = {.same = 0};
    int found, changed = 0;
    row.a = number_in_json(json_array_get(noted, 0));
    row.b = number_in_json(json_array_get(noted, 1));
    const char *made = json_string_value(json_array_get(noted, 4));
    const char *origin = json_string_value(json_array_get(noted, 5));
    TRY(store_get_label(editing->write.db, row.a, row.b, &now, &found, error));
    int set = json_number_value(json_array_get(noted, 2)) != 0;
    if (!found || now.same != set || now.origin.length != strlen(CLUSTER_ORIGIN) ||
        memcmp(now.origin.bytes, CLUSTER_ORIGIN, now.origin.length) != 0)
        goto done;
    row.same = json_number_value(json_array_get(noted, 3)) != 0;
    row.made = film_string(made ? made : "");
    row.origin = film_string(origin ? origin : "");
    TRY(store_reset_label(&editing->write, &row, &changed, error));
    editing->done.labels += (uint64_t)(changed != 0);
done:
    return status;
}

static film_status edit_undo(struct cluster_editing *editing, film_error *error)
{
    film_status status = FILM_OK;
    char *text = NULL;
    json_t *undo = NULL;
    const json_t *noted;
    size_t i;
    TRY(take_undo(&editing->write, &text, error));
    if (!text) return FILM_END;
    TRY(jsonfile_parse(text, strlen(text), "the last edit", &undo, error));
    json_array_foreach(json_object_get(undo, "labels"), i, noted)
        TRY(restore_label(editing, noted, error));
    const json_t *chosen = json_object_get(undo, "representative");
    if (json_is_array(chosen))
        TRY(set_representative(&editing->write, number_in_json(json_array_get(chosen, 0)),
                               number_in_json(json_array_get(chosen, 1)), NULL, error));
    int64_t action = number_in_json(json_object_get(undo, "action"));
    if (action >= 0 && action < FILM_CLUSTER_UNDO)
        editing->done.action = (film_cluster_action)action;
done:
    mem_free(text);
    json_decref(undo);
    return status;
}

/* ---- The call ---- */

static film_status check_edit(const film_cluster_edit *edit, film_error *error)
{
    size_t pairs = edit->action == FILM_CLUSTER_SPLIT && edit->rest_count
                       ? edit->count > FILM_CLUSTER_MOST / edit->rest_count
                             ? FILM_CLUSTER_MOST + 1
                             : edit->count * edit->rest_count
                       : edit->count;
    if (edit->action < 0 || edit->action >= FILM_CLUSTER_ACTION_COUNT)
        return status_set(error, FILM_USAGE, "unknown action %d", (int)edit->action);
    if ((edit->count && !edit->ids) || (edit->rest_count && !edit->rest))
        return pool_missing(error, "ids");
    if (edit->action == FILM_CLUSTER_SAME && edit->count < 2)
        return status_set(error, FILM_USAGE, "two or more ids are needed");
    if (edit->action == FILM_CLUSTER_SPLIT && (!edit->count || !edit->rest_count))
        return status_set(error, FILM_USAGE, "ids of both parts of the split are needed");
    if (edit->action == FILM_CLUSTER_REPRESENT && edit->count != 1)
        return status_set(error, FILM_USAGE, "exactly one id is needed");
    if (pairs > FILM_CLUSTER_MOST)
        return status_set(error, FILM_USAGE,
                          "the edit would label more than %d pairs; edit fewer sentences at once",
                          FILM_CLUSTER_MOST);
    return FILM_OK;
}

static film_status find_numbers(struct cluster_editing *editing, const film_text *ids, size_t count,
                                int64_t **numbers, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(*numbers = mem_array(count, sizeof **numbers), error);
    for (size_t i = 0; i < count; i++)
        TRY(pool_number(editing->pool, editing->write.db, ids[i], &(*numbers)[i], error));
done:
    return status;
}

static film_status apply_edit(struct cluster_editing *editing, film_error *error)
{
    static film_status (*const actions[])(struct cluster_editing *, film_error *) = {
        edit_same, edit_split, edit_represent, edit_undo};
    film_status status = FILM_OK;
    const film_cluster_edit *edit = &editing->edit;
    TRY_ALLOC(editing->labels = json_array(), error);
    TRY(find_numbers(editing, edit->ids, edit->count, &editing->numbers, error));
    TRY(find_numbers(editing, edit->rest, edit->rest_count, &editing->rest, error));
    TRY(actions[edit->action](editing, error));
    /* An edit that changed nothing must not hide the one before it. */
    if (edit->action != FILM_CLUSTER_UNDO && editing->write.change != editing->write.first)
        TRY(store_undo(editing, error));
    TRY(count_undoable(editing->write.db, &editing->done.undoable, error));
done:
    return status;
}

film_status film_pool_edit_clusters(film_pool *pool, const film_cluster_edit *edit,
                                    film_cluster_edited *result, film_error *error)
{
    film_status status = FILM_OK;
    struct cluster_editing editing = {.pool = pool};
    int writing = 0;
    if (!pool || !edit) return pool_missing(error, pool ? "edit" : "pool");
    TRY(sized_check(result, "film_cluster_edited", error));
    TRY(sized_options(&editing.edit, sizeof editing.edit, edit, "film_cluster_edit", error));
    TRY(check_edit(&editing.edit, error));
    editing.done.action = editing.edit.action;
    TRY(pool_write(pool, NULL, "editing", 0, &editing.write, error));
    writing = 1;
    TRY(apply_edit(&editing, error));
    TRY(pool_commit(pool, &editing.write, error));
    editing.done.size = sizeof editing.done;
    sized_fill(result, &editing.done, sizeof editing.done);
done:
    if (writing) pool_write_end(pool);
    mem_free(editing.numbers);
    mem_free(editing.rest);
    json_decref(editing.labels);
    json_decref(editing.chosen);
    return status;
}
