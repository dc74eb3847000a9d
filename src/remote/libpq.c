/* Loads libpq by dlopen, once per process, and looks up its functions. No other file knows the name
 * of the library. */
#include "remote/libpq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libpq.so.5"

struct libpq libpq;

static char problem[400]; /* why it could not be loaded; empty on success */

static void load_libpq(void)
{
    static const struct {
        const char *name;
        size_t offset;
    } calls[] = {
#define LIBPQ_ENTRY(name) {#name, offsetof(struct libpq, name)},
        LIBPQ_CALLS(LIBPQ_ENTRY)
#undef LIBPQ_ENTRY
    };
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(problem, sizeof problem, "it cannot be loaded (%.200s); install libpq5",
                 dlerror());
        return;
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        void *address = dlsym(library, calls[i].name);
        if (!address) {
            snprintf(problem, sizeof problem,
                     "the installed version is too old (no %s); install libpq5 14 or newer",
                     calls[i].name);
            return;
        }
        memcpy((char *)&libpq + calls[i].offset, &address, sizeof address);
    }
}

film_status libpq_load(film_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_libpq);
    return problem[0]
               ? status_set(error, FILM_IO, "a pool in PostgreSQL needs " LIBRARY ": %s", problem)
               : FILM_OK;
}
