/* Loads the modules of libfilm-pool and libfilm-train with dlopen, each at most once. The loader
 * searches the program's folder and its library folder (the program's RUNPATH). */
#include "modules.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULE_WORKBOOK = LIBRARIES, MODULES }; /* besides those of the libraries */

static const struct {
    const char *file;
    const char *verbs; /* symbol of its table of verbs */
} modules[MODULES] = {[LIBRARY_POOL] = {"film-verbs-pool.so", "pool_verbs"},
                      [LIBRARY_TRAIN] = {"film-verbs-train.so", "train_verbs"},
                      [MODULE_WORKBOOK] = {"film-workbook.so", NULL}};

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

int find_data(const char *file, char path[PATH_MAX])
{
    /* beside the program, installed, or built by wasm/build into the folder next to it */
    return find_module("", file, path) || find_module(FILM_DATA "/", file, path) ||
           find_module("../wasm/", file, path);
}

static void *load_module(int library, film_error *error)
{
    char path[PATH_MAX];
    const char *file = modules[library].file;
    static void *handles[MODULES];
    if (handles[library]) return handles[library];
    /* OpenBLAS starts its threads when it is loaded, but FILM only uses its own. Where it was built
     * with OpenMP, it reads the other variable. */
    if (library == LIBRARY_TRAIN) {
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        setenv("OMP_NUM_THREADS", "1", 1);
    }
    int found = find_module("", file, path) || find_module(FILM_MODULES "/", file, path);
    handles[library] = dlopen(found ? path : file, RTLD_NOW | RTLD_LOCAL);
    if (!handles[library]) {
        error->status = FILM_IO;
        snprintf(error->message, sizeof error->message, "cannot load a module: %s; reinstall FILM",
                 dlerror());
    }
    return handles[library];
}

static const void *symbol(int library, const char *name, film_error *error)
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
    const void *table = symbol((int)library, modules[library].verbs, &error);
    if (!table) report(FILM_IO, &error);
    return table;
}

const struct pool_calls *load_pool_calls(film_error *error)
{
    return symbol(LIBRARY_POOL, "film_pool_calls", error);
}

const struct train_calls *load_train_calls(film_error *error)
{
    return symbol(LIBRARY_TRAIN, "film_train_calls", error);
}

/* Reads Excel workbooks with the module, which needs expat. */
static film_status read_workbook(void *user, const void *bytes, size_t size, film_put_fn put,
                                 void *to, film_error *error)
{
    film_workbook_fn call = (film_workbook_fn)symbol(MODULE_WORKBOOK, "workbook_read", error);
    if (call) return call(user, bytes, size, put, to, error);
    snprintf(error->message, sizeof error->message,
             "a zip archive or an Excel workbook, and the module that reads workbooks "
             "(film-workbook.so) is not installed; unpack it, or save it as CSV");
    return error->status = FILM_BAD_INPUT;
}

void set_workbook_reader(void)
{
    film_set_workbook_reader(read_workbook, NULL);
}
