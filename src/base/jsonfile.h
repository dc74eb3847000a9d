/* Parsing of JSON from untrusted files: the settings of a model folder, the header of a
 * container. */
#ifndef BASE_JSONFILE_H
#define BASE_JSONFILE_H

#include "base/status.h"

#include <jansson.h>

/* Parses an object or array. Numbers are returned as reals (json_number_value), because model
 * folders write "no limit" as 1000000000000000019884624838656, which does not fit an integer of
 * jansson. A duplicate key is an error. NAME is for the message. */
film_status jsonfile_parse(const void *bytes, size_t size, const char *name, json_t **out,
                           film_error *error);
film_status jsonfile_read(const char *path, json_t **out, film_error *error);

/* json_object_set_new and json_array_append_new for objects built in many places. A failure
 * is remembered for this thread, and the next jsonfile_dump of the thread returns it. */
int jsonfile_put(json_t *object, const char *key, json_t *value);
int jsonfile_append(json_t *array, json_t *value);
/* A number, or null where it is not finite, which JSON cannot write. */
json_t *jsonfile_number(double value);

/* Returns whether one of them failed since the last call, and forgets it. */
int jsonfile_failed(void);

/* Writes OBJECT (NULL: memory ran out) as text that film_free frees. FLAGS are those of
 * json_dumps. */
film_status jsonfile_dump(const json_t *object, size_t flags, char **out, film_error *error);

/* Frees the result of json_dumps with jansson's allocator, which a program may have replaced. TEXT
 * may be NULL. */
void jsonfile_free_text(char *text);

/* Returns whether jansson stopped parsing TEXT because it ran out of memory. Its error does not
 * always say so. */
int jsonfile_ran_out_of_memory(const json_error_t *problem, const char *text, size_t length);

#endif
