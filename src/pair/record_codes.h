/* Model numbers and measurements anywhere in two records: whether a code of one is in the other,
 * and whether the same unit, or the same word beside a number, has another number. */
#ifndef PAIR_RECORD_CODES_H
#define PAIR_RECORD_CODES_H

#include "pair/field_traits.h"

enum { RECORD_CODE_MEASURES = 11 };
extern const struct field_measure record_code_measures[RECORD_CODE_MEASURES];

/* Collects the codes of one record, value by value. Zero-initialise it. */
enum { RECORD_CODES = 24, RECORD_CODE_BYTES = 32, RECORD_SQUEEZED = 4096, RECORD_BESIDE = 64 };
struct record_codes {
    size_t count, unit_count;
    struct {
        char bytes[RECORD_CODE_BYTES];
        size_t length;
    } code[RECORD_CODES];
    struct {
        double number;
        char unit[8];
    } unit[RECORD_CODES];
    /* Numbers with the word before ("<mark") or after them (">gb"). */
    size_t beside_count;
    struct {
        double number;
        char word[14];
    } beside[RECORD_BESIDE];
    char squeezed[RECORD_SQUEEZED];
    size_t squeezed_length;
};

void record_codes_read(struct record_codes *codes, film_text value);
void record_codes_compare(const struct record_codes *a, const struct record_codes *b, double *out);

#endif
