/* Loads the modules of libfilm-pool and libfilm-train with dlopen, each at most once. The loader
 * searches the program's folder and its library folder (the program's RUNPATH). */
#include "modules.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *file;
    const char *verbs; /* symbol of its table of verbs */
} modules[LIBRARIES] = {[LIBRARY_POOL] = {"film-verbs-pool.so", "pool_verbs"},
                        [LIBRARY_TRAIN] = {"film-verbs-train.so", "train_verbs"}};

/* The path of FILE in the folder RELATIVE to the program's; 0: there is no such file. */
static int find_module(const char *relative, const char *file, char path[PATH_MAX])
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return 0;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    int needed = snprintf(path, PATH_MAX, "%s/%s%s", program, relative, file);
    return needed > 0 && needed < PATH_MAX && access(path, R_OK) == 0;
}

static void *load_module(enum library library, film_error *error)
{
    char path[PATH_MAX];
    const char *file = modules[library].file;
    static void *handles[LIBRARIES];
    if (handles[library]) return handles[library];
    /* Idle OpenMP threads spin by default and slow down other programs. libgomp reads this variable
     * once, when it is loaded. The user's own value has priority. */
    if (library == LIBRARY_TRAIN && !getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT"))
        setenv("GOMP_SPINCOUNT", "1000", 0);
    int found = find_module("", file, path) || find_module(FILM_MODULES "/", file, path);
    handles[library] = dlopen(found ? path : file, RTLD_NOW | RTLD_LOCAL);
    if (!handles[library]) {
        error->status = FILM_IO;
        snprintf(error->message, sizeof error->message, "cannot load a module: %s; reinstall FILM",
                 dlerror());
    }
    return handles[library];
}

static const void *symbol(enum library library, const char *name, film_error *error)
{
    void *handle = load_module(library, error);
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
