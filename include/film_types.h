/* film_types.h - what all calls of FILM share: status, errors, text, progress, memory, version.
 *
 * film.h includes this header; most programs never include it themselves. These rules hold for
 * every call of every FILM library:
 *
 * Errors    A call that can fail returns a film_status. When it is not FILM_OK, the caller's
 *           film_error holds one line: what is wrong, where (file:line) and what to do. The error
 *           argument may be NULL. The library never prints, exits or aborts.
 * Memory    A call returns a handle, fills the caller's arrays, or returns a string. Free a handle
 *           with the matching call and a string with film_free. Both accept NULL.
 * Threads   A film_model never changes after it was opened or trained. Any number of threads may
 *           share it. A film_context is scratch space: use one per thread.
 * Text      Text is UTF-8, passed as pointer and length, without a terminating NUL. Invalid UTF-8
 *           is an error.
 * Results   The same input, options, seed and thread count give the same bytes.
 *
 * Structs follow four rules, so that a program compiled today runs with every later 1.x:
 *
 * Size      Structs named ..._options and the structs that a call fills begin with `size_t size`.
 *           Set it to sizeof: `film_train_options options = {.size = sizeof options};`. A call
 *           reads and writes no byte past that size, so later versions can append fields. A size
 *           of 0 is FILM_USAGE. So is a non-zero field that this version does not know.
 * Zero      Zero means default, in every field. A NULL pointer to options means all defaults. Where
 *           the value zero itself is meant, set a count to FILM_NONE and a number to FILM_ZERO.
 *           In all options, `threads` 0 means all cores and `seed` 0 means 1.
 * Inside    Options inside other options (film_train_options.table) may leave their `size` 0. They
 *           end in reserved fields, which must be zero. Later versions use them for new options.
 * Elements  Structs without `size` (film_text, film_verdict, film_row, ...) are elements of arrays,
 *           arguments of callbacks or parts of other structs. They change only with the major
 *           version.
 */
#ifndef FILM_TYPES_H
#define FILM_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FILM_API __attribute__((visibility("default")))
#else
#define FILM_API
#endif

/* ---- Version -------------------------------------------------------------------------------- */

/* The version of these headers. The build reads it from here. */
#define FILM_VERSION_MAJOR 1
#define FILM_VERSION_MINOR 0
#define FILM_VERSION_PATCH 0

/* One number that grows with every version: `#if FILM_VERSION_NUMBER >= 1002000`. */
#define FILM_VERSION_NUMBER \
    (FILM_VERSION_MAJOR * 1000000 + FILM_VERSION_MINOR * 1000 + FILM_VERSION_PATCH)

/* The version of the library that runs, as "1.0.0" and as FILM_VERSION_NUMBER of its headers. */
FILM_API const char *film_version(void);
FILM_API int film_version_number(void);

/* ---- Status and errors ---------------------------------------------------------------------- */

typedef enum film_status {
    FILM_OK = 0,
    /* An argument or an option is invalid. */
    FILM_USAGE = 1,
    /* The content of a file or a text is invalid. */
    FILM_BAD_INPUT = 2,
    /* A file or a database could not be read or written. */
    FILM_IO = 3,
    /* The progress callback returned non-zero. No partial output is left. */
    FILM_CANCELLED = 4,
    FILM_NO_MEMORY = 5,
    /* There is nothing more to read (film_table_next). This is not an error. */
    FILM_END = 6,
    /* The user of the database lacks the permission. */
    FILM_DENIED = 7,
    /* The model needs another library of FILM, which the message names. */
    FILM_NEEDS_LIBRARY = 8
} film_status;

typedef struct film_error {
    film_status status;
    char message[1000];
} film_error;

/* A status in words: "ok", "usage", "bad input", "i/o", "cancelled", "no memory", "end", "denied",
 * "needs library". Any other number is "unknown". */
FILM_API const char *film_status_name(film_status status);

/* ---- Text ----------------------------------------------------------------------------------- */

/* A range of bytes. A film_text does not own its bytes. */
typedef struct film_text {
    const char *bytes;
    size_t length;
} film_text;

/* A C string as a film_text. TEXT must not be NULL. */
static inline film_text film_string(const char *text)
{
    film_text result = {text, strlen(text)};
    return result;
}

/* Returns whether TEXT is valid UTF-8. If not, *BAD (may be NULL) is the offset of the first wrong
 * byte. */
FILM_API int film_text_valid(film_text text, size_t *bad);

/* Returns the number of bytes to keep, at most MOST, so that no character is cut in two. */
FILM_API size_t film_text_cut(film_text text, size_t most);

/* Writes TEXT with the escapes of a JSON string, without the quotes, to OUT, which has room for
 * FILM_JSON_ESCAPED bytes per byte of TEXT. Returns the number of bytes written. A text can be
 * escaped chunk by chunk. */
#define FILM_JSON_ESCAPED 6
FILM_API size_t film_json_escape(film_text text, char *out);

/* Two sentences and their label: 1, they mean the same; 0, they do not. */
typedef struct film_pair {
    film_text a, b;
    double label;
} film_pair;

/* ---- Options -------------------------------------------------------------------------------- */

/* Set a count to FILM_NONE to mean 0 in options where 0 means the default: `.bootstrap =
 * FILM_NONE`. */
#define FILM_NONE SIZE_MAX

/* Set a number to FILM_ZERO to mean 0 in options where 0 means the default: `.solver.gamma =
 * FILM_ZERO`. */
#define FILM_ZERO (-1e300)

/* Long calls report their phase and progress through this callback, from the calling thread. TOTAL
 * is 0 when it is not known. Return non-zero to cancel the call. */
typedef int (*film_progress_fn)(void *user, const char *phase, double done, double total);

typedef struct film_progress {
    /* May be NULL. */
    film_progress_fn call;
    void *user;
    /* Called with one line about each finished step (objective, gradient, loss), before `call`
     * reports the step. May be NULL. */
    void (*note)(void *user, const char *line);
} film_progress;

/* ---- Memory --------------------------------------------------------------------------------- */

/* Frees a string that the library returned. */
FILM_API void film_free(void *memory);

/* Replacements of malloc, realloc and free. Each gets `user`. */
typedef struct film_allocator {
    void *(*allocate)(void *user, size_t size);
    void *(*reallocate)(void *user, void *memory, size_t size);
    void (*release)(void *user, void *memory);
    void *user;
} film_allocator;

/* Makes the library's own allocations go through ALLOCATOR; NULL restores malloc. Call it before
 * any other call, because memory must be freed by the allocator that allocated it. The libraries
 * that FILM uses keep their own allocators. */
FILM_API void film_set_allocator(const film_allocator *allocator);

/* Does the same and also makes jansson, the JSON library, allocate through ALLOCATOR. Use it only
 * in a program that owns the whole process, because other parts of the process may use jansson too.
 * film_pool.h has the call for SQLite. */
FILM_API void film_set_process_allocator(const film_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
