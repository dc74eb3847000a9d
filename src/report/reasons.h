/* The reasons of a pair, as words and readable groups. */
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

/* Writes a sentence, or a record as "name value" with the names in italics; long texts are cut. */
void sentence_write(struct markup *out, film_text text);

/* Writes the strongest words and groups of a pair, those for the verdict first. */
film_status reasons_write(struct markup *out, struct verdict_reader *reader, film_text a,
                          film_text b, film_error *error);

#endif
