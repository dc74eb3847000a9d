/* Internals shared by the two files of the lexical index. */
#ifndef INDEX_LEXICAL_PARTS_H
#define INDEX_LEXICAL_PARTS_H

#include "index/lexical.h"

struct lexical {
    struct lexical_view view; /* merged documents; count is their number, `dead` covers all */
    int borrowed;             /* the view points into a file */
    size_t count, removed;    /* all documents; those marked as removed */
    struct keytab terms;      /* own: includes the terms of the tail */
    uint64_t *start;          /* own arrays of the view */
    uint16_t *most, *weight;
    uint32_t *document;
    uint8_t *dead;
    size_t dead_capacity;
    /* The tail, document by document: term numbers (ascending) and weights. */
    size_t *tail_start; /* tail + 1 */
    uint32_t *tail_term;
    uint16_t *tail_weight;
    size_t tail, tail_start_capacity, tail_term_capacity, tail_weight_capacity;
};

/* WEIGHT as stored; 0: ignored. */
static inline uint32_t lexical_code(float weight)
{
    if (!(weight > 0)) return 0;
    return weight >= 1 ? LEXICAL_ONE : (uint32_t)(weight * LEXICAL_ONE + 0.5f);
}

#endif
