/* A pool in PostgreSQL: updates its copy before every reading transaction, or in a thread that
 * listens. While the database is unreachable, readers use the copy as it is. src/remote has the
 * protocol. */
#include "base/mem.h"
#include "base/clock.h"
#include "pool/pool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <poll.h>
#include <unistd.h>

int film_pool_is_uri(const char *path)
{
    return path && place_is_remote(path);
}

film_status shared_open(film_pool *pool, const char *uri, film_error *error)
{
    film_status status = remote_open(uri, &pool->remote, error);
    if (status != FILM_OK) return status;
    const char *name = remote_name(pool->remote);
    static const char format[] = "%s (a local copy of %s; you may delete it)";
    size_t room = sizeof format + strlen(name) + strlen(remote_file(pool->remote));
    pool->path = mem_string(name, strlen(name));
    pool->copy_name = mem_array(room, 1);
    if (!pool->path || !pool->copy_name) return status_no_memory(error);
    snprintf(pool->copy_name, room, format, remote_file(pool->remote), name);
    return FILM_OK;
}

/* Call it with `copying` held. */
static film_status catch_up(film_pool *pool, film_error *error)
{
    film_status status = FILM_OK;
    if (!pool->has_copier) TRY(pool_connect(pool, &pool->copier, error));
    pool->has_copier = 1;
    TRY(remote_refresh(pool->remote, &pool->copier, error));
done:
    return status;
}

film_status shared_catch_up(film_pool *pool, film_error *error)
{
    pthread_mutex_lock(&pool->copying);
    film_status status = catch_up(pool, error);
    pthread_mutex_unlock(&pool->copying);
    return status;
}

void shared_refresh(film_pool *pool)
{
    if (pool->follower) return;
    pthread_mutex_lock(&pool->copying);
    /* A query takes a round trip, a failed connection perhaps seconds: not every reader should wait
     * for that. */
    if (clock_seconds() >= pool->next_look) {
        double pause = catch_up(pool, NULL) == FILM_OK ? 0.1 : 1;
        pool->next_look = clock_seconds() + pause;
    }
    pthread_mutex_unlock(&pool->copying);
}

film_status shared_compare(film_pool *pool, struct db *db, remote_differs_fn call, void *user,
                           film_error *error)
{
    pthread_mutex_lock(&pool->writing);
    film_status status = remote_compare(pool->remote, db, call, user, error);
    pthread_mutex_unlock(&pool->writing);
    return status;
}

/* ---- Following ---- */

struct follower {
    film_pool *pool;
    pthread_t thread;
    int stop; /* an eventfd: readable when it is time to stop */
    film_tell_fn tell;
    void *user;
};

enum { LISTEN_MS = 1000, FIRST_PAUSE_MS = 50, LONGEST_PAUSE_MS = 500 };

static int is_stopped(const struct follower *follower, int milliseconds)
{
    struct pollfd stop = {follower->stop, POLLIN, 0};
    return poll(&stop, 1, milliseconds) > 0;
}

static void report_line(const struct follower *follower, const char *line)
{
    if (follower->tell) follower->tell(follower->user, line);
}

/* Listen first, so that a change between the two calls is noticed. */
static film_status follow_once(struct follower *follower, film_error *error)
{
    film_status status = remote_listen(follower->pool->remote, LISTEN_MS, follower->stop, error);
    return status == FILM_OK ? shared_catch_up(follower->pool, error) : status;
}

static void *follow(void *user)
{
    struct follower *follower = user;
    film_error error;
    char line[1100];
    int pause = FIRST_PAUSE_MS, away = 0;
    while (!is_stopped(follower, 0)) {
        if (follow_once(follower, &error) == FILM_OK) {
            if (away) {
                snprintf(line, sizeof line, "%s: the database is reachable again",
                         follower->pool->path);
                report_line(follower, line);
            }
            away = 0;
            pause = FIRST_PAUSE_MS;
            continue;
        }
        if (!away) {
            snprintf(line, sizeof line, "%s; queries use the last known state", error.message);
            report_line(follower, line);
        }
        away = 1;
        is_stopped(follower, pause);
        pause = pause * 2 < LONGEST_PAUSE_MS ? pause * 2 : LONGEST_PAUSE_MS;
    }
    return NULL;
}

film_status film_pool_follow(film_pool *pool, film_tell_fn call, void *user, film_error *error)
{
    if (!pool) return pool_missing(error, "pool");
    pool->followed = 1;
    if (!pool->remote || pool->follower) return FILM_OK;
    struct follower *follower = mem_zeroed(1, sizeof *follower);
    if (!follower) return status_no_memory(error);
    *follower = (struct follower){.pool = pool, .tell = call, .user = user};
    follower->stop = eventfd(0, EFD_CLOEXEC);
    int code =
        follower->stop < 0 ? errno : pthread_create(&follower->thread, NULL, follow, follower);
    if (code == 0) {
        pool->follower = follower;
        return FILM_OK;
    }
    if (follower->stop >= 0) close(follower->stop);
    mem_free(follower);
    return status_set(error, FILM_IO, "cannot follow %s: %s", pool->path, strerror(code));
}

static void stop_following(struct follower *follower)
{
    const uint64_t one = 1;
    if (!follower) return;
    if (write(follower->stop, &one, sizeof one) == sizeof one) pthread_join(follower->thread, NULL);
    close(follower->stop);
    mem_free(follower);
}

void shared_close(film_pool *pool)
{
    stop_following(pool->follower);
    if (pool->has_copier) db_close(&pool->copier);
    remote_close(pool->remote);
    pool->remote = NULL;
}
