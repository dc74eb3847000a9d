/* Converts a row of a table to a sentence with id, text, category and further fields, and checks
 * it. It stores nothing. */
#include "dedup/row_fields.h"
#include "base/jsonfile.h"
#include "text/columns.h"
#include "text/table.h"
#include "base/utf8.h"
#include "text/value.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

film_text row_fields_or_none(film_text text)
{
    return text.length ? text : (film_text){NULL, 0};
}

film_text row_fields_make_id(film_text text, char id[ROW_FIELDS_ID_BYTES])
{
    /* 80 bits: among a million sentences, two collide with a probability of 1e-12, and that is
     * reported. */
    XXH128_hash_t hash = XXH3_128bits(text.bytes, text.length);
    int length = snprintf(id, ROW_FIELDS_ID_BYTES, "t-%016llx%04x", (unsigned long long)hash.low64,
                          (unsigned)(hash.high64 & 0xFFFF));
    return (film_text){id, (size_t)length};
}

/* ---- Other columns ---- */

/* Names that have another meaning in a file with the columns of a pool. */
static int is_reserved(const char *name)
{
    static const char *const reserved[] = {"id", "text", "category", "answer", "url"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (value_is(value_of(name), reserved[i])) return 1;
    return 0;
}

/* Adds VALUE (takes ownership) under NAME, or NAME_2 if NAME is reserved. Of two columns with the
 * same name, the first counts. Returns 0 when out of memory. */
static int keep(json_t *more, const char *name, json_t *value)
{
    char longer[1100];
    if (!value) return 0;
    if (is_reserved(name)) {
        snprintf(longer, sizeof longer, "%.1000s_2", name);
        name = longer;
    }
    if (json_object_get(more, name)) {
        json_decref(value);
        return 1;
    }
    return jsonfile_put(more, name, value) == 0;
}

char *row_fields_dump(const void *json)
{
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY;
    char *text = json_dumps(json, flags | JSON_REAL_PRECISION(15));
    json_t *back = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    int same = back && json_equal(back, json);
    json_decref(back);
    if (same) return text;
    if (!back) { /* our own text is valid JSON, so memory ran out */
        jsonfile_free_text(text);
        return NULL;
    }
    jsonfile_free_text(text);
    return json_dumps(json, flags | JSON_REAL_PRECISION(17));
}

static int is_role(const film_table *table, size_t column)
{
    static const int roles[] = {COLUMN_A, COLUMN_ID, COLUMN_CATEGORY};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (table_column_of(table, roles[i]) == column) return 1;
    return 0;
}

/* Columns of TSV and CSV. answer and url are found by name. */
static int take_known_columns(const film_table *table, const film_row *row, film_sentence *sentence,
                              json_t *more)
{
    size_t named = film_table_columns(table);
    for (size_t i = 0; i < row->field_count; i++) {
        film_text value = row->fields[i];
        char name[1024];
        if (is_role(table, i) || value.length == 0) continue;
        film_text given = i < named ? value_trim(film_table_column(table, i)) : (film_text){"", 0};
        snprintf(name, sizeof name, "%.*s", (int)(given.length < 1000 ? given.length : 1000),
                 given.bytes);
        if (strcmp(name, "-") == 0) continue;
        if (name[0] == 0 || !utf8_valid(name, strlen(name), NULL))
            snprintf(name, sizeof name, "column %zu", i + 1);
        if (value_is(value_of(name), "answer") && !sentence->answer.bytes)
            sentence->answer = value;
        else if (value_is(value_of(name), "url") && !sentence->url.bytes)
            sentence->url = value;
        else if (!keep(more, name, json_stringn(value.bytes, value.length)))
            return 0;
    }
    return 1;
}

/* All keys of a JSON object, also those that the first rows lack; values keep their types. */
static int take_keys(const film_table *table, json_t *object, film_sentence *sentence, json_t *more)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        int taken = 0;
        for (size_t i = 0; i < film_table_columns(table) && !taken; i++)
            taken = is_role(table, i) && strcmp(key, film_table_column(table, i).bytes) == 0;
        if (taken || json_is_null(value)) continue;
        film_text text = {json_string_value(value), json_string_length(value)};
        if (text.bytes && text.length == 0) continue;
        if (text.bytes && value_is(value_of(key), "answer") && !sentence->answer.bytes)
            sentence->answer = text;
        else if (text.bytes && value_is(value_of(key), "url") && !sentence->url.bytes)
            sentence->url = text;
        else if (!keep(more, key, json_incref(value)))
            return 0;
    }
    return 1;
}

film_status row_fields_read(const film_table *table, const film_row *row, struct row_fields *fields,
                            film_error *error)
{
    film_status status = FILM_OK;
    json_t *others = json_object();
    *fields = (struct row_fields){.sentence = {.id = row_fields_or_none(row->id),
                                               .text = row->a,
                                               .category = row_fields_or_none(row->category)}};
    TRY_ALLOC(others, error);
    if (film_table_format(table) == FILM_FORMAT_JSONL) {
        TRY_ALLOC(fields->object = json_loadb(row->raw.bytes, row->raw.length, 0, NULL), error);
        TRY_ALLOC(take_keys(table, fields->object, &fields->sentence, others), error);
    } else {
        TRY_ALLOC(take_known_columns(table, row, &fields->sentence, others), error);
    }
    if (json_object_size(others)) {
        TRY_ALLOC(fields->more = row_fields_dump(others), error);
        fields->sentence.more = value_of(fields->more);
    }
done:
    json_decref(others);
    return status;
}

void row_fields_free(struct row_fields *fields)
{
    jsonfile_free_text(fields->more);
    json_decref(fields->object);
    *fields = (struct row_fields){.more = NULL};
}

/* ---- Checks ---- */

static film_status check_text(film_text text, const char *name, const char *where,
                              film_error *error)
{
    size_t bad;
    if (!text.bytes) return FILM_OK;
    if (!utf8_valid(text.bytes, text.length, &bad))
        return status_set(error, FILM_BAD_INPUT, "%s%s is not valid UTF-8 at byte %zu", where, name,
                          bad);
    if (memchr(text.bytes, 0, text.length))
        return status_set(error, FILM_BAD_INPUT, "%s%s contains a NUL byte", where, name);
    return FILM_OK;
}

int fields_shallow(film_text json)
{
    int depth = 0, quoted = 0;
    for (size_t i = 0; i < json.length && depth <= FIELDS_DEPTH; i++) {
        char c = json.bytes[i];
        if (c == '"')
            quoted = !quoted;
        else if (quoted && c == '\\')
            i++; /* what it escapes may be a quote */
        else if (!quoted)
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    return depth <= FIELDS_DEPTH;
}

film_status row_fields_load(film_text more, json_t **out, film_error *error)
{
    json_error_t problem;
    *out = more.bytes ? json_loadb(more.bytes, more.length, 0, &problem) : NULL;
    if (more.bytes && !*out && jsonfile_ran_out_of_memory(&problem, more.bytes, more.length))
        return status_no_memory(error);
    return FILM_OK;
}

film_status row_fields_check_more(film_text more, const char *where, film_error *error)
{
    json_t *object;
    film_status status = row_fields_load(more, &object, error);
    int fits = !more.bytes || json_is_object(object);
    json_decref(object);
    if (status != FILM_OK || fits) return status;
    return status_set(error, FILM_BAD_INPUT, "%sthe other fields are not a JSON object", where);
}

film_status row_fields_check(const film_sentence *sentence, const char *where, film_error *error)
{
    film_status status = FILM_OK;
    char shown[VALUE_SHOWN];
    const film_text texts[] = {sentence->id,     sentence->text, sentence->category,
                               sentence->answer, sentence->url,  sentence->more};
    static const char *const names[] = {"the id",     "the text", "the category",
                                        "the answer", "the url",  "the other fields"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        TRY(check_text(texts[i], names[i], where, error));
    if (value_trim(sentence->text).length == 0)
        TRY(status_set(error, FILM_BAD_INPUT, "%sthe text is empty", where));
    if (!fields_shallow(sentence->more))
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%sthe other fields are nested more than %d levels deep", where,
                       FIELDS_DEPTH));
    if (sentence->id.length > FILM_POOL_ID_BYTES)
        TRY(status_set(error, FILM_BAD_INPUT, "%sthe id is longer than %d bytes", where,
                       FILM_POOL_ID_BYTES));
    for (size_t i = 0; i < sentence->id.length; i++)
        if ((unsigned char)sentence->id.bytes[i] < 32 || sentence->id.bytes[i] == 127)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%sthe id \"%s\" contains a tab, line end or other control character",
                           where, value_show(sentence->id, shown)));
done:
    return status;
}
