/* Observations that need no model, as sentences: different numbers, a negation on one side. */
#ifndef EXPLAIN_FACTS_H
#define EXPLAIN_FACTS_H

#include "film_explain.h"
#include "pair/memory.h"
#include "pair/reading.h"

enum { FACTS_MOST = 8, FACT_LENGTH = 400 };

struct facts {
    film_fact list[FACTS_MOST];
    size_t count;
    char text[FACTS_MOST][FACT_LENGTH];
};

/* For the pair that was read. KNOWN is the result of the memory lookup. */
void facts_find(struct facts *facts, const struct reading *reading, enum memory_answer known);

#endif
