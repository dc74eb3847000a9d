/* Internals shared by the files of dedup/blocking.h. */
#ifndef DEDUP_BLOCKING_PARTS_H
#define DEDUP_BLOCKING_PARTS_H

#include "dedup/blocking.h"
#include "index/terms.h"
#include "pair/record_fields.h"

enum {
    BLOCKING_TERMS = 96,     /* of a record; further ones are skipped */
    BLOCKING_FIELD_BITS = 5, /* RECORD_FIELDS_MOST fields */
    BLOCKING_NUMBERS = 1 << (32 - BLOCKING_FIELD_BITS),
    BLOCKING_MEASURES = 3, /* of a field */
    BLOCKING_WEIGHTS = BLOCKING_MEASURES * RECORD_FIELDS_MOST + 1
};

struct blocking {
    const struct encoder *encoder;
    size_t count, fields;
    size_t *start;      /* records + 1: terms of record i are start[i] .. start[i + 1] */
    uint32_t *term;     /* number and field, ascending; while they are read, a hash */
    uint8_t *field;     /* only while they are read */
    uint64_t *spelling; /* records x fields: character pairs; 0: missing */
    size_t terms;       /* numbers: rare terms first */
    size_t searched;    /* terms below have a list */
    size_t postings;    /* records that a search visits */
    size_t *list;       /* searched + 1 */
    uint32_t *record;   /* of the lists */
    float *information; /* of a term: log(records / frequency) */
    double weight[BLOCKING_WEIGHTS];
};

/* The terms of one record. */
struct blocking_row {
    uint32_t hash[BLOCKING_TERMS];
    uint8_t field[BLOCKING_TERMS];
    size_t count;
};

/* Reads a record; SPELLING has an entry per field. */
film_status blocking_read(const struct blocking *blocking, struct terms *terms, film_text text,
                          struct blocking_row *row, uint64_t *spelling, film_error *error);

/* Weights before any example: the shared information. */
void blocking_weigh_alike(struct blocking *blocking);

#endif
