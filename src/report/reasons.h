/* The reasons of a pair: its strongest words and groups, or the fields of records. */
#ifndef REPORT_REASONS_H
#define REPORT_REASONS_H

#include "explain/pair.h"
#include "report/parts.h"

/* Reads pairs by the model's own rule; zero-initialise it before reader_init. */
struct verdict_reader {
    struct match match;
    struct explainer explainer;
    int ready;
};
film_status reader_init(struct verdict_reader *reader, const struct decision *decision,
                        film_error *error);
void reader_free(struct verdict_reader *reader);

/* Writes the members `same` and `terms`, or those of records, into the object of a pair. */
film_status put_reasons(struct writer *to, struct verdict_reader *reader, film_text a, film_text b,
                        film_error *error);

#endif
