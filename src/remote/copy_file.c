/* The file of the copy: ~/.cache/film/IDENTITY.pool, readable by its user only. It is created with
 * the model and the settings; pull.c adds sentences as changes. */
#include "base/file.h"
#include "base/mem.h"
#include "remote/remote_parts.h"
#include "store/lineage.h"
#include "store/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* XDG_CACHE_HOME/film or ~/.cache/film; creates missing folders. */
static film_status find_folder(const struct remote *remote, char **folder, film_error *error)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int own = base && base[0] == '/'; /* relative paths must be ignored (XDG specification) */
    if (!own && !(home && home[0] == '/'))
        return status_set(error, FILM_IO,
                          "no folder for the local copy of %s; set XDG_CACHE_HOME to a folder",
                          remote->place.name);
    size_t room = strlen(own ? base : home) + sizeof "/.cache/film";
    char *path = mem_array(room, 1);
    if (!path) return status_no_memory(error);
    snprintf(path, room, "%s%s", own ? base : home, own ? "/film" : "/.cache/film");
    for (char *at = strchr(path + 1, '/');; at = strchr(at + 1, '/')) {
        if (at) *at = 0;
        int made = mkdir(path, 0700) == 0 || errno == EEXIST;
        if (!made) {
            status_errno(error, "cannot create %s for the local copy of %s", path,
                         remote->place.name);
            mem_free(path);
            return FILM_IO;
        }
        if (!at) break;
        *at = '/';
    }
    *folder = path;
    return FILM_OK;
}

/* ---- Initial contents ---- */

static film_status receive_setting(void *user, const struct cell *cells, film_error *error)
{
    static const char *const known[] = {"identity", "created",    "film",
                                        "dim",      "model_size", "model_checksum"};
    struct db *db = user;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (cells[0].bytes && cells[1].bytes && (size_t)cells[0].length == strlen(known[i]) &&
            memcmp(cells[0].bytes, known[i], strlen(known[i])) == 0)
            return store_set(db, known[i], (film_text){cells[1].bytes, (size_t)cells[1].length},
                             error);
    return FILM_OK;
}

static film_status take_token(void *user, const struct cell *cells, film_error *error)
{
    if (!cells[0].bytes) return FILM_OK;
    return store_set(user, "remote_token", (film_text){cells[0].bytes, (size_t)cells[0].length},
                     error);
}

static film_status take_chunk(void *user, const struct cell *cells, film_error *error)
{
    int64_t chunk;
    film_status status = row_number(cells[0], &chunk, error);
    if (status != FILM_OK) return status;
    return store_put_chunk(user, chunk, cells[1].bytes ? cells[1].bytes : "",
                           (size_t)cells[1].length, error);
}

static film_status fill(struct remote *remote, struct db *db, film_error *error)
{
    static const char settings_sql[] = "SELECT name, value FROM setting ORDER BY name";
    static const char token_sql[] = "SELECT token FROM written WHERE change = 0";
    static const char model_sql[] = "SELECT chunk, bytes FROM model ORDER BY chunk";
    struct session *session = &remote->reader;
    film_status status = FILM_OK;
    void *model = NULL;
    size_t size;
    TRY(schema_create(db, error));
    TRY(db_begin(db, 1, error));
    TRY(session_each(session, settings_sql, NULL, 0, &(struct session_rows){2, receive_setting, db},
                     error));
    TRY(session_each(session, token_sql, NULL, 0, &(struct session_rows){1, take_token, db},
                     error));
    TRY(session_each(session, model_sql, NULL, 0, &(struct session_rows){2, take_chunk, db},
                     error));
    TRY(lineage_renew(db, error));
    TRY(db_commit(db, error));
    TRY(store_get_model(db, STORE_IN_SERVICE, &model, &size, error)); /* checks size and checksum */
    TRY(db_run(db, "PRAGMA journal_mode = WAL", error));
done:
    mem_free_aligned(model);
    return status;
}

static film_status make(struct remote *remote, film_error *error)
{
    film_status status = FILM_OK;
    struct db db = {.handle = NULL};
    struct stat about;
    char *temporary = NULL;
    int empty;
    /* In a folder that others may enter: the log beside it gets the same rights. */
    status = file_temporary(remote->file, 0600, &temporary, &empty, error);
    if (status != FILM_OK) return status;
    close(empty);
    TRY(db_create(&db, temporary, error));
    TRY(fill(remote, &db, error));
    db_close(&db);
    status = file_publish(temporary, remote->file, error);
    /* Another process may have been faster: its copy is as good. */
    if (status != FILM_OK && stat(remote->file, &about) == 0) status = FILM_OK;
done:
    db_close(&db);
    unlink(temporary);
    mem_free(temporary);
    return status;
}

film_status copy_file_open(struct remote *remote, film_error *error)
{
    film_status status = FILM_OK;
    struct stat about;
    char *folder = NULL;
    TRY(find_folder(remote, &folder, error));
    size_t room = strlen(folder) + REMOTE_TOKEN + 10;
    TRY_ALLOC(remote->file = mem_array(room, 1), error);
    snprintf(remote->file, room, "%s/%s.pool", folder, remote->identity);
    if (stat(remote->file, &about) != 0) TRY(make(remote, error));
done:
    mem_free(folder);
    return status;
}
