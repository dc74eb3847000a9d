/* The in-memory index of a pool: built by the first search, updated after changes, cached in a
 * file, shared by all threads. The index itself is in src/index. */
#include "pool/snapshot.h"
#include "base/sort.h"
#include "base/mem.h"
#include "pool/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SOME = 16384,        /* sentences added at a time */
    WORTH_A_FILE = 4096, /* minimum number of sentences for an index file */
    RECENT = 16          /* number of recent sentences that identify the state of the pool */
};

void snapshot_drop(struct pool_snapshot *snapshot)
{
    index_free(snapshot->index);
    mem_free(snapshot->numbers);
    safetensors_close(snapshot->file);
    *snapshot = (struct pool_snapshot){0};
}

/* ---- The index file ---- */

/* Identifies the state of the pool, with its own memory. */
struct tie {
    struct index_tie tie;
    const char *path;
    char *identity;
    char recent[RECENT * 44 + 1];
};

static void tie_free(struct tie *tie)
{
    mem_free(tie->identity);
}

static film_status tie_make(struct tie *tie, const film_pool *pool,
                            const struct pool_learned *learned, struct db *db, film_error *error)
{
    film_status status = FILM_OK;
    *tie = (struct tie){.path = pool->index_file};
    TRY(store_get(db, "identity", &tie->identity, error));
    tie->tie.identity = tie->identity ? tie->identity : "";
    tie->tie.model = learned->checksum;
    tie->tie.recent = tie->recent;
done:
    return status;
}

/* "number:checksum " of the last sentences up to CHANGE. A pool that was restored from a copy and
 * then diverged has the same identity and may have the same counter, but not these. */
static film_status write_recent(struct tie *tie, struct db *db, uint64_t change, film_error *error)
{
    static const char sql[] = "SELECT number, checksum FROM sentence WHERE change <= ?1"
                              " ORDER BY change DESC LIMIT ?2";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    size_t used = 0;
    int row;
    TRY(db_prepare(db, sql, &statement, error));
    sqlite3_bind_int64(statement, 1, (int64_t)change);
    sqlite3_bind_int(statement, 2, RECENT);
    for (;;) {
        TRY(db_step(db, statement, &row, error));
        if (!row) break;
        used += (size_t)snprintf(tie->recent + used, sizeof tie->recent - used, "%lld:%lld ",
                                 (long long)sqlite3_column_int64(statement, 0),
                                 (long long)sqlite3_column_int64(statement, 1));
    }
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

/* Checks a sentence that the file knows: it is unchanged, or was changed or removed later. */
static film_status still_fits(struct db *db, int64_t number, int64_t checksum, uint64_t change,
                              int *fits, film_error *error)
{
    static const char sql[] =
        "SELECT (SELECT change > ?2 OR checksum = ?3 FROM sentence WHERE number = ?1),"
        " (SELECT 1 FROM sentence WHERE number = ?1)";
    film_status status = FILM_OK;
    sqlite3_stmt *statement = NULL;
    int row;
    TRY(db_prepare(db, sql, &statement, error));
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_int64(statement, 2, (int64_t)change);
    sqlite3_bind_int64(statement, 3, checksum);
    TRY(db_step(db, statement, &row, error));
    /* The scan of removals handles removed ones; numbers are not reused. */
    *fits = row && (sqlite3_column_int(statement, 0) || !sqlite3_column_int(statement, 1));
done:
    if (statement) sqlite3_reset(statement);
    return status;
}

static film_status check_recent(struct db *db, const struct index_file *file, film_error *error)
{
    film_status status = FILM_OK;
    const char *at = file->recent ? file->recent : "";
    uint64_t last;
    int fits = 1;
    TRY(store_changes(db, &last, error));
    if (file->change > last) TRY(status_set(error, FILM_BAD_INPUT, "it is newer than the pool"));
    while (*at && fits) {
        char *end;
        long long number = strtoll(at, &end, 10), checksum = 0;
        fits = *end == ':';
        if (fits) checksum = strtoll(end + 1, &end, 10);
        fits = fits && *end == ' ';
        if (fits) TRY(still_fits(db, number, checksum, file->change, &fits, error));
        at = fits ? end + 1 : at;
    }
    if (!fits) TRY(status_set(error, FILM_BAD_INPUT, "it was built from a different pool"));
done:
    return status;
}

static film_status open_index_file(film_pool *pool, const struct pool_learned *learned,
                                   struct db *db, struct index_file *file, film_error *error)
{
    film_status status = FILM_OK;
    struct tie tie = {.path = NULL};
    TRY(tie_make(&tie, pool, learned, db, error));
    TRY(index_file_open(tie.path, &learned->model->encoder, &tie.tie, pool->followed, file, error));
    TRY(check_recent(db, file, error));
done:
    if (status != FILM_OK) index_file_close(file);
    tie_free(&tie);
    return status;
}

film_status snapshot_check_file(film_pool *pool, const struct pool_learned *learned, struct db *db,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct index_file file = {.file = NULL};
    struct tie tie = {.path = NULL};
    TRY(tie_make(&tie, pool, learned, db, error));
    TRY(open_index_file(pool, learned, db, &file, error));
    TRY(index_file_verify(&file, tie.path, error));
done:
    index_file_close(&file);
    tie_free(&tie);
    return status == FILM_IO ? FILM_END : status;
}

void snapshot_remove_file(const film_pool *pool)
{
    unlink(pool->index_file);
}

/* Gives the index file the permissions of the pool, before it has any content. An existing file
 * keeps its permissions when it is replaced. */
static void copy_permissions(const film_pool *pool)
{
    struct stat about;
    if (stat(pool->file, &about) != 0) return;
    mode_t mode = about.st_mode & 0777;
    int file = open(pool->index_file, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
    if (file < 0) return;
    if (fchmod(file, mode) != 0) errno = 0; /* the file of another user */
    close(file);
}

/* Writes the index file. Failing to write it is not a failure of the search. */
static void save_index(film_pool *pool, struct pool_learned *learned, struct db *db)
{
    struct pool_snapshot *snapshot = &learned->snapshot;
    struct tie tie;
    film_status status = tie_make(&tie, pool, learned, db, NULL);
    if (status == FILM_OK) status = write_recent(&tie, db, snapshot->change, NULL);
    tie.tie.change = snapshot->change;
    if (status == FILM_OK) copy_permissions(pool);
    if (status == FILM_OK)
        status = index_file_save(tie.path, snapshot->index, snapshot->numbers, &tie.tie, NULL);
    if (status == FILM_OK)
        snapshot->unsaved = 0;
    else if (!snapshot->file) /* perhaps an empty file of copy_permissions */
        snapshot_remove_file(pool);
    tie_free(&tie);
}

/* ---- Updating ---- */

struct update {
    struct pool_snapshot *snapshot;
    int threads;
    const film_progress *progress;
    double total;
    size_t known;       /* number of ids before */
    int64_t last;       /* the largest number before */
    struct batch texts; /* to be added; `lines` are their numbers */
    film_text *list;
    int64_t *gone; /* earlier numbers that were removed or changed */
    size_t gone_count, gone_capacity;
    film_status status;
    film_error *error;
};

static film_status add_texts(struct update *update, film_error *error)
{
    film_status status = FILM_OK;
    struct pool_snapshot *snapshot = update->snapshot;
    struct batch *texts = &update->texts;
    void *numbers = snapshot->numbers;
    if (texts->count == 0) return FILM_OK;
    TRY_ALLOC(mem_grow(&numbers, &snapshot->capacity, snapshot->count + texts->count,
                       sizeof *snapshot->numbers),
              error);
    snapshot->numbers = numbers;
    for (size_t i = 0; i < texts->count; i++) {
        update->list[i] = texts->rows[i].text;
        snapshot->numbers[snapshot->count + i] = (int64_t)texts->lines[i];
    }
    TRY(index_add(snapshot->index, update->list, texts->count, update->threads, NULL, error));
    snapshot->count += texts->count;
    TRY(progress_report(update->progress, "indexing", (double)(snapshot->count - update->known),
                        update->total, error));
done:
    batch_clear(texts);
    return status;
}

static film_status apply_change(struct update *update, const struct store_change *change,
                                film_error *error)
{
    film_status status = FILM_OK;
    void *gone = update->gone;
    update->snapshot->unsaved++;
    if (change->number <= update->last) {
        TRY_ALLOC(
            mem_grow(&gone, &update->gone_capacity, update->gone_count + 1, sizeof *update->gone),
            error);
        update->gone = gone;
        update->gone[update->gone_count++] = change->number;
    }
    if (change->removed) goto done;
    film_sentence sentence = {.text = change->text};
    TRY(batch_add(&update->texts, &sentence, (uint64_t)change->number, error));
    if (update->texts.count == SOME) TRY(add_texts(update, error));
done:
    return status;
}

static int take_change(void *user, const struct store_change *change)
{
    struct update *update = user;
    update->status = apply_change(update, change, update->error);
    return update->status != FILM_OK;
}

static int by_number(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

/* Removes the ids of sentences that were removed or changed: only earlier ids, the new ones are
 * right. */
static film_status remove_gone(struct update *update, film_error *error)
{
    film_status status = FILM_OK;
    struct pool_snapshot *snapshot = update->snapshot;
    uint32_t *id = NULL;
    size_t count = 0;
    if (update->gone_count == 0) return FILM_OK;
    TRY_ALLOC(id = mem_array(update->known, sizeof *id), error);
    sort_array(update->gone, update->gone_count, sizeof *update->gone, by_number);
    for (size_t i = 0; i < update->known; i++)
        if (bsearch(&snapshot->numbers[i], update->gone, update->gone_count, sizeof *update->gone,
                    by_number))
            id[count++] = (uint32_t)i;
    TRY(index_remove(snapshot->index, id, count, update->threads, error));
done:
    mem_free(id);
    return status;
}

static film_status catch_up(struct pool_snapshot *snapshot, struct db *db, int threads,
                            const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    struct update update = {.snapshot = snapshot,
                            .threads = threads,
                            .progress = progress,
                            .known = snapshot->count,
                            .error = error};
    uint64_t upto;
    int64_t total;
    for (size_t i = 0; i < snapshot->count; i++)
        if (snapshot->numbers[i] > update.last) update.last = snapshot->numbers[i];
    TRY(db_number(db, "SELECT count(*) FROM sentence", &total, error));
    if (total > INT32_MAX - 1)
        TRY(status_set(error, FILM_USAGE, "the pool has too many sentences to search"));
    update.total = (double)total - (double)snapshot->count;
    TRY_ALLOC(update.list = mem_array(SOME, sizeof *update.list), error);
    TRY(store_scan_texts(db, snapshot->change, take_change, &update, &upto, error));
    TRY(update.status);
    TRY(add_texts(&update, error));
    TRY(remove_gone(&update, error));
    snapshot->change = upto;
done:
    batch_free(&update.texts);
    mem_free(update.list);
    mem_free(update.gone);
    return status;
}

/* Starts from the index file, or from an empty index. */
static film_status start_index(film_pool *pool, struct pool_learned *learned, struct db *db,
                               int from_file, film_error *error)
{
    film_status status = FILM_OK;
    struct pool_snapshot *snapshot = &learned->snapshot;
    struct index_file file = {.file = NULL};
    if (from_file && open_index_file(pool, learned, db, &file, NULL) == FILM_OK) {
        snapshot->file = file.file;
        snapshot->index = file.index;
        snapshot->change = file.change;
        TRY_ALLOC(snapshot->numbers = mem_array(file.count + 1, sizeof *snapshot->numbers), error);
        memcpy(snapshot->numbers, file.numbers, file.count * sizeof *snapshot->numbers);
        snapshot->count = file.count;
        snapshot->capacity = file.count + 1;
    } else {
        TRY(index_new(&learned->model->encoder, &snapshot->index, error));
    }
done:
    return status;
}

/* Call it with the lock held for writing. */
static film_status update_all(film_pool *pool, struct pool_learned *learned, int threads,
                              const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    struct pool_snapshot *snapshot = &learned->snapshot;
    struct db *db = NULL;
    uint64_t last;
    int current;
    TRY(pool_read(pool, &db, error)); /* may be later than the caller's transaction */
    TRY(pool_is_current(db, learned, &current, error));
    learned->replaced = !current;
    TRY(store_changes(db, &last, error));
    if (snapshot->index && (snapshot->change >= last || !current)) goto done;
    if (!snapshot->index) TRY(start_index(pool, learned, db, current, error));
    if (snapshot->change < last) status = catch_up(snapshot, db, threads, progress, error);
    /* The file is damaged, or most of the index is dead: rebuild once. */
    size_t living = index_living(snapshot->index);
    if ((status == FILM_BAD_INPUT && snapshot->file) ||
        (status == FILM_OK && snapshot->count > WORTH_A_FILE && living < snapshot->count / 2)) {
        snapshot_drop(snapshot);
        TRY(start_index(pool, learned, db, 0, error));
        status = catch_up(snapshot, db, threads, progress, error);
    }
    TRY(status);
    if (current && snapshot->count >= WORTH_A_FILE && snapshot->unsaved > snapshot->count / 64)
        save_index(pool, learned, db);
done:
    pool_read_end(pool, db);
    if (status != FILM_OK) snapshot_drop(snapshot); /* an incomplete index is useless */
    return status;
}

film_status snapshot_begin(film_pool *pool, struct pool_learned *learned, struct db *db,
                           int threads, const film_progress *progress,
                           const struct pool_snapshot **out, film_error *error)
{
    film_status status = FILM_OK;
    struct pool_snapshot *snapshot = &learned->snapshot;
    uint64_t last;
    *out = NULL;
    TRY(store_changes(db, &last, error));
    for (;;) {
        pthread_rwlock_rdlock(&learned->lock);
        if (snapshot->index && (snapshot->change >= last || learned->replaced)) break;
        pthread_rwlock_unlock(&learned->lock);
        pthread_rwlock_wrlock(&learned->lock);
        status = update_all(pool, learned, threads, progress, error);
        pthread_rwlock_unlock(&learned->lock);
        if (status != FILM_OK) goto done;
    }
    *out = snapshot;
done:
    return status;
}

void snapshot_end(struct pool_learned *learned)
{
    pthread_rwlock_unlock(&learned->lock);
}
