/* A service over a pool of a few sentences with a small model, in a file system in memory. */
#ifndef FUZZ_SERVED_H
#define FUZZ_SERVED_H

#include "fuzz.h"
#include "server/route.h"
#include "server/service.h"

static struct service service;
static char served_folder[100], served_path[120];

static void served_end(void)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char path[140];
    service_close(&service);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", served_path, endings[i]);
        unlink(path);
    }
    rmdir(served_folder);
}

static void served_start(const struct service_options *wanted)
{
    struct service_options options = *wanted;
    char model_path[120];
    film_error error;
    film_sentence sentence = {.id = film_string("one"), .text = film_string("w00 the w01")};
    film_pool *pool = NULL;
    memory_folder(served_folder);
    snprintf(model_path, sizeof model_path, "%s/x.film", served_folder);
    snprintf(served_path, sizeof served_path, "%s/x.pool", served_folder);
    film_model *model = small_model(served_folder);
    require(film_save(model, model_path, &error) == FILM_OK);
    film_close(model);
    require(film_pool_create(served_path, model_path, &error) == FILM_OK);
    require(film_pool_open(served_path, &pool, &error) == FILM_OK);
    require(film_pool_add(pool, &sentence, 1, NULL, NULL, &error) == FILM_OK);
    film_pool_close(pool);
    unlink(model_path);
    options.path = served_path;
    require(service_open(&service, &options, &error) == FILM_OK);
    atexit(served_end);
}

#endif
