/* Reads single settings from JSON files, with messages that name the file and the setting. It knows
 * no particular setting. */
#include "bert/bert_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

film_status bert_path(const char *folder, const char *name, char *path, film_error *error)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX) return FILM_OK;
    return status_set(error, FILM_IO, "the path of %.60s in %.60s... is too long", name, folder);
}

int bert_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static const json_t *setting(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

film_status bert_json_size(const json_t *object, const char *key, struct bert_limits limits,
                           const char *name, size_t *out, film_error *error)
{
    const json_t *value = setting(object, key);
    if (!value && !limits.fallback)
        return status_set(error, FILM_BAD_INPUT, "%s: no \"%s\"", name, key);
    double number = value ? json_number_value(value) : (double)limits.fallback;
    if ((value && !json_is_number(value)) || number != floor(number))
        return status_set(error, FILM_BAD_INPUT, "%s: \"%s\" is not a whole number", name, key);
    if (number < (double)limits.least || number > (double)limits.most)
        return status_set(error, FILM_BAD_INPUT, "%s: \"%s\" is %.17g; supported: %zu to %zu", name,
                          key, number, limits.least, limits.most);
    *out = (size_t)number;
    return FILM_OK;
}

film_status bert_json_flag(const json_t *object, const char *key, const char *name, int *out,
                           film_error *error)
{
    const json_t *value = setting(object, key);
    if (value && !json_is_boolean(value))
        return status_set(error, FILM_BAD_INPUT, "%s: \"%s\" is not true or false", name, key);
    if (value) *out = json_is_true(value);
    return FILM_OK;
}

film_status bert_json_text(const json_t *object, const char *key, const char *name,
                           const char **out, film_error *error)
{
    const json_t *value = setting(object, key);
    if (value && !json_is_string(value))
        return status_set(error, FILM_BAD_INPUT, "%s: \"%s\" is not a string", name, key);
    if (value) *out = json_string_value(value);
    return FILM_OK;
}
