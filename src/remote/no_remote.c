/* A build without PostgreSQL (FILM_POSTGRESQL off): refuses postgresql:// when a pool is created or
 * opened, so the other functions are never called with a handle. */
#include "remote/remote.h"

static film_status refuse_remote(film_error *error)
{
    return status_set(error, FILM_USAGE,
                      "this film was built without PostgreSQL; build it with "
                      "-DFILM_POSTGRESQL=ON (libpq-dev), or use a pool in a file");
}

film_status remote_create(const char *uri, const void *model, size_t size, size_t dim,
                          film_error *error)
{
    (void)uri, (void)model, (void)size, (void)dim;
    return refuse_remote(error);
}

film_status remote_open(const char *uri, struct remote **out, film_error *error)
{
    (void)uri;
    *out = NULL;
    return refuse_remote(error);
}

void remote_close(struct remote *remote)
{
    (void)remote;
}

const char *remote_name(const struct remote *remote)
{
    (void)remote;
    return "";
}

const char *remote_file(const struct remote *remote)
{
    (void)remote;
    return "";
}

film_status remote_refresh(struct remote *remote, struct db *db, film_error *error)
{
    (void)remote, (void)db;
    return refuse_remote(error);
}

film_status remote_listen(struct remote *remote, int milliseconds, int wake, film_error *error)
{
    (void)remote, (void)milliseconds, (void)wake;
    return refuse_remote(error);
}

film_status remote_begin(struct remote *remote, struct db *db, double wait,
                         struct store_write *write, film_error *error)
{
    (void)remote, (void)db, (void)wait, (void)write;
    return refuse_remote(error);
}

film_status remote_commit(struct remote *remote, struct store_write *write, film_error *error)
{
    (void)remote, (void)write;
    return refuse_remote(error);
}

void remote_end(struct remote *remote)
{
    (void)remote;
}

film_status remote_compare(struct remote *remote, struct db *db, remote_differs_fn call, void *user,
                           film_error *error)
{
    (void)remote, (void)db, (void)call, (void)user;
    return refuse_remote(error);
}
