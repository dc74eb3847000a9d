/* Tables of records: which columns are the fields of the first and of the second record. Their
 * values are joined to one text per record in table.c. */
#include "base/mem.h"
#include "text/columns.h"
#include "text/value.h"

#include <string.h>

int column_fields_side(film_text name, int side, film_text *field)
{
    static const char *const prefixes[2][2] = {{"left_", "ltable_"}, {"right_", "rtable_"}};
    static const char *const suffixes[2][2] = {{"_left", "_l"}, {"_right", "_r"}};
    name = value_trim(name);
    for (int i = 0; i < 4; i++) {
        const char *affix = i < 2 ? prefixes[side][i] : suffixes[side][i - 2];
        size_t length = strlen(affix), rest = name.length - length;
        if (name.length <= length) continue;
        if (!value_is((film_text){name.bytes + (i < 2 ? 0 : rest), length}, affix)) continue;
        *field = (film_text){name.bytes + (i < 2 ? length : 0), rest};
        return 1;
    }
    return 0;
}

int column_fields_is_id(film_text field)
{
    return value_is(field, "id") || value_is(field, "_id") || value_is(field, "cluster_id");
}

void column_fields_free(struct columns *columns)
{
    for (size_t f = 0; f < columns->field_count; f++) mem_free(columns->fields[f].name);
    mem_free(columns->fields);
    columns->fields = NULL;
    columns->field_count = 0;
}

/* The next element "NAME" or "NAME:TYPE" of a list, or "NAME=OTHER"; 0 when there is none. */
static int next_element(const char **list, char sign, film_text *name, film_text *rest)
{
    if (!*list) return 0;
    size_t length = strcspn(*list, ",");
    film_text item = {*list, length};
    const char *cut = memchr(item.bytes, sign, item.length);
    *list = (*list)[length] ? *list + length + 1 : NULL;
    *name = value_trim(cut ? (film_text){item.bytes, (size_t)(cut - item.bytes)} : item);
    *rest = value_trim(cut ? (film_text){cut + 1, (size_t)(item.bytes + item.length - cut - 1)}
                           : (film_text){item.bytes, 0});
    return 1;
}

static int same_name(film_text a, film_text b)
{
    char name[256];
    if (a.length >= sizeof name) return a.length == b.length && !memcmp(a.bytes, b.bytes, a.length);
    memcpy(name, a.bytes, a.length);
    name[a.length] = '\0';
    return value_is(b, name);
}

/* A list that begins with "?" names the fields of a model: a table may lack some. */
static int is_optional(const char *list)
{
    return list && *list == '?';
}

/* Returns whether the option lists FIELD; all are wanted without it. */
static int is_wanted(const char *list, film_text field)
{
    film_text name, type;
    if (!list) return !column_fields_is_id(field);
    list += is_optional(list);
    while (next_element(&list, ':', &name, &type))
        if (same_name(name, field)) return 1;
    return 0;
}

/* The first record's name of a field of the second one, or the field of a column in a table of
 * single records. */
static film_text paired_name(const char *list, film_text field)
{
    film_text name, other;
    while (next_element(&list, '=', &name, &other))
        if (same_name(other, field)) return name;
    return field;
}

size_t column_fields_first(const film_table_options *options, const film_text *names, size_t count)
{
    const char *list = options->fields;
    for (int paired = 0; list && paired < 2; paired++)
        for (size_t i = 0; i < count; i++) {
            film_text name = value_trim(names[i]);
            if (is_wanted(list, paired ? paired_name(options->pair_fields, name) : name)) return i;
        }
    return COLUMN_NONE;
}

static film_status put_column_field(struct columns *columns, film_text name, int side,
                                    size_t column, film_error *error)
{
    size_t f = 0;
    while (f < columns->field_count && !same_name(name, value_of(columns->fields[f].name))) f++;
    struct column_field *field = &columns->fields[f];
    if (f == columns->field_count) {
        field->at[0] = field->at[1] = COLUMN_NONE;
        field->name = mem_string(name.bytes, name.length);
        if (!field->name) return status_no_memory(error);
        columns->field_count++;
    }
    if (field->at[side] == COLUMN_NONE) field->at[side] = column;
    return FILM_OK;
}

/* Finds the fields of a table of single records, in the order of the list: a record has the same
 * text whatever the order of its columns. A column with the name of a field comes before one with
 * its other name. */
static film_status find_single(struct columns *columns, const film_table_options *options,
                               film_error *error)
{
    film_status status = FILM_OK;
    const char *list = options->fields + is_optional(options->fields);
    film_text field, type;
    while (next_element(&list, ':', &field, &type))
        for (int paired = 0; paired < 2; paired++)
            for (size_t i = 0; i < columns->count; i++) {
                film_text name = value_trim(value_of(columns->names[i]));
                if (paired) name = paired_name(options->pair_fields, name);
                if (same_name(field, name)) TRY(put_column_field(columns, name, 0, i, error));
            }
done:
    return status;
}

/* Refuses a listed field that no column has. */
static film_status check_listed(const struct columns *columns, const char *file, const char *list,
                                film_error *error)
{
    film_text name, type;
    char shown[VALUE_SHOWN], names[COLUMNS_LISTED];
    while (next_element(&list, ':', &name, &type)) {
        size_t f = 0;
        while (f < columns->field_count && !same_name(name, value_of(columns->fields[f].name))) f++;
        if (f == columns->field_count)
            return status_set(error, FILM_BAD_INPUT,
                              "%s: no column for the field \"%s\" among %s; name fields as the "
                              "columns are named, without left_ and right_",
                              file, value_show(name, shown), columns_list(columns, names));
    }
    return FILM_OK;
}

film_status column_fields_find(struct columns *columns, const char *file,
                               const film_table_options *options, film_error *error)
{
    film_status status = FILM_OK;
    film_text field;
    size_t a = columns->at[COLUMN_A], b = columns->at[COLUMN_B];
    int pairs = a < columns->count && b < columns->count && !options->columns &&
                column_fields_side(value_of(columns->names[a]), 0, &field) &&
                column_fields_side(value_of(columns->names[b]), 1, &field);
    if (!pairs && !options->fields) return FILM_OK;
    if (!pairs && b != COLUMN_NONE && is_optional(options->fields)) return FILM_OK;
    if (!pairs && b != COLUMN_NONE)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: fields need columns left_NAME and right_NAME, or a table of single "
                          "records",
                          file);
    column_fields_free(columns);
    TRY_ALLOC(columns->fields = mem_zeroed(columns->count, sizeof *columns->fields), error);
    if (!pairs) TRY(find_single(columns, options, error));
    for (size_t i = 0; pairs && i < columns->count; i++) {
        film_text name = value_trim(value_of(columns->names[i]));
        for (int side = 0; side < 2; side++) {
            if (!column_fields_side(name, side, &field)) continue;
            if (side) field = paired_name(options->pair_fields, field);
            if (is_wanted(options->fields, field))
                TRY(put_column_field(columns, field, side, i, error));
        }
    }
    if (!columns->field_count) column_fields_free(columns);
    if (options->fields && !is_optional(options->fields))
        TRY(check_listed(columns, file, options->fields, error));
done:
    return status;
}

film_status column_fields_join(const struct columns *columns, const struct record *record, int side,
                               struct record_text *text, film_text *out, film_error *error)
{
    text->length = 0;
    for (size_t f = 0; f < columns->field_count; f++) {
        const struct column_field *field = &columns->fields[f];
        if (field->at[side] != COLUMN_NONE &&
            !record_text_add(text, value_of(field->name), record->fields[field->at[side]]))
            return status_no_memory(error);
    }
    *out = (film_text){text->length ? text->bytes : "", text->length};
    return FILM_OK;
}

int column_fields_use(const struct columns *columns, size_t column)
{
    for (size_t f = 0; f < columns->field_count; f++)
        for (int side = 0; side < 2; side++)
            if (columns->fields[f].at[side] == column) return side;
    return -1;
}
