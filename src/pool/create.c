/* film_pool_create: writes the pool under a temporary name and publishes it under the real one, so
 * that a pool exists completely or not at all. */
#include "base/file.h"
#include "base/mem.h"
#include "store/lineage.h"
#include "pool/pool.h"
#include "store/schema.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static film_status write_pool(const char *path, const void *bytes, size_t size,
                              const film_model *model, film_error *error)
{
    film_status status = FILM_OK;
    struct db db = {0};
    TRY(db_create(&db, path, error));
    TRY(schema_create(&db, error));
    TRY(db_begin(&db, 1, error));
    TRY(store_put_model(&db, bytes, size, error));
    TRY(store_set_number(&db, "dim", (int64_t)encoder_dim(&model->encoder), error));
    TRY(store_set(&db, "film", film_string(film_version()), error));
    TRY(lineage_renew(&db, error));
    TRY(db_commit(&db, error));
    /* The file stores this mode. */
    TRY(db_run(&db, "PRAGMA journal_mode = WAL", error));
done:
    if (status != FILM_OK) db_rollback(&db);
    db_close(&db);
    return status;
}

/* Replaces the temporary path by the real one in messages. */
static film_status about_target(film_status status, const char *temporary, const char *path,
                                film_error *error)
{
    char *at = error ? strstr(error->message, temporary) : NULL;
    if (status == FILM_OK || !at) return status;
    size_t extra = strlen(temporary) - strlen(path);
    memmove(at + strlen(path), at + strlen(path) + extra, strlen(at + strlen(path) + extra) + 1);
    return status;
}

film_status film_pool_create(const char *path, const char *model_path, film_error *error)
{
    film_status status = FILM_OK;
    void *bytes = NULL;
    size_t size = 0;
    film_model *model = NULL;
    struct stat about;
    char *temporary = NULL;
    int empty;
    if (!path || !model_path) return pool_missing(error, path ? "model_path" : "path");
    int is_remote = place_is_remote(path);
    if (!is_remote && lstat(path, &about) == 0)
        TRY(status_set(error, FILM_IO, "%s exists already; remove it or choose another name",
                       path));
    TRY(pool_model_bytes(model_path, &bytes, &size, error));
    TRY(model_parse(bytes, size, model_path, &model, error));
    if (is_remote) {
        status = remote_create(path, bytes, size, encoder_dim(&model->encoder), error);
        goto done;
    }
    TRY(file_temporary(path, 0666, &temporary, &empty, error));
    close(empty);
    status = write_pool(temporary, bytes, size, model, error);
    if (status == FILM_OK)
        status = file_publish(temporary, path, error);
    else
        unlink(temporary);
    about_target(status, temporary, path, error);
done:
    mem_free(temporary);
    model_free(model);
    mem_free_aligned(bytes);
    return status;
}
