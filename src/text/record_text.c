/* Writes and reads records as one text (text/record_text.h), also from a JSON object. Types and
 * comparisons of fields are elsewhere. */
#include "text/record_text.h"
#include "base/mem.h"
#include "text/value.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

int record_text_next(film_text text, size_t *at, film_text *name, film_text *value)
{
    const char *start = text.bytes + *at, *end = text.bytes + text.length;
    if (*at >= text.length || *start != FIELD_NAME_MARK) return 0;
    const char *next = memchr(start + 1, FIELD_NAME_MARK, (size_t)(end - start - 1));
    if (!next) next = end;
    const char *mark = memchr(start + 1, FIELD_VALUE_MARK, (size_t)(next - start - 1));
    const char *cut = mark ? mark : next;
    *name = (film_text){start + 1, (size_t)(cut - start - 1)};
    *value = mark ? (film_text){mark + 1, (size_t)(next - mark - 1)} : (film_text){next, 0};
    *at = (size_t)(next - text.bytes);
    return 1;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

film_text record_text_find(film_text text, film_text name)
{
    film_text given, value;
    for (size_t at = 0; record_text_next(text, &at, &given, &value);) {
        size_t i = 0;
        if (given.length != name.length) continue;
        while (i < name.length && lower(given.bytes[i]) == lower(name.bytes[i])) i++;
        if (i == name.length) return value;
    }
    return (film_text){NULL, 0};
}

int record_text_missing(film_text value)
{
    static const char *const none[] = {"",   "null", "nan", "none", "n/a",
                                       "na", "-",    "--",  "?",    "\\N"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (value_is(value, none[i])) return 1;
    return 0;
}

static void put(struct record_text *record, film_text bytes)
{
    for (size_t i = 0; i < bytes.length; i++) {
        char c = bytes.bytes[i];
        record->bytes[record->length++] = c == FIELD_NAME_MARK || c == FIELD_VALUE_MARK ? ' ' : c;
    }
}

int record_text_add(struct record_text *record, film_text name, film_text value)
{
    if (record_text_missing(value)) return 1;
    if (!mem_grow((void **)&record->bytes, &record->capacity,
                  record->length + name.length + value.length + 3, 1))
        return 0;
    record->bytes[record->length++] = FIELD_NAME_MARK;
    put(record, name);
    record->bytes[record->length++] = FIELD_VALUE_MARK;
    put(record, value);
    record->bytes[record->length] = '\0';
    return 1;
}

/* ---- JSON ---- */

/* The text of a JSON value, in memory that the caller frees; NULL: none, or no memory. */
static char *value_string(const json_t *value)
{
    char number[40];
    if (json_is_string(value))
        return mem_string(json_string_value(value), json_string_length(value));
    if (json_is_true(value)) return mem_string("true", 4);
    if (json_is_false(value)) return mem_string("false", 5);
    if (json_is_integer(value))
        return mem_string(number, (size_t)snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT,
                                                   json_integer_value(value)));
    if (json_is_real(value)) {
        size_t length = (size_t)snprintf(number, sizeof number, "%.15g", json_real_value(value));
        char *comma = strchr(number, ',');
        if (comma) *comma = '.';
        return mem_string(number, length);
    }
    size_t length = json_dumpb(value, NULL, 0, JSON_COMPACT);
    char *text = mem_array(length + 1, 1);
    if (!text) return NULL;
    json_dumpb(value, text, length, JSON_COMPACT);
    text[length] = '\0';
    return text;
}

film_status record_text_json(struct record_text *record, film_text json, film_error *error)
{
    film_status status = FILM_OK;
    json_error_t problem;
    const char *key;
    json_t *value, *object = json_loadb(json.bytes, json.length, JSON_REJECT_DUPLICATES, &problem);
    if (!json_is_object(object)) {
        char shown[VALUE_SHOWN];
        TRY(status_set(error, FILM_BAD_INPUT,
                       "\"%s\" is not a JSON object; write a record as {\"title\": \"...\"}",
                       value_show(json, shown)));
    }
    json_object_foreach(object, key, value)
    {
        if (json_is_null(value)) continue;
        char *text = value_string(value);
        int added = text && record_text_add(record, value_of(key), value_of(text));
        mem_free(text);
        TRY_ALLOC(added, error);
    }
done:
    json_decref(object);
    return status;
}
