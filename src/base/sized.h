/* Public structs that begin with `size_t size` (film_types.h): how a call reads options and fills
 * results of a program that was compiled with older or newer headers. */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include "base/status.h"

/* Copies the caller's options GIVEN over the defaults in INTO, a struct of KNOWN bytes. Fields
 * behind the caller's size keep their defaults. GIVEN may be NULL. NAME is for messages. */
film_status sized_options(void *into, size_t known, const void *given, const char *name,
                          film_error *error);

/* Refuses a result whose size was not set. RESULT may be NULL. */
film_status sized_check(const void *result, const char *name, film_error *error);

/* Fills the caller's RESULT from FILLED, a struct of KNOWN bytes, up to the caller's size. RESULT
 * may be NULL. */
void sized_fill(void *result, const void *filled, size_t known);

/* Refuses reserved room that is not zero: options of a newer version. */
film_status sized_reserved(void *const *reserved, size_t count, const char *name,
                           film_error *error);

#endif
