/* Labels of pairs in a pool: sets, removes and lists them, and forms clusters (connected
 * components). It predicts nothing. A removed label stays as a row with an empty origin, so that
 * copies of the pool learn of the removal as of any other change. */
#include "base/mem.h"
#include "base/union_find.h"
#include "store/store.h"

#include <string.h>

/* After a statement that may have written one label as the next change. */
static void note_label(struct store_write *write, int *changed)
{
    *changed = sqlite3_changes(write->db->handle) > 0;
    if (!*changed) return;
    write->change++;
    write->labels = 1;
}

film_status store_label(struct store_write *write, int64_t a, int64_t b, int same, film_text origin,
                        int *changed, film_error *error)
{
    /* Repeating the same label keeps the time of the first. A removed one is always replaced. */
    static const char sql[] =
        "INSERT INTO label VALUES (?1, ?2, ?3, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?4, ?5)"
        " ON CONFLICT (a, b) DO UPDATE SET same = excluded.same, made = excluded.made,"
        " origin = excluded.origin, change = excluded.change WHERE same <> excluded.same"
        " OR label.origin = ''";
    sqlite3_stmt *statement;
    film_status status = db_prepare(write->db, sql, &statement, error);
    if (status != FILM_OK) return status;
    sqlite3_bind_int64(statement, 1, a < b ? a : b);
    sqlite3_bind_int64(statement, 2, a < b ? b : a);
    sqlite3_bind_int(statement, 3, same != 0);
    db_bind_text(statement, 4, origin);
    sqlite3_bind_int64(statement, 5, (int64_t)(write->change + 1));
    status = db_finish(write->db, statement, error);
    if (status != FILM_OK) return status;
    note_label(write, changed);
    return FILM_OK;
}

film_status store_unlabel(struct store_write *write, int64_t a, int64_t b, int *changed,
                          film_error *error)
{
    static const char sql[] = "UPDATE label SET made = strftime('%Y-%m-%dT%H:%M:%SZ', 'now'),"
                              " origin = '', change = ?3 WHERE a = ?1 AND b = ?2"
                              " AND " STORE_LABELLED;
    sqlite3_stmt *statement;
    film_status status = db_prepare(write->db, sql, &statement, error);
    if (status != FILM_OK) return status;
    sqlite3_bind_int64(statement, 1, a < b ? a : b);
    sqlite3_bind_int64(statement, 2, a < b ? b : a);
    sqlite3_bind_int64(statement, 3, (int64_t)(write->change + 1));
    status = db_finish(write->db, statement, error);
    if (status != FILM_OK) return status;
    note_label(write, changed);
    return FILM_OK;
}

film_status store_each_label(struct db *db, film_label_fn call, void *user, film_error *error)
{
    static const char sql[] = "SELECT sa.id, sb.id, l.same, l.made, l.origin FROM label l"
                              " JOIN sentence sa ON sa.number = l.a JOIN sentence sb ON sb.number "
                              "= l.b WHERE l." STORE_LABELLED " ORDER BY l.a, l.b";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    TRY(db_prepare(db, sql, &statement, error));
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        film_pool_label_row label = {db_text(statement, 0), db_text(statement, 1),
                                     sqlite3_column_int(statement, 2), db_text(statement, 3),
                                     db_text(statement, 4)};
        TRY(db_row_read(db, error));
        if (call(user, &label)) break;
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status store_each_pair(struct db *db, store_pair_fn call, void *user, film_error *error)
{
    static const char sql[] = "SELECT sa.text, sb.text, l.same FROM label l"
                              " JOIN sentence sa ON sa.number = l.a JOIN sentence sb ON sb.number "
                              "= l.b WHERE l." STORE_LABELLED " ORDER BY l.a, l.b";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    TRY(db_prepare(db, sql, &statement, error));
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        film_text a = db_text(statement, 0), b = db_text(statement, 1);
        TRY(db_row_read(db, error));
        if (call(user, a, b, sqlite3_column_int(statement, 2))) break;
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

/* ---- Clusters ---- */

/* The numbers of all labelled sentences, ascending. */
static film_status read_members(struct db *db, struct store_clusters *out, film_error *error)
{
    static const char sql[] = "SELECT a FROM label WHERE " STORE_LABELLED
                              " UNION SELECT b FROM label WHERE " STORE_LABELLED " ORDER BY 1";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    size_t capacity = 0;
    int row;
    TRY(db_prepare(db, sql, &statement, error));
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        void *memory = out->numbers;
        TRY_ALLOC(mem_grow(&memory, &capacity, out->count + 1, sizeof *out->numbers), error);
        out->numbers = memory;
        out->numbers[out->count++] = sqlite3_column_int64(statement, 0);
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

static uint32_t sentence_position(const struct store_clusters *clusters, int64_t number)
{
    size_t low = 0, high = clusters->count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (clusters->numbers[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* Joins pairs labelled "same"; then counts the pairs labelled "different" that are joined. */
static film_status read_cluster_pairs(struct db *db, struct store_clusters *out,
                                      struct union_find *sets, film_error *error)
{
    static const char sql[] =
        "SELECT a, b, same FROM label WHERE " STORE_LABELLED " ORDER BY same DESC";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    TRY(db_prepare(db, sql, &statement, error));
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        uint32_t a = sentence_position(out, sqlite3_column_int64(statement, 0));
        uint32_t b = sentence_position(out, sqlite3_column_int64(statement, 1));
        if (sqlite3_column_int(statement, 2))
            union_find_join(sets, a, b);
        else
            out->contradictions += union_find_root(sets, a) == union_find_root(sets, b);
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

film_status store_clusters(struct db *db, struct store_clusters *out, film_error *error)
{
    film_status status = FILM_OK;
    struct union_find sets = {0};
    unsigned char *large = NULL;
    *out = (struct store_clusters){0};
    TRY(read_members(db, out, error));
    TRY(union_find_init(&sets, out->count, error));
    TRY(read_cluster_pairs(db, out, &sets, error));
    TRY_ALLOC(out->root = mem_array(out->count, sizeof *out->root), error);
    TRY_ALLOC(large = mem_zeroed(out->count, 1), error);
    /* The smallest member is the root, and numbers ascend: the oldest sentence names the
     * cluster. */
    for (size_t i = 0; i < out->count; i++) {
        out->root[i] = union_find_root(&sets, (uint32_t)i);
        if (out->root[i] != i && !large[out->root[i]]) {
            large[out->root[i]] = 1;
            out->clusters++;
        }
    }
done:
    union_find_free(&sets);
    mem_free(large);
    if (status != FILM_OK) store_clusters_free(out);
    return status;
}

void store_clusters_free(struct store_clusters *clusters)
{
    mem_free(clusters->numbers);
    mem_free(clusters->root);
    *clusters = (struct store_clusters){0};
}
