/* Opens what the user named as a model: a model file, or a pool, which has a model in it. Pools
 * need libfilm-pool, which is loaded then. */
#include "modules.h"

#include <string.h>

/* The pools whose models are open. */
enum { MOST = 4 };
static struct {
    const film_model *model;
    film_pool *pool;
} opened[MOST];

int is_pool_file(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char start[sizeof magic];
    if (strncmp(path, "postgresql://", 13) == 0 || strncmp(path, "postgres://", 11) == 0) return 1;
    FILE *file = fopen(path, "rb");
    int pool = file && fread(start, 1, sizeof start, file) == sizeof start &&
               memcmp(start, magic, sizeof magic) == 0;
    if (file) fclose(file);
    return pool;
}

static film_status open_file(const char *path, film_arithmetic arithmetic, film_model **model,
                             film_error *error)
{
    film_status status = film_open(path, model, error);
    if (status == FILM_OK) status = film_set_arithmetic(*model, arithmetic, error);
    if (status == FILM_OK) return FILM_OK;
    film_close(*model);
    *model = NULL;
    return status;
}

film_status open_model(const char *path, film_arithmetic arithmetic, film_model **model,
                       film_error *error)
{
    int at = 0;
    const film_model *found = NULL;
    *model = NULL;
    if (!is_pool_file(path)) return open_file(path, arithmetic, model, error);
    const struct pool_calls *calls = load_pool_calls(error);
    if (!calls) return error->status;
    while (at < MOST - 1 && opened[at].pool) at++;
    film_status status = calls->open(path, &opened[at].pool, error);
    if (status == FILM_OK) status = calls->set_arithmetic(opened[at].pool, arithmetic, error);
    if (status == FILM_OK) status = calls->model(opened[at].pool, &found, error);
    if (status != FILM_OK) {
        calls->close(opened[at].pool);
        opened[at].pool = NULL;
        return status;
    }
    opened[at].model = found;
    *model = (film_model *)(uintptr_t)found;
    if (!is_quiet) print_clean(stderr, "%s is a pool; using its model\n", path);
    return FILM_OK;
}

void close_model(film_model *model)
{
    film_error error;
    for (int i = 0; model && i < MOST; i++)
        if (opened[i].pool && opened[i].model == model) {
            load_pool_calls(&error)->close(opened[i].pool); /* it is loaded */
            opened[i].pool = NULL;
            return;
        }
    film_close(model);
}
