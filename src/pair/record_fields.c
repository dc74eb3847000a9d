/* The fields of records: finds them in two texts that were read, and measures their traits by the
 * table of types (pair/field_traits.c). Traits get their names here, once per model. */
#include "pair/record_fields.h"
#include "base/mem.h"
#include "pair/field_traits.h"
#include "pair/record_codes.h"
#include "text/record_text.h"
#include "text/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The last traits of every field. */
static const struct field_measure missing_measures[] = {
    {"missing_one", "missing in one record", "1 if only one of the two records has a value"},
    {"missing_both", "missing in both records", "1 if neither record has a value"},
};
enum { MISSING_MEASURES = sizeof missing_measures / sizeof *missing_measures, LONGEST_NAME = 100 };

/* ---- The list ---- */

film_status record_fields_add(struct record_fields *fields, film_text name, enum field_type type,
                              film_error *error)
{
    if (fields->count == RECORD_FIELDS_MOST || name.length > LONGEST_NAME) return FILM_OK;
    for (size_t i = 0; i < fields->count; i++)
        if (value_is(name, fields->list[i].name)) return FILM_OK;
    struct record_field *field = &fields->list[fields->count];
    char family[LONGEST_NAME + 8];
    int length = snprintf(family, sizeof family, "field %.*s", (int)name.length, name.bytes);
    field->name = mem_string(name.bytes, name.length);
    field->family = mem_string(family, (size_t)length);
    field->type = type;
    fields->count++;
    return field->name && field->family ? FILM_OK : status_no_memory(error);
}

void record_fields_free(struct record_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        mem_free(fields->list[i].name);
        mem_free(fields->list[i].family);
    }
    for (size_t i = 0; fields->traits && i < fields->trait_count; i++) {
        mem_free((void *)(uintptr_t)fields->traits[i].id);
        mem_free((void *)(uintptr_t)fields->traits[i].name);
    }
    mem_free(fields->traits);
    memset(fields, 0, sizeof *fields);
}

static film_status name_trait(struct record_fields *fields, const struct record_field *of,
                              const struct field_measure *measure, film_error *error)
{
    const char *field = of ? of->name : NULL;
    char text[LONGEST_NAME + 100];
    struct trait *trait = &fields->traits[fields->trait_count++];
    *trait = (struct trait){.about = measure->about,
                            .family = field ? FAMILY_FIELDS : FAMILY_CODES,
                            .field = of ? of->family : NULL};
    int length = snprintf(text, sizeof text, "%s:%s", field ? field : "record", measure->id);
    trait->id = mem_string(text, (size_t)length);
    length = field ? snprintf(text, sizeof text, "%s: %s", field, measure->name)
                   : snprintf(text, sizeof text, "%s", measure->name);
    trait->name = mem_string(text, (size_t)length);
    return trait->id && trait->name ? FILM_OK : status_no_memory(error);
}

film_status record_fields_prepare(struct record_fields *fields, film_error *error)
{
    film_status status = FILM_OK;
    size_t most = RECORD_CODE_MEASURES + fields->count * (FIELD_MEASURES + MISSING_MEASURES);
    TRY_ALLOC(fields->traits = mem_zeroed(most, sizeof *fields->traits), error);
    for (size_t m = 0; m < RECORD_CODE_MEASURES; m++)
        TRY(name_trait(fields, NULL, &record_code_measures[m], error));
    for (size_t i = 0; i < fields->count; i++) {
        struct record_field *field = &fields->list[i];
        const struct field_comparer *kind = field_comparer(field->type);
        field->first = fields->trait_count;
        for (size_t m = 0; m < kind->count; m++)
            TRY(name_trait(fields, field, &kind->measures[m], error));
        for (size_t m = 0; m < MISSING_MEASURES; m++)
            TRY(name_trait(fields, field, &missing_measures[m], error));
    }
done:
    return status;
}

film_status record_fields_table(const struct record_fields *fields, film_table_options *options,
                                char **own, film_error *error)
{
    size_t used = 0;
    *own = NULL;
    if (!fields->count || options->fields || options->columns) return FILM_OK;
    *own = mem_array(fields->count * (LONGEST_NAME + 1) + 2, 1);
    if (!*own) return status_no_memory(error);
    for (size_t f = 0; f < fields->count; f++)
        if (!strpbrk(fields->list[f].name, ",:"))
            used += (size_t)sprintf(*own + used, "%c%s", used ? ',' : '?', fields->list[f].name);
    if (used) options->fields = *own;
    return FILM_OK;
}

size_t traits_total(const struct record_fields *fields)
{
    return traits_count() + (fields ? fields->trait_count : 0);
}

const struct trait *traits_get(const struct record_fields *fields, size_t number)
{
    return number < traits_count() ? trait_at(number) : &fields->traits[number - traits_count()];
}

size_t traits_search(const struct record_fields *fields, const char *id)
{
    size_t found = trait_find(id);
    for (size_t i = 0; found == TRAIT_NONE && fields && i < fields->trait_count; i++)
        if (strcmp(fields->traits[i].id, id) == 0) found = traits_count() + i;
    return found;
}

/* ---- Measuring ---- */

void field_scratch_free(struct field_scratch *scratch)
{
    mem_free(scratch->seen[0]);
    mem_free(scratch->seen[1]);
    memset(scratch, 0, sizeof *scratch);
}

/* Makes room for the pair's words. New entries are 0, which is no round. */
static int reserve_seen(struct field_scratch *scratch, size_t numbers)
{
    for (int s = 0; s < 2; s++) {
        size_t before = scratch->seen_capacity[s];
        if (!mem_grow((void **)&scratch->seen[s], &scratch->seen_capacity[s], numbers + 1,
                      sizeof(uint32_t)))
            return 0;
        size_t after = scratch->seen_capacity[s];
        memset(scratch->seen[s] + before, 0, (after - before) * sizeof(uint32_t));
    }
    return 1;
}

/* Where the values of one record are: by field, and the words of each. */
struct located {
    film_text value[RECORD_FIELDS_MOST];
    size_t from[RECORD_FIELDS_MOST], to[RECORD_FIELDS_MOST];
    struct record_codes codes;
};

/* Codes are not searched in numbers, dates and links. */
static int may_have_codes(enum field_type type)
{
    return type != TYPE_NUMBER && type != TYPE_MONEY && type != TYPE_DATE && type != TYPE_URL &&
           type != TYPE_EMAIL && type != TYPE_NAME;
}

static size_t field_index(const struct record_fields *fields, film_text name)
{
    size_t f = 0;
    while (f < fields->count && !value_is(name, fields->list[f].name)) f++;
    return f;
}

/* The names of the fields, for messages: "title, brand, price". */
static void list_names(const struct record_fields *fields, char *out, size_t size)
{
    size_t used = 0;
    for (size_t f = 0; f < fields->count && used < size; f++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%s", f ? ", " : "", fields->list[f].name);
    if (used >= size) memcpy(out + film_text_cut((film_text){out, size - 1}, size - 5), " ...", 5);
}

film_status record_fields_check(const struct record_fields *fields, film_text text,
                                film_error *error)
{
    film_text name, value;
    char names[300], shown[VALUE_SHOWN];
    if (!fields->count || (text.length && !record_text_is(text))) return FILM_OK;
    list_names(fields, names, sizeof names);
    if (!text.length)
        return status_set(error, FILM_BAD_INPUT, "the record has no value; fields of the model: %s",
                          names);
    if (fields->count == RECORD_FIELDS_MOST) return FILM_OK;
    for (size_t at = 0; record_text_next(text, &at, &name, &value);)
        if (field_index(fields, name) == fields->count)
            return status_set(error, FILM_BAD_INPUT,
                              "unknown field \"%s\"; fields of the model: %s",
                              value_show(name, shown), names);
    return FILM_OK;
}

/* A text without marks is the value of the first field. */
static void locate_values(const struct record_fields *fields, const struct reading_side *side,
                          struct located *out)
{
    film_text name, value;
    size_t at = 0, word = 0;
    const struct token *tokens = side->row.grams.tokens.items;
    memset(out->value, 0, sizeof out->value);
    memset(out->from, 0, sizeof out->from);
    memset(out->to, 0, sizeof out->to);
    out->codes.count = out->codes.unit_count = out->codes.squeezed_length = 0;
    out->codes.beside_count = 0;
    int sentence = !record_text_is(side->text);
    while (sentence || record_text_next(side->text, &at, &name, &value)) {
        size_t f = sentence ? 0 : field_index(fields, name);
        if (sentence) value = side->text;
        size_t start = (size_t)(value.bytes - side->text.bytes), end = start + value.length;
        while (word < side->count && tokens[word].from < start) word++;
        size_t first = word;
        while (word < side->count && tokens[word].from < end) word++;
        if (f >= fields->count || may_have_codes(fields->list[f].type))
            record_codes_read(&out->codes, value);
        if (f < fields->count && !out->value[f].bytes && value.length) {
            out->value[f] = value;
            out->from[f] = first;
            out->to[f] = word;
        }
        if (sentence) break;
    }
}

/* Sums up the words of a pair of values. A word counts its rarity and a little more, so that values
 * of frequent words can be compared too. seen[s][number] is ROUND for a word of side s, and ROUND +
 * 1 once it was counted. */
static void sum_words(struct field_pair *pair, struct field_scratch *scratch)
{
    const double least = 0.05;
    struct field_words *words = &pair->words;
    uint32_t round = scratch->round += 2;
    *words = (struct field_words){.shared = 0};
    for (int s = 0; s < 2; s++)
        for (size_t i = pair->from[s]; i < pair->to[s]; i++)
            scratch->seen[s][pair->reading->side[s].words[i].number] = round;
    for (int s = 0; s < 2; s++) {
        double elsewhere = 0, head = 0, heads = 0;
        for (size_t i = pair->from[s]; i < pair->to[s]; i++) {
            const struct reading_word *word = &pair->reading->side[s].words[i];
            double rarity = least + (double)word->rarity;
            if (scratch->seen[s][word->number] != round) continue;
            scratch->seen[s][word->number] = round + 1;
            int both = scratch->seen[!s][word->number] >= round;
            double early = rarity / (1 + 0.25 * (double)(i - pair->from[s]));
            heads += early;
            if (both) head += early;
            words->all[s] += rarity;
            words->squares[s] += rarity * rarity;
            if (both && s) words->shared += rarity;
            if (both && s) words->shared_squares += rarity * rarity;
            if (!both) words->rarest_alone[s] = fmax(words->rarest_alone[s], rarity);
            if (reading_is_shared(pair->reading, word->number)) elsewhere += rarity;
        }
        words->head[s] = heads > 0 ? head / heads : 0;
        words->elsewhere[s] = words->all[s] > 0 ? elsewhere / words->all[s] : 0;
    }
}

/* Where a value is missing, the other's words may still be anywhere in the other record. */
static void measure_field(const struct record_field *field, struct field_pair *pair,
                          struct field_scratch *scratch, float *out)
{
    const struct field_comparer *kind = field_comparer(field->type);
    double value[FIELD_MEASURES];
    int has[2] = {pair->value[0].bytes != NULL, pair->value[1].bytes != NULL};
    for (size_t m = 0; m < kind->count; m++) value[m] = FIELD_MISSING;
    sum_words(pair, scratch);
    if (has[0] && has[1] && !kind->compare(pair, value))
        for (size_t m = 0; m < kind->count; m++) value[m] = FIELD_MISSING;
    for (size_t m = 0; m < kind->count; m++) {
        if (has[0] != has[1] && strcmp(kind->measures[m].id, "elsewhere") == 0)
            value[m] = pair->words.elsewhere[has[1]];
        out[m] = (float)value[m];
    }
    out[kind->count] = has[0] != has[1];
    out[kind->count + 1] = !has[0] && !has[1];
}

film_status record_fields_measure(const struct record_fields *fields, const struct reading *reading,
                                  struct field_scratch *scratch, float *out, film_error *error)
{
    film_status status = FILM_OK;
    double codes[RECORD_CODE_MEASURES];
    struct located *side = mem_array(2, sizeof *side);
    TRY_ALLOC(side && reserve_seen(scratch, reading->numbers), error);
    if (scratch->round > UINT32_MAX - 4 * RECORD_FIELDS_MOST) {
        for (int s = 0; s < 2; s++)
            memset(scratch->seen[s], 0, scratch->seen_capacity[s] * sizeof(uint32_t));
        scratch->round = 0;
    }
    for (int s = 0; s < 2; s++) locate_values(fields, &reading->side[s], &side[s]);
    record_codes_compare(&side[0].codes, &side[1].codes, codes);
    for (size_t m = 0; m < RECORD_CODE_MEASURES; m++) out[m] = (float)codes[m];
    for (size_t f = 0; f < fields->count; f++) {
        struct field_pair pair = {.reading = reading};
        for (int s = 0; s < 2; s++) {
            pair.value[s] = side[s].value[f];
            pair.from[s] = side[s].from[f];
            pair.to[s] = side[s].to[f];
        }
        measure_field(&fields->list[f], &pair, scratch, out + fields->list[f].first);
    }
done:
    mem_free(side);
    return status;
}
