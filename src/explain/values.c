/* Finds the values of two records field by field, and which words belong to each. It compares
 * nothing; differences.c does. */
#include "explain/values.h"
#include "text/record_text.h"

#include <string.h>

static int is_atom(enum field_type type)
{
    return type == TYPE_NUMBER || type == TYPE_MONEY || type == TYPE_DATE || type == TYPE_CODE ||
           type == TYPE_URL || type == TYPE_EMAIL;
}

/* Returns the first word of a sentence that starts at START or after it. */
static size_t first_from(const struct words *words, int sentence, size_t start)
{
    size_t low = words->first[sentence], high = words->first[sentence + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (words->list[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void value_span(const struct record_values *values, size_t number, int sentence, size_t *start,
                size_t *end)
{
    film_text value = values->list[number].value[sentence], text = values->text[sentence];
    *start = value.bytes ? (size_t)(value.bytes - text.bytes) : text.length;
    *end = *start + value.length;
}

/* Adds a field whose values are to be found by its name. */
static struct value_pair *add_value(struct record_values *values, const struct words *words,
                                    film_text name)
{
    size_t number = values->count++;
    struct value_pair *pair = &values->list[number];
    *pair = (struct value_pair){.name = name};
    for (int s = 0; s < 2; s++) {
        size_t start, end;
        if (values->record[s])
            pair->value[s] = record_text_find(values->text[s], name);
        else if (number == 0)
            pair->value[s] = values->text[s];
        if (!pair->value[s].length) pair->value[s] = (film_text){NULL, 0};
        value_span(values, number, s, &start, &end);
        pair->from[s] = first_from(words, s, start);
        pair->to[s] = first_from(words, s, end);
    }
    return pair;
}

static int has_value(const struct record_values *values, film_text name)
{
    for (size_t v = 0; v < values->count; v++)
        if (values->list[v].name.length == name.length &&
            memcmp(values->list[v].name.bytes, name.bytes, name.length) == 0)
            return 1;
    return 0;
}

void values_find(struct record_values *values, const struct record_fields *fields,
                 const struct words *words, film_text a, film_text b)
{
    *values =
        (struct record_values){.text = {a, b}, .record = {record_text_is(a), record_text_is(b)}};
    for (size_t f = 0; f < fields->count; f++)
        add_value(values, words, film_string(fields->list[f].name))->atom =
            is_atom(fields->list[f].type);
    if (fields->count) return;
    for (int s = 0; s < 2; s++) { /* records, judged by a model of sentences */
        film_text name, value;
        for (size_t at = 0; record_text_next(values->text[s], &at, &name, &value);)
            if (values->count < RECORD_FIELDS_MOST && !has_value(values, name))
                add_value(values, words, name);
    }
    if (!values->count) add_value(values, words, (film_text){NULL, 0});
}
