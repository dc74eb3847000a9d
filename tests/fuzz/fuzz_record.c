/* Fuzzes records: JSON objects and texts with marks, their fields, the parsers of all types and the
 * comparison of two of them. */
#include "base/mem.h"
#include "pair/record_fields.h"
#include "pair/field_traits.h"
#include "pair/record_codes.h"
#include "text/record_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition) abort();
}

static void parse_value(film_text value)
{
    char out[64];
    double number = 0;
    int money;
    struct field_day day;
    struct field_counts counts = {0};
    if (field_number(value, &number, &money)) must(isfinite(number));
    if (field_date(value, &day)) must(day.month >= 0 && day.month <= 12 && day.day <= 31);
    must(field_squeeze(value, out, sizeof out) <= sizeof out);
    field_count(&counts, value);
    must(field_type_guess(value, &counts) < FIELD_TYPES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct record_codes codes[2];
    film_text text = {(const char *)data, size}, name, value;
    struct record_text record = {0};
    film_error error;
    double out[RECORD_CODE_MEASURES];
    size_t half = size / 2;
    for (size_t at = 0, before = 1; record_text_next(text, &at, &name, &value); before = at) {
        must(at <= size && at >= before);
        must(value.bytes >= text.bytes && value.bytes + value.length <= text.bytes + size);
        parse_value(value);
    }
    parse_value(text);
    if (record_text_json(&record, text, &error) == FILM_OK && record.length) {
        film_text again = {record.bytes, record.length};
        must(record_text_is(again));
        for (size_t at = 0; record_text_next(again, &at, &name, &value);)
            must(!record_text_missing(value));
    }
    mem_free(record.bytes);
    memset(codes, 0, sizeof codes);
    record_codes_read(&codes[0], (film_text){text.bytes, half});
    record_codes_read(&codes[1], (film_text){text.bytes + half, size - half});
    record_codes_compare(&codes[0], &codes[1], out);
    for (int m = 0; m < RECORD_CODE_MEASURES; m++) must(isfinite(out[m]));
    double alike =
        field_spelling((film_text){text.bytes, half}, (film_text){text.bytes + half, size - half});
    must(alike >= 0 && alike <= 1);
    return 0;
}
