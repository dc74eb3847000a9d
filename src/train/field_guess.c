/* Guesses the types of the fields of records from their values. */
#include "base/sort.h"
#include "train/field_guess.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/sized.h"
#include "film_train.h"
#include "text/record_text.h"
#include "text/value.h"

#include <stdlib.h>
#include <string.h>

/* A field while its values are counted. */
struct guessed {
    film_text name;
    size_t order;
    struct field_counts counts;
};

struct guess {
    struct guessed *list;
    size_t count, capacity;
    struct strtab values; /* "number of the field, value": counts distinct values */
};

/* Values beyond this number of records do not change a type. */
enum { ENOUGH = 20000, MOST_NAMES = 4096 };

static film_status count_value(struct guess *guess, size_t expected, film_text name,
                               film_text value, film_error *error)
{
    film_status status = FILM_OK;
    size_t f = expected;
    char key[72];
    uint32_t id;
    if (f >= guess->count || guess->list[f].name.length != name.length ||
        memcmp(guess->list[f].name.bytes, name.bytes, name.length) != 0) {
        for (f = 0; f < guess->count; f++)
            if (guess->list[f].name.length == name.length &&
                memcmp(guess->list[f].name.bytes, name.bytes, name.length) == 0)
                break;
    }
    if (f == guess->count) {
        if (f == MOST_NAMES) return FILM_OK;
        TRY_ALLOC(mem_grow((void **)&guess->list, &guess->capacity, f + 1, sizeof *guess->list),
                  error);
        guess->list[guess->count++] = (struct guessed){.name = name, .order = f};
    }
    field_count(&guess->list[f].counts, value);
    size_t length = value.length < 64 ? value.length : 64, before = guess->values.count;
    memcpy(key, &f, sizeof f);
    memcpy(key + sizeof f, value.bytes, length);
    TRY(strtab_add(&guess->values, key, sizeof f + length, &id, error));
    guess->list[f].counts.distinct += guess->values.count > before;
done:
    return status;
}

static film_status count_values(const struct corpus *corpus, struct guess *guess, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t count = corpus->sentences.count, most = count < ENOUGH ? count : ENOUGH;
    for (uint32_t i = 0; i < most; i++) {
        /* evenly spread over the corpus */
        film_text text = strtab_get(&corpus->sentences, (uint32_t)((uint64_t)i * count / most));
        film_text name, value;
        size_t expected = 0;
        for (size_t at = 0; record_text_is(text) && record_text_next(text, &at, &name, &value);)
            TRY(count_value(guess, expected++, name, value, error));
    }
done:
    return status;
}

/* The type that the option gives to NAME, or FIELD_TYPES. */
static film_status given_type(const char *given, film_text name, enum field_type *type,
                              film_error *error)
{
    *type = FIELD_TYPES;
    while (given && *given) {
        size_t length = strcspn(given, ",");
        const char *colon = memchr(given, ':', length);
        char wanted[128];
        film_text item = value_trim((film_text){given, colon ? (size_t)(colon - given) : length});
        if (colon && item.length < sizeof wanted) {
            film_text kind =
                value_trim((film_text){colon + 1, (size_t)(given + length - colon - 1)});
            memcpy(wanted, item.bytes, item.length);
            wanted[item.length] = '\0';
            enum field_type found = field_type_find(kind);
            char shown[VALUE_SHOWN];
            if (found == FIELD_TYPES)
                return status_set(error, FILM_USAGE,
                                  "fields: unknown type \"%s\"; known types: text, name, number, "
                                  "money, date, code, category, url, email, place",
                                  value_show(kind, shown));
            if (value_is(name, wanted)) *type = found;
        }
        given += length + (given[length] == ',');
    }
    return FILM_OK;
}

static int fuller_first(const void *left, const void *right)
{
    const struct guessed *a = left, *b = right;
    if (a->counts.values != b->counts.values) return a->counts.values > b->counts.values ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int in_column_order(const void *left, const void *right)
{
    const struct guessed *a = left, *b = right;
    return a->order < b->order ? -1 : a->order > b->order;
}

static film_status choose_fields(struct guess *guess, const char *given,
                                 struct record_fields *fields, film_error *error)
{
    film_status status = FILM_OK;
    if (guess->count > RECORD_FIELDS_MOST) {
        sort_array(guess->list, guess->count, sizeof *guess->list, fuller_first);
        guess->count = RECORD_FIELDS_MOST;
        sort_array(guess->list, guess->count, sizeof *guess->list, in_column_order);
    }
    for (size_t f = 0; f < guess->count; f++) {
        const struct guessed *field = &guess->list[f];
        enum field_type type;
        TRY(given_type(given, field->name, &type, error));
        if (type == FIELD_TYPES) type = field_type_guess(field->name, &field->counts);
        TRY(record_fields_add(fields, field->name, type, error));
    }
done:
    return status;
}

film_status film_guess_fields(const char *path, const film_table_options *options, char **json,
                              film_error *error)
{
    film_status status = FILM_OK;
    film_table_options with = {0};
    film_table *table = NULL;
    film_row row;
    struct corpus corpus = {0};
    struct record_fields fields = {0};
    struct training_log log = {0};
    json_t *list = NULL;
    if (!path || !json) return status_missing(error, path ? "json" : "path");
    *json = NULL;
    TRY(sized_options(&with, sizeof with, options, "film_table_options", error));
    TRY(film_table_open(path, &with, &table, error));
    TRY(corpus_init(&corpus, FILM_LABELS_NONE, error));
    TRY(training_log_init(&log, error));
    while (corpus.rows < ENOUGH && (status = film_table_next(table, &row, error)) == FILM_OK) {
        if (!record_text_is(row.a)) break; /* a file of sentences */
        TRY(corpus_add(&corpus, &row, error));
    }
    if (status == FILM_END) status = FILM_OK;
    TRY(status);
    TRY(field_guess(&corpus, with.fields, &fields, &log, error));
    list = json_object_get(log.figures, "fields");
    if (list)
        TRY(jsonfile_dump(list, JSON_COMPACT, json, error));
    else
        TRY_ALLOC(*json = mem_string("[]", 2), error);
done:
    film_table_close(table);
    corpus_free(&corpus);
    record_fields_free(&fields);
    training_log_free(&log);
    return status;
}

film_status field_guess(const struct corpus *corpus, const char *given,
                        struct record_fields *fields, struct training_log *log, film_error *error)
{
    film_status status = FILM_OK;
    struct guess guess = {.count = 0};
    TRY(strtab_init(&guess.values, error));
    TRY(count_values(corpus, &guess, error));
    TRY(choose_fields(&guess, given, fields, error));
    if (!fields->count) goto done;
    TRY(record_fields_prepare(fields, error));
    json_t *list = json_array();
    for (size_t f = 0; f < fields->count; f++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", fields->list[f].name, "type",
                                              field_type_name(fields->list[f].type)));
    training_log_note(log, "fields", list);
done:
    strtab_free(&guess.values);
    mem_free(guess.list);
    return status;
}
