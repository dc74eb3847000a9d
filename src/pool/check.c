/* film_pool_check: checks everything in one snapshot, then recomputes what can be recomputed, in
 * one transaction. It never changes data of the user. */
#include "pool/check.h"
#include "base/sized.h"
#include "base/mem.h"
#include "pool/snapshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_REPORTED = 100 };

void check_problem(struct checking *checking, const char *format, ...)
{
    char line[400];
    va_list arguments;
    checking->result->problems++;
    if (!checking->options->problem || checking->reported > MOST_REPORTED) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (++checking->reported > MOST_REPORTED) snprintf(line, sizeof line, "... and more");
    checking->options->problem(checking->options->problem_user, line);
}

/* ---- Database ---- */

static film_status check_database(struct checking *checking, film_error *error)
{
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    TRY(db_prepare(checking->db, "PRAGMA integrity_check(100)", &statement, error));
    for (;;) {
        TRY(db_step(checking->db, statement, &row, error));
        if (!row) break;
        const char *line = (const char *)sqlite3_column_text(statement, 0);
        if (!line || strcmp(line, "ok") == 0) continue;
        /* "row 3 missing from index x", "wrong # of entries in index x": indexes are rebuilt from
         * the table. */
        checking->indexes += strstr(line, " index ") != NULL;
        check_problem(checking, "database: %s", line);
    }
    TRY(db_prepare(checking->db, "PRAGMA foreign_key_check", &statement, error));
    for (;;) {
        TRY(db_step(checking->db, statement, &row, error));
        if (!row) break;
        const char *table = (const char *)sqlite3_column_text(statement, 0);
        int is_vector = table && strcmp(table, "vector") == 0;
        checking->orphans += is_vector;
        check_problem(checking, "%s of a missing sentence", is_vector ? "a vector" : "a label");
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

/* A counter must be larger than all used numbers; otherwise an index or a reader would take
 * something new for something known. */
static film_status check_counters(struct checking *checking, film_error *error)
{
    film_status status = FILM_OK;
    int64_t counter, used;
    TRY(db_number(checking->db, "SELECT value FROM setting WHERE name = 'changes'", &counter,
                  error));
    TRY(db_number(checking->db,
                  "SELECT max(ifnull((SELECT max(change) FROM sentence), 0),"
                  " ifnull((SELECT max(change) FROM removed), 0),"
                  " ifnull((SELECT max(change) FROM label), 0))",
                  &used, error));
    if (counter < used) {
        checking->counters++;
        check_problem(checking, "the counter of changes is %lld, but change %lld exists",
                      (long long)counter, (long long)used);
    }
    TRY(db_number(checking->db,
                  "SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'sentence'), 0)",
                  &counter, error));
    TRY(db_number(checking->db,
                  "SELECT max(ifnull((SELECT max(number) FROM sentence), 0),"
                  " ifnull((SELECT max(number) FROM removed), 0))",
                  &used, error));
    if (counter < used) {
        checking->counters++;
        check_problem(checking, "the counter of sentences is %lld, but sentence number %lld exists",
                      (long long)counter, (long long)used);
    }
done:
    return status;
}

/* ---- Labels ---- */

static film_status check_labels(struct checking *checking, film_error *error)
{
    struct store_clusters clusters;
    int64_t count;
    film_status status =
        db_number(checking->db, "SELECT count(*) FROM label WHERE " STORE_LABELLED, &count, error);
    if (status == FILM_OK) status = store_clusters(checking->db, &clusters, error);
    if (status != FILM_OK) return status;
    checking->result->labels = (uint64_t)count;
    checking->result->contradictions = clusters.contradictions;
    store_clusters_free(&clusters);
    return FILM_OK;
}

/* ---- Repair ---- */

static film_status repair_vector(struct checking *checking, struct store_write *write,
                                 int64_t number, float *vector, film_error *error)
{
    struct store_sentence sentence;
    int found;
    film_status status = store_find_number(write->db, number, &sentence, &found, error);
    if (status != FILM_OK || !found) return status;
    status =
        encoder_embed_all(&checking->model->encoder, &sentence.fields.text, 1, 1, vector, error);
    if (status != FILM_OK) return status;
    return store_repair_vector(write, number, vector, checking->dim, error);
}

static film_status repair_counters(struct store_write *write, film_error *error)
{
    film_status status = FILM_OK;
    int64_t used;
    TRY(db_number(write->db,
                  "SELECT max(ifnull((SELECT max(change) FROM sentence), 0),"
                  " ifnull((SELECT max(change) FROM removed), 0),"
                  " ifnull((SELECT max(change) FROM label), 0))",
                  &used, error));
    if ((uint64_t)used > write->change) write->change = (uint64_t)used;
    TRY(db_run(write->db,
               "INSERT INTO sqlite_sequence (name, seq) SELECT 'sentence', 0 WHERE NOT EXISTS"
               " (SELECT 1 FROM sqlite_sequence WHERE name = 'sentence');"
               "UPDATE sqlite_sequence SET seq = max(seq,"
               " ifnull((SELECT max(number) FROM sentence), 0),"
               " ifnull((SELECT max(number) FROM removed), 0)) WHERE name = 'sentence';",
               error));
done:
    return status;
}

static film_status repair_pool(struct checking *checking, film_error *error)
{
    film_status status = FILM_OK;
    struct store_write write;
    float *vector = NULL;
    int writing = 0;
    size_t vectors = checking->model ? checking->vector_count : 0;
    if (!checking->indexes && !checking->orphans && !checking->counters && !vectors) return FILM_OK;
    TRY_ALLOC(vector = mem_array(checking->dim, sizeof *vector), error);
    TRY(pool_write(checking->pool, &checking->options->progress, "repairing", 0, &write, error));
    writing = 1;
    if (checking->indexes) TRY(db_run(write.db, "REINDEX", error));
    if (checking->orphans)
        TRY(db_run(write.db, "DELETE FROM vector WHERE number NOT IN (SELECT number FROM sentence)",
                   error));
    TRY(repair_counters(&write, error));
    write.other = 1;
    for (size_t i = 0; i < vectors; i++)
        TRY(repair_vector(checking, &write, checking->vectors[i], vector, error));
    TRY(pool_commit(checking->pool, &write, error));
    checking->result->repaired = (uint64_t)checking->indexes + (uint64_t)checking->orphans +
                                 (uint64_t)checking->counters + vectors;
done:
    mem_free(vector);
    if (writing) pool_write_end(checking->pool);
    return status;
}

/* ---- Run ---- */

/* A part that is unreadable because of damage is a problem, not a failure. */
static film_status note_damage(struct checking *checking, film_status status, film_error *error)
{
    if (status != FILM_BAD_INPUT) return status;
    check_problem(checking, "%s", error->message);
    return FILM_OK;
}

/* The index file: a problem when it is damaged, none when it is missing or stale. */
static film_status check_cache(struct checking *checking, film_error *error)
{
    film_status status =
        snapshot_check_file(checking->pool, checking->learned, checking->db, error);
    if (status == FILM_END) return FILM_OK;
    if (status != FILM_BAD_INPUT) return status;
    checking->cache = 1;
    check_problem(checking, "index file: %s", error->message);
    return FILM_OK;
}

static film_status inspect_pool(struct checking *checking, film_error *error)
{
    film_status status = FILM_OK;
    TRY(note_damage(checking, check_database(checking, error), error));
    TRY(note_damage(checking, check_counters(checking, error), error));
    TRY(note_damage(checking, check_labels(checking, error), error));
    TRY(pool_dim(checking->db, checking->pool->path, &checking->dim, error));
    TRY(note_damage(checking, pool_learned(checking->pool, checking->db, &checking->learned, error),
                    error));
    if (checking->learned) checking->model = checking->learned->model;
    TRY(note_damage(checking, check_sentences(checking, error), error));
    TRY(note_damage(checking, check_database_rows(checking, error), error));
    if (checking->model) TRY(note_damage(checking, check_cache(checking, error), error));
done:
    return status;
}

film_status film_pool_check(film_pool *pool, const film_pool_check_options *options,
                            film_pool_checked *result, film_error *error)
{
    film_status status = FILM_OK;
    film_pool_check_options with = {0};
    film_pool_checked found = {0};
    film_error own;
    struct checking checking = {.pool = pool, .options = &with, .result = &found};
    if (!pool || !result) return pool_missing(error, pool ? "result" : "pool");
    if (!error) error = &own; /* messages about damaged parts are passed on */
    status = pool_stores_vectors(pool, error);
    if (status == FILM_OK) status = sized_check(result, "film_pool_checked", error);
    if (status != FILM_OK) return status;
    TRY(sized_options(&with, sizeof with, options, "film_pool_check_options", error));
    TRY(pool_read(pool, &checking.db, error));
    checking.db->progress = &checking.options->progress;
    checking.db->phase = "checking";
    TRY(inspect_pool(&checking, error));
    pool_read_end(pool, checking.db);
    checking.db = NULL;
    if (checking.options->repair) TRY(repair_pool(&checking, error));
    if (checking.options->repair && checking.cache) {
        snapshot_remove_file(pool); /* the next search rebuilds it */
        found.repaired++;
    }
    if (checking.options->recall && checking.model) TRY(check_recall(&checking, error));
done:
    pool_read_end(pool, checking.db);
    mem_free(checking.vectors);
    sized_fill(result, &found, sizeof found);
    return status;
}
