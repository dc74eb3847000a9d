/* Reads request bodies by tables of fields. A field that is not in the table is an error that names
 * the field. */
#include "fields.h"

#include <stdlib.h>
#include <string.h>

/* Number of bytes of a name that a message quotes; never splits a character. */
static int is_shown(const char *name)
{
    return (int)film_text_cut(film_string(name), 40);
}

/* Checks the strings and the depth of a parsed body, before anything is computed from it. Deeper
 * objects could be stored in a pool but not be queried: SQLite reads fewer levels than jansson. */
static int check_json_sizes(const json_t *value, size_t longest, int depth,
                            struct response *response)
{
    const char *name;
    json_t *item;
    size_t index, length = json_string_length(value);
    if (longest && length > longest)
        return response_error(response, 413,
                              "a string of %zu bytes, at most %zu are allowed (--max-sentence)",
                              length, longest);
    if (depth > FIELDS_DEPTH)
        return response_error(response, 400, "JSON nested more than %d levels deep", FIELDS_DEPTH);
    json_object_foreach((json_t *)(uintptr_t)value, name, item)
    {
        if (!check_json_sizes(item, longest, depth + 1, response)) return 0;
    }
    json_array_foreach(value, index, item)
    {
        if (!check_json_sizes(item, longest, depth + 1, response)) return 0;
    }
    return 1;
}

static int parse(const struct request *request, json_t **root, struct response *response)
{
    json_error_t problem;
    *root = json_loadb(request->body.bytes ? request->body.bytes : "", request->body.length,
                       JSON_REJECT_DUPLICATES, &problem);
    if (!*root && (!problem.text[0] || json_error_code(&problem) == json_error_out_of_memory))
        return response_error(response, 503, "out of memory; send a smaller request");
    if (!*root)
        return response_error(response, 400, "invalid JSON: %s (line %d, column %d, byte %d)",
                              problem.text, problem.line, problem.column, problem.position);
    if (!json_is_object(*root))
        return response_error(response, 400, "the body must be a JSON object: {\"a\": ...}");
    return check_json_sizes(*root, request->longest, 0, response);
}

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {"an object", "an array", "a string", "a number",
                                        "a number",  "true",     "false",    "null"};
    return names[json_typeof(value)];
}

static int read_probability(const struct field *field, void *target, const json_t *value,
                            const char *where, struct response *response)
{
    int ends = field->kind == FIELD_LEAST;
    double number = json_number_value(value);
    if (!json_is_number(value) || !(ends ? number >= 0 && number <= 1 : number > 0 && number < 1))
        return response_error(response, 400, "%s%s must be a number %s", where, field->name,
                              ends ? "from 0 to 1" : "between 0 and 1, both excluded");
    *(double *)target = number;
    return 1;
}

static int read_count(const struct field *field, void *target, const json_t *value,
                      const char *where, struct response *response)
{
    json_int_t number = json_integer_value(value);
    const char *word = json_string_value(value);
    if (field->words && word && strcmp(word, field->words) == 0) {
        *(size_t *)target = SIZE_MAX;
        return 1;
    }
    if (!json_is_integer(value) || number < (json_int_t)field->least ||
        (unsigned long long)number > field->most)
        return response_error(response, 400, "%s%s must be an integer from %zu to %zu%s%s", where,
                              field->name, field->least, field->most, field->words ? " or " : "",
                              field->words ? field->words : "");
    *(size_t *)target = (size_t)number;
    return 1;
}

static int read_word(const struct field *field, void *target, const json_t *value,
                     const char *where, struct response *response)
{
    const char *words = field->words, *text = json_is_string(value) ? json_string_value(value) : "";
    for (int number = 0;; number++) {
        size_t length = strcspn(words, "|");
        if (strlen(text) == length && strncmp(words, text, length) == 0) {
            *(int *)target = number;
            return 1;
        }
        if (!words[length]) break;
        words += length + 1;
    }
    return response_error(response, 400, "%s%s must be one of %s", where, field->name,
                          field->words);
}

static int wrong_type(const struct field *field, const json_t *value, const char *where,
                      const char *wanted, struct response *response)
{
    return response_error(response, 400, "%s%s must be %s, not %s", where, field->name, wanted,
                          type_name(value));
}

static int read_field(const struct field *field, void *target, const json_t *value,
                      const char *where, struct response *response)
{
    switch (field->kind) {
    case FIELD_TEXT:
        if (!json_is_string(value)) return wrong_type(field, value, where, "a string", response);
        *(film_text *)target = (film_text){json_string_value(value), json_string_length(value)};
        return 1;
    case FIELD_FLAG:
        if (!json_is_boolean(value)) return wrong_type(field, value, where, "a boolean", response);
        *(int *)target = json_is_true(value);
        return 1;
    case FIELD_COUNT:
        return read_count(field, target, value, where, response);
    case FIELD_NUMBER:
        if (!json_is_number(value)) return wrong_type(field, value, where, "a number", response);
        *(double *)target = json_number_value(value);
        return 1;
    case FIELD_SHARE:
    case FIELD_LEAST:
        return read_probability(field, target, value, where, response);
    case FIELD_WORD:
        return read_word(field, target, value, where, response);
    case FIELD_LIST:
        if (!json_is_array(value)) return wrong_type(field, value, where, "an array", response);
        *(const json_t **)target = value;
        return 1;
    case FIELD_TEXTS:
        if (!json_is_array(value) && !json_is_string(value))
            return wrong_type(field, value, where, "a string or an array", response);
        *(const json_t **)target = value;
        return 1;
    case FIELD_OBJECT:
        if (!json_is_object(value)) return wrong_type(field, value, where, "an object", response);
        *(const json_t **)target = value;
        return 1;
    }
    return 0;
}

static int unknown_field(const char *name, const char *where, const struct field *fields,
                         struct response *response)
{
    struct bytes known = {.data = NULL};
    for (; fields->name; fields++) bytes_format(&known, " %s", fields->name);
    bytes_append(&known, "", 1);
    response_error(response, 400, "%sunknown field \"%.*s\"; known fields:%s", where,
                   is_shown(name), name, known.failed ? "" : known.data);
    bytes_free(&known);
    return 0;
}

/* A record in place of a sentence: its text. WHERE and NAME say where it is. NULL: RESPONSE has the
 * error. */
static json_t *record_of_object(const json_t *object, const char *where, const char *name,
                                struct response *response)
{
    film_error error;
    char *json = json_dumps(object, JSON_COMPACT), *text = NULL;
    film_status status = json ? film_record_json(film_string(json), &text, &error) : FILM_NO_MEMORY;
    if (status == FILM_OK && response->model)
        status = film_record_check(response->model, film_string(text), &error);
    json_t *out = status == FILM_OK ? json_string(text) : NULL;
    if (status == FILM_BAD_INPUT)
        response_error(response, 400, "%s%s: %s", where, name, error.message);
    else if (status != FILM_OK && json)
        response_failure(response, status, &error);
    else if (!out)
        response_error(response, 503, "out of memory; send a smaller request");
    free(json);
    film_free(text);
    return out;
}

int fields_of(const json_t *object, const char *where, const struct field *fields, void *values,
              struct response *response)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        const struct field *field = fields;
        while (field->name && strcmp(field->name, name) != 0) field++;
        if (!field->name) return unknown_field(name, where, fields, response);
        if (field->kind == FIELD_TEXT && json_is_object(value)) {
            json_t *text = record_of_object(value, where, name, response);
            if (!text) return 0;
            json_object_set_new((json_t *)(uintptr_t)object, name, text);
            value = text;
        }
        if (!read_field(field, (char *)values + field->at, value, where, response)) return 0;
    }
    return 1;
}

int fields_read(const struct request *request, const struct field *fields, void *values,
                json_t **root, struct response *response)
{
    return parse(request, root, response) && fields_of(*root, "", fields, values, response);
}

/* ---- Plain bodies ---- */

/* A body that is read in place. */
struct cursor {
    const char *at, *end;
};

static char next_byte(struct cursor *cursor)
{
    while (cursor->at < cursor->end && memchr(" \t\n\r", *cursor->at, 4)) cursor->at++;
    return cursor->at < cursor->end ? *cursor->at : '\0';
}

static int take_byte(struct cursor *cursor, char byte)
{
    return next_byte(cursor) == byte && ++cursor->at;
}

/* Reads a string without escapes. */
static int take_string(struct cursor *cursor, film_text *out)
{
    unsigned char seen = 0;
    size_t bad;
    if (!take_byte(cursor, '"')) return 0;
    const char *start = cursor->at, *at = start;
    for (; at < cursor->end && *at != '"'; at++) {
        if ((unsigned char)*at < 0x20 || *at == '\\') return 0;
        seen |= (unsigned char)*at;
    }
    if (at == cursor->end) return 0;
    *out = (film_text){start, (size_t)(at - start)};
    cursor->at = at + 1;
    return seen < 0x80 || film_text_valid(*out, &bad);
}

static int is_text(film_text text, const char *word)
{
    return word && text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

/* Reads a whole number of at most nine digits, or the field's word. */
static int take_count(struct cursor *cursor, const struct field *field, size_t *out)
{
    enum { DIGITS = 9 };
    film_text word;
    size_t number = 0;
    if (next_byte(cursor) == '"') {
        *out = SIZE_MAX;
        return take_string(cursor, &word) && is_text(word, field->words);
    }
    const char *start = cursor->at;
    for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++) {
        if (cursor->at - start == DIGITS) return 0;
        number = 10 * number + (size_t)(*cursor->at - '0');
    }
    *out = number;
    return cursor->at > start && (*start != '0' || cursor->at == start + 1) &&
           number >= field->least && number <= field->most;
}

static int take_flag(struct cursor *cursor, int *out)
{
    static const film_text words[] = {{"false", 5}, {"true", 4}};
    *out = next_byte(cursor) == 't';
    film_text word = words[*out];
    if ((size_t)(cursor->end - cursor->at) < word.length ||
        memcmp(cursor->at, word.bytes, word.length) != 0)
        return 0;
    cursor->at += word.length;
    return 1;
}

static int take_field(struct cursor *cursor, const struct field *field, void *target,
                      size_t longest)
{
    film_text *text = target;
    switch (field->kind) {
    case FIELD_TEXT:
        return take_string(cursor, text) && (!longest || text->length <= longest);
    case FIELD_COUNT:
        return take_count(cursor, field, target);
    case FIELD_FLAG:
        return take_flag(cursor, target);
    default:
        return 0;
    }
}

int fields_plain(const struct request *request, const struct field *fields, void *values)
{
    const film_text *body = &request->body;
    if (!body->bytes) return 0;
    struct cursor cursor = {body->bytes, body->bytes + body->length};
    unsigned long long seen = 0;
    if (!take_byte(&cursor, '{')) return 0;
    do {
        film_text name;
        size_t f = 0;
        if (!take_string(&cursor, &name) || !take_byte(&cursor, ':')) return 0;
        while (fields[f].name && !is_text(name, fields[f].name)) f++;
        if (!fields[f].name || seen >> f & 1 ||
            !take_field(&cursor, &fields[f], (char *)values + fields[f].at, request->longest))
            return 0;
        seen |= 1ull << f;
    } while (take_byte(&cursor, ','));
    return take_byte(&cursor, '}') && next_byte(&cursor) == '\0' && cursor.at == cursor.end;
}

int fields_text(const json_t *list, const char *name, size_t number, film_text *text,
                struct response *response)
{
    const json_t *value = json_array_get(list, number);
    if (json_is_object(value)) {
        char item[40];
        snprintf(item, sizeof item, "[%zu]", number);
        json_t *record = record_of_object(value, name, item, response);
        if (!record) return 0;
        json_array_set_new((json_t *)(uintptr_t)list, number, record);
        value = record;
    }
    if (!json_is_string(value))
        return response_error(response, 400, "%s[%zu] must be a string, not %s", name, number,
                              value ? type_name(value) : "nothing");
    *text = (film_text){json_string_value(value), json_string_length(value)};
    return 1;
}

int fields_not_many(size_t count, size_t most, const char *name, struct response *response)
{
    return count <= most ||
           response_error(response, 413,
                          "%s: %zu items, at most %zu are allowed per request (--max-texts)", name,
                          count, most);
}

int fields_texts(const json_t *list, const char *name, size_t most, film_text **texts,
                 size_t *count, struct response *response)
{
    *count = json_array_size(list);
    if (!fields_not_many(*count, most, name, response)) return 0;
    *texts = malloc((*count ? *count : 1) * sizeof **texts);
    if (!*texts) return response_error(response, 503, "out of memory");
    for (size_t i = 0; i < *count; i++)
        if (!fields_text(list, name, i, &(*texts)[i], response)) return 0;
    return 1;
}
