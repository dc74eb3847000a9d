/* film_pool_update: gives a pool another model. Sentences, labels and clusters stay; vectors are
 * computed again.
 *
 * Vectors are computed outside of the transaction, into a temporary table, so that other writers
 * wait only while the rows are exchanged. Sentences that were added or changed in the meantime are
 * embedded inside. */
#include "base/checksum.h"
#include "base/file.h"
#include "base/mem.h"
#include "pool/batch.h"
#include "pool/model_history.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* ---- The model ---- */

static film_status copy_of_pool(const char *path, void **bytes, size_t *size, film_error *error)
{
    film_status status = FILM_OK;
    film_pool *pool = NULL;
    struct db *db = NULL;
    TRY(film_pool_open(path, &pool, error));
    TRY(pool_read(pool, &db, error));
    TRY(store_get_model(db, STORE_IN_SERVICE, bytes, size, error));
done:
    if (pool) pool_read_end(pool, db);
    film_pool_close(pool);
    return status;
}

film_status pool_model_bytes(const char *path, void **bytes, size_t *size, film_error *error)
{
    static const char magic[] = "SQLite format 3";
    film_status status = FILM_OK;
    struct file_map file = {(const unsigned char *)"", 0};
    int is_pool = place_is_remote(path);
    *bytes = NULL;
    if (!is_pool) {
        TRY(file_map_open(path, &file, error));
        is_pool = file.size > sizeof magic && memcmp(file.bytes, magic, sizeof magic) == 0;
    }
    if (!is_pool) {
        *size = file.size;
        TRY_ALLOC(*bytes = mem_aligned(file.size ? file.size : 1, 1), error);
        memcpy(*bytes, file.bytes, file.size);
        goto done;
    }
    file_map_close(&file);
    file = (struct file_map){(const unsigned char *)"", 0};
    TRY(copy_of_pool(path, bytes, size, error));
done:
    file_map_close(&file);
    return status;
}

/* Returns whether MODEL_PATH is the file of the pool: opening and closing it here would release the
 * locks that SQLite holds on it. */
static int is_same_file(const film_pool *pool, const char *model_path)
{
    struct stat about;
    return stat(model_path, &about) == 0 && about.st_dev == pool->device &&
           about.st_ino == pool->number;
}

/* ---- Vectors ---- */

enum { SOME = 4096 };

struct updating {
    struct db db;
    const film_model *model;
    size_t dim;
    int threads;
    const film_progress *progress;
    struct batch texts; /* `lines` are numbers */
    uint64_t *changes;  /* of the texts */
    film_text *list;
    float *vectors;
    uint64_t done, total;
};

static film_status prepare_updating(struct updating *updating, film_error *error)
{
    film_status status = FILM_OK;
    int64_t total;
    TRY(db_run(&updating->db,
               "CREATE TEMP TABLE fresh (number INTEGER PRIMARY KEY, change INTEGER NOT NULL,"
               " bytes BLOB NOT NULL)",
               error));
    TRY(db_number(&updating->db, "SELECT count(*) FROM sentence", &total, error));
    updating->total = (uint64_t)total;
    TRY_ALLOC(updating->changes = mem_array(SOME, sizeof *updating->changes), error);
    TRY_ALLOC(updating->list = mem_array(SOME, sizeof *updating->list), error);
    TRY_ALLOC(updating->vectors = mem_array(SOME * updating->dim + 1, sizeof *updating->vectors),
              error);
done:
    return status;
}

/* Reads sentences that have no fresh vector, at most SOME. */
static film_status read_sentences(struct updating *updating, film_error *error)
{
    static const char sql[] =
        "SELECT s.number, s.change, s.text FROM main.sentence s LEFT JOIN temp.fresh f"
        " ON f.number = s.number AND f.change = s.change WHERE f.number IS NULL AND s.number > ?1"
        " ORDER BY s.number LIMIT ?2";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    size_t known = updating->texts.count;
    uint64_t last = known ? updating->texts.lines[known - 1] : 0;
    int row;
    batch_clear(&updating->texts);
    TRY(db_prepare(&updating->db, sql, &statement, error));
    sqlite3_bind_int64(statement, 1, (int64_t)last);
    sqlite3_bind_int(statement, 2, SOME);
    for (;;) {
        TRY(db_step(&updating->db, statement, &row, error));
        if (!row) break;
        film_sentence sentence = {.text = db_text(statement, 2)};
        TRY(db_row_read(&updating->db, error));
        updating->changes[updating->texts.count] = (uint64_t)sqlite3_column_int64(statement, 1);
        TRY(batch_add(&updating->texts, &sentence, (uint64_t)sqlite3_column_int64(statement, 0),
                      error));
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

static film_status write_some(struct updating *updating, film_error *error)
{
    static const char sql[] = "INSERT OR REPLACE INTO temp.fresh VALUES (?1, ?2, ?3)";
    film_status status = FILM_OK;
    sqlite3_stmt *statement;
    for (size_t i = 0; i < updating->texts.count; i++) {
        TRY(db_prepare(&updating->db, sql, &statement, error));
        sqlite3_bind_int64(statement, 1, (int64_t)updating->texts.lines[i]);
        sqlite3_bind_int64(statement, 2, (int64_t)updating->changes[i]);
        sqlite3_bind_blob64(statement, 3, updating->vectors + i * updating->dim,
                            updating->dim * sizeof *updating->vectors, SQLITE_STATIC);
        TRY(db_finish(&updating->db, statement, error));
    }
done:
    return status;
}

/* Computes the vectors that are missing in the temporary table. */
static film_status embed_missing(struct updating *updating, film_error *error)
{
    film_status status = FILM_OK;
    batch_clear(&updating->texts);
    do {
        TRY(read_sentences(updating, error));
        for (size_t i = 0; i < updating->texts.count; i++)
            updating->list[i] = updating->texts.rows[i].text;
        TRY(encoder_embed_all(&updating->model->encoder, updating->list, updating->texts.count,
                              updating->threads, updating->vectors, error));
        TRY(write_some(updating, error));
        updating->done += updating->texts.count;
        if (updating->done > updating->total) updating->total = updating->done;
        TRY(progress_report(updating->progress, "embedding", (double)updating->done,
                            (double)updating->total + 1, error));
    } while (updating->texts.count == SOME);
done:
    return status;
}

/* ---- Run ---- */

/* Replaces the model. Labels given so far, up to CHANGE, may be known to one from elsewhere. A
 * model that is replaced by itself, to compute the vectors again, leaves the earlier one as it
 * is. */
static film_status write_model(struct db *db, const struct pool_exchange *exchange, uint64_t change,
                               film_error *error)
{
    film_status status = FILM_OK;
    struct history_model present = {.change = change, .accuracy = NAN, .low = NAN, .high = NAN};
    struct checksum_text sum = checksum_print(checksum_bytes(exchange->bytes, exchange->size));
    int same;
    if (exchange->learned) present = *exchange->learned;
    memcpy(present.id, sum.digits, sizeof sum.digits);
    TRY(pool_has_model(db, sum.digits, &same, error));
    TRY(history_exchange(db, &present, error));
    if (same) goto done;
    TRY(store_retire_model(db, error));
    TRY(store_put_model(db, exchange->bytes, exchange->size, error));
done:
    return status;
}

/* Replaces model and vectors in one transaction. */
static film_status write_exchange(struct updating *updating, const struct pool_exchange *exchange,
                                  uint64_t *sentences, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = &updating->db;
    struct store_write write;
    int64_t count;
    int current = 1;
    TRY(store_begin(&write, db, error));
    if (exchange->replaces) TRY(pool_has_model(db, exchange->replaces, &current, error));
    if (!current)
        TRY(status_set(error, FILM_IO,
                       "%s got another model in the meantime; nothing was changed, try again",
                       db->path));
    TRY(embed_missing(updating, error));
    TRY(write_model(db, exchange, write.change, error));
    TRY(db_run(db, "DELETE FROM main.vector", error));
    TRY(store_set_number(db, "dim", (int64_t)updating->dim, error));
    TRY(store_set(db, "film", film_string(film_version()), error));
    TRY(db_run(db,
               "INSERT INTO main.vector SELECT f.number, f.bytes FROM temp.fresh f"
               " JOIN main.sentence s ON s.number = f.number AND s.change = f.change"
               " ORDER BY f.number",
               error));
    TRY(db_number(db, "SELECT count(*) FROM main.vector", &count, error));
    if (exchange->also) TRY(exchange->also(exchange->user, db, error));
    write.change++; /* for those who watch the counter */
    TRY(store_commit(&write, error));
    *sentences = (uint64_t)count;
done:
    db_rollback(db);
    return status;
}

film_status pool_check_local(const film_pool *pool, film_error *error)
{
    if (!pool->remote) return FILM_OK;
    return status_set(error, FILM_USAGE,
                      "%s: the model of a pool in PostgreSQL cannot be replaced; export its "
                      "sentences and labels, and create a new pool",
                      pool->path);
}

film_status pool_exchange_model(film_pool *pool, const struct pool_exchange *exchange,
                                uint64_t *sentences, film_error *error)
{
    film_status status = FILM_OK;
    struct updating updating = {.threads = exchange->threads, .progress = exchange->progress};
    film_model *model = NULL;
    uint64_t count = 0;
    int connected = 0;
    TRY(model_parse(exchange->bytes, exchange->size, exchange->name, &model, error));
    updating.model = model;
    updating.dim = encoder_dim(&model->encoder);
    TRY(pool_connect(pool, &updating.db, error));
    connected = 1;
    updating.db.progress = exchange->progress;
    updating.db.phase = "waiting";
    TRY(prepare_updating(&updating, error));
    TRY(embed_missing(&updating, error));
    TRY(write_exchange(&updating, exchange, &count, error));
    if (sentences) *sentences = count;
done:
    if (connected) db_close(&updating.db);
    batch_free(&updating.texts);
    mem_free(updating.changes);
    mem_free(updating.list);
    mem_free(updating.vectors);
    model_free(model);
    return status;
}

film_status film_pool_update(film_pool *pool, const char *model_path, int threads,
                             const film_progress *progress, uint64_t *sentences, film_error *error)
{
    film_status status = FILM_OK;
    struct pool_exchange exchange = {.name = model_path, .threads = threads, .progress = progress};
    void *bytes = NULL;
    if (!pool || !model_path) return pool_missing(error, pool ? "model_path" : "pool");
    TRY(pool_check_local(pool, error));
    if (is_same_file(pool, model_path))
        TRY(status_set(error, FILM_USAGE, "%s is the pool itself; name another model", model_path));
    TRY(pool_model_bytes(model_path, &bytes, &exchange.size, error));
    exchange.bytes = bytes;
    TRY(pool_exchange_model(pool, &exchange, sentences, error));
done:
    mem_free_aligned(bytes);
    return status;
}
