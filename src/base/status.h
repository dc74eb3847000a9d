/* Status codes with a message: the result of every function that can fail. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "film_types.h"

/* Formats the message into ERROR (may be NULL) and returns CODE, so that a failing function can
 * write `return status_set(error, FILM_BAD_INPUT, "%s:%zu: ...", ...)`. */
film_status status_set(film_error *error, film_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As status_set, followed by the text of errno: "cannot open x: No such file or directory". */
film_status status_errno(film_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

film_status status_no_memory(film_error *error);

/* Reports that a required pointer argument is NULL; WHAT names it. */
film_status status_missing(film_error *error, const char *what);

/* Single exit of a function: TRY(call) jumps to the label `done` when the call fails. The function
 * declares `film_status status = FILM_OK`. */
#define TRY(call)                         \
    do {                                  \
        status = (call);                  \
        if (status != FILM_OK) goto done; \
    } while (0)

/* The same for an allocation: TRY_ALLOC(p = mem_array(...), error). */
#define TRY_ALLOC(expression, error)          \
    do {                                      \
        if (!(expression)) {                  \
            status = status_no_memory(error); \
            goto done;                        \
        }                                     \
    } while (0)

/* Reports progress. Returns FILM_CANCELLED when the user wants to stop. */
film_status progress_report(const film_progress *progress, const char *phase, double done,
                            double total, film_error *error);

/* Logs a line about the last step. Formats nothing when there is no listener. */
void progress_note(const film_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
