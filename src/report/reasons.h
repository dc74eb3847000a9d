/* The reasons of a pair: its strongest words and groups, or the fields of records. */
#ifndef REPORT_REASONS_H
#define REPORT_REASONS_H

#include "report/parts.h"

/* Adds the members `same` and `terms`, or those of records, to the object of a pair. */
film_status reasons_put(json_t *pair, film_context *context, film_text a, film_text b,
                        film_error *error);

#endif
