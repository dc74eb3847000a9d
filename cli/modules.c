/* Loads the modules of libfilm-pool and libfilm-train with dlopen, each at most once. The loader
 * searches the program's folder and its library folder (the program's RUNPATH). */
#include "modules.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *file;
    const char *verbs; /* symbol of its table of verbs */
} modules[LIBRARIES] = {[LIBRARY_POOL] = {"film-verbs-pool.so", "pool_verbs"},
                        [LIBRARY_TRAIN] = {"film-verbs-train.so", "train_verbs"}};

static void *load(enum library library, film_error *error)
{
    static void *handles[LIBRARIES];
    if (handles[library]) return handles[library];
    /* Idle OpenMP threads spin by default and slow down other programs. libgomp reads this variable
     * once, when it is loaded. The user's own value has priority. */
    if (library == LIBRARY_TRAIN && !getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT"))
        setenv("GOMP_SPINCOUNT", "1000", 0);
    handles[library] = dlopen(modules[library].file, RTLD_NOW | RTLD_LOCAL);
    if (!handles[library]) {
        error->status = FILM_IO;
        snprintf(error->message, sizeof error->message, "cannot load a module: %s; reinstall FILM",
                 dlerror());
    }
    return handles[library];
}

static const void *symbol(enum library library, const char *name, film_error *error)
{
    void *handle = load(library, error);
    const void *found = handle ? dlsym(handle, name) : NULL;
    if (handle && !found) {
        error->status = FILM_IO;
        snprintf(error->message, sizeof error->message,
                 "%s belongs to a different version of film; reinstall FILM",
                 modules[library].file);
    }
    return found;
}

const struct verb *const *load_verbs(enum library library)
{
    film_error error;
    if (library == LIBRARY_FILM) return film_verbs;
    const void *table = symbol(library, modules[library].verbs, &error);
    if (!table) report(FILM_IO, &error);
    return table;
}

const struct train_calls *load_train_calls(film_error *error)
{
    return symbol(LIBRARY_TRAIN, "film_train_calls", error);
}
