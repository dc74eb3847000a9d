/* Parses one JSON object per line into the fields of a record, with jansson. Finding the lines is
 * done in reader.c. */
#include "text/jsonl.h"
#include "base/strtab.h"
#include "base/mem.h"
#include "text/value.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { MAX_KEYS = RECORD_MAX_KEYS, NUMBER_BYTES = 32 };

film_status jsonl_parse(struct record *record, film_error *error)
{
    json_error_t problem;
    json_decref(record->json);
    record->json =
        json_loadb(record->raw.bytes, record->raw.length, JSON_REJECT_DUPLICATES, &problem);
    if (!record->json) {
        if (json_error_code(&problem) == json_error_out_of_memory) return status_no_memory(error);
        if (json_error_code(&problem) == json_error_null_character)
            return record_bad(record, error, "NUL character (\\u0000) in a text");
        char shown[VALUE_SHOWN];
        return record_bad(record, error, "invalid JSON (%s); expected one object per line",
                          value_show(value_of(problem.text), shown));
    }
    if (json_is_array((json_t *)record->json))
        return record_bad(
            record, error,
            "a JSON array; expected one object per line (convert it with jq -c '.[]')");
    if (!json_is_object((json_t *)record->json))
        return record_bad(record, error, "not a JSON object");
    return FILM_OK;
}

/* Writes the shortest of 15 to 17 digits that reads back as the same number; jansson would write
 * 3.8 as 3.7999999999999998. The decimal point follows the locale, hence the replacement. */
static size_t write_real(double number, char *out)
{
    double back = 0;
    int length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        length = snprintf(out, NUMBER_BYTES, "%.*g", precision, number);
        char *comma = strchr(out, ',');
        if (comma) *comma = '.';
        if (value_number((film_text){out, (size_t)length}, &back) && back == number) break;
    }
    return (size_t)length;
}

/* Returns the bytes of scratch space that the value may need. */
static size_t encoded_length(const json_t *value)
{
    if (json_is_number(value)) return NUMBER_BYTES;
    if (json_is_array(value) || json_is_object(value))
        return json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
    return 0;
}

static film_text value_text(const json_t *value, char *scratch, size_t room)
{
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_STRING:
        return (film_text){json_string_value(value), json_string_length(value)};
    case JSON_INTEGER:
        return (film_text){scratch, (size_t)snprintf(scratch, room, "%" JSON_INTEGER_FORMAT,
                                                     json_integer_value(value))};
    case JSON_REAL:
        return (film_text){scratch, write_real(json_real_value(value), scratch)};
    case JSON_TRUE:
        return (film_text){"true", 4};
    case JSON_FALSE:
        return (film_text){"false", 5};
    case JSON_ARRAY:
    case JSON_OBJECT:
        return (film_text){scratch,
                           json_dumpb(value, scratch, room, JSON_COMPACT | JSON_ENCODE_ANY)};
    case JSON_NULL:
        break;
    }
    return (film_text){"", 0};
}

film_status jsonl_fields(struct record *record, char *const *names, size_t count, film_error *error)
{
    size_t needed = 0;
    record->field_count = 0;
    for (size_t i = 0; i < count; i++)
        needed += encoded_length(json_object_get(record->json, names[i]));
    void *scratch = record->scratch;
    if (!mem_grow(&scratch, &record->scratch_capacity, needed, 1)) return status_no_memory(error);
    record->scratch = scratch;
    char *at = record->scratch;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(record->json, names[i]);
        size_t room = encoded_length(value);
        film_status status = record_add(record, value_text(value, at, room), error);
        if (status != FILM_OK) return status;
        if (room) at += room;
    }
    return FILM_OK;
}

film_status jsonl_require(const struct record *record, const char *key, film_error *error)
{
    char shown[VALUE_SHOWN];
    const json_t *value = json_object_get(record->json, key);
    value_show(value_of(key), shown);
    if (!value) return record_bad(record, error, "no \"%s\"", shown);
    if (json_is_null(value)) return record_bad(record, error, "\"%s\" is null", shown);
    if (json_is_array(value) || json_is_object(value))
        return record_bad(record, error, "\"%s\" is %s, not text", shown,
                          json_is_array(value) ? "an array" : "an object");
    return FILM_OK;
}

/* The keys so far: a list, and a table that finds a key in it. */
struct key_list {
    char **names;
    size_t count, capacity;
    struct strtab known;
};

static film_status add_key(struct key_list *keys, const char *key, film_error *error)
{
    uint32_t number;
    film_status status = strtab_add(&keys->known, key, strlen(key), &number, error);
    if (status != FILM_OK || number < keys->count) return status;
    void *memory = keys->names;
    if (!mem_grow(&memory, &keys->capacity, keys->count + 1, sizeof *keys->names))
        return status_no_memory(error);
    keys->names = memory;
    char *copy = mem_string(key, strlen(key));
    if (!copy) return status_no_memory(error);
    keys->names[keys->count++] = copy;
    return FILM_OK;
}

film_status jsonl_keys(const struct record *records, size_t record_count, char ***names,
                       size_t *count, film_error *error)
{
    struct key_list keys = {.count = 0};
    film_status status = strtab_init(&keys.known, error);
    for (size_t i = 0; i < record_count && status == FILM_OK; i++) {
        const char *key;
        json_t *value;
        json_object_foreach((json_t *)records[i].json, key, value)
        {
            if (keys.count == MAX_KEYS || status != FILM_OK) break;
            status = add_key(&keys, key, error);
        }
    }
    strtab_free(&keys.known);
    *names = keys.names;
    *count = keys.count;
    return status;
}
