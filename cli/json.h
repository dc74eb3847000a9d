/* Helpers to read the JSON that the library returns. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "cli.h"
#include "film_pool.h"

#include <jansson.h>

/* Adds category, answer, url and more, if the sentence has them (pool_list.c). */
void pool_set_fields(json_t *row, const film_sentence *sentence);

/* A text as JSON: a record is an object of its fields, {NULL, 0} is null (sheet.c). NULL: no
 * memory. */
json_t *json_of_text(film_text text);

/* Prints the fields of records with their types and ranges, if there are any (info.c). */
void print_field_ranges(const json_t *fields);

/* Prints a recorded edit of a model on a line (edit.c). */
void print_edit(const json_t *edit);

static inline long long json_whole(const json_t *object, const char *key)
{
    return (long long)json_integer_value(json_object_get(object, key));
}

static inline double json_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

#endif
