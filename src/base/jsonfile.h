/* JSON that others wrote: settings of a folder, the header of a container. */
#ifndef BASE_JSONFILE_H
#define BASE_JSONFILE_H

#include "base/status.h"

#include <jansson.h>

/* An object or array. Numbers come back as reals (json_number_value): folders say "no limit" with
 * 1000000000000000019884624838656, which no integer of jansson holds. A key that stands twice is an
 * error. NAME is for the message. */
film_status jsonfile_parse(const void *bytes, size_t size, const char *name, json_t **out,
                           film_error *error);
film_status jsonfile_read(const char *path, json_t **out, film_error *error);

/* Frees what json_dumps returned: with jansson's allocator, which a program may have replaced. NULL
 * is fine. */
void jsonfile_free_text(char *text);

/* Whether jansson gave up on TEXT for want of memory, which it does not always say. */
int jsonfile_ran_out_of_memory(const json_error_t *problem, const char *text, size_t length);

#endif
