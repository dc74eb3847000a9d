/* film_pool_edit_clusters: what a person decides about clusters becomes labels. Each edit is one
 * transaction. A chosen representative is a setting "representative:NUMBER". */
#include "base/mem.h"
#include "base/sized.h"
#include "base/sort.h"
#include "pool/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLUSTER_ORIGIN "cluster"

struct cluster_editing {
    film_pool *pool;
    film_cluster_edit edit;
    uint64_t labelled;
    struct store_write write;
    int64_t *numbers, *rest; /* of the sentences */
};

/* ---- Labels ---- */

static film_status label_pair(struct cluster_editing *editing, int64_t a, int64_t b, int same,
                              film_error *error)
{
    int changed = 0;
    film_status status =
        store_label(&editing->write, a, b, same, film_string(CLUSTER_ORIGIN), &changed, error);
    editing->labelled += (uint64_t)(changed != 0);
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

static film_status edit_represent(struct cluster_editing *editing, film_error *error)
{
    film_status status = FILM_OK;
    struct store_write *write = &editing->write;
    char name[40];
    if (editing->pool->remote)
        TRY(status_set(error, FILM_USAGE,
                       "%s: a pool in PostgreSQL stores no representatives; edit a pool file",
                       editing->pool->path));
    /* Numbers are padded, so that names sort as numbers. The last change is the highest rank. */
    snprintf(name, sizeof name, "representative:%019lld", (long long)editing->numbers[0]);
    TRY(store_set_number(write->db, name, (int64_t)write->change + 1, error));
    write->change++;
done:
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
    static film_status (*const actions[])(struct cluster_editing *,
                                          film_error *) = {edit_same, edit_split, edit_represent};
    film_status status = FILM_OK;
    const film_cluster_edit *edit = &editing->edit;
    TRY(find_numbers(editing, edit->ids, edit->count, &editing->numbers, error));
    TRY(find_numbers(editing, edit->rest, edit->rest_count, &editing->rest, error));
    TRY(actions[edit->action](editing, error));
done:
    return status;
}

film_status film_pool_edit_clusters(film_pool *pool, const film_cluster_edit *edit,
                                    uint64_t *labels, film_error *error)
{
    film_status status = FILM_OK;
    struct cluster_editing editing = {.pool = pool};
    int writing = 0;
    if (!pool || !edit) return pool_missing(error, pool ? "edit" : "pool");
    TRY(sized_options(&editing.edit, sizeof editing.edit, edit, "film_cluster_edit", error));
    TRY(check_edit(&editing.edit, error));
    TRY(pool_write(pool, NULL, "editing", 0, &editing.write, error));
    writing = 1;
    TRY(apply_edit(&editing, error));
    TRY(pool_commit(pool, &editing.write, error));
    if (labels) *labels = editing.labelled;
done:
    if (writing) pool_write_end(pool);
    mem_free(editing.numbers);
    mem_free(editing.rest);
    return status;
}
