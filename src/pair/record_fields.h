/* The fields of the records that a model compares, and their traits.
 *
 * A record is a text with marked fields (text/record_text.h). All of its words are compared as
 * those of a sentence; here each field adds traits of its own, by its type, and the record adds
 * traits across fields (pair/record_codes.h). They come after the traits of sentences
 * (pair/traits.h) in one array, so line, trees and reasons treat all alike. */
#ifndef PAIR_RECORD_FIELDS_H
#define PAIR_RECORD_FIELDS_H

#include "pair/traits.h"
#include "text/field_types.h"
#include "film_io.h"

/* Fields beyond this number are compared as words of the record only. */
enum { RECORD_FIELDS_MOST = 32 };

struct record_field {
    char *name;
    char *family; /* of its reasons: "field title" */
    enum field_type type;
    size_t first; /* its first trait, counted from the first trait of fields */
};

struct record_fields {
    size_t count;
    struct record_field list[RECORD_FIELDS_MOST];
    size_t trait_count;
    struct trait *traits;
};

/* Appends a field. A name that is longer than 100 bytes or there already, and a field beyond the
 * limit, are skipped. */
film_status record_fields_add(struct record_fields *fields, film_text name, enum field_type type,
                              film_error *error);

/* Names the traits; called after the last field. */
film_status record_fields_prepare(struct record_fields *fields, film_error *error);
void record_fields_free(struct record_fields *fields);

/* Lets OPTIONS read a table of single records with these fields, unless the caller named columns or
 * fields. *OWN must outlive OPTIONS and be freed. */
film_status record_fields_table(const struct record_fields *fields, film_table_options *options,
                                char **own, film_error *error);

/* Fails with FILM_BAD_INPUT if a record has a field that is not among FIELDS, or no value.
 * Sentences pass, and so does everything where FIELDS is empty; a full list may lack columns of the
 * table. */
film_status record_fields_check(const struct record_fields *fields, film_text text,
                                film_error *error);

/* Scratch space for one thread. Zero-initialise it. */
struct field_scratch {
    uint32_t *seen[2]; /* by word number: the round in which a side had the word */
    size_t seen_capacity[2];
    uint32_t round;
};
void field_scratch_free(struct field_scratch *scratch);

/* Computes OUT[i] of every trait of FIELDS for a pair that was read; the values are finite. */
film_status record_fields_measure(const struct record_fields *fields, const struct reading *reading,
                                  struct field_scratch *scratch, float *out, film_error *error);

/* All traits of a model whose records have FIELDS (NULL: sentences). */
size_t traits_total(const struct record_fields *fields);
const struct trait *traits_get(const struct record_fields *fields, size_t number);
size_t traits_search(const struct record_fields *fields, const char *id);

#endif
