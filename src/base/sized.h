/* Versioning of public structs that begin with `size_t size` (film_types.h): reads options from,
 * and fills results of, programs compiled with older or newer headers. */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include "base/status.h"

/* Copies the caller's options GIVEN over the defaults in INTO, a struct of KNOWN bytes. Fields
 * beyond the caller's size keep their defaults. GIVEN may be NULL. NAME is for messages. */
film_status sized_options(void *into, size_t known, const void *given, const char *name,
                          film_error *error);

/* Fails when the size of RESULT is not set. RESULT may be NULL. */
film_status sized_check(const void *result, const char *name, film_error *error);

/* Copies FILLED, a struct of KNOWN bytes, into the caller's RESULT, up to the caller's size. RESULT
 * may be NULL. */
void sized_fill(void *result, const void *filled, size_t known);

/* Fails when a reserved field is not zero: the options are from a newer version. */
film_status sized_reserved(void *const *reserved, size_t count, const char *name,
                           film_error *error);

#endif
